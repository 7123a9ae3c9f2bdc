"""What runs have seen of expressions, as a file that outlives them: `devicefix run --record FILE`.

The format is in docs/evidence.schema.json. Each file of the user stands there with the digest of
its text and of its lines. What was seen of an expression counts as long as its lines are what they
were, wherever they are by now.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

VERSION: Final = 1
"""That of the format; a reader refuses others."""
SUFFIX: Final = ".seen"
"""Ends the names of the files of this format that single processes leave."""
MOST: Final = 8
"""Facts that are kept of one expression, shapes of one fact, and failures of one operation."""


_LONG: Final = 2000
"""Lines between the first and the last change behind which blank lines find nothing again."""


_LARGEST: Final = 100_000_000


class EvidenceError(ValueError):
    """A file that is no evidence; ``str()`` gives ``path: reason``."""


class Fact(Struct, frozen=True, omit_defaults=True):
    """What an expression was at least once."""

    kind: Literal["tensor", "module", "other"]
    type: str
    """Of Python, with its module unless that is `builtins`."""
    dtype: str | None = None
    """Of a tensor, or of the first parameter or buffer of a module; without ``torch.``."""
    device: str | None = None
    """Where that was: ``cpu``, ``cuda:0`` …"""
    shapes: tuple[tuple[int, ...], ...] = ()
    """Of a tensor: those that were seen, at most `MOST`."""

    @property
    def text(self) -> str:
        """In words: ``tensor, float32, cpu, shape (64, 8)``."""
        named = self.kind if self.type == "torch.Tensor" else f"{self.kind} {self.type}"
        shapes = " or ".join(f"({', '.join(map(str, shape))})" for shape in self.shapes)
        shape = f"shape {shapes}" if shapes else None
        return ", ".join(filter(None, (named, self.dtype, self.device, shape)))


class Failed(Struct, frozen=True, omit_defaults=True):
    """An error of placement that an operation has raised."""

    message: str
    """Its first line."""
    operands: tuple[tuple[str, str], ...] = ()
    """Name and device of each tensor."""


class Demand(Struct, frozen=True, omit_defaults=True):
    """An operation that was given tensors, which have to be in the right places."""

    met: bool
    """It came to its end at least once."""
    failed: tuple[Failed, ...] = ()


class Expression(Struct, frozen=True, omit_defaults=True):
    """One expression, parameter or name that is bound."""

    place: tuple[int, int, int, int]
    """First line and column, last line and the column behind it; from 1, in characters."""
    seen: tuple[Fact, ...] = ()
    demand: Demand | None = None

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        return self.place[0], self.place[2]


class RecordedFile(Struct, frozen=True):
    """One file of the user's, as it was when it ran."""

    digest: str
    """SHA-256 of its text, with ``\\n`` at the ends of lines."""
    lines: tuple[str, ...]
    """A digest of each line."""
    expressions: tuple[Expression, ...] = ()

    def at(self, digest: str, lines: Sequence[str]) -> RecordedFile:
        """The same for another text: what is on lines that are not there any more is gone."""
        if digest == self.digest:
            return self
        moved = _moved(self.lines, lines)
        kept = (_carried(one, moved) for one in self.expressions)
        return RecordedFile(digest, tuple(lines), tuple(one for one in kept if one is not None))


class Evidence(Struct, frozen=True):
    """The content of an evidence file."""

    version: int = VERSION
    files: Mapping[str, RecordedFile] = field(default_factory=dict)
    """By path: in a file relative to its folder, else absolute."""

    def placed(self, folder: Path) -> Evidence:
        """With absolute paths, where those here are relative to ``folder``."""
        files = {os.path.realpath(folder / path): file for path, file in self.files.items()}
        return replace(self, files=files)

    def of(self, path: str) -> RecordedFile | None:
        """What was seen in the file at ``path``; None for nothing. Paths here are absolute."""
        return self.files.get(os.path.realpath(path)) if self.files else None

    def relative(self, folder: Path) -> Evidence:
        """With paths relative to ``folder``, where those here are absolute."""
        start = os.path.realpath(folder)
        files = {Path(os.path.relpath(p, start)).as_posix(): f for p, f in self.files.items()}
        return replace(self, files=dict(sorted(files.items())))


def read_evidence(path: Path) -> Evidence:
    """The evidence at ``path``, with absolute paths. Raises `EvidenceError`."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise EvidenceError(f"{path}: has more than {_LARGEST:,} bytes")
        content = msgspec.json.decode(data, type=Evidence)
    except EvidenceError:
        raise
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EvidenceError(f"{path}: not a file of `devicefix run --record`: {error}") from None
    if content.version != VERSION:
        raise EvidenceError(f"{path}: version {content.version} is not {VERSION}")
    files = {name: _sound(file) for name, file in content.files.items()}
    return replace(content, files=files).placed(path.absolute().parent)


def _sound(file: RecordedFile) -> RecordedFile:
    """Without places that no text of so many lines can have: somebody else may have written it."""
    kept = tuple(one for one in file.expressions if _is_sound(one.place, len(file.lines)))
    return file if kept == file.expressions else replace(file, expressions=kept)


def _is_sound(place: tuple[int, int, int, int], lines: int) -> bool:
    start, end = place[:2], place[2:]
    return min(place) > 0 and start <= end and end[0] <= lines


def rendered(evidence: Evidence, folder: Path) -> bytes:
    """The content of an evidence file in ``folder``; ``evidence`` has absolute paths."""
    files = [
        f"{_json(path)}: {{{_json('digest')}: {_json(file.digest)},\n"
        f"{_json('lines')}: {_json(file.lines)},\n"
        f"{_json('expressions')}: [\n{_lines(file.expressions)}\n]}}"
        for path, file in evidence.relative(folder).files.items()
    ]
    text = f'{{"version": {VERSION}, "files": {{\n' + ",\n".join(files) + "\n}}\n"
    return text.encode()


def _lines(expressions: Iterable[Expression]) -> str:
    """One line for each: a difference is to be read."""
    return ",\n".join(map(_json, sorted(expressions, key=lambda one: one.place)))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def merged(old: Evidence, new: Evidence) -> Evidence:
    """Both together; where the text of a file differs, that of ``new`` counts."""
    files = dict(old.files)
    for path, file in new.files.items():
        files[path] = _together(files[path], file) if path in files else file
    return Evidence(files=files)


def _together(old: RecordedFile, new: RecordedFile) -> RecordedFile:
    known = {one.place: one for one in old.at(new.digest, new.lines).expressions}
    for one in new.expressions:
        known[one.place] = _both(known[one.place], one) if one.place in known else one
    return replace(new, expressions=tuple(known[place] for place in sorted(known)))


def _both(old: Expression, new: Expression) -> Expression:
    facts: dict[tuple[object, ...], Fact] = {}
    for fact in (*old.seen, *new.seen):
        key = fact.kind, fact.type, fact.dtype, fact.device
        before = facts[key].shapes if key in facts else ()
        shapes = tuple(dict.fromkeys((*before, *fact.shapes)))[:MOST]
        facts[key] = replace(fact, shapes=shapes)
    demands = [one.demand for one in (old, new) if one.demand is not None]
    return replace(new, seen=tuple(facts.values())[:MOST], demand=_demand(demands))


def _demand(demands: Sequence[Demand]) -> Demand | None:
    if not demands:
        return None
    failed = dict.fromkeys(failure for demand in demands for failure in demand.failed)
    return Demand(any(demand.met for demand in demands), tuple(failed)[:MOST])


def _moved(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Where each line is by now that is what it was; both from 1."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    same = [(at, at) for at in range(start)]
    same += [(len(old) - at, len(new) - at) for at in range(1, end + 1)]
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=len(left) > _LONG)
    for block in matcher.get_matching_blocks():
        same += [(start + block.a + at, start + block.b + at) for at in range(block.size)]
    return {a + 1: b + 1 for a, b in same}


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same from the first one on."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _carried(one: Expression, moved: Mapping[int, int]) -> Expression | None:
    """``one`` on the lines where it stands by now; None where one of them has changed."""
    first, last = one.lines
    now = [moved.get(line) for line in range(first, last + 1)]
    start = now[0] if now else None
    if start is None or now != list(range(start, start + len(now))):
        return None
    place = (start, one.place[1], start + last - first, one.place[3])
    return replace(one, place=place)


def gather_evidence(folder: Path) -> Evidence:
    """What the processes of one run have left in ``folder``; damaged files are passed over."""
    found = Evidence()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found = merged(found, read_evidence(path))
        except EvidenceError:  # its process was ended while it wrote
            continue
    return found


def with_failure(
    evidence: Evidence, steps: Iterable[tuple[str, tuple[int, ...]]], failed: Failed
) -> Evidence:
    """With ``failed`` at the innermost operation that is known among ``steps``.

    Args:
        evidence: What was seen.
        steps: From the outside in, a file and the expression that was running there: first line,
            column, last line, column, as the nodes of `ast` have them (columns from 0).
        failed: What was raised.
    """
    for path, span in reversed(list(steps)):
        file = evidence.files.get(os.path.realpath(path))
        if file is None or len(span) != 4:
            continue
        changed = _failing(file, (span[0], span[1] + 1, span[2], span[3] + 1), failed)
        if changed is not None:
            return replace(evidence, files={**evidence.files, os.path.realpath(path): changed})
    return evidence


def _failing(
    file: RecordedFile, place: tuple[int, int, int, int], failed: Failed
) -> RecordedFile | None:
    for at, one in enumerate(file.expressions):
        if one.place == place:
            demand = _demand([one.demand or Demand(False), Demand(False, (failed,))])
            expressions = list(file.expressions)
            expressions[at] = replace(one, demand=demand)
            return replace(file, expressions=tuple(expressions))
    return None
