"""What ``look`` leaves for ``pull-request``: a file that nobody else reads."""

from __future__ import annotations

import base64
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from devicefix.pull_requests import Author, NewContent, Proposal


@dataclass(frozen=True, slots=True)
class Handover:
    """What is to become of the pull request."""

    folder: str
    """Somewhere in the checkout."""
    proposal: Proposal
    """Without files there is nothing to propose; the body says why."""

    def write(self, temporary: Path) -> Path:
        """Leave it in a new folder in ``temporary``; where."""
        file = Path(tempfile.mkdtemp(prefix="devicefix-", dir=temporary), "proposal.json")
        file.write_text(json.dumps(asdict(self), default=_as_text), encoding="utf-8")
        return file

    @classmethod
    def read(cls, file: Path) -> Handover:
        """What `write` left."""
        content = json.loads(file.read_text(encoding="utf-8"))
        given: dict[str, Any] = content["proposal"]
        given["author"] = Author(**given["author"])
        given["files"] = tuple(_file(**one) for one in given["files"])
        return cls(content["folder"], Proposal(**given))


def _as_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _file(path: str, before: str, after: str) -> NewContent:
    return NewContent(path, base64.b64decode(before), base64.b64decode(after))
