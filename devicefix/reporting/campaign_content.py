"""What the page of a campaign shows, as JSON; it builds text nodes of it, so nothing is escaped.

A page has to open in a browser: of long lists the first are shown, and the number of the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec.structs import astuple

from devicefix.reporting.campaign import Campaign, Repository
from devicefix.reporting.campaign_proof import proof_of

_Json = dict[str, Any]
_DIFFS_OF_ONE: Final = 150_000
"""Characters of diffs that one repository may have."""
_DIFFS: Final = 25_000_000
"""And all together."""
_LISTED: Final = 100
"""Of the findings that are left, of files that could not be read, and of events."""


def content_of(campaign: Campaign) -> _Json:
    """All of it."""
    rules: dict[str, str] = {}
    room = _Room(_DIFFS)
    shown = [_repository(one, room, rules) for one in campaign.repositories]
    return {
        "name": campaign.name,
        "plan": campaign.plan,
        "proves": campaign.proves,
        "began": campaign.began,
        "now": campaign.now,
        "foot": f"devicefix {version('devicefix')} migrate report",
        "rules": dict(sorted(rules.items())),
        "repositories": shown,
    }


class _Room:
    """How much more may be shown."""

    def __init__(self, most: int) -> None:
        self.left = most

    def takes(self, text: str, within: _Room | None = None) -> bool:
        """Whether ``text`` still fits, here and ``within``; then it is counted."""
        rooms = [self, within] if within is not None else [self]
        if any(len(text) > room.left for room in rooms):
            return False
        for room in rooms:
            room.left -= len(text)
        return True


def _repository(one: Repository, room: _Room, rules: dict[str, str]) -> _Json:
    report: _Json = json.loads(one.report) if one.report else {}
    summary = report.get("summary", {})
    by_rule: _Json = summary.get("by_rule", {})
    rules |= {code: counts["rule"] for code, counts in by_rule.items()}
    files = _files(report.get("files", []), room)
    return {
        **_standing(one),
        "files": files,
        "stat": [len(files), *(sum(file[side] for file in files) for side in ("added", "removed"))],
        "checked": summary.get("files_checked", 0),
        "fixed": summary.get("fixed", 0),
        "left": summary.get("left", 0),
        "rules": {code: [counts["fixed"], counts["left"]] for code, counts in by_rule.items()},
        "remaining": [_finding(f) for f in _left(report)[:_LISTED]],
        "errors": _errors(report),
        "proof": proof_of(json.loads(one.evidence)) if one.evidence else None,
        "ran": _ran(report.get("acceptance")),
        "events": [astuple(event) for event in one.events[-_LISTED:]],
        "earlier": max(0, len(one.events) - _LISTED),
    }


def _standing(one: Repository) -> _Json:
    return {
        "name": one.name,
        "url": one.url,
        "link": _link(one.url),
        "state": one.state,
        "running": one.running,
        "failed": one.failed,
        "attempts": one.attempts,
        "next": one.next_try,
        "reason": one.reason,
        "base": one.base,
        "commit": one.commit,
        "number": one.number,
        "request": _link(one.request_url),
        "operation": one.operation,
        "seconds": round(one.seconds, 1),
        "size": one.size,
        "updated": one.updated,
        "notes": list(one.notes),
    }


def _link(url: str) -> str:
    """``url`` if one may go there from a page; a script or a file is no place to go to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def _files(files: Iterable[_Json], room: _Room) -> list[_Json]:
    own = _Room(_DIFFS_OF_ONE)
    return [_file(file["path"], file["diff"], own, room) for file in files]


def _file(path: str, diff: str, own: _Room, room: _Room) -> _Json:
    lines = [line for line in diff.split("\n")[2:] if line[:1] in ("+", "-")]
    added = sum(line[0] == "+" for line in lines)
    shown = diff if own.takes(diff, room) else None
    return {"path": path, "added": added, "removed": len(lines) - added, "diff": shown}


def _left(report: _Json) -> list[_Json]:
    return [one for one in report.get("findings", []) if one["status"] == "left"]


def _finding(one: _Json) -> _Json:
    place = {key: one.get(key) for key in ("path", "line", "cell")}
    return {**place, "code": one["code"], "message": one["message"], "reason": one["reason"] or ""}


def _ran(acceptance: _Json | None) -> list[int] | None:
    """Of the decisions that a proof is about: those all of whose lines ran, and how many there are.

    A program may pass that never comes to what was changed.
    """
    if acceptance is None:
        return None
    count = len(acceptance["groups"])
    return [count - len(acceptance["idle"]), count]


def _errors(report: _Json) -> _Json:
    found = report.get("errors", [])
    shown = [
        {key: one.get(key) for key in ("path", "line", "cell", "reason")} for one in found[:_LISTED]
    ]
    return {"count": len(found), "shown": shown}
