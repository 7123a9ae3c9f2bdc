"""What a verification found, read from its JSON (docs/verify.schema.json) for the page."""

from __future__ import annotations

import json
import shlex
from pathlib import PurePath
from typing import Any, Final

from msgspec.structs import astuple

from devicefix.reporting.places import amount, bytes_of, percent
from devicefix.reporting.verify_words import HEADS, SAID
from devicefix.verification.result import Verdict

_Json = dict[str, Any]
_SHOWN: Final = ("before", "modernised", "after")


def proof_of(found: _Json) -> _Json:
    """The verdict, each run, what was compared, the first difference on each device."""
    verdict = Verdict(found["verdict"])
    comparisons: list[_Json] = found["comparisons"]
    partial = " so far" if found["partial"] and verdict is Verdict.PASS else ""
    return {
        "verdict": SAID[verdict] + partial,
        "passed": verdict is Verdict.PASS,
        "unknown": verdict.is_unknown,
        "entry": shlex.join(found["entry"]),
        "devices": ", ".join(one["device"] for one in comparisons),
        "compared": sum(one["compared"] for one in comparisons),
        "reason": found["reason"],
        "heads": astuple(HEADS),
        "rows": _rows(found["runs"]),
        "agreements": [f"{one['device']}: {_agreement(one)}" for one in comparisons],
        "differences": _differences(comparisons),
        "notes": found["notes"],
        "seconds": round(found["seconds"], 1),
    }


def _rows(runs: list[_Json]) -> list[list[str]]:
    """The first run of each role and device: before the change, then after it."""
    first: dict[tuple[str, str], _Json] = {}
    for run in runs:
        first.setdefault((run["role"], run["device"]), run)
    return [_row(run) for role in _SHOWN for run in first.values() if run["role"] == role]


def _row(run: _Json) -> list[str]:
    placement = run["placement"]
    computed = copies = ""
    if placement is not None:
        share, copied = placement["share"], placement["copies"]
        computed = percent(share, 1) if share is not None else "no arithmetic"
        copies = (
            f"{amount(copied['count'])}, {bytes_of(copied['bytes'])}" if copied["count"] else "none"
        )
    return [f"{run['role']}, on {run['device']}", _ended(run), computed, copies]


def _ended(run: _Json) -> str:
    ending, error = run["ending"], run["error"]
    seconds = f"{ending['seconds']:.1f} s"
    match ending["how"]:
        case "timeout":
            return f"stopped after {seconds}"
        case "memory":
            return f"stopped: it used {ending['megabytes']} MB"
        case "signal":
            return f"signal {ending['signal']}, {seconds}"
    if error is None:
        return f"exit {ending['status']}, {seconds}"
    at = _where(error["at"])
    return f"{error['type']} at {at}" if at else str(error["type"])


def _agreement(one: _Json) -> str:
    masked = one["masked"]
    values = "1 value" if one["compared"] == 1 else f"{one['compared']:,} values"
    left_out = f", {masked} not compared because they vary from run to run" if masked else ""
    return f"{values} compared{left_out}: {_closeness(one)}"


def _closeness(one: _Json) -> str:
    if Verdict(one["verdict"]) is Verdict.FAILED:
        return "too little to compare"
    if Verdict(one["verdict"]) is Verdict.STILL_FAILS:
        return "it fails as before"
    if one["difference"] is not None:
        return "not all equal"
    if one["deviation"] is None:
        return "all equal"
    off = one["deviation"]
    return (
        f"equal within {one['tolerance']}; largest difference: {off['what']}, "
        f"{off['before']:.9g} and "
        f"{off['after']:.9g} ({off['absolute']:.1e} absolute, {off['relative']:.1e} relative)"
    )


def _differences(comparisons: list[_Json]) -> list[_Json]:
    """The first on each device; devices with the same one are named together."""
    devices: dict[str, list[str]] = {}
    for one in comparisons:
        if one["difference"] is not None:
            devices.setdefault(json.dumps(one["difference"]), []).append(one["device"])
    return [_difference(", ".join(names), json.loads(one)) for one, names in devices.items()]


def _difference(devices: str, one: _Json) -> _Json:
    sides = [
        [side, one[side], _where(one[f"at_{side}"]), (one[f"at_{side}"] or {}).get("text", "")]
        for side in ("before", "after")
    ]
    return {"devices": devices, "what": one["what"], "sides": sides, "detail": one["detail"]}


def _where(place: _Json | None) -> str:
    """File and line; of a path of a worker, which is gone, only its end."""
    if place is None:
        return ""
    path = PurePath(place["file"])
    name = "/".join(path.parts[-2:]) if path.is_absolute() else str(path)
    return f"{name}:{place['line']}"
