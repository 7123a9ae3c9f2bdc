"""What a worker of a cluster does with an order: the same as a process of this machine.

Ray keeps a worker for many tasks, so its fork server (`devicefix.migration.local`), which has
imported everything, is kept, too. It ends with the worker, whatever ends that, and all below it.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from devicefix.migration.claims import claimed
from devicefix.migration.local import Local
from devicefix.migration.orders import Order, Result, Stage

_MOMENT: Final = 60.0


def done(job: bytes) -> bytes:
    """Of a pickled stage, order and result of the stage before; gives a pickled `Result`."""
    stage, order, before = pickle.loads(job)
    return pickle.dumps(_worked(stage, order, before))


@dataclass(frozen=True, slots=True)
class _Kept:
    local: Local
    environment: Mapping[str, str]
    """With which its fork server began: Ray says there which GPUs a task may see."""


_kept: _Kept | None = None


def _worked(stage: Stage, order: Order, before: Result | None) -> Result:
    local = _local()
    local.submit("", stage, order, before)
    while True:
        for _, _, result in local.finished(_MOMENT):
            return result


def _local() -> Local:
    global _kept
    environment = dict(os.environ)
    if _kept is not None and _kept.environment != environment:
        _kept.local.close()
        _kept = None
    if _kept is None:
        _kept = _Kept(Local(1, claimed()), environment)
    return _kept.local
