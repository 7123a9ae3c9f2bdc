"""Take the pictures of the terminal and of the audit page that the documentation shows.

    python scripts/take_pictures.py            # into docs/images
    python scripts/take_pictures.py --to DIR

The commands run on copies of examples. The terminal is written as SVG by rich; the page is taken by
Chromium, and left out where there is none.
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
from typing import Final

from pexpect import EOF, spawn
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

ROOT: Final = Path(__file__).resolve().parent.parent
IMAGES: Final = ROOT / "docs" / "images"
COLUMNS: Final = 100
FORMAT: Final = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}</defs>
<rect fill="#ffffff" stroke="#c8ccd4" x="1" y="1" width="{terminal_width}"
  height="{terminal_height}" rx="8"/>
<g transform="translate(9, 9)" clip-path="url(#{unique_id}-clip-terminal)">
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
            said += child.before + child.after + f"{key}\n"
            child.send(key)
        child.expect(r"\?\] " if session.keys else EOF)
        said += child.before + (child.after if session.keys else "")
        child.close(force=True)
    return said.replace("\r\n", "\n").rstrip()


def picture(text: str) -> str:
    """An SVG of a terminal with ``text``, whose colours are ANSI escapes."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(text), soft_wrap=True)
    return console.export_svg(theme=DEFAULT_TERMINAL_THEME, code_format=FORMAT, unique_id="t")


def take_page(chromium: str, target: Path) -> None:
    """The page of an audit."""
    with (
        copies(["spirals", "bars_2017", "handwritten_cuda_kernel.py"]) as folder,
        tempfile.TemporaryDirectory() as state,
    ):
        command = ["devicefix", "audit", "--target", "mps", "--output-format", "html"]
        run = subprocess.run(
            command, cwd=folder, env=environment(state), capture_output=True, check=True
        )
        page = Path(state) / "audit.html"
        page.write_bytes(run.stdout)
        size = "--window-size=900,900"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", size]
        subprocess.run(
            [chromium, *options, f"--screenshot={target}", page.as_uri()],
            check=True,
            capture_output=True,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--to", type=Path, default=IMAGES, help="the folder for the pictures")
    folder = parser.parse_args(arguments).to
    for session in SESSIONS:
        (folder / f"{session.name}.svg").write_text(picture(shown(session)), encoding="utf-8")
    if chromium := shutil.which("chromium"):
        take_page(chromium, folder / "audit.png")
    else:
        sys.stderr.write("no chromium: audit.png was not taken\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
