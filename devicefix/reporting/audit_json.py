"""An audit for programs: one JSON object, version 1."""

from __future__ import annotations

import json
from typing import Final

from devicefix.audit.result import HOURS, Audit

VERSION: Final = 1


def render(audit: Audit) -> str:
    """All items, and what follows from them."""
    content = {
        "version": VERSION,
        "command": "audit",
        "target": audit.target,
        "files_checked": audit.checked,
        "counts": {category.value: count for category, count in audit.counts().items()},
        "automatic_share": audit.share,
        "effort": {
            "hours": round(audit.hours, 2),
            "hours_per_item": {category.value: hours for category, hours in HOURS.items()},
        },
        "files": [
            {"path": path, "items": items, "hours": round(hours, 2)}
            for path, items, hours in audit.files()
        ],
        "items": [
            {"category": i.category.value, "path": i.path, "line": i.line, "what": i.what}
            for i in audit.items
        ],
        "errors": [str(error) for error in audit.errors],
        "complete": not audit.errors,
    }
    return json.dumps(content, indent=2) + "\n"
