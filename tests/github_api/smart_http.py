"""git's own server, below HTTP: ``git http-backend`` as a CGI program (git-http-backend(1))."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def serve(
    root: Path, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
) -> Answer:
    """Answer a request for a repository below ``root``."""
    environment = {
        **os.environ,
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
        "REMOTE_USER": "somebody",
    }
    done = subprocess.run(
        ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
    )
    if not done.stdout:  # it has said why to the client, as a rule, and then ends so, too
        return Answer(500, (), done.stderr)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    pairs = [line.partition(": ")[::2] for line in head.decode().split("\r\n")]
    status = next((int(value.split()[0]) for name, value in pairs if name == "Status"), 200)
    return Answer(status, tuple(pair for pair in pairs if pair[0] != "Status"), content)
