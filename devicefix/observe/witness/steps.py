"""What the steps of an optimizer have made of its parameters, seen when nobody steps any more.

A training need not leave anything behind: its model may be local to a function, and nothing be
read or saved after the last step. So the parameters are read when their optimizer goes, or else at
the end of the process. Nothing lives longer for that: the optimizer holds them as long as we do.
"""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.structures import LEAVES
from devicefix.observe.witness.tensors import tensor_leaf
from devicefix.observe.witness.threads import thread_number
from devicefix.observe.witness.where import line_of


@dataclass
class _Stepped:
    """One optimizer that has stepped."""

    name: str
    going: weakref.ref[Any]
    thread: int
    at: Any = None
    """The line of the last step."""
    parameters: tuple[Any, ...] = ()


class Steps:
    """Notes the parameters of every optimizer after its last step."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._known: dict[int, _Stepped] = {}
        self._count = 0

    def begin(self) -> None:
        """Watch from now on."""
        register_optimizer_step_post_hook(self._stepped)

    def end(self) -> None:
        """Note those that are still there."""
        for key in list(self._known):
            self._note(key)

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not self._log.ours:
            return
        key = id(optimizer)
        known = self._known.get(key)
        if known is None:
            self._count += 1
            going = weakref.ref(optimizer, lambda _: self._note(key))
            name = f"{type(optimizer).__name__} {self._count}"
            known = self._known[key] = _Stepped(name, going, thread_number())
        known.at = line_of(sys._getframe().f_back)
        groups = optimizer.param_groups
        known.parameters = tuple(one for group in groups for one in group["params"])

    def _note(self, key: int) -> None:
        known = self._known.pop(key, None)
        if known is None or not self._log.ours:
            return
        room = self._log.room
        with torch._C.DisableTorchFunction():
            leaves = [
                tensor_leaf(f" parameter {number}", parameter, room)
                for number, parameter in enumerate(known.parameters[:LEAVES], start=1)
            ]
        self._log.saw("stepped", known.name, known.at, leaves, thread=known.thread)


STEPS: Final[list[Steps]] = []
"""Those of this process."""


def note_steps(log: EventLog) -> None:
    """Watch optimizers from now on."""
    STEPS.append(Steps(log))
    STEPS[0].begin()


def note_last_steps() -> None:
    """At the end of the process."""
    for steps in STEPS:
        steps.end()
