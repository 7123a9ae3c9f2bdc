"""What the page shows, as JSON. The page builds text nodes of it, so nothing is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from devicefix.codemod import documentation
from devicefix.engine import AppliedGroup, FileError, Left
from devicefix.findings import Applicability, Finding
from devicefix.proposals import FileHunks, Hunk, Proposal, Row
from devicefix.reporting.page.strings import Strings, strings_of
from devicefix.reporting.places import near
from devicefix.reporting.rule_pages import page_of

_Json = dict[str, Any]


class Material(Struct, frozen=True):
    """What a page is made of."""

    proposals: Sequence[Proposal]
    files: Sequence[FileHunks]
    before: Mapping[str, bytes]
    """What the files hold now that have hunks; for colours only."""
    left: Sequence[Left]
    errors: Sequence[FileError]
    checked: int
    """How many files were looked at."""


def content_of(material: Material) -> _Json:
    """All of it; a file, a hunk and a group are named by their numbers in the lists."""
    numbers = {proposal.id: at for at, proposal in enumerate(material.proposals)}
    hunks = _by_group(material.files)
    return {
        "groups": [_proposal(p, hunks.get(p.id, ())) for p in material.proposals],
        "files": [
            file_of(file, material.before.get(file.path, b""), numbers) for file in material.files
        ],
        "left": [{**finding_of(one.finding), "reason": one.reason} for one in material.left],
        "errors": [
            {"path": near(e.path), "line": e.line, "cell": e.cell, "reason": e.reason}
            for e in material.errors
        ],
        "rules": _rules(_codes(material)),
        "checked": material.checked,
    }


def _proposal(proposal: Proposal, hunks: Sequence[tuple[int, int]]) -> _Json:
    return {
        "id": proposal.id,
        "verdict": proposal.verdict.value,
        **group_of(proposal.group),
        "hunks": hunks,
    }


def group_of(group: AppliedGroup) -> _Json:
    """Why it is, and how sure."""
    return {
        "safe": group.applicability is Applicability.SAFE,
        "reason": group.reason,
        "codes": list(group.codes),
        "findings": [finding_of(finding) for finding in group.findings],
    }


def finding_of(finding: Finding) -> _Json:
    """Where, and what."""
    return {
        "path": near(finding.path),
        "line": finding.line,
        "column": finding.column,
        "cell": finding.cell,
        "code": finding.code,
        "message": finding.message,
        "advice": finding.advice,
    }


def _by_group(files: Sequence[FileHunks]) -> dict[str, list[tuple[int, int]]]:
    """The places of the hunks that each group has a line in."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, file in enumerate(files):
        for at, hunk in enumerate(file.hunks):
            for group in hunk.proposals:
                found.setdefault(group, []).append((number, at))
    return found


def file_of(
    file: FileHunks, before: bytes, numbers: Mapping[str, int] = MappingProxyType({})
) -> _Json:
    """The hunks of a file that holds ``before``; ``numbers`` are those of the groups."""
    strings = strings_of(file.path, before)
    return {
        "path": near(file.path),
        "hunks": [_hunk(hunk, numbers, strings) for hunk in file.hunks],
    }


def _hunk(hunk: Hunk, numbers: Mapping[str, int], strings: Strings) -> _Json:
    first = next((row.before.number for row in hunk.rows if row.before is not None), 1)
    return {
        "scope": hunk.scope,
        "cell": hunk.cell,
        "open": strings.open_at(hunk.cell, first),
        "rows": [_row(row, numbers) for row in hunk.rows],
    }


def _row(row: Row, numbers: Mapping[str, int]) -> list[Any]:
    """Context: both numbers and the text. A change: both lines, each may be missing; the groups."""
    if row.before is not None and row.after is not None and row.is_context:
        return [row.before.number, row.after.number, row.before.text]
    sides = [
        [line.number, line.text, _in_utf16(line.text, line.changed)] if line is not None else None
        for line in (row.before, row.after)
    ]
    return [*sides, "", [numbers[one] for one in row.proposals if one in numbers]]


def _in_utf16(text: str, ranges: Iterable[tuple[int, int]]) -> list[int]:
    """Both ends of each range, one after the other, as browsers count."""
    if text.isascii():
        return [end for pair in ranges for end in pair]
    return [
        len(text[:end].encode("utf-16-le", "surrogatepass")) // 2 for pair in ranges for end in pair
    ]


def _codes(material: Material) -> set[str]:
    groups = (p.group.findings for p in material.proposals)
    return {f.code for findings in groups for f in findings} | {
        one.finding.code for one in material.left
    }


def _rules(codes: set[str]) -> _Json:
    if not codes:
        return {}
    from devicefix.engine.registry import load_codemods

    return {
        rule.code: {
            "name": rule.name,
            "summary": documentation(rule).summary,
            "sections": documentation(rule).sections,
            "url": page_of(rule),
        }
        for rule in load_codemods()
        if rule.code in codes
    }
