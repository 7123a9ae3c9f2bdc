"""The tool `where`: what is known of the expressions on a line."""

from __future__ import annotations

import json
from typing import Any, Final

from devicefix.engine import Asked, explain
from devicefix.mcp.pages import page
from devicefix.mcp.root import Root
from devicefix.reporting import explanation
from devicefix.settings import load_settings

_EVIDENCE: Final = 8
"""Lines of evidence for one value."""


def where(
    root: Root, file: str, asked: Asked, limit: int, cursor: str | None, detail: bool
) -> dict[str, Any]:
    """What `devicefix explain` says of the line, in short. Raises what `explain` raises."""
    path = root.file(file)
    explained = explain(path, asked, (), load_settings(root.folder / path.parent, None))
    content = json.loads(explanation.render(explained))
    values = content["values"] if detail else [_value(value) for value in content["values"]]
    shown, following = page(values, limit, cursor)
    findings = content["findings"]
    return {
        "path": content["path"],
        "line": content["line"],
        "text": content["text"],
        "files_analysed": content["files"],
        "notes": content["notes"],
        "count": len(values),
        "values": list(shown),
        "findings": findings if detail else [_finding(finding) for finding in findings],
        "next": following,
    }


def _value(value: dict[str, Any]) -> dict[str, Any]:
    """The value without what repeats itself."""
    steps = [_spot(spot) for way in value["ways"] for spot in way]
    steps += [_spot(spot) for spot in (*value["uses"], *value["moves"])]
    return {
        "text": value["text"],
        "also": value["also"],
        "column": value["column"],
        "kind": value["kind"],
        "dtype": value["dtype"],
        "now": value["today"],
        "after_fix": value["after"],
        "basis": value["basis"],
        "evidence": [*dict.fromkeys(steps)][:_EVIDENCE],
        "notes": value["notes"],
    }


def _spot(spot: dict[str, Any]) -> str:
    place = f" ({spot['place']})" if spot["place"] else ""
    cell = f"cell {spot['cell']}:" if "cell" in spot else ""
    return f"{spot['path']}:{cell}{spot['line']} {spot['what']}{place}"


def _finding(finding: dict[str, Any]) -> dict[str, Any]:
    return {key: finding[key] for key in ("code", "message", "applicability", "left")}
