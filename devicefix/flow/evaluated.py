"""A program that was evaluated: values by expression, where all belongs, and what is wrong."""

from __future__ import annotations

import ast
from functools import cached_property

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.decision_groups import Groups
from devicefix.flow.default_types import as_one_decision, can_go, could_go
from devicefix.flow.facts import FileFacts
from devicefix.flow.gathering import gather_facts
from devicefix.flow.mentions import cuda_imports
from devicefix.flow.old_imports import old_imports
from devicefix.flow.placement import Decision, decide
from devicefix.flow.program import CONTEXTS, evaluate_program, unevaluated
from devicefix.flow.trace import Trace
from devicefix.flow.values import Value
from devicefix.source import Program, Source
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
        """Evaluate ``program``, once. Nothing of it is imported or executed.

        Raises:
            SourceError: a file cannot be parsed.
            TimeExceededError: it takes too long.
        """
        return program.once(_evaluated)

    @property
    def parents(self) -> Parents:
        """The way from a node up."""
        return self.analysis.parents

    def values(self, node: ast.AST) -> list[Value]:
        """What ``node`` is, in each context that reached it; none where nothing did."""
        return list(self.trace.values.get(node, {}).values())

    @cached_property
    def decision(self) -> Decision:
        """Where all of it belongs, and the transfers that takes."""
        return decide(self.analysis)

    @cached_property
    def groups(self) -> Groups:
        """What belongs together in that."""
        return Groups(self.analysis, self.decision.solution, self.decision.chosen)


def _evaluated(program: Program) -> Evaluated:
    trace = Trace()
    analysis, complete = evaluate_program(program, trace)
    return Evaluated(program, analysis, trace, complete)


def too_fine(program: Program) -> int:
    """How many of the finest ways to look at ``program`` took too long, as far as one has looked.

    It is not much smaller after a round of fixes: then those need not be tried again.
    """
    known = program.known(_evaluated)
    return CONTEXTS.index(known.analysis.contexts) if known is not None else program.too_fine


def imports_of(program: Program, before: Program) -> dict[str, FileFacts]:
    """By file, the imports of what torch has renamed or replaced, and nothing else: that takes no
    evaluation.

    ``program`` is ``before`` with some edits; of one that was not evaluated to its end there are
    no facts.
    """
    known = before.known(_evaluated)
    if known is None or not known.complete:
        return {}
    analysis = unevaluated(program, known.analysis)
    return {
        file.path: FileFacts(old_imports=old_imports(analysis, file)) for file in analysis.owned
    }


def imports_alone(program: Program) -> dict[str, FileFacts]:
    """By file, the imports of names of CUDA, and nothing else: that takes no evaluation.

    Raises:
        SourceError: a file cannot be parsed.
    """
    return {p: FileFacts(imports=cuda_imports(s)) for p, s in program.sources.items()}


def analyse(source: Source) -> FileFacts:
    """The facts of a program of one file; see `analyse_program`.

    Raises:
        SourceError: the file cannot be parsed.
    """
    return analyse_program(Program.alone(source))[source.path]


def analyse_program(program: Program) -> dict[str, FileFacts]:
    """Where every tensor and module of a program lives, and what is wrong with that, by file.

    Nothing of the program is imported or executed.

    Raises:
        SourceError: a file cannot be parsed.
        TimeExceededError: it takes too long.
    """
    evaluated = Evaluated.of(program)
    if evaluated.complete and could_go(evaluated.analysis):
        explicit, whole = evaluate_program(program, explicit=True)
        decision = decide(explicit)
        facts = gather_facts(explicit, decision, complete=whole)
        if whole and can_go(facts, decision):
            return {path: as_one_decision(found) for path, found in facts.items()}
    return gather_facts(evaluated.analysis, evaluated.decision, complete=evaluated.complete)
