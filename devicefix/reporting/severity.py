"""How bad an offence is, for formats that ask: by the family of the rule that found it.

What is in the wrong place, has the wrong dtype or is read on the wrong side raises on an
accelerator. What hard-codes CUDA or written for an old PyTorch works where it was written.
"""

from __future__ import annotations

import enum
from typing import Final

from devicefix.codemod import Codemod


class Severity(enum.IntEnum):
    """In the words of SARIF; worst last."""

    NOTE = 0
    WARNING = 1
    ERROR = 2


_BY_FAMILY: Final = {
    "placement": Severity.ERROR,
    "dtype": Severity.ERROR,
    "cpu": Severity.ERROR,
    "efficiency": Severity.NOTE,
    "comments": Severity.NOTE,
}


def family_of(codemod: type[Codemod]) -> str:
    """The folder in which the rule lies."""
    return codemod.__module__.split(".")[-2] if "." in codemod.__module__ else ""


def severity_of(codemod: type[Codemod] | None) -> Severity:
    """How bad what it finds is, a warning where nobody knows the rule.

    What is looked for on request only is right, if not ideal.
    """
    if codemod is None:
        return Severity.WARNING
    if codemod.on_request:
        return Severity.NOTE
    return _BY_FAMILY.get(family_of(codemod), Severity.WARNING)
