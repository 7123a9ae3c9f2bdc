"""Take the pictures of the terminal and of the web pages that the documentation shows.

    python scripts/take_pictures.py            # into docs/images
    python scripts/take_pictures.py --to DIR
    python scripts/take_pictures.py --vscode http://127.0.0.1:8080/?folder=/tmp/examples

The commands run on copies of examples. The terminal is written as SVG by rich; the pages are taken
by Chromium with playwright, and skipped without it. ``--vscode`` is the address of a VS Code in the
browser (code-server) that has the extension of ``editors/vscode`` and a copy of the examples.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pexpect import EOF, spawn
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT: Final = Path(__file__).resolve().parent.parent
IMAGES: Final = ROOT / "docs" / "images"
COLUMNS: Final = 110
PATIENCE: Final = 200
"""Seconds for an answer: a rejection has the examples analysed again."""
FORMAT: Final = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="1" height="1" /></clipPath>
{lines}</defs>
<rect fill="#ffffff" width="{width}" height="{height}" rx="8"/>
<g transform="translate(9, 9)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""That of rich without a frame, and without a font from elsewhere."""


@dataclass(frozen=True)
class Session:
    """A command, and the keys that are pressed when it asks."""

    name: str
    command: str
    examples: Sequence[str]
    keys: str = ""


SESSIONS: Final = (
    Session("check", "devicefix check", ("spirals", "handwritten_cuda_kernel.py")),
    Session("apply", "devicefix apply", ("spirals", "handwritten_cuda_kernel.py")),
    Session("interactive", "devicefix apply -i", ("model_moved_input_not.py",), keys="y"),
)


@contextmanager
def copies(examples: Sequence[str]) -> Iterator[Path]:
    """A folder with copies of the examples."""
    with tempfile.TemporaryDirectory() as folder:
        for name in examples:
            source, target = ROOT / "examples" / name, Path(folder) / name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        yield Path(folder)


def environment(state: str) -> dict[str, str]:
    """Of a command: a terminal with colours, and no journal of others."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    colours = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return {**os.environ, **colours, "PATH": path, "DEVICEFIX_STATE_DIR": state}


def shown(session: Session) -> str:
    """What the terminal shows: the command, and what it prints until it waits or ends."""
    said = f"$ {session.command}\n"
    with copies(session.examples) as folder, tempfile.TemporaryDirectory() as state:
        child = spawn(
            session.command,
            cwd=str(folder),
            env=environment(state),
            dimensions=(60, COLUMNS),
            encoding="utf-8",
        )
        for key in session.keys:
            child.expect(r"\?\] ")
            said += child.before + child.after
            child.send(key)
        child.expect(r"\?\] " if session.keys else EOF)
        said += child.before + (child.after if session.keys else "")
        child.close(force=True)
    return said.replace("\r\n", "\n").rstrip()


def picture(text: str) -> str:
    """An SVG of a terminal with ``text``, whose colours are ANSI escapes."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    for line in Text.from_ansi(text).split(allow_blank=True):
        for start in range(0, len(line) or 1, COLUMNS):
            console.print(line[start : start + COLUMNS])
    return console.export_svg(theme=DEFAULT_TERMINAL_THEME, code_format=FORMAT, unique_id="t")


def take_audit(browser: Browser, target: Path) -> None:
    """The page of an audit."""
    examples = ["spirals", "bars_2017", "handwritten_cuda_kernel.py"]
    command = ["devicefix", "audit", "--target", "mps", "--output-format", "html"]
    with copies(examples) as folder, tempfile.TemporaryDirectory() as state:
        run = subprocess.run(
            command, cwd=folder, env=environment(state), capture_output=True, check=True
        )
        (folder / "audit.html").write_bytes(run.stdout)
        page = browser.new_page(viewport={"width": 900, "height": 880})
        page.goto((folder / "audit.html").as_uri())
        page.screenshot(path=target / "audit.png")


def take_review(browser: Browser, target: Path) -> None:
    """The page of `devicefix review`: a decision in three files, the same in dark, the preview."""
    command = ["devicefix", "review", "--no-browser", "examples"]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        run = subprocess.Popen(
            command, cwd=folder, env=environment(state), stdout=subprocess.PIPE, text=True
        )
        try:
            assert run.stdout is not None
            page = browser.new_page(
                viewport={"width": 1100, "height": 580}, reduced_motion="reduce"
            )
            page.set_default_timeout(1000 * PATIENCE)
            page.goto(run.stdout.readline().split()[-1])
            page.wait_for_selector(".card")
            page.keyboard.press("G")
            page.wait_for_timeout(1000)
            page.screenshot(path=target / "review-light.png")
            page.keyboard.press("t")
            page.wait_for_timeout(1000)  # colours change by and by
            page.screenshot(path=target / "review-dark.png")
            page.keyboard.press("t")
            page.keyboard.press("a")
            page.keyboard.press("w")
            page.wait_for_selector("#apply[open]")
            page.screenshot(path=target / "review-apply.png")
        finally:
            run.terminate()
            run.wait()


def take_vscode(browser: Browser, target: Path, address: str) -> None:
    """The extension: findings in the text, and those of one group below it."""
    page = browser.new_page(viewport={"width": 1000, "height": 660})
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(address)
    page.wait_for_selector(".explorer-folders-view .monaco-list-row")
    page.keyboard.press("Control+p")
    page.wait_for_selector(".quick-input-widget:visible")
    page.keyboard.type("tagger/train.py")
    page.wait_for_selector(".quick-input-list .monaco-list-row >> text=train.py")
    page.keyboard.press("Enter")
    page.wait_for_selector(".squiggly-warning")
    page.keyboard.press("Control+Shift+m")
    page.wait_for_selector(".markers-panel .monaco-list-row")
    page.wait_for_timeout(2000)  # colours of the text come last
    page.screenshot(path=target / "vscode.png")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--to", type=Path, default=IMAGES, help="the folder for the pictures")
    parser.add_argument("--vscode", metavar="URL", help="take only the picture of this VS Code")
    given = parser.parse_args(arguments)
    given.to.mkdir(parents=True, exist_ok=True)
    if given.vscode is None:
        for session in SESSIONS:
            text = picture(shown(session))
            (given.to / f"{session.name}.svg").write_text(text, encoding="utf-8")
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("no chromium: no page was taken\n")
        return 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if given.vscode is not None:
            take_vscode(browser, given.to, given.vscode)
        else:
            take_audit(browser, given.to)
            take_review(browser, given.to)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
