"""The page in a browser: what is accepted is written, by keyboard, in any width and colour."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from devicefix.engine import apply, undo
from devicefix.reporting import html
from devicefix.reporting.account import Account
from devicefix.review import reviewing
from devicefix.settings import Settings
from devicefix.verification import LaunchError
from tests.review.conftest import PATIENCE, Look, Server, expect, reads

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
CUDA: Final = "import torch\n\n\ndef f(x):\n    return x.cuda()\n"
MOVED: Final = "device = torch.device("


def shows(page: Page, count: int) -> None:
    """So many fixes."""
    expect(page.locator(".card:not([hidden])")).to_have_count(count)


def tells(page: Page, tally: str) -> None:
    expect(page.locator("#tally")).to_have_text(tally, use_inner_text=True)


def is_at(page: Page, name: str) -> None:
    """The keys are about a fix in this file."""
    reads(page, ".card:focus .facts", name)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def said(page: Page, text: str) -> None:
    page.wait_for_function("text => document.body.innerText.includes(text)", arg=text)


def written(page: Page) -> None:
    press(page, "w")
    page.wait_for_selector("#apply[open]")
    press(page, "Enter")
    said(page, "To revert it")


def test_what_is_accepted_on_the_page_of_the_examples_is_written(
    tree: Path, tmp_path: Path, look: Look
) -> None:
    """With the command itself, by keyboard alone."""
    shutil.copytree(EXAMPLES, tree / "examples")
    before = {p: p.read_bytes() for p in (tree / "examples").rglob("*.*")}
    command = [sys.executable, "-m", "devicefix", "review", "--no-browser", "examples"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/#\S+", run.stdout.readline())
        assert found
        page = look(found[0])
        press(page, "/")
        page.keyboard.type("tagger")
        press(page, "Enter", "a")
        page.fill("#search", "guarded_convolution")
        press(page, "Enter", "A", "w")
        page.wait_for_selector("#apply[open]")
        shown = page.inner_text("#apply")
        press(page, "Enter")
        said(page, "To revert it")
        press(page, "q")
        out, err = run.communicate(timeout=PATIENCE)
    changed = sorted(p.name for p, old in before.items() if p.read_bytes() != old)
    assert changed == ["data.py", "guarded_convolution.py", "model.py", "train.py"]
    assert 'self.register_buffer("scale"' in shown
    assert "4 files" in shown
    assert run.returncode == 0, err
    assert out.count("wrote examples/") == 4
    assert 'register_buffer("scale"' in (tree / "examples/tagger/model.py").read_text()
    undo([tree / "examples"])
    assert {p: p.read_bytes() for p in before} == before


def test_nothing_but_what_was_accepted_is_written(tree: Path, review: Server, look: Look) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tree / name).write_text(CUDA)
    page = look(review().address)
    press(page, "a", "r")
    page.wait_for_function(
        "() => document.getElementById('tally').innerText.startsWith('1 accepted · 1')"
    )
    written(page)
    assert MOVED in (tree / "a.py").read_text()
    assert (tree / "b.py").read_text() == (tree / "c.py").read_text() == CUDA
    page.wait_for_selector("#apply-button:disabled")
    page.wait_for_selector(".yes:disabled")
    page.click("text=Review the remaining fixes")
    said(page, "2 fixes")


def test_what_comes_of_a_rejection_is_said(tree: Path, review: Server, look: Look) -> None:
    """Without the conversion the file does not parse: what was accepted of it is not made."""
    (tree / "old.py").write_text('import torch\nx = torch.zeros(2).cuda()\nprint "x", x\n')
    (tree / "new.py").write_text(CUDA)
    page = look(review().address)
    shows(page, 3)
    page.check('[data-key="checkbox  DFX201"]')
    press(page, "A", "c")
    page.check('[data-key="checkbox  DFX606"]')
    press(page, "R")
    said(page, "1 fix that you accepted does not apply without it")
    press(page, "c")
    tells(page, "1 accepted · 1 rejected · 0 to decide")
    reads(page, "#errors", "old.py")
    page.click(".card.rejected .toggle")
    page.click(".card.rejected .diff >> nth=0")  # it is still there to be seen
    press(page, "u", "u")
    said(page, "0 accepted · 0 rejected")


def test_answers_outlive_the_page_and_the_server(
    tree: Path, review: Server, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tree / name).write_text(CUDA)
    first = review()
    page = look(first.address)
    press(page, "a", "r")
    page.reload()  # at once: what was said is on its way
    said(page, "1 accepted · 1 rejected · 1 to decide")
    monkeypatch.setattr(reviewing, "_GRACE", 0.1)
    page.close()
    first.thread.join(PATIENCE)
    assert not first.thread.is_alive()  # it ends when nobody looks any more
    again = look(review().address)
    tells(again, "1 accepted · 1 rejected · 1 to decide")
    said(again, "2 answers from an earlier review are kept")


def test_what_is_said_while_the_page_is_filled_again_stays_said(
    tree: Path, review: Server, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content is asked for because of another page, and comes later than an answer of ours."""
    monkeypatch.setattr(reviewing, "_HEARTBEAT", 10 * PATIENCE)
    for name in ("a.py", "b.py", "c.py"):
        (tree / name).write_text(CUDA)
    served = review()
    page = look(served.address)
    held: list[tuple[Any, Any]] = []
    page.route("**/api/content", lambda route: held.append((route, route.fetch())), times=1)
    (_, second, _) = [g["id"] for g in json.loads(served.ask("GET", "/api/content")[2])["groups"]]
    served.ask("POST", "/api/decide", {"answers": [[second, "rejected"]]})
    deadline = time.monotonic() + PATIENCE
    while not held and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    with page.expect_response("**/api/decide"):
        press(page, "a")
    expect(page.locator(".card.accepted")).to_have_count(1)
    ((route, old),) = held
    route.fulfill(response=old)
    tells(page, "1 accepted · 1 rejected · 1 to decide")


def test_all_can_be_done_by_keyboard(tree: Path, review: Server, look: Look) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tree / name).write_text(CUDA)
    page = look(review().address)

    press(page, "j", "j")
    is_at(page, "b.py")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"
    press(page, "a")
    is_at(page, "c.py")  # on to the next one
    press(page, "k")
    expect(page.locator(".card:focus")).to_have_attribute("aria-label", re.compile("accepted$"))
    press(page, "o")
    expect(page.locator(".card.accepted .diff")).to_be_visible()
    press(page, "u")
    tells(page, "0 accepted · 0 rejected · 3 to decide")
    press(page, "?")
    expect(page.locator("#help")).to_be_visible()
    press(page, "a")  # single keys do nothing behind a window
    press(page, "Escape", "x")
    reads(page, "#rule", "hard-codes CUDA")
    press(page, "Escape", "/")
    page.keyboard.type("c.py")
    press(page, "Escape")
    is_at(page, "c.py")
    press(page, "A", "c")
    tells(page, "1 accepted · 0 rejected · 2 to decide")
    press(page, "Tab", "Tab")
    expect(page.locator("button:focus")).to_be_visible()


def test_filters(tree: Path, review: Server, look: Look) -> None:
    for name in ("a.py", "b.py"):
        (tree / name).write_text(CUDA)
    (tree / "lost.py").write_text(CUDA.replace("cuda()", "cuda(1)"))
    page = look(review().address)
    shows(page, 3)
    page.check('[data-key="checkbox  unsafe"]')
    reads(page, ".card:not([hidden]) .why", "Why it is unsafe")
    page.check('[data-key="checkbox  a.py"]')
    reads(page, "#empty", "No fix matches")
    press(page, "c")
    page.check('[data-key="checkbox  a.py"]')
    page.check('[data-key="checkbox  b.py"]')
    shows(page, 2)
    page.click("text=Accept all 2 shown")
    page.click("text=Clear filter")
    page.check('[data-key="radio verdict accepted"]')
    shows(page, 2)
    page.fill("#search", "RETURN X.TO(DEVICE)")
    shows(page, 2)
    page.fill("#search", "nowhere")
    shows(page, 0)


HOSTILE: Final = """import torch


def f(x):
    \"\"\"</script><script>document.title = "pwned"</script>\"\"\"
    s = "<b>&amp;</b> \u202e turned \u2066 around"
    return x.cuda(), "</script><img src=x onerror='document.title=1'><!--"
"""
NAME: Final = "<img src=x onerror=alert(1)> `q` \u202e.py"


def test_what_files_hold_and_are_called_is_text(tree: Path, review: Server, look: Look) -> None:
    (tree / NAME).write_text(HOSTILE)
    (tree / "<i>broken.py").write_text("import torch\ndef f(:\n")
    page = look(review().address)
    title = page.title()
    page.click(".card .yes")
    page.click(".toggle")
    assert page.evaluate("document.querySelectorAll('img, b b, i:not(.bar i), script').length") == 2
    assert page.title() == title
    text = page.inner_text("main")
    assert "</script><img src=x" in text
    assert "<img src=x onerror=alert(1)>" in text
    assert "<i>broken.py" in text
    assert "U+202E" in text
    assert "\u202e" not in page.inner_text("body")


def test_a_file_that_changes_meanwhile_is_named_and_never_written(
    tree: Path, review: Server, look: Look
) -> None:
    for name in ("a.py", "b.py"):
        (tree / name).write_text(CUDA)
    page = look(review().address)
    press(page, "a", "a")
    (tree / "a.py").write_text(CUDA + "# mine\n")
    said(page, "Changed on disk since the analysis: a.py")
    press(page, "w")
    page.wait_for_selector("#apply[open]")
    said(page, "Nothing is written yet")
    assert "To be written" not in page.inner_text("#apply")
    reads(page, "#apply p", "a.py")
    page.click("#apply footer button:text('Analyse again')")
    page.wait_for_selector("#apply:not([open])", state="attached")
    page.wait_for_function(
        "() => document.getElementById('tally').innerText.startsWith('1 accepted')"
    )
    written(page)
    assert (tree / "a.py").read_text() == CUDA + "# mine\n"
    assert MOVED in (tree / "b.py").read_text()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_changes_that_git_does_not_have_are_not_overwritten(
    tree: Path, review: Server, look: Look
) -> None:
    (tree / "a.py").write_text(CUDA)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for line in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "one"]):
        subprocess.run(["git", *line], cwd=tree, check=True)
    (tree / "a.py").write_text(CUDA + "mine = 1\n")
    page = look(review().address)
    press(page, "a", "w")
    page.wait_for_selector("#apply[open]")
    press(page, "Enter")
    said(page, "Nothing was written: ")
    assert (tree / "a.py").read_text() == CUDA + "mine = 1\n"
    (tree / "a.py").write_text(CUDA + "mine = 2\n")
    said(page, "Changed on disk since")
    reads(page, "#banners", "--allow-dirty")  # it stays, whatever the server tells meanwhile
    (tree / "a.py").write_text(CUDA + "mine = 1\n")
    written(look(review(allow_dirty=True).address))
    assert MOVED in (tree / "a.py").read_text()


def test_nothing_to_fix_and_nothing_left(tree: Path, review: Server, look: Look) -> None:
    (tree / "plain.py").write_text("import torch\n")
    page = look(review().address)
    reads(page, "#empty", "Nothing to fix")
    page.wait_for_selector("#apply-button:disabled")
    press(page, "a", "j", "w", "A", "u")  # nothing happens, and nothing breaks


def test_a_page_without_the_token_shows_nothing(
    tree: Path, review: Server, browser: Browser
) -> None:
    (tree / "a.py").write_text(CUDA)
    page = browser.new_page()
    page.goto(review().address.split("#")[0])
    page.wait_for_selector("#empty:not([hidden])")
    reads(page, "#empty", "no valid token")
    assert "a.py" not in page.content()
    page.close()


CONTRAST: Final = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], below) =>
    [r, g, b].map((c, i) => (c * a + below[i] * (255 - a)) / 255);
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own : over(own, behind(element.parentElement));
  };
  const light = (colour) => colour.slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    const text = walk.currentNode.data.trim();
    if (!text || !element.checkVisibility()) continue;
    if (element.closest("script, :disabled, .none, .unseen")) continue;
    const ground = behind(element);
    const ink = over(rgba(getComputedStyle(element).color), ground);
    const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) bad.push([ratio.toFixed(2), element.className, text.slice(0, 40)].join(" "));
  }
  return [...new Set(bad)];
}"""
"""Text that is harder to read than https://www.w3.org/TR/WCAG21/#contrast-minimum allows."""


def test_all_text_can_be_read_in_dark_and_light(tree: Path, review: Server, look: Look) -> None:
    for name in ("a.py", "b.py", "lost.py"):
        (tree / name).write_text(HOSTILE.replace("cuda()", "cuda(1)" if name > "c" else "cuda()"))
    (tree / "broken.py").write_text("import torch\ndef f(:\n")
    page = look(review().address, scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(14, 17, 22)"  # as the browser is set
    press(page, "a", "r", "j")
    assert page.evaluate(CONTRAST) == []
    press(page, "?")
    assert page.evaluate(CONTRAST) == []
    press(page, "Escape", "t")
    assert page.evaluate(ground) == "rgb(245, 246, 248)"
    assert page.evaluate(CONTRAST) == []
    page.reload()
    page.wait_for_selector(".card")
    assert page.evaluate(ground) == "rgb(245, 246, 248)"  # it is remembered


@pytest.mark.parametrize("width", [340, 900])
def test_nothing_is_wider_than_the_window(
    tree: Path, review: Server, look: Look, width: int
) -> None:
    long = "x" * 300
    (tree / f"{long[:120]}.py").write_text(CUDA.replace("f(x)", f"{long}(x)"))
    (tree / "wide.py").write_text(CUDA.replace("x.cuda()", f"x.cuda(), '{'abc' * 2000}'"))
    page = look(review().address, width=width)
    press(page, "j", "x")
    wide = "document.scrollingElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.eval_on_selector_all(".diff .c, .title, .findings, .hunkhead .path", cut) == 0
    press(page, "Escape", "a", "w")
    page.wait_for_selector("#apply[open]")
    assert page.evaluate(wide) <= 0
    said(page, "more characters")


def test_the_report_is_the_page_in_one_file(tree: Path, tmp_path: Path, look: Look) -> None:
    (tree / NAME).write_text(HOSTILE)
    (tree / "a.py").write_text(CUDA)
    settings = Settings()
    report = apply([tree], settings, dry_run=True)
    file = tmp_path / "fixes.html"
    file.write_text(html.render(Account(report, "apply", dry_run=True)), encoding="utf-8")
    page = look(file.as_uri())
    assert page.evaluate("document.querySelectorAll('img, b b, i, script').length") == 2
    shows(page, 2)
    assert page.query_selector(".yes") is None
    page.fill("#search", "a.py")
    press(page, "Escape", "a", "u", "A", "w", "o")
    shows(page, 1)
    expect(page.locator(".card:not([hidden]) .diff")).to_be_hidden()


EVIDENCE: Final[dict[str, Any]] = {
    "verdict": "differs",
    "passed": False,
    "unknown": False,
    "entry": "train.py '<b>'",
    "devices": "cpu, sim:cuda",
    "reason": "the loss is another one",
    "heads": ["run", "ended", "on the accelerator", "copies"],
    "rows": [["before, on cpu", "exit 0, 1.0 s", "", ""]],
    "agreements": ["cpu: 3 values compared: not all equal"],
    "differences": [
        {
            "devices": "cpu",
            "what": "the loss",
            "sides": [["before", "<i>1</i>", "a.py:3", "loss"], ["after", "2", "a.py:4", "loss"]],
            "detail": "off by 1",
        }
    ],
    "notes": ["a note"],
    "seconds": 2.0,
    "idle": [],
}


class Prover:
    """Finds what it is told to find."""

    def __init__(self, *found: dict[str, Any] | str) -> None:
        self.found = list(found)
        self.program = type("Program", (), {"command": "python train.py"})()
        self.reports: list[Any] = []

    def prove(self, report: Any, told: Any) -> dict[str, Any]:
        self.reports.append(report)
        told("before the change, on cpu")
        found = self.found.pop(0)
        if isinstance(found, str):
            raise LaunchError(found)
        return found

    def stop(self) -> None:
        pass


def test_the_verification_of_what_is_accepted_is_shown(
    tree: Path, review: Server, look: Look
) -> None:
    for name in ("a.py", "b.py"):
        (tree / name).write_text(CUDA)
    prover = Prover("train.py: no such file", EVIDENCE, {**EVIDENCE, "verdict": "pass"})
    page = look(review(prover).address)
    press(page, "a", "v")
    said(page, "train.py: no such file")
    press(page, "v")
    said(page, "First difference on cpu")
    reads(page, "#proof", "<i>1</i>")
    assert [[r.path for r, _ in report.changes] for report in prover.reports] == [
        ["a.py"],
        ["a.py"],
    ]
    press(page, "a")
    said(page, "outdated: decisions have changed")
    press(page, "v")
    page.wait_for_selector("#proof .badge >> text=pass")
    press(page, "w")
    page.wait_for_selector("#apply[open]")
    reads(page, "#apply footer", "Verification of this selection: pass")


def test_another_origin_gets_nothing_even_with_the_token(
    tree: Path, review: Server, browser: Browser
) -> None:
    """A page of another port, which is the same site, in a real browser."""
    (tree / "a.py").write_text(CUDA)
    served = review()
    attempt = """async ([address, token]) => {
      const say = (does) => does.then((r) => `${r.type} ${r.status}`, (error) => error.name);
      const headers = { Authorization: `Bearer ${token}` };
      const body = '{"answers": []}';
      return [await say(fetch(`${address}api/content`, { headers })),
        await say(fetch(`${address}api/quit`, { method: "POST", mode: "no-cors", body })),
        await say(fetch(address, { mode: "no-cors" })),
        await say(new Promise((done, fail) => {
          const frame = document.createElement("iframe");
          frame.onload = () => done({ type: "framed", status: frame.contentDocument === null });
          frame.src = address;
          document.body.append(frame);
        }))];
    }"""
    page = browser.new_page()
    page.route("**/evil", lambda route: route.fulfill(body="<p>evil", content_type="text/html"))
    page.goto("http://127.0.0.1:9/evil")
    found = page.evaluate(attempt, [served.address.split("#")[0], served.token])
    assert found == ["TypeError", "TypeError", "TypeError", "framed true"]
    assert all("devicefix" not in frame.content() for frame in page.frames)
    assert served.thread.is_alive()
    page.close()
