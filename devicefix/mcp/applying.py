"""The tool `apply`: groups of fixes by their ids, as a diff or written."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any, Final

from msgspec import Struct

from devicefix.engine import AppliedGroup, Choice, Report, commit, rehearsal
from devicefix.findings import Applicability
from devicefix.mcp.checking import error_text, settings_of
from devicefix.mcp.pages import page
from devicefix.mcp.root import RefusedError, Root
from devicefix.proposals.hunks import identifier
from devicefix.reporting.diff import unified_text

_PLACES: Final = 5
"""Findings that are listed of one group."""
_UNDO: Final = "`devicefix undo`, in the root folder, restores the files byte for byte"


class Wanted(Struct, frozen=True):
    """Which groups, and what to do with them."""

    paths: Sequence[str]
    rules: Sequence[str] = ()
    groups: Sequence[str] | None = None
    """Ids; all safe ones where it is None."""
    write: bool = False
    allow_dirty: bool = False
    diff_lines: int = 400
    limit: int = 20
    cursor: str | None = None


def applied(root: Root, wanted: Wanted) -> dict[str, Any]:
    """The groups, the chosen ones, and their diff. Raises what `apply` raises."""
    tried = rehearsal(
        root.paths(wanted.paths), settings_of(root, wanted.rules), dry_run=not wanted.write
    )
    offered = {
        identifier(group.identity): group for group in tried.report(Choice(trusts_all=True)).groups
    }
    chosen = _chosen(offered, wanted.groups)
    report = tried.report(_choice(offered, chosen))
    if wanted.write:
        report = commit(report, wanted.allow_dirty)
    listed, following = page(
        [_group(name, group, chosen) for name, group in offered.items()],
        wanted.limit,
        wanted.cursor,
    )
    made = {identifier(group.identity) for group in report.groups}
    return {
        "written": wanted.write and bool(report.changes),
        "counts": {"groups": len(offered), "chosen": len(chosen), "files": len(report.changes)},
        "diff": _diff(report, wanted.diff_lines),
        "groups": list(listed),
        "not_applied": sorted(chosen - made),
        "errors": [error_text(error) for error in report.errors],
        "next_step": _next_step(report, wanted, bool(offered)),
        "next": following,
    }


def _chosen(offered: dict[str, AppliedGroup], ids: Sequence[str] | None) -> frozenset[str]:
    if ids is None:
        safe = (n for n, g in offered.items() if g.applicability is Applicability.SAFE)
        return frozenset(safe)
    unknown = sorted(set(ids) - offered.keys())
    if unknown:
        raise RefusedError(
            f"no group has the id {', '.join(unknown)}: the files have changed, or the paths or "
            "rules differ from the earlier call; call `apply` without `groups` to list the ids"
        )
    return frozenset(ids)


def _choice(offered: dict[str, AppliedGroup], chosen: Collection[str]) -> Choice:
    return Choice(
        without=frozenset(g.identity for name, g in offered.items() if name not in chosen),
        trusted=frozenset(offered[name].identity for name in chosen),
        why="not chosen",
    )


def _group(name: str, group: AppliedGroup, chosen: Collection[str]) -> dict[str, Any]:
    places = [f"{f.where} {f.code} {f.message}" for f in group.findings]
    row = {
        "id": name,
        "safety": group.applicability.name.lower(),
        "chosen": name in chosen,
        "findings": places[:_PLACES],
    }
    if len(places) > _PLACES:
        row["more_findings"] = len(places) - _PLACES
    return {**row, "reason": group.reason} if group.reason else row


def _diff(report: Report, lines: int) -> str:
    """The unified diff, cut after so many lines."""
    texts = (unified_text(result.path, change) for result, change in report.changes)
    every = "".join(texts).splitlines(keepends=True)
    rest = len(every) - lines
    note = [f"# {rest} lines more: name fewer paths or groups, or more diff_lines\n"]
    return "".join(itertools.chain(every[:lines], note if rest > 0 else ()))


def _next_step(report: Report, wanted: Wanted, offers: bool) -> str:
    if wanted.write and report.changes:
        return f"verify it with the tool `verify`; {_UNDO}"
    if not offers:
        return "there is nothing to fix; `check` lists what needs a decision"
    if not report.changes:
        return "no group was chosen: name ids of `groups`"
    return "nothing was written; call it again with write=true to write this diff"
