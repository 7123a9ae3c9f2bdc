"""The program before the change: where it runs, and what of it is not the same twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from devicefix.records import placement_of
from devicefix.verification.baseline import Baseline, baseline_of
from devicefix.verification.devices import CPU, is_simulated
from devicefix.verification.endings import is_sound
from devicefix.verification.execution import Execution, Order
from devicefix.verification.items import seeds_of
from devicefix.verification.result import Role
from devicefix.verification.steadiness import unlike
from devicefix.verification.trees import Tree

_FALLBACK: Final = "sim:cuda"
"""Where a program that does not run on the CPU is tried before the change."""
LOOKS: Final = 3
"""How often it is run again to see whether it ends the same each time."""
PERTURBED: Final = 3
"""Runs that show how far rounding alone leads astray."""


class Original:
    """Runs the program before the change, each run once for all changes that are held against it.

    ``run`` takes the tree, what is ordered, and words for whoever waits; ``role`` is that of a
    first run.
    """

    def __init__(
        self,
        tree: Tree,
        run: Callable[[Tree, Order, str], Execution],
        role: Role = Role.BEFORE,
    ) -> None:
        self.tree = tree
        self._run = run
        self._role = role
        self._runs: dict[tuple[Role, str], Execution] = {}
        self._baselines: dict[str, Baseline | None] = {}
        self._repeated: set[int] = set()
        self._spread: set[int] = set()
        """By the identity of a baseline."""
        self._ends: dict[str, str | None] = {}

    def on(self, device: str) -> Execution:
        """The program before the change on ``device``; it is run once."""
        key = self._role, device
        if key not in self._runs:
            order = Order(self._role, device)
            self._runs[key] = self._run(self.tree, order, f"before the change, on {device}")
        return self._runs[key]

    def runs(self) -> tuple[Execution, ...]:
        """All runs of the program before the change so far."""
        return tuple(self._runs.values())

    def baseline(self, devices: Sequence[str]) -> Baseline | None:
        """The program before the change where it runs: on the CPU, else simulated."""
        simulated = [device for device in devices if is_simulated(device)]
        for device in (CPU, *(simulated or [_FALLBACK])):
            found = self._baseline_on(device)
            if found is not None:
                return found
        return None

    def _baseline_on(self, device: str) -> Baseline | None:
        if device not in self._baselines:
            self._baselines[device] = self._made_on(device)
        return self._baselines[device]

    def baseline_there(self, device: str) -> Baseline | None:
        """The program before the change on a simulated ``device``, if it computed there."""
        if not is_simulated(device):
            return None
        before = self.on(device)
        if not is_sound(before) or not placement_of(before.records).share:
            return None
        return self._baseline_on(device)

    def _made_on(self, device: str) -> Baseline | None:
        first = self.on(device)
        return baseline_of(first) if is_sound(first) else None

    def repeat(self, baseline: Baseline) -> None:
        """Learn from a second run what varies, once.

        That can only forgive a difference: where there is none, nobody has to know.
        """
        if id(baseline) in self._repeated:
            return
        self._repeated.add(id(baseline))
        again = self._again(baseline.device, clock=1)
        baseline.learn(again)
        if seeds_of(again) != seeds_of(baseline.execution) or baseline.doubt is not None:
            # much follows from the clock, such as its seeds: then that has to stand still
            baseline.forget()
            baseline.learn(self._again(baseline.device, clock=0))

    def _again(self, device: str, clock: int) -> Execution:
        order = Order(Role.BEFORE_AGAIN, device, clock=clock)
        again = self._run(self.tree, order, f"before the change, on {device}, again")
        self._runs[Role.BEFORE_AGAIN, device] = again
        return again

    def doubt(self, baseline: Baseline) -> None:
        """Learn from one more run before the change what varies only now and then."""
        again = self._again(baseline.device, clock=0)
        if unlike(baseline.execution, again) is None:
            baseline.learn(again)

    def ends_otherwise(self, device: str) -> str | None:
        """Why it cannot be said how the program ends on ``device``; None where it ends the same
        each time that one looks. It is looked at once.
        """
        if device not in self._ends:
            again = (self._again(device, clock=0) for _ in range(LOOKS))
            found = (unlike(self.on(device), run) for run in again)
            self._ends[device] = next((why for why in found if why is not None), None)
        return self._ends[device]

    def widen(self, baseline: Baseline) -> None:
        """Learn how far rounding alone leads astray, once."""
        if id(baseline) in self._spread:
            return
        self._spread.add(id(baseline))
        for seed in range(PERTURBED):
            order = Order(Role.PERTURBED, baseline.device, perturb=seed)
            baseline.widen(self._run(self.tree, order, f"before the change, perturbed ({seed})"))
