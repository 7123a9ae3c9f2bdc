"""``devicefix run --record``: what a run has seen of expressions is added to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from devicefix.records import Run


def check_file(path: Path) -> None:
    """Raises `click.ClickException` for what is no evidence, or cannot be written: nobody wants to
    hear that at the end of a long run."""
    from devicefix.cli.launching import check_writable
    from devicefix.engine import EngineError, evidence_at

    check_writable(path, "--record")
    try:
        evidence_at(path)
    except EngineError as error:
        raise click.ClickException(str(error)) from None


def record(run: Run, path: Path) -> None:
    """Add what ``run`` has seen to the evidence at ``path``, and say so on stderr."""
    from devicefix.engine import EngineError, add_evidence
    from devicefix.reporting.terminal import complain

    try:
        added = add_evidence(path, run.evidence)
    except EngineError as error:
        raise click.ClickException(str(error)) from None
    complain(f"devicefix: {added}")
