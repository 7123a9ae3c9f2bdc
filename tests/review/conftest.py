"""Reviews of small trees, served in a thread; and a Chromium to look at them."""

from __future__ import annotations

import http.client
import json
import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from devicefix.engine import rehearsal
from devicefix.proposals import ReviewSession, Store
from devicefix.review import reviewing
from devicefix.review.model import ReviewModel, Subject
from devicefix.review.serving import Wishes, serve
from devicefix.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, LocatorAssertions, Page

PATIENCE: Final = 60
"""Seconds that anything may take on a busy machine; nobody waits for longer than it does take."""
FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Served:
    """A review that is being given out."""

    model: ReviewModel
    address: str
    thread: threading.Thread

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].split("/")[0])

    @property
    def token(self) -> str:
        return self.address.split("#")[1]

    def ask(
        self, method: str, path: str, body: object = None, **changed: str | None
    ) -> tuple[int, dict[str, str], str]:
        """What the server answers its own page, but for headers that are ``changed``."""
        here = f"127.0.0.1:{self.port}"
        headers = {
            "host": here,
            "origin": f"http://{here}",
            "authorization": f"Bearer {self.token}",
            **{name.replace("_", "-"): value for name, value in changed.items()},
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            text = body if isinstance(body, str) else json.dumps(body)
            connection.putrequest(method, path, skip_host=True)
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("content-length", str(len(text.encode())))
            connection.endheaders(text.encode())
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()
        finally:
            connection.close()

    def close(self) -> None:
        if self.thread.is_alive():
            self.ask("POST", "/api/quit", {})
            self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@dataclass
class Server:
    """Serves what lies below a folder."""

    folder: Path
    running: list[Served] = field(default_factory=list)

    def __call__(self, prover: Any = None, allow_dirty: bool = False) -> Served:
        def session(several: bool) -> ReviewSession:
            paths = [Path()]
            return ReviewSession(rehearsal(paths, Settings(), dry_run=True), Store(paths))

        model = ReviewModel(
            Subject(session, "tree", "devicefix undo .", "devicefix review .", allow_dirty)
        )
        told: queue.Queue[str] = queue.Queue()
        thread = threading.Thread(
            target=serve, args=(model, prover, Wishes(browser=False), told.put), daemon=True
        )
        thread.start()
        served = Served(model, told.get(timeout=PATIENCE), thread)
        self.running.append(served)
        return served


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    return folder


@pytest.fixture
def review(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(tree, monkeypatch) as server:
        yield server


@contextmanager
def serving(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Until the block ends, which takes a third of a second for each review."""
    # Without a page it ends when a test says so: on a busy machine one is long in coming back.
    monkeypatch.setattr(reviewing, "_GRACE", PATIENCE)
    monkeypatch.setattr(reviewing, "_GLANCE", 0.2)
    monkeypatch.setattr(reviewing, "_PAUSE", 0.1)
    server = Server(tree)
    yield server
    for served in server.running:
        served.close()


def chromium() -> str:
    """Where it is; skips the test where there is none."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if found is None:
        pytest.skip("no chromium here: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright's event loop runs in our thread for as long as it is there: not for longer than
    these tests, as others want one of their own."""
    api = pytest.importorskip("playwright.sync_api")
    path = chromium()
    with api.sync_playwright() as driver:
        api.expect.set_options(timeout=1000 * PATIENCE)
        patience = 2000 * PATIENCE
        started = driver.chromium.launch(executable_path=path, args=FLAGS, timeout=patience)
        yield started
        started.close()


def expect(place: Locator) -> LocatorAssertions:
    """What is said of ``place`` comes true, be it later: the browser does things when it can."""
    from playwright.sync_api import expect as waiting

    return waiting(place)


def reads(page: Page, selector: str, text: str) -> None:
    """At ``selector``, ``text`` is to be seen."""
    expect(page.locator(selector)).to_contain_text(text, use_inner_text=True)


Look = Callable[..., "Page"]


@pytest.fixture(scope="module")
def pages(browser: Browser) -> list[Page]:
    """Those that no test uses: a new window takes Chromium longer than most tests."""
    return []


@pytest.fixture
def look(browser: Browser, pages: list[Page]) -> Iterator[Look]:
    """Opens an address; the test fails if the page complains, or asks for anything elsewhere."""
    complaints: list[str] = []
    hosts: list[str] = []
    opened: list[Page] = []
    listeners: dict[Any, Any] = {
        "console": lambda said: complaints.append(said.text),
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda r: r.url.startswith((*hosts, "data:")) or complaints.append(r.url),
    }

    def look(address: str, width: int = 1280, scheme: Any = "light") -> Page:
        page = pages.pop() if pages else browser.new_context().new_page()
        opened.append(page)
        page.set_default_timeout(1000 * PATIENCE)
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        hosts.append(address.split("#")[0])
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(address)
        page.wait_for_selector("#list .card, #empty:not([hidden])")
        return page

    yield look
    for page in opened:
        if page.is_closed():
            continue
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.unroute_all()
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.goto("about:blank")
        pages.append(page)
    # The browser tells of each answer that is no, and of a server that has ended: the page has said
    # why, or was being closed.
    told = ("status of 409", "net::ERR_CONNECTION_REFUSED")
    assert [text for text in complaints if not any(word in text for word in told)] == []
