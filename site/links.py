"""Whether every link of the built site leads somewhere: `python site/links.py target/site`. Other sites are not asked."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links and places."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.places.add(value)


def broken(site: Path) -> list[str]:
    """Return every link that leads nowhere, with its page."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    # Its links start at the address of the site, which is not known here.
    pages.pop((site / "404.html").resolve(), None)
    return [
        f"{path.relative_to(site.resolve())}: {link}"
        for path, page in pages.items()
        for link in dict.fromkeys(page.links)
        if not leads(link, path, pages)
    ]


def leads(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Return whether a link on the page at `path` leads to a file, and to a place in it."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    place = unquote(parts.fragment)
    return target.is_file() and (not place or target not in pages or place in pages[target].places)


if __name__ == "__main__":
    found = broken(Path(sys.argv[1]))
    sys.exit("\n".join(["links that lead nowhere:", *found]) if found else 0)
