"""Whether one value, or one line of output, is what it was before."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from devicefix.records.observations import Leaf
from devicefix.verification.printed import Line, Token
from devicefix.verification.tolerance import NO_DEVIATION, Deviation, Tolerance

STORED: Final = frozenset({"tensor", "array"})
"""Types of leaves that hold values, whatever their dtype."""
_FLOATING: Final = frozenset({"float64", "float32", "float16", "bfloat16"})
_OF_A_DEVICE: Final = re.compile(
    r"(?i)gpu|cuda|cudnn|device|mps|xpu|npu|accelerator|pin_?memory|fused|half|fp16|bf16"
    r"|(?<![a-z])amp(?![a-z])"
)
"""In the names of numbers that say whether there is a device, how many, and what follows."""
_ANSWERS: Final = frozenset({"True", "False", "yes", "no"})
"""Words that may go with the name of a device: ``CUDA available: True``."""


@dataclass(frozen=True, slots=True)
class Unequal:
    """Where two observations part."""

    before: str
    after: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Equal:
    """Two observations agree."""

    deviation: Deviation = NO_DEVIATION
    """The largest among their numbers, as a share of what is accepted."""


Answer = Equal | Unequal


@dataclass(frozen=True, slots=True)
class Standard:
    """What counts as equal."""

    tolerance: Tolerance
    across: bool
    """Whether the two ran on different devices: what may depend on that is passed over."""
    simulated: bool = False
    """Whether the tolerance is for what follows from what the observations say, and no more."""


def concerns(leaf: Leaf, standard: Standard, is_kept: bool = False) -> bool:
    """Whether ``leaf`` has to be the same.

    Single numbers without a fraction may depend on the device: whether there is one, how many. Of
    what is kept in files that is so only where their names say it.
    """
    if leaf.path.endswith(".training") or leaf.type in STORED:
        return True
    if leaf.numbers is None:
        return False
    if not standard.across or leaf.numbers.typecode == "d":
        return True
    return is_kept and _OF_A_DEVICE.search(leaf.path) is None


Slack = Sequence[float]
"""By how much each number may be off besides, because rounding alone does that."""


def compare_leaves(
    before: Leaf, after: Leaf, standard: Standard, is_left: bool, slack: Slack = ()
) -> Answer:
    """Hold two values against each other.

    ``is_left``: what is only left at the end may have become float32, if that is all that happened
    to it; a program that does not read the digits of float64 does not miss them.
    """
    if before.numbers is None or after.numbers is None:
        if before.type == after.type and before.text == after.text:
            return Equal()
        return Unequal(shown(before), shown(after))
    if not _alike(before, after):
        return Unequal(_sort(before), _sort(after))
    if before.digest and before.digest == after.digest:
        return Equal()
    narrowed = _is_narrowed(before, after)
    if before.dtype != after.dtype and before.dtype and after.dtype:
        both = {before.dtype, after.dtype} <= _FLOATING
        elsewhere = standard.across and after.dtype != "float64"  # no device computes in more
        if not (both and (elsewhere or (narrowed and is_left))):
            return Unequal(_sort(before), _sort(after))
    return _compare_numbers(before, after, standard.tolerance, narrowed and is_left, slack)


def shared_by_one(before: Leaf, after: Leaf) -> bool:
    """Whether an optimizer has loaded both, and shares one with the program, but not the other.

    PyTorch shares what lies on the device of the parameter, and copies the rest.
    """
    return bool(before.loaded) and before.loaded == after.loaded and before.shared != after.shared


def is_as_loaded(before: Leaf, after: Leaf) -> bool:
    """Whether, of two leaves that are `shared_by_one`, the other is unchanged since loading."""
    own = after if before.shared else before
    return own.digest == own.loaded


def _alike(before: Leaf, after: Leaf) -> bool:
    """A number may be a tensor without dimensions, and the other way round."""
    if before.shape != after.shape:
        return math.prod(before.shape) == math.prod(after.shape) == 1 and not (
            before.type == after.type == "tensor"
        )
    return before.numbers is not None and after.numbers is not None


def _is_narrowed(before: Leaf, after: Leaf) -> bool:
    return (before.dtype, after.dtype) == ("float64", "float32")


def _compare_numbers(
    before: Leaf, after: Leaf, tolerance: Tolerance, narrowed: bool, slack: Slack
) -> Answer:
    assert before.numbers is not None
    assert after.numbers is not None
    first = array("f", before.numbers) if narrowed else before.numbers
    if len(first) != len(after.numbers):
        return Unequal(_sort(before), _sort(after))
    largest = NO_DEVIATION
    if first.tobytes() != after.numbers.tobytes() or narrowed:
        for at, (one, other) in enumerate(zip(first, after.numbers, strict=True)):
            deviation = tolerance.deviation(one, other)
            if deviation is None:
                if not _within(one, other, slack, at):
                    return _apart(before, after, at)
                deviation = tolerance.distance(one, other)
            largest = max(largest, deviation, key=_share)
    elif before.digest != after.digest and tolerance.is_exact and len(first) < _size(before):
        return Unequal(_sort(before), _sort(after), "they differ in elements that were not kept")
    return Equal(largest)


def _share(deviation: Deviation) -> float:
    return deviation.share


def _within(one: float, other: float, slack: Slack, at: int) -> bool:
    return at < len(slack) and abs(one - other) <= slack[at]


def _size(leaf: Leaf) -> int:
    return math.prod(leaf.shape) * (2 if leaf.dtype.startswith("complex") else 1)


def _apart(before: Leaf, after: Leaf, at: int) -> Unequal:
    assert before.numbers is not None
    assert after.numbers is not None
    one, other = before.numbers[at], after.numbers[at]
    detail = ""
    if len(before.numbers) > 1:
        sample = "" if len(before.numbers) >= _size(before) else " of those kept"
        count = sum(not _same(a, b) for a, b in zip(before.numbers, after.numbers, strict=True))
        detail = f"{count} of {len(before.numbers)} elements differ, number {at}{sample} first"
    return Unequal(_figure(one, before.dtype), _figure(other, after.dtype), detail)


def _same(one: float, other: float) -> bool:
    return one == other or (one != one and other != other)


def _figure(number: float, dtype: str) -> str:
    if isinstance(number, int):
        return str(number)
    return f"{number:.9g}" if dtype == "float32" else repr(number)


def _sort(leaf: Leaf) -> str:
    """What kind of value it is, and the value if that is short."""
    if leaf.numbers is not None and len(leaf.numbers) == 1 and not leaf.shape:
        figure = _figure(leaf.numbers[0], leaf.dtype)
        return f"{figure} ({leaf.dtype or leaf.type})"
    sizes = " x ".join(map(str, leaf.shape))
    return f"{leaf.type} {leaf.dtype}{f' [{sizes}]' if sizes else ''}".strip()


_SHOWN: Final = 60
"""Characters of a value that a report shows."""


def shown(leaf: Leaf) -> str:
    """A value in a few characters."""
    if leaf.numbers is not None:
        if len(leaf.numbers) == 1:
            return _figure(leaf.numbers[0], leaf.dtype)
        return _sort(leaf)
    text = repr(leaf.text) if leaf.type == "str" else (leaf.text or leaf.type)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def varying(one: Line, other: Line) -> frozenset[int] | None:
    """The tokens in which two lines differ that should be the same; None for the whole line."""
    if one.text == other.text:
        return frozenset()
    if len(one.tokens) != len(other.tokens):
        return None
    pairs = enumerate(zip(one.tokens, other.tokens, strict=True))
    return frozenset(at for at, (mine, its) in pairs if mine.text != its.text)


def compare_lines(
    before: Line, after: Line, standard: Standard, masked: Set[int], slack: Slack = ()
) -> Answer:
    """Hold two lines of output against each other, but for the ``masked`` tokens."""
    if before.text == after.text:
        return Equal()
    unequal = Unequal(before.text, after.text)
    if len(before.tokens) != len(after.tokens):
        return unequal
    largest = NO_DEVIATION
    for at, mine, its in _differing(before, after):
        if at in masked or _may_depend(mine, its, before, standard):
            continue
        deviation = _deviation(mine, its, standard.tolerance)
        if deviation is None:
            if not _tokens_within(mine, its, slack, at):
                return unequal
            deviation = standard.tolerance.distance(mine.number or 0.0, its.number or 0.0)
        largest = max(largest, deviation, key=_share)
    return Equal(largest)


def differ_in_spaces(before: Line, after: Line) -> bool:
    """Whether two lines that say the same have other spaces, and that for no name of a device."""
    if before.text == after.text or before.tokens != after.tokens:
        return False
    return not (before.names_a_device or after.names_a_device)


def _tokens_within(mine: Token, its: Token, slack: Slack, at: int) -> bool:
    if mine.number is None or its.number is None:
        return False
    return _within(mine.number, its.number, slack, at)


def _differing(before: Line, after: Line) -> Iterator[tuple[int, Token, Token]]:
    for at, (mine, its) in enumerate(zip(before.tokens, after.tokens, strict=True)):
        if mine.text != its.text:
            yield at, mine, its


def _may_depend(mine: Token, its: Token, line: Line, standard: Standard) -> bool:
    """Whether the device decides what is said here: how many there are, and whether."""
    if not (standard.across and line.names_a_device):
        return False
    return (mine.is_whole and its.is_whole) or {mine.text, its.text} <= _ANSWERS


def _deviation(mine: Token, its: Token, tolerance: Tolerance) -> Deviation | None:
    if mine.number is None or its.number is None:
        return None
    if tolerance.is_exact or (mine.is_whole and its.is_whole):
        same = mine.number == its.number and mine.text == its.text
        return NO_DEVIATION if same else None
    apart = abs(mine.number - its.number)
    if 0 < apart <= 1.5 * max(mine.unit, its.unit):
        # rounding may turn over the last digit, whatever was rounded
        found = tolerance.distance(mine.number, its.number)
        return replace(found, share=min(found.share, 1.0))
    return tolerance.deviation(mine.number, its.number)
