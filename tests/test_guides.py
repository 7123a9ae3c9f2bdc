"""The guides are sessions: their files are written, their commands run, what they show is compared.

A block ``python title="train.py"`` is a file. A ``console`` block holds commands after ``$``, and
below each what it prints; if nothing stands there, a ``text`` or ``diff`` block that follows is
the output of its last command: of a diff, on stdout. A line ``…`` stands for any lines. Each page
starts in an empty folder that holds a copy of examples/.
"""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from devicefix.cli import main

ROOT: Final = Path(__file__).resolve().parent.parent
GUIDES: Final = (
    "start",
    "inference",
    "questions",
    "adopting",
    "recipes/ci",
    "recipes/accelerators",
    "accelerators",
    "recipes/several-gpus",
    "recipes/libraries",
)
HOME: Final = "/home/you/project"
"""What stands for the folder of the session."""
OTHERS: Final = {"cat", "git", "pip", "pre-commit", "pytest", "python"}
"""Commands of a shell, which are shown but not run here."""
SLOW: Final = {"run", "verify", "review"}
"""Commands of ours that start a program or a server: other tests run them."""
_FENCE: Final = re.compile(
    r'^( *)```(\w+)(?: title="([^"]+)")?[^\n]*\n(.*?)^\1```$', re.MULTILINE | re.DOTALL
)
_COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its title, its text."""

    kind: str
    title: str | None
    text: str


@dataclass(frozen=True)
class Step:
    """A file to write (``title``), or a command to run and what it has to print."""

    title: str | None
    text: str
    printed: str | None = None
    stdout_only: bool = False


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks, without the indentation that lists and tabs give them."""
    found = []
    for indent, kind, title, text in _FENCE.findall(page):
        found.append(Block(kind, title or None, re.sub(f"^{indent}", "", text, flags=re.MULTILINE)))
    return found


def steps_of(blocks: list[Block]) -> Iterator[Step]:
    """What a reader would do, in order."""
    for block, after in itertools.pairwise([*blocks, Block("", None, "")]):
        if block.title is not None and "." in block.title:
            yield Step(block.title, block.text)
        elif block.kind == "console":
            *first, (command, printed) = _COMMAND.findall(block.text)
            yield from (Step(None, text, below or None) for text, below in first)
            if not printed and after.kind in ("text", "diff"):
                yield Step(None, command, after.text, after.kind == "diff")
            else:
                yield Step(None, command, printed or None)


def is_run(words: list[str]) -> bool:
    """Whether a command is one of ours, and quick."""
    if words[0] in OTHERS:
        return False
    assert words[0] == "devicefix", f"unknown command: {words[0]}"
    return not ({*words[1:2]} & SLOW or "--verify" in words)


def printed_as(expected: str, actual: str) -> bool:
    """Whether it is what a page shows."""
    lines = [
        "(?:.*\n)*" if line == "…" else re.escape(line) + "\n"
        for line in tidy(expected).splitlines()
    ]
    return re.fullmatch("".join(lines), tidy(actual)) is not None


def tidy(text: str) -> str:
    """Text as an editor would leave it: no blanks at ends of lines, no blank lines around it."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip("\n") + "\n"


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_shows_is_what_the_tool_prints(
    guide: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "work" / "examples")
    (tmp_path / "work" / ".git").mkdir()  # the project ends here
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    page = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    for step in steps_of(blocks_of(page)):
        if step.title is not None:
            file = Path(step.title)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
            continue
        words = shlex.split(step.text, comments=True)
        if words[0] == "cd":
            monkeypatch.chdir(words[1])
        elif is_run(words):
            status = main(words[1:])
            said = capfd.readouterr()
            actual = said.out if step.stdout_only else said.out + said.err
            actual = actual.replace(str(tmp_path / "work"), HOME)
            assert status in (0, 1), f"$ {step.text}\n{actual}"
            if step.printed is not None:
                assert printed_as(step.printed, actual), f"$ {step.text}\n{actual}"
