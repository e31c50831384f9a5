"""Files of the page, and the hash that its security policy knows them by."""

import base64
import hashlib
from importlib import resources


def page_file(name):
    """Return the text of a file of the page, such as ``report.css``."""
    return (resources.files("skrobust.report") / name).read_text(encoding="utf-8")


def policy_hash(text):
    """Return what the page's security policy knows a style or script by."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
