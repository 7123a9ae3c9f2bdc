"""Which lines are not what they were in a revision of git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from msgspec import Struct

from devicefix.engine import git
from devicefix.engine.errors import GitError
from devicefix.engine.overlay import Overlay
from devicefix.engine.revisions import Revision
from devicefix.engine.scope import ALL_LINES, Lines
from devicefix.source import Source, SourceError
from devicefix.source.decoding import LINE_END

_LARGEST: Final = 5_000_000
"""Characters of a text that is compared line by line."""


def lines_since(revision: Revision, files: Iterable[str], overlay: Overlay) -> dict[str, Lines]:
    """Of those of ``files`` that have changed since ``revision`` the lines, by their names here.

    Files that are not in the revision, and not by another name, have changed as a whole. Raises
    `GitError` where git does not know.
    """
    shown = {os.path.realpath(file): file for file in files}
    found: dict[str, Lines] = {}
    for root, inside in git.repositories(shown).items():
        commit = revision.commit(root)
        if commit is None:
            found |= {shown[file]: ALL_LINES for file in inside}
            continue
        for file, lines in _changed(root, commit, inside, overlay):
            if lines:
                found[shown[file]] = lines
    return found


def _changed(
    root: str, commit: str, files: Sequence[str], overlay: Overlay
) -> Iterator[tuple[str, Lines]]:
    before = _Before.of(root, commit)
    old = {file: before.blob(file, overlay.text(Path(file)) is not None) for file in files}
    blobs = _contents(root, [blob for blob in old.values() if blob])
    for file, blob in old.items():
        if blob is None:
            yield file, ALL_LINES
        elif blob:
            yield file, _changed_lines(file, blobs[blob], overlay)


class _Before(Struct, frozen=True):
    """What the files of a repository were in a commit."""

    root: str
    commit: str
    changed: Mapping[str, str | None]
    """By path below the root, what a file was that git sees changed: a blob, None for nothing."""
    tracked: frozenset[str]

    @classmethod
    def of(cls, root: str, commit: str) -> _Before:
        raw = git.ask_of_files(
            root,
            "diff-index",
            "--raw",
            "-z",
            "-r",
            "-M",
            "--no-abbrev",
            "--no-ext-diff",
            "--ignore-submodules=all",
            commit,
            "--",
        )
        tracked = frozenset(git.names(git.ask(root, "ls-files", "-z")))
        return cls(root, commit, dict(_records(git.names(raw))), tracked)

    def blob(self, file: str, held: bool) -> str | None:
        """What ``file`` was; the empty string for the same as now, None for nothing.

        Of a text that is ``held`` in place of the file git knows nothing.
        """
        path = Path(os.path.relpath(file, self.root)).as_posix()
        if path in self.changed:
            return self.changed[path]
        if path not in self.tracked:
            return None
        return _blob(self.root, self.commit, path) if held else ""


def _blob(root: str, commit: str, path: str) -> str | None:
    answer = git.names(git.ask(root, "ls-tree", "-z", commit, "--", path))
    return answer[0].split()[2] if answer else None


def _records(fields: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Path and old blob of what ``diff-index --raw -z`` says (git-scm.com/docs/diff-format)."""
    at = 0
    while at < len(fields):
        _, _, blob, _, status = fields[at].split()
        paths = 2 if status[0] in "RC" else 1
        is_file = fields[at].startswith(":100")
        yield fields[at + paths], blob if is_file and blob.strip("0") else None
        at += 1 + paths


def _contents(root: str, blobs: Sequence[str]) -> dict[str, bytes]:
    """What git keeps below these names."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    answer = git.ask(root, "cat-file", "--batch", given=asked) if blobs else b""
    found, at = {}, 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        if answer[at:end].endswith(b" missing"):
            raise GitError(git.partial(root))
        name, _, size = answer[at:end].split()
        found[name.decode("ascii")] = answer[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2
    return found


def says_the_same(root: str, commit: str, file: str) -> bool:
    """Whether ``file`` has the same lines as in ``commit``, of a notebook those of its cells.

    Raises `GitError`.
    """
    blob = _blob(root, commit, Path(os.path.relpath(file, root)).as_posix())
    if blob is None:
        return False
    try:
        before = Source.from_bytes(_contents(root, [blob])[blob], file)
        return _lines(before.text) == _lines(Source.from_bytes(Path(file).read_bytes(), file).text)
    except (OSError, SourceError):
        return False


def _changed_lines(file: str, before: bytes, overlay: Overlay) -> Lines:
    """The lines of the text that were not there before; of a notebook, of its cells' sources.

    Line ends, which git may convert, and outputs, which a filter may take out, make no difference.
    """
    try:
        held = overlay.text(Path(file))
        new = Source.from_bytes(Path(file).read_bytes() if held is None else held, file)
        old = Source.from_bytes(before, file)
    except (OSError, SourceError):
        return ALL_LINES
    if max(len(old.text), len(new.text)) > _LARGEST:
        return ALL_LINES
    return changed_lines(old.text, new.text)


def changed_lines(old: str, new: str) -> Lines:
    """The lines of ``new`` that ``old`` does not have there."""
    before, after = _lines(old), _lines(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    # lines that stand everywhere, such as empty ones, hold nothing together: autojunk is right
    matcher = SequenceMatcher(
        None, before[start : len(before) - end], after[start : len(after) - end]
    )
    return tuple(
        (start + first + 1, start + last)
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag != "equal" and last > first
    )


def _lines(text: str) -> list[str]:
    return re.split(LINE_END, text)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same at the beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
