"""What GitHub's runner says to a step, and how a step answers.

docs.github.com/en/actions/reference/workflows-and-actions/variables and …/workflow-commands
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.reporting.terminal import printable

DONE: Final = 0
FOUND: Final = 1
"""The status of a step with findings, or with fixes that do not pass."""
CANNOT: Final = 2
"""The status of one that could not do its work."""
_WITHHELD: Final = ("ACTIONS_", "INPUT_")
_WITHHELD_NAMES: Final = frozenset(
    {
        "GH_TOKEN",
        "GITHUB_ENV",
        "GITHUB_OUTPUT",
        "GITHUB_PATH",
        "GITHUB_STATE",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_TOKEN",
    }
)


@dataclass(frozen=True, slots=True)
class Runner:
    """Where we are."""

    workspace: Path
    repository: str
    """``owner/name``"""
    server: str
    api: str
    event: str
    ref_name: str
    ref_type: str
    outputs: Path
    summary: Path
    temporary: Path
    payload: Path | None = None
    """A file that holds the event as JSON."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Runner:
        """Raises `KeyError` outside of a step of GitHub Actions."""
        temporary = Path(environment["RUNNER_TEMP"])
        summary = environment.get("GITHUB_STEP_SUMMARY")  # GitHub Enterprise 3.5 has none
        payload = environment.get("GITHUB_EVENT_PATH")
        return cls(
            workspace=Path(environment["GITHUB_WORKSPACE"]),
            repository=environment["GITHUB_REPOSITORY"],
            server=environment["GITHUB_SERVER_URL"],
            api=environment["GITHUB_API_URL"],
            event=environment["GITHUB_EVENT_NAME"],
            ref_name=environment.get("GITHUB_REF_NAME", ""),
            ref_type=environment.get("GITHUB_REF_TYPE", ""),
            outputs=Path(environment["GITHUB_OUTPUT"]),
            summary=Path(summary) if summary else temporary / "devicefix-summary.md",
            temporary=temporary,
            payload=Path(payload) if payload else None,
        )

    def set_outputs(self, **values: object) -> None:
        """Outputs of the step; ``_`` in their names is ``-``."""
        with self.outputs.open("a", encoding="utf-8", errors="backslashreplace") as file:
            for name, value in values.items():
                mark = f"end-{secrets.token_hex(16)}"  # nobody can guess where a value ends
                file.write(f"{name.replace('_', '-')}<<{mark}\n{value}\n{mark}\n")

    def summarise(self, markdown: str) -> None:
        """Show this on the page of the run."""
        with self.summary.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(markdown)


def withhold() -> None:
    """Take out of the environment what a program that is verified has no business with.

    With these it could set variables and paths for later steps, or speak for the workflow.
    """
    for name in list(os.environ):
        if name in _WITHHELD_NAMES or name.startswith(_WITHHELD):
            del os.environ[name]


def say(text: str) -> None:
    """Print something, in which no line is a command to the runner."""
    mark = secrets.token_hex(16)
    sys.stdout.write(f"::stop-commands::{mark}\n{text.rstrip()}\n::{mark}::\n")
    sys.stdout.flush()


def annotate(level: str, text: str) -> None:
    """An ``error``, ``warning`` or ``notice`` on the page of the run."""
    lines = "\n".join(map(printable, text.splitlines()))
    sys.stdout.write(f"::{level} title=devicefix::{_escaped(lines)}\n")
    sys.stdout.flush()


@contextmanager
def group(title: str) -> Iterator[None]:
    """What is printed meanwhile can be folded away."""
    sys.stdout.write(f"::group::{_escaped(title)}\n")
    try:
        yield
    finally:
        sys.stdout.write("::endgroup::\n")
        sys.stdout.flush()


def _escaped(text: str) -> str:
    """``##[`` begins a command of the old kind, wherever in a line."""
    plain = text.replace("##[", "## [")
    return plain.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
