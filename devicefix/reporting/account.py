"""What happened in one run of `check` or `apply`: all that a report may speak of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from devicefix.engine import Left, Report
from devicefix.findings import Finding

if TYPE_CHECKING:
    from devicefix.verification.acceptance import Acceptance
    from devicefix.verification.loop.outcome import Mended


class Tally(Struct, frozen=True):
    """How often a rule found something."""

    code: str
    rule: str
    findings: int
    left: int
    """For a person."""

    @property
    def fixed(self) -> int:
        """Those that `apply` fixes, or fixed."""
        return self.findings - self.left


class Account(Struct, frozen=True):
    """One run, for those who report it; they all get the same."""

    report: Report
    command: str
    """``check`` or ``apply``."""
    dry_run: bool = False
    """Whether `apply` was asked not to write."""
    acceptance: Acceptance | None = None
    """What a verification said, where one was asked for; its report is `report`."""
    written: bool = False
    """Whether `apply` brought changes to the disk."""
    again: tuple[str, ...] = ()
    """Where not all fixes passed: the options and paths of `apply` that write the rest."""
    listing: bool = False
    """Whether a text is to name each use of CUDA that remains."""
    mended: Mended | None = None
    """What runs of the program have repaired, where that was asked for; its proof is `acceptance`.
    """
    texts: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    """What stood in the place of files on the disk, by path."""

    @property
    def rehearsed(self) -> bool:
        """Whether `apply` says what it would do, and not what it did."""
        return self.dry_run or (self.acceptance is not None and not self.written)

    @property
    def proposes(self) -> bool:
        """Whether what is not left is still to be fixed."""
        return self.command == "check" or self.rehearsed

    def outcomes(self) -> Iterator[tuple[Finding, Left | None]]:
        """All findings in the order of files and places, and which of them are left."""
        for result in self.report.files:
            left = {one.finding: one for one in result.left}
            yield from ((finding, left.get(finding)) for finding in result.findings)

    def tallies(self) -> tuple[Tally, ...]:
        """The rules that found something, by their codes."""
        found = Counter((finding.code, finding.rule) for finding, _ in self.outcomes())
        left = Counter(finding.code for finding, one in self.outcomes() if one is not None)
        return tuple(Tally(*rule, found[rule], left[rule[0]]) for rule in sorted(found))
