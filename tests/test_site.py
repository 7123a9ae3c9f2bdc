"""The site that is made of docs/: it builds, and every link leads somewhere."""

from __future__ import annotations

import html.parser
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
BUILT: Final = ("docs", "zensical.toml", "CHANGELOG.md", "CONTRIBUTING.md")
"""What the site is made of."""


@dataclass
class Page(html.parser.HTMLParser):
    """What a page links to, and what in it can be linked to."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value for name, value in attrs if value is not None}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag in ("img", "script") and "src" in named:
            self.loads.append(named["src"])
        elif tag == "link" and named.get("rel") in ("stylesheet", "icon", "preconnect"):
            self.loads.append(named["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built of copies."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed: pip install 'devicefix[docs]'")
    root = tmp_path_factory.mktemp("site")
    for name in BUILT:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(
        command,
        cwd=root,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    read = {}
    for path in site.rglob("*.html"):
        read[path] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return read


def target(link: str, page: Path) -> Path:
    """The file that a link of a page means."""
    path = (page.parent / unquote(urlsplit(link).path)).resolve() if urlsplit(link).path else page
    return path / "index.html" if path.is_dir() else path


def is_ours(link: str) -> bool:
    return not urlsplit(link).scheme and not urlsplit(link).netloc


def test_every_link_of_the_site_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links start at the root of a server
            continue
        for link in filter(is_ours, [*page.links, *page.loads]):
            file, anchor = target(link, path), unquote(urlsplit(link).fragment)
            found = file.is_file() and file.is_relative_to(site)
            if not found or (anchor and file in pages and anchor not in pages[file].anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert sorted(set(broken)) == []


def test_the_site_loads_nothing_from_other_servers(pages: dict[Path, Page]) -> None:
    loads = {load for page in pages.values() for load in page.loads}
    assert loads
    assert [load for load in loads if not is_ours(load)] == []
