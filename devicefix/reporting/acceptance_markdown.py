"""What became of fixes that had to pass a verification, for the body of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devicefix.reporting import verify_markdown
from devicefix.reporting.acceptance_words import (
    group_of,
    groups_of,
    kinds_of,
    nobody_at_fault,
    passed_with,
    why_unknown,
)
from devicefix.reporting.markup import plain, sentence
from devicefix.reporting.verify_words import verdict_of
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.result import Verification

_GROUPS: Final = 20
_LONGEST: Final = 1000


def render(found: Acceptance, written: bool, room: int) -> str:
    """The evidence, and how sure each group is; in ``room`` characters."""
    said = "\n".join(_said(found, written))
    shown = found.verification if found.verification is not None else found.refusal
    if shown is None:
        return said
    evidence = verify_markdown.render(shown).rstrip("\n")
    if len(said) + len(evidence) > room:
        evidence = _short(shown)
    return f"{evidence}\n\n{said}" if said else evidence


def _short(verification: Verification) -> str:
    """The same where the whole would be too long."""
    heading = f"### devicefix verify: {verdict_of(verification)}"
    return f"{heading}\n\n{plain(verification.reason[:_LONGEST])}."


def _said(found: Acceptance, written: bool) -> Iterator[str]:
    match found.decision:
        case Decision.NOTHING:
            return
        case Decision.UNKNOWN:
            yield f"Nothing was written: {sentence(why_unknown(found))}"
            return
        case Decision.REJECTED:
            yield from _refused(found, written)
    if found.verification is not None:
        yield plain(passed_with(found))
    for title, lines in kinds_of(found):
        yield from _listed(title, lines)


def _refused(found: Acceptance, written: bool) -> Iterator[str]:
    yield "It does not pass with all fixes." + (" The rest was written." if written else "")
    yield ""
    if not found.guilty:
        yield sentence(nobody_at_fault(found))
        yield ""
    yield from _listed("At fault, not written", [group_of(one.group) for one in found.guilty])


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"**{title}**:"
    yield ""
    yield from (f"- {plain(line[:_LONGEST])}" for line in lines[:_GROUPS])
    if len(lines) > _GROUPS:
        yield f"- and {groups_of(len(lines) - _GROUPS)} more"
