"""Whether a device is the one that the values of a place are on, by where it came from.

A program may know several devices: one that it computes on, one that it keeps its data on, those of
other parts of its configuration. On the machine at hand all are the accelerator; the user can
choose each for itself. So one of them names a place only if something that the value meets is there
by the same choice, or if the program has no other.
"""

from __future__ import annotations

import ast
from functools import cached_property

from devicefix.flow.analysis import Analysis
from devicefix.flow.candidates import parameter_names, receiver_name
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Partners
from devicefix.flow.values import Tensor, Value

Origin = ast.expr | str
"""See ``Device.origins``."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Origins:
    """What decides where the values of a program are."""

    def __init__(self, analysis: Analysis, partners: Partners) -> None:
        self._seen = analysis.seen
        self._partners = partners

    def agree(
        self, text: str, chosen: frozenset[Origin], seen: Occurrence, moved: frozenset[int]
    ) -> bool:
        """Whether the device ``text`` that ``chosen`` decide is that of what ``moved`` meets."""
        company = self._settings(set(self._partners.of(moved).far)) if moved else set()
        if company:
            return not company.isdisjoint(chosen)
        own = text.isidentifier() or text.startswith(f"{receiver_name(seen.frame)}.")
        if text.isidentifier() and not _is_parameter(text, seen) and self._is_written(chosen):
            return True  # `device = "cuda" if torch.cuda.is_available() else "cpu"`
        if not self._stored.isdisjoint(chosen):
            return False
        if (own and self._is_written(chosen)) or _is_parameter(text, seen):
            return True
        return self._all <= chosen

    def _is_written(self, chosen: frozenset[Origin]) -> bool:
        """Nobody but the program and the machine decides it."""
        return all(
            isinstance(origin, ast.expr) and origin not in self._seen.open_devices
            for origin in chosen
        )

    def _settings(self, nodes: set[int]) -> set[Origin]:
        """What decides where these nodes are; ``x.to("cuda")`` is no setting of anything."""
        found = {origin for node in nodes for origin in self._seen.placed_by.get(node, ())}
        return found - (self._seen.device_literals.keys() - self._seen.device_strings)

    @cached_property
    def _all(self) -> set[Origin]:
        return self._settings(set(self._seen.placed_by))

    @cached_property
    def _stored(self) -> set[Origin]:
        """Those of devices that are left again for the accelerator: values are kept there."""
        found = set[Origin]()
        for values in self._seen.transfers.values():
            for before, after, _ in values:
                there = self._nodes(after) & self._seen.placed_by.keys()
                left = self._settings(set(self._partners.before(self._nodes(before))))
                if there and left.isdisjoint(self._settings(there)):
                    found |= left
        return found

    @staticmethod
    def _nodes(value: Value) -> set[int]:
        return set(value.nodes) if isinstance(value, Tensor) else set()


def _is_parameter(name: str, seen: Occurrence) -> bool:
    """Whether a function around the place is given it."""
    frame = seen.frame
    while frame.parent is not None:
        if isinstance(frame.tree, _FUNCTIONS) and name in parameter_names(frame.tree):
            return True
        frame = frame.parent
    return False
