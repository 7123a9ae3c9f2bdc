"""What a decision would change, as a fix in SARIF: all its files, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from devicefix.engine.groups import UNSAFE
from devicefix.findings import Edit, Finding, Span
from devicefix.reporting.file_places import Places, region
from devicefix.reporting.fix_groups import FixGroup
from devicefix.reporting.sarif_places import artifact, region_of
from devicefix.reporting.texts import Texts
from devicefix.source import Source

MOST: Final = 20_000
"""Replacements in one report; the fix of a large decision is repeated in each of its findings, and
GitHub takes 10 MB."""


class Fixes:
    """The fixes of one report."""

    def __init__(self, groups: dict[Finding, FixGroup], texts: Texts, places: Places) -> None:
        self._groups = groups
        self._texts = texts
        self._places = places
        self._room = MOST
        self._known: dict[int, list[dict[str, Any]]] = {}

    def of(self, finding: Finding) -> list[dict[str, Any]]:
        """The fix of the decision that ``finding`` belongs to; none where there is no room."""
        group = self._groups.get(finding)
        if group is None:
            return []
        if id(group) not in self._known:
            self._known[id(group)] = self._changes(group)
        changes = self._known[id(group)]
        size = sum(len(change["replacements"]) for change in changes)
        if not 0 < size <= self._room:
            return []
        self._room -= size
        return [{"description": {"text": _description(group)}, "artifactChanges": changes}]

    def _changes(self, group: FixGroup) -> list[dict[str, Any]]:
        """One for each file; none at all where one of them cannot be had, or is no plain text."""
        changes = []
        for path, edits in group.edits.items():
            source = self._texts.source(path, self._texts.is_new(group.left))
            if source is None or source.notebook is not None or not self._fits(group, path):
                return []
            replaced = [_replacement(source, *one) for one in merged(edits)]
            where = artifact(self._places.path(path))
            changes.append({"artifactLocation": where, "replacements": replaced})
        return changes

    def _fits(self, group: FixGroup, path: str) -> bool:
        """Whether the file is still the one that was looked at, as far as findings tell."""
        own = (finding for finding in group.findings if finding.path == path)
        return all(self._texts.of(finding, group.left) is not None for finding in own)


def merged(edits: Iterable[Edit]) -> Iterator[tuple[Span, str]]:
    """``edits`` in the order in which `Source.apply` makes them, those that touch as one.

    In which order two insertions at one place are made SARIF leaves open.
    """
    ordered = sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end > e.start, e.rank))
    last: tuple[Span, str] | None = None
    for edit in ordered:
        if last is not None and last[0].end == edit.start:
            last = Span(last[0].start, edit.end), last[1] + edit.text
            continue
        if last is not None:
            yield last
        last = Span(edit.start, edit.end), edit.text
    if last is not None:
        yield last


def _replacement(source: Source, span: Span, text: str) -> dict[str, Any]:
    deleted = {"deletedRegion": region_of(region(source, span))}
    return {**deleted, "insertedContent": {"text": text}} if text else deleted


def _description(group: FixGroup) -> str:
    codes = ", ".join(sorted({finding.code for finding in group.findings}))
    places = "" if len(group.edits) == 1 else f" in {len(group.edits)} files"
    if group.is_safe:
        return f"Fix {codes}{places}"
    why = group.left.reason.removeprefix(UNSAFE) if group.left is not None else ""
    return f"Fix {codes}{places}, which is unsafe{why}"
