"""One screen about an error of placement: where each tensor came from, and what to change.

It follows the program's own traceback and repeats nothing of it.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from devicefix.engine import Remedy
from devicefix.records import Failure, Operand, Place
from devicefix.records.placement import HOST
from devicefix.reporting.places import near, shape_of, short_where, source_of
from devicefix.reporting.terminal import console, printable

if TYPE_CHECKING:
    from rich.text import Text

_WIDTH: Final = 100
"""Columns; a screen is at least 80 wide, and lines longer than this are hard to read."""
_OPERANDS: Final = 3
_CHANGED: Final = 4
"""Lines of a fix that are shown."""
_FROM: Final = 1
"""Lines that made what an operand was computed of."""
_LABEL: Final = 10


class _Row(NamedTuple):
    label: str
    where: str
    text: str


def show_placement_error(failure: Failure, remedy: Remedy | None, device: str, out: TextIO) -> None:
    """Where the operands came from, and what to change; at most 24 lines of 100 columns."""
    screen = console(out)
    width = min(screen.width, _WIDTH)
    screen.print(_fitting(_title(f"where the tensors were, on {device}", width), width))
    for row in _rows(failure, remedy, width):
        screen.print(_fitting(row, width))


def describe_placement_error(failure: Failure) -> str:
    """The same as plain text, without its title and without a fix."""
    return "\n".join(_fitting(row, _WIDTH).plain for row in _rows(failure, None, _WIDTH))


def _rows(failure: Failure, remedy: Remedy | None, width: int) -> Iterator[str | Text]:
    told = _named_operands(failure)
    ways = {operand: list(_ways(operand, failure.at)) for operand in told}
    at = _Row("at", short_where(failure.at), source_of(failure.at))
    column = max(len(row.where) for row in (at, *(r for way in ways.values() for r in way)))
    if failure.op is not None and told:
        name = printable(failure.op.removeprefix("aten::"))
        devices = {operand.device for operand in failure.operands}
        several = f"tensors on {len(devices)} devices"
        yield f"{name} got {several if len(devices) > 1 else f'a tensor on {devices.pop()}'}:"
    for operand in told:
        yield _head(operand, told)
        yield from (_line(row, column) for row in ways[operand])
    if len(told) < len(failure.operands):
        yield _others(failure.operands, told)
    if failure.at is not None:
        yield _line(at, column, "bold")
    yield from _advice(failure, remedy, width)


def _fitting(row: str | Text, width: int) -> Text:
    """One row of the screen: what does not fit gives way."""
    from rich.text import Text

    text = Text(row) if isinstance(row, str) else row
    text.truncate(width, overflow="ellipsis")
    return text


def _title(text: str, width: int) -> Text:
    from rich.text import Text

    return Text(f"── devicefix: {text} ".ljust(width, "─"), "bold")


def _named_operands(failure: Failure) -> list[Operand]:
    """Of each device one operand: one that the message names, else the largest.

    What is on the host comes first: it is to blame more often.
    """
    named = re.compile(r"\b(" + "|".join(re.escape(o.name) for o in failure.operands) + r")\b")
    in_message = set(named.findall(failure.message))
    chosen: dict[str, Operand] = {}
    for operand in sorted(failure.operands, key=lambda o: (-math.prod(o.shape), -len(o.shape))):
        known = chosen.get(operand.device)
        if known is None or (operand.name in in_message and known.name not in in_message):
            chosen[operand.device] = operand
    return sorted(chosen.values(), key=lambda o: (o.device != HOST, o.device))[:_OPERANDS]


def _others(operands: Sequence[Operand], told: Sequence[Operand]) -> str:
    names = (f"{_name(o)} on {o.device}" for o in operands if o not in told)
    return f"  {'also'.ljust(_LABEL)}{', '.join(names)}"


def _head(operand: Operand, told: Sequence[Operand]) -> Text:
    from rich.text import Text

    names = max(len(_name(o)) for o in told)
    devices = max(len(o.device) for o in told)
    return Text.assemble(
        "  ",
        (_name(operand).ljust(names), "bold cyan"),
        "  ",
        (operand.device.ljust(devices), "bold red" if operand.device == HOST else "bold green"),
        f"  {operand.dtype} {shape_of(operand.shape)}",
    )


def _name(operand: Operand) -> str:
    """What the program calls it, and what the operation does."""
    own, name = operand.variable or operand.module, printable(operand.name)
    return f"{printable(own)} ({name})" if own and own != name else name


def _ways(operand: Operand, at: Place | None) -> Iterator[_Row]:
    how = f"by {printable(operand.how)}" if operand.how else ""
    is_here = operand.created is None or operand.created == at
    text = how if how and is_here else source_of(operand.created)
    yield _Row("created", short_where(operand.created), text)
    if operand.device == HOST and operand.moved is None:
        elsewhere = (x.created for x in operand.ancestors if x.created != operand.created)
        yield from (_Row("from", short_where(x), source_of(x)) for x in islice(elsewhere, _FROM))
    if operand.moved is not None:
        by = f"by {printable(operand.moved_by)}" if operand.moved_by else "on the same line"
        is_known = operand.moved == operand.created
        text = by if is_known else source_of(operand.moved)
        yield _Row("moved", short_where(operand.moved), text)
    elif operand.created is not None:
        yield _Row("never moved", "", "")


def _line(row: _Row, column: int, style: str = "") -> Text:
    from rich.text import Text

    indent = 2 if row.label == "at" else 4
    label = " " * indent + row.label.ljust(_LABEL - indent + 2)
    line = Text.assemble((label, "dim"), (row.where.ljust(column), style), f"  {row.text}")
    line.rstrip()
    return line


def _advice(failure: Failure, remedy: Remedy | None, width: int) -> Iterator[str | Text]:
    """What to change: the fix that devicefix would make, else what can be said in general."""
    from rich.text import Text

    if failure.advice and (remedy is None or remedy.left is not None):
        yield from _wrapped("change", failure.advice, width)
    if remedy is None:
        return
    codes = ", ".join(remedy.codes)
    command = f"devicefix apply {shlex.join(map(near, remedy.paths))}"
    if remedy.left is not None:
        yield from _wrapped("found", f"{codes}: {remedy.left}", width)
        return
    if remedy.helps is False and failure.advice:
        yield from _wrapped("change", failure.advice, width)
    promise = f" {promised(remedy)} ({codes})"
    yield Text.assemble((f"  {'fix'.ljust(_LABEL)}", "dim"), (f"`{command}`", "bold"), promise)
    yield from _changed_lines(remedy)


def promised(remedy: Remedy) -> str:
    """What can be said of a fix: that it helps only where that was tried."""
    if remedy.helps is False:
        return "alone does not fix this, tried in a copy"
    return "fixes this, tried in a copy" if remedy.helps else "may fix this"


def _wrapped(label: str, text: str, width: int) -> Iterator[Text]:
    import textwrap

    from rich.text import Text

    start = f"  {label}".ljust(_LABEL + 2)
    for number, line in enumerate(textwrap.wrap(printable(text), width - len(start))[:3]):
        yield Text.assemble((start if not number else " " * len(start), "dim"), line)


def _changed_lines(remedy: Remedy) -> Iterator[Text]:
    from rich.text import Text

    lines = [
        (sign, line, style)
        for change in remedy.changes
        for sign, part, style in (("-", change.before, "red"), ("+", change.after, "green"))
        for line in part
    ]
    for sign, line, style in lines[:_CHANGED]:
        yield Text.assemble(" " * (_LABEL + 2), (f"{sign} {printable(line.strip())}", style))
