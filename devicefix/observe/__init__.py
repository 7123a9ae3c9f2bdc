"""What runs inside the target's interpreter, and records where tensors live and what went wrong.

Standard library and torch only. Importing this package does not import torch.

``entrance/sitecustomize.py`` waits until ``import torch`` has ended; `entering` then installs the
accelerator. A ``TorchFunctionMode`` stamps each storage with the line that made it
(`devicefix.simulator.provenance`); `recorder`, `host` and `work` count arithmetic; `uncaught` and
`explaining` describe a placement error; `record` writes one file per process. A verified program
has a `witness` besides, which logs events. With a mode on, ``torch.nn`` takes no fast path in
evaluation, so all runs that are compared have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from devicefix.observe.explanation import Explanation
    from devicefix.observe.observation import Observation, Scope

__all__ = ["explain", "start"]


def start(
    directory: Path | None, provenance: bool = True, scope: Scope | None = None
) -> Observation:
    """Begin to observe this process, once its accelerator is there.

    Args:
        directory: Where this process's record is written when it ends; None for no record.
        provenance: Whether every storage is to be stamped with the line that made it.
        scope: What else matters to a process that is verified.

    Returns:
        The observation; its ``stop()`` ends it without writing.
    """
    from devicefix.observe.observation import Observation, Scope

    return Observation(directory, provenance, scope or Scope()).begin()


def explain(error: BaseException) -> Explanation | None:
    """What a placement error is about: which operand, created where, what to change.

    Returns None where ``error`` and what it was raised from have nothing to do with placement.
    """
    from devicefix.observe.explaining import explain

    return explain(error)
