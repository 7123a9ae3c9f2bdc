"""Repositories that somebody else has made, and orders to work on them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from devicefix.migration.orders import Limits, Options, Order
from devicefix.verification.process_tree import descendants

PROGRAM: Final = """\
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
inputs = torch.randn(4, 8)
print(model(inputs).sum().item())
"""
"""`apply` gives ``inputs`` its device (DFX103)."""
FIXED: Final = PROGRAM.replace("(4, 8)", "(4, 8, device=device)")
CAMPAIGN: Final = pytest.mark.skipif(
    os.environ.get("DEVICEFIX_CAMPAIGN") != "1",
    reason="takes a minute with its like; DEVICEFIX_CAMPAIGN=1 runs it",
)
"""For proofs and kills that cheaper tests stand for."""


def order(url: Path | str, **changes: object) -> Order:
    """The work on a repository, as a plan with no wishes has it."""
    plain = Order(str(url), "", "", (), Options(), limits=Limits(120, 2 << 30, 50_000_000))
    return replace(plain, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Author:
    """Somebody with a repository."""

    folder: Path

    def git(self, *arguments: str, given: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, input=given, check=True, capture_output=True
        )
        return os.fsdecode(done.stdout).rstrip("\n")

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def commit(self) -> str:
        """All that is in the folder."""
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "all", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def commit_tree(self, *entries: tuple[str, str, str]) -> str:
        """A tree that git would not make of any folder: modes, objects, names."""
        lines = b"".join(
            f"{mode} ".encode() + os.fsencode(name) + b"\0" + bytes.fromhex(item)
            for mode, item, name in entries
        )
        write = ("hash-object", "-w", "--literally", "-t", "tree", "--stdin")
        return self.put(self.git(*write, given=lines))

    def put(self, tree: str) -> str:
        """The branch bears ``tree``."""
        made = self.git("commit-tree", tree, "-m", "made")
        self.git("update-ref", "HEAD", made)
        return made

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content)


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Author:
    """With an empty repository; nothing of this machine's settings of git counts."""
    for name, value in {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "theirs"
    folder.mkdir()
    made = Author(folder)
    made.git("init", "-q", "-b", "main", "--template=")
    return made


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where clones lie; nothing is left there."""
    import tempfile

    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert list(folder.iterdir()) == []


def strays(before: set[int]) -> dict[int, str]:
    """The processes below ours that are there to stay, but for those of ``before``."""
    deadline = time.monotonic() + 60
    while (left := set(descendants(os.getpid())) - before) and time.monotonic() < deadline:
        time.sleep(0.05)  # one that was killed is not gone at once
    return {pid: command(pid) for pid in left}


def command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


Ran = Callable[[], bool]


@pytest.fixture
def trap(tmp_path: Path) -> tuple[str, Ran]:
    """A command of a shell, and whether somebody has run it."""
    mark = tmp_path / "somebody ran it"
    return f"touch '{mark}'", mark.exists
