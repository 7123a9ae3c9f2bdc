"""Where a switch of the user decides about a value: a device that asks the machine alone is wrong.

``if args.cuda: h = h.cuda()`` says for all that ``h`` meets whether it goes to the accelerator. A
device that is made in another file, which does not know of the switch, and is passed down would
bring one of them there although the user has said no.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.deciders import ASKS
from devicefix.flow.flags import Asking, asked_around
from devicefix.flow.values import FileRecord, nodes_of

MACHINE: Final = frozenset({"", ASKS})
"""What a device asks that nobody can switch off."""


class Switches:
    """What the program itself moves only if the user wants it."""

    def __init__(
        self, analysis: Analysis, conditions: Callable[[FileRecord], Sequence[Asking]]
    ) -> None:
        """``conditions``: those of a file that decide about moves."""
        self._analysis = analysis
        self._conditions = conditions

    def decide(self, nodes: Set[int]) -> bool:
        """Whether a switch decides about something that has to do with one of ``nodes``."""
        return bool(self._switched) and not self._switched.isdisjoint(
            self._analysis.graph.component(nodes)
        )

    @cached_property
    def _switched(self) -> Set[int]:
        """The parts of the graph in which something is moved below a switch."""
        analysis = self._analysis
        return {
            part
            for call, seen in analysis.seen.transfers.items()
            if self._is_switched(call)
            for before, after, _ in seen
            for part in analysis.graph.component(nodes_of(before) | nodes_of(after))
        }

    def _is_switched(self, call: ast.Call) -> bool:
        around = asked_around(self._analysis, call, self._conditions(self._analysis.home(call)))
        return any(asked is None or not (asked.pure or asked.always) for asked in around)
