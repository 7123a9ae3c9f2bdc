"""Whether a program that was rewritten still prints what it printed.

Deliberately simple, and nothing of what `devicefix verify` decides by: on the CPU the text has to
be the same, on a simulated accelerator the same but for the names of devices and rounding.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Final

_DEVICE: Final = re.compile(
    r",?\s*\bdevice=(?:'[a-z:0-9]+'|device\([^)]*\))|\b(?:cuda|mps|xpu|npu|cpu)(?::\d+)?\b|\bGPU\b",
    re.I,
)
_GRAPH: Final = re.compile(r",?\s*(?:grad_fn=<\w+>|requires_grad=True)")
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-f]+\b")
_SCALAR: Final = re.compile(r"tensor\(([-+.\deE]+|nan|inf)\)")
"""A number, also where it is still a tensor when it is printed."""
_RELATIVE: Final = 1e-3
_ABSOLUTE: Final = 1e-5
_SHOWN: Final = 8


def same_text(before: str, after: str) -> bool:
    """Whether they agree to the last digit; addresses of objects are nobody's result."""
    one, two = (_ADDRESS.sub("0x", text) for text in (before, after))
    return one == two or _numbers(one) == _numbers(two)


def _numbers(text: str) -> str:
    """``text`` with numbers as they are worth: a tensor of one number is that number."""
    return _NUMBER.sub(lambda found: repr(float(found[0])), _SCALAR.sub(r"\1", text))


def same_numbers(before: str, after: str) -> bool:
    """Whether they agree but for spaces, names of devices and the last digits of numbers."""
    one, two = _plain(before), _plain(after)
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", two):
        return False
    return all(map(_close, _NUMBER.findall(one), _NUMBER.findall(two)))


def _plain(text: str) -> str:
    for noise in (_DEVICE, _GRAPH, _ADDRESS):
        text = noise.sub("", text)
    return " ".join(_SCALAR.sub(r"\1", text).split())


def _close(one: str, two: str) -> bool:
    whole = not (set(one + two) & set(".eE"))
    if one == two or whole:
        return one == two
    return math.isclose(float(one), float(two), rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def steady(one: str, again: str, other: str) -> tuple[str, str]:
    """The lines of ``one`` and ``other`` without those that differ from run to run.

    ``again`` is a second run of ``one``.
    """
    lines, repeated, others = one.splitlines(), again.splitlines(), other.splitlines()
    if not len(lines) == len(repeated) == len(others):
        return one, other
    kept = [n for n, line in enumerate(lines) if line == repeated[n]]
    return "\n".join(lines[n] for n in kept), "\n".join(others[n] for n in kept)


def difference(before: str, after: str) -> str:
    """The first lines that differ."""
    pairs = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join([line for line in pairs if line[0] in "+-"][:_SHOWN])
