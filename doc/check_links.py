"""Find broken internal links of the built site, and parts that need the network.

``python doc/check_links.py doc/_build/html`` names them, and ends with 1 where there
are any. Scripts, styles and pictures must lie in the site: it is read offline too.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.parts = set(), [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[k] for k in ("id", "name") if attrs.get(k)}
        named = [attrs.get(k) for k in ("href", "src")]
        self.links += [link for link in named if link]
        loaded = attrs.get("href") if tag == "link" else attrs.get("src")
        self.parts += [loaded] if loaded else []


def read_page(path):
    """Return the anchors and links of one page."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(folder):
    """Return ``(page, link)`` for each link that is not there or not of the site."""
    folder = Path(folder).resolve()
    paths = sorted(folder.rglob("*.html"))
    # what lies in _static are templates of the theme
    pages = {p: read_page(p) for p in paths if "_static" not in p.parts}
    if not pages:
        raise ValueError(f"There is no page in {folder}.")
    found = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:  # leads out of the site
                if link in page.parts:
                    found.append((str(path.relative_to(folder)), link))
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            to = to / "index.html" if to.is_dir() else to
            anchor = unquote(parts.fragment)
            known = pages[to].anchors if to in pages else {anchor}
            if not to.exists() or (anchor and anchor not in known):
                found.append((str(path.relative_to(folder)), link))
    return found


def main(folder):
    found = broken_links(folder)
    for page, link in found:
        sys.stdout.write(f"{page}: {link}\n")
    sys.stdout.write(f"{len(found)} broken links\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
