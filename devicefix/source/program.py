"""The files that are looked at together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from devicefix.device_helpers import DeviceHelper
from devicefix.evidence import Evidence
from devicefix.oldest_torch import OldestTorch
from devicefix.source.modules import ModuleIndex
from devicefix.source.text import Source

_Answer = TypeVar("_Answer")
WHOLE: Final = ""
"""Stands for all of a file, where names of it are meant."""


def unnoted(path: str, name: str) -> None:
    """Nobody wants to know what was asked of which neighbour."""


class Program(Struct, frozen=True, dict=True):
    """Files that import each other, and how to reach those around them."""

    sources: Mapping[str, Source]
    """The files that may be changed, by path, in a stable order."""
    modules: ModuleIndex
    """Of the whole project."""
    neighbour: Callable[[str], Source | None]
    """Another file of the project, to be read and never changed; None where it does not parse.

    As long as somebody holds a neighbour, the same object comes back.
    """
    imported_elsewhere: frozenset[str] = frozenset()
    """The files that some file of the project imports that is not in the program."""
    noted: Callable[[str, str], None] = unnoted
    """Is told what an answer depends on: the path of a neighbour, and a name that was looked for at
    its top level, or `WHOLE`."""
    revived: frozenset[str] = frozenset()
    """The files that did not parse, and what only ran with them: nobody has run what they do."""
    oldest_torch: OldestTorch = OldestTorch()
    """No rewrite may need a newer one."""
    helpers: tuple[DeviceHelper, ...] = ()
    """What a new device is written by, the first that a file can use; all give the same."""
    first: Mapping[str, Source] = {}
    """The sources before the first round of fixes; empty where none has been made."""
    evidence: Evidence = Evidence()
    """What runs have seen of its expressions."""
    too_fine: int = 0
    """How many of the finest ways to look at it took too long in an earlier round."""

    @classmethod
    def alone(cls, source: Source) -> Program:
        """One file of which nothing around it is known."""
        return cls({source.path: source}, ModuleIndex((source.path,)), lambda _: None)

    @property
    def unseen(self) -> Program:
        """The same program without evidence: what is known of it by its text alone."""
        return self.once(_without_evidence) if self.evidence.files else self

    def once(self, question: Callable[[Program], _Answer]) -> _Answer:
        """The answer to a question about the program, found once and kept as long as it is."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast(_Answer, self._answers[question])

    def known(self, question: Callable[[Program], _Answer]) -> _Answer | None:
        """The answer, if it was asked for; else None."""
        return cast(_Answer | None, self._answers.get(question))

    @cached_property
    def _answers(self) -> dict[Callable[[Program], object], object]:
        return {}


def _without_evidence(program: Program) -> Program:
    return replace(program, evidence=Evidence())
