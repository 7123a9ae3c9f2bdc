"""Fixes that together would leave nothing of a block: one of them leaves a ``pass``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from devicefix.engine.groups import Group, grouped, key_of
from devicefix.findings import Edit, Finding
from devicefix.source import Source

Sources = Mapping[str, Source]
_Changes = Mapping[tuple[str, Edit], Edit]
"""By file and edit: what is made in its place."""


def each_keeping_blocks(findings: Sequence[Finding], sources: Sources) -> tuple[Finding, ...]:
    """``findings`` whose fixes leave no block empty if each group is made by itself."""
    changes = {group.key: _changes((group,), sources) for group in grouped(findings)}
    if not any(changes.values()):
        return tuple(findings)
    return tuple(
        _changed(f, changes[key_of(f, f.fix)]) if f.fix is not None else f for f in findings
    )


def keeping_blocks(groups: Sequence[Group], sources: Sources) -> tuple[Group, ...]:
    """``groups`` whose edits, which are made together, leave no block empty."""
    changes = _changes(groups, sources)
    if not changes:
        return tuple(groups)
    return tuple(
        Group(group.key, tuple(_changed(member, changes) for member in group.members))
        for group in groups
    )


def _changes(groups: Iterable[Group], sources: Sources) -> _Changes:
    edits: dict[str, list[Edit]] = {}
    for group in groups:
        for path, own in group.edits.items():
            edits.setdefault(path, []).extend(own)
    if not any(not edit.text for made in edits.values() for edit in made):
        return {}
    from devicefix.edits.emptied import passing  # rules have loaded it by now, if any were asked

    return {
        (path, old): new
        for path, made in edits.items()
        if path in sources
        for old, new in passing(sources[path], made).items()
    }


def _changed(finding: Finding, changes: _Changes) -> Finding:
    fix = finding.fix
    if fix is None or not changes:
        return finding
    edits = []
    for edit in fix.edits:
        new = changes.get((edit.path or finding.path, replace(edit, path="")))
        edits.append(replace(new, path=edit.path) if new is not None else edit)
    return replace(finding, fix=replace(fix, edits=tuple(edits)))
