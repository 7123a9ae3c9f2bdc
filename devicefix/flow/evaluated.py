"""A program that was evaluated, for those who compare two of them: values by expression."""

from __future__ import annotations

import ast

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.program import evaluate_program
from devicefix.flow.trace import Trace
from devicefix.flow.values import Value
from devicefix.source import Program
from devicefix.source.parsing import Parents


class Evaluated(Struct, frozen=True, dict=True, eq=False):
    """What the last pass over a program made of each of its expressions."""

    program: Program
    analysis: Analysis
    trace: Trace
    complete: bool
    """Whether evaluation came to its end."""

    @classmethod
    def of(cls, program: Program) -> Evaluated:
        """Evaluate ``program``. Nothing of it is imported or executed."""
        trace = Trace()
        analysis, complete = evaluate_program(program, trace)
        return cls(program, analysis, trace, complete)

    @property
    def parents(self) -> Parents:
        """The way from a node up."""
        return self.analysis.parents

    def values(self, node: ast.AST) -> list[Value]:
        """What ``node`` is, in each context that reached it; none where nothing did."""
        return [noted.value for noted in self.trace.values.get(node, {}).values()]
