"""Bare repositories, made at one go: ``git fast-import`` (git-fast-import(1))."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.synthetic.shapes import SUBMODULE, Item

_WHO: Final = b"Jane Roe <jane@example.org> 1700000000 +0000"
_PUSHED: Final = '#!/bin/sh\ncat >> "$GIT_DIR/pushes.log"\n'
_ASKED: Final = '#!/bin/sh\ncat >> "$GIT_DIR/asked.log"\n'


def make(folder: Path, head: str) -> None:
    """An empty one that calls ``head`` its first branch."""
    plain = ("git", "init", "--quiet", "--bare", "--template=", f"--initial-branch={head}")
    subprocess.run([*plain, str(folder)], check=True)


def commit(
    folder: Path, branch: str, files: Mapping[str, Item], subject: str, upon: str = ""
) -> None:
    """A commit of a person on ``branch``: of these files, or with them on top of ``upon``."""
    ref = f"refs/heads/{branch}"
    stream = [f"commit {ref}\n".encode(), b"committer " + _WHO + b"\n", _data(subject.encode())]
    if upon:
        stream.append(f"from refs/heads/{upon}^0\n".encode())
    for path, item in files.items():
        stream.append(_entry(path, item))
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=folder, input=b"".join(stream), check=True)


def listen(folder: Path, rule: str = "") -> None:
    """The server notes what it is asked to take, and what it takes; ``rule`` may refuse."""
    (folder / "hooks").mkdir(exist_ok=True)
    for name, text in (("pre-receive", _ASKED + rule), ("post-receive", _PUSHED)):
        hook = folder / "hooks" / name
        hook.write_text(text, encoding="utf-8")
        hook.chmod(0o755)


def pushes(folder: Path) -> tuple[int, int]:
    """How many updates of branches it was asked for, and how many it took."""
    asked, taken = (_lines(folder / name) for name in ("asked.log", "pushes.log"))
    return asked, taken


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0


def _entry(path: str, item: Item) -> bytes:
    name = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode()
    if item.mode == SUBMODULE:
        return b"M %s %s " % (item.mode.encode(), item.content) + b'"' + name + b'"\n'
    return b"M %s inline " % item.mode.encode() + b'"' + name + b'"\n' + _data(item.content)


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"
