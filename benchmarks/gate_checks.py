"""What may not happen to a file that is rewritten, looked for from outside.

Nothing here asks devicefix whether it did well: old and new bytes are compared, with Python's own
parser, pyflakes, and the edits that were reported.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.engine import Change, Piece
    from devicefix.engine.report import Outcome
    from devicefix.findings import Edit


@dataclass(frozen=True, slots=True)
class Faults:
    """What is wrong with the rewritten files of a program; a line of text each."""

    unparsed: tuple[str, ...]
    undefined: tuple[str, ...]
    outside: tuple[str, ...]


def faults(outcome: Outcome) -> Faults:
    """Of all files that a program's fixes change."""
    changes = {r.path: r.change for r in outcome.results if r.change is not None}
    return Faults(
        tuple(path for path, change in changes.items() if not parses(change.after)),
        tuple(line for path, change in changes.items() for line in _undefined(path, change)),
        tuple(line for path, change in changes.items() for line in _outside(path, change, outcome)),
    )


def parses(data: bytes) -> bool:
    """Whether the running Python accepts these bytes as a module, its compiler included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<gate>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _undefined(path: str, change: Change) -> Iterator[str]:
    if not parses(change.after):
        return
    new = _undefined_names(change.after) - _undefined_names(change.before)
    yield from (f"{path}: {name}" for name in sorted(new))


def _undefined_names(data: bytes) -> Counter[str]:
    """How often pyflakes calls each name undefined."""
    from pyflakes import messages  # type: ignore[import-untyped]
    from pyflakes.checker import Checker  # type: ignore[import-untyped]

    kinds = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)
    if not parses(data):
        return Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Checker(ast.parse(data)).messages
    return Counter(str(m.message_args[0]) for m in found if isinstance(m, kinds))


# -- bytes -----------------------------------------------------------------------------------------


def _outside(path: str, change: Change, outcome: Outcome) -> Iterator[str]:
    """Why the new bytes are not the old ones with the reported edits."""
    old, new = (Source.from_bytes(data, path) for data in (change.before, change.after))
    if old.encode(new.text) != change.after:
        yield f"{path}: its bytes are not those of its text"
    pieces = [piece for group in outcome.groups for piece in group.pieces.get(path, ())]
    if not _same_between(old.text, new.text, pieces):
        yield f"{path}: text between its edits has changed"
    edits = _edits_of(path, outcome)
    if edits is not None and _spliced(old.text, edits) != new.text:
        yield f"{path}: the edits of its findings do not make what it holds"
    if lost := _comments(change.before) - _comments(change.after):
        yield f"{path}: lost comments: {', '.join(sorted(lost))}"


def _same_between(old: str, new: str, pieces: Iterable[Piece]) -> bool:
    """Whether both texts are the same but for ``pieces``, which may overlap."""
    at = done = 0
    for piece in sorted(pieces, key=lambda p: (p.before, p.after)):
        kept, made = old[at : piece.before.start], new[done : piece.after.start]
        if kept != made:
            return False
        at, done = max(at, piece.before.end), max(done, piece.after.end)
    return old[at:] == new[done:]


def _edits_of(path: str, outcome: Outcome) -> Sequence[Edit] | None:
    """The edits of one file as findings tell them; None where some were made in a later round."""
    found: dict[tuple[int, int, int, str], Edit] = {}
    for finding in (f for group in outcome.groups for f in group.findings):
        if finding.fix is None or not finding.fix.placed:
            return None
        for edit in finding.fix.edits:
            if (edit.path or finding.path) == path:
                found[edit.start, edit.end, edit.rank, edit.text] = edit
    return [found[key] for key in sorted(found)]


def _spliced(text: str, edits: Iterable[Edit]) -> str:
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _comments(data: bytes) -> Counter[str]:
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)
