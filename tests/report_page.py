"""What the tests of the report share: reading a page, asking a browser about it."""

import base64
import hashlib
import json
import shutil
import subprocess
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "input"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Page(HTMLParser):
    """Elements, and the text of each as a reader sees it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self._open, self.css = [], [], ""
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "up": self._open[:]}
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def all(self, tag):
        return [e for e in self.elements if e["tag"] == tag]

    def texts(self, tag):
        return [" ".join(e["text"].split()) for e in self.all(tag)]

    def inside(self, tag, **attrs):
        """Return the elements inside the first one with a tag and attributes."""
        for e in self.all(tag):
            if all(e["attrs"].get(k) == v for k, v in attrs.items()):
                return [other for other in self.elements if e in other["up"]]
        raise AssertionError(f"no {tag} with {attrs}")


def find_browser():
    """Return the path of a browser without a window, or None."""
    return next((p for p in map(shutil.which, BROWSERS) if p), None)


def browse(path, *more):
    """Open a file with no network; return its DOM afterwards and the console."""
    command = [
        find_browser(), "--headless", "--no-sandbox", "--disable-gpu",
        "--enable-logging=stderr", "--v=0", "--host-resolver-rules=MAP * ~NOTFOUND",
        "--virtual-time-budget=5000", *more, "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, said


def ask(page, code, folder, *more):
    """Run code in a page and return the JSON value it returns.

    The policy of the page lets no other script run, so this one is added to it.
    """
    answer = f"JSON.stringify((() => {{{code}}})())"
    script = f"document.documentElement.dataset.told = {answer};"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert page.count("script-src '") == 1
    page = page.replace("script-src '", f"script-src 'sha256-{digest}' '")
    page = page.replace("</body>", f"<script>{script}</script></body>")
    path = folder / "asked.html"
    path.write_text(page, encoding="utf-8")
    dom, said = browse(path, *more)
    root = Page(dom).all("html")[0]
    assert "told" in "".join(root["attrs"]), said
    return json.loads(root["attrs"]["data-told"])
