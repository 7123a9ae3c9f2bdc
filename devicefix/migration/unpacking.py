"""The files of a commit, written by us and not by git: byte for byte, and below one folder only.

Attributes mean nothing here: no filter runs, no line end changes, what Git LFS keeps elsewhere is
its pointer. Names are checked, links are made last, and those that lead out of the tree are not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from devicefix.migration.errors import CloneError
from devicefix.pull_requests.git import Git

MOST_FILES: Final = 200_000
"""As many as a verification copies."""
_LONGEST: Final = 1 << 16
"""Bytes of one entry of a tree."""
_CHUNK: Final = 1 << 16
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_EXECUTABLE: Final = "100755"
_POINTER: Final = b"version https://git-lfs.github.com/spec/v1\n"
_LARGEST_LINK: Final = 4096


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was written."""

    size: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of a tree."""

    mode: str
    name: str
    """Of the object."""
    size: int
    path: str


@dataclass(slots=True)
class _Count:
    """What is not there as it is elsewhere."""

    pointers: int = 0
    leading_out: int = 0


def unpack(git: Git, commit: str, room: int, files: bool = True) -> Unpacked:
    """Write the files of ``commit`` below the folder of ``git``, or only look at their names.

    Raises `CloneError` where there are names that no file may have, or more than ``room`` bytes.
    """
    entries = _listed(git, commit, room if files else None)
    submodules = sum(entry.mode == _SUBMODULE for entry in entries)
    count = _Count()
    if files:
        try:
            _written(git, entries, count)
        except (FileExistsError, NotADirectoryError) as error:
            name = os.path.relpath(error.filename2 or error.filename, git.folder)
            raise CloneError(f"two of its files have the same name: {name!r}") from None
    notes = (
        _note(submodules, "submodule is", "submodules are", "empty: nothing is fetched for it"),
        _note(
            count.pointers,
            "file is",
            "files are",
            "stored in Git LFS: only the pointers were cloned",
        ),
        _note(count.leading_out, "link leads", "links lead", "out of the repository: not created"),
    )
    size = sum(entry.size for entry in entries) if files else 0
    return Unpacked(size, tuple(filter(None, notes)))


def _note(count: int, one: str, several: str, rest: str) -> str:
    return f"{count} {one if count == 1 else several} {rest}" if count else ""


def _listed(git: Git, commit: str, room: int | None) -> list[_Entry]:
    """The whole tree. Of trees within trees there may be more than any disk holds."""
    found: list[_Entry] = []
    size = 0
    sizes = ("-l",) if room is not None else ()  # only of what is there
    with _reading(git, "ls-tree", "-r", "-z", *sizes, "--full-tree", commit) as (_, said):
        for line in _records(said):
            entry = _entry(line)
            _check_name(entry.path)
            found.append(entry)
            size += entry.size
            if len(found) > MOST_FILES:
                raise CloneError(f"it has more than {MOST_FILES:,} files")
            if room is not None and size > room:
                raise CloneError(f"its files are larger than the {room:,} bytes that are left")
    return found


def _records(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        if len(rest) > _LONGEST:
            raise CloneError("the name of one of its files is too long for any file system")


def _entry(line: bytes) -> _Entry:
    head, _, path = line.partition(b"\t")
    mode, _, name, *size = head.decode("ascii").split()
    return _Entry(mode, name, int(size[0]) if size not in ([], ["-"]) else 0, os.fsdecode(path))


def _check_name(path: str) -> None:
    """Raises `CloneError` for what leads elsewhere, or to what belongs to git."""
    for part in path.split("/"):
        if part in ("", ".", "..") or part.lower() == ".git":
            raise CloneError(f"it has a file named {path!r}, which git refuses as well")


def _written(git: Git, entries: Iterable[_Entry], count: _Count) -> None:
    top = git.folder
    plain = [entry for entry in entries if entry.mode not in (_LINK, _SUBMODULE)]
    links = [entry for entry in entries if entry.mode == _LINK]
    for entry in entries:
        (top / entry.path).parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == _SUBMODULE:
            (top / entry.path).mkdir()
    with _reading(git, "cat-file", "--batch") as (asked, said):
        for entry in plain:
            _file(top / entry.path, entry, _blob(asked, said, entry), count)
        targets = [(entry, b"".join(_blob(asked, said, entry))) for entry in links]
    made = [_link(top / entry.path, target) for entry, target in targets]
    count.leading_out = made.count(False) + _leading_out(top, [entry.path for entry in links])


def _blob(asked: IO[bytes], said: IO[bytes], entry: _Entry) -> Iterator[bytes]:
    """The content of one object, piece by piece."""
    asked.write(f"{entry.name}\n".encode())
    asked.flush()
    head = said.readline().split()
    if head[1:] != [b"blob", str(entry.size).encode()]:
        raise CloneError(f"{entry.path!r} is not in what was fetched")
    left = entry.size
    while left:
        chunk = said.read(min(left, _CHUNK))
        if not chunk:
            raise CloneError(f"{entry.path!r} cannot be read")
        left -= len(chunk)
        yield chunk
    said.read(1)


def _file(path: Path, entry: _Entry, chunks: Iterator[bytes], count: _Count) -> None:
    mode = 0o755 if entry.mode == _EXECUTABLE else 0o644
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(path, flags, mode), "wb") as file:  # noqa: PTH123 - of a descriptor
        first = next(chunks, b"")
        count.pointers += first.startswith(_POINTER)
        file.write(first)
        for chunk in chunks:
            file.write(chunk)


def _link(path: Path, target: bytes) -> bool:
    """Whether there could be such a link."""
    if not target or b"\0" in target or len(target) > _LARGEST_LINK:
        return False
    path.symlink_to(os.fsdecode(target))
    return True


def _leading_out(top: Path, links: Iterable[str]) -> int:
    """Remove the links that lead out of ``top``, or to what belongs to git; how many."""
    made = [top / link for link in links if (top / link).is_symlink()]
    leading = [link for link in made if not _is_inside(top, Path(os.path.realpath(link)))]
    for link in leading:
        link.unlink()
    return len(leading)


def _is_inside(top: Path, path: Path) -> bool:
    return path.is_relative_to(top) and not path.is_relative_to(top / ".git")


@contextmanager
def _reading(git: Git, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """What may be written to git, and what it says, which is to be read to its end."""
    with git.start(*arguments) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            yield running.stdin, running.stdout
            _, refused = running.communicate()
        except BaseException:
            running.kill()
            raise
    if running.returncode:
        raise CloneError(f"git {arguments[0]}: {refused.decode(errors='replace').strip()}")
