"""The mutants of a module: mutmut's, and those where a condition is turned or a statement missing.

Left out is what any test would notice (None for a value, a missing argument), other spellings of a
string (one that says something else stays), what annotations say, which nobody evaluates, and
whatever is outside of functions but numbers.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

Operator = tuple[type, Callable[[Any], Iterable[cst.CSTNode]]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change."""

    module: str
    line: int
    text: str
    diff: str

    @property
    def digest(self) -> str:
        return hashlib.blake2b(f"{self.module}\0{self.text}".encode(), digest_size=6).hexdigest()

    @property
    def place(self) -> str:
        return f"{self.module}:{self.line}"


def mutants(path: Path, text: str) -> Iterator[Mutant]:
    """All of them, in the order of the text; no two are the same."""
    wrapper = MetadataWrapper(cst.parse_module(text))
    module, places = wrapper.module, wrapper.resolve(PositionProvider)
    head, *parts, foot = _rendered(module)
    seen = {text}
    for number, statement in enumerate(module.body):
        for node, other in _changes(statement, places):
            changed = statement.visit(_Replacement(node, other))
            assert isinstance(changed, cst.CSTNode)
            part = module.code_for_node(changed)
            after = "".join((head, *parts[:number], part, *parts[number + 1 :], foot))
            if after not in seen:
                seen.add(after)
                diff = _diff(parts[number], part)
                yield Mutant(path.as_posix(), places[node].start.line, after, diff)


def _rendered(module: cst.Module) -> Iterator[str]:
    """The text in its statements, and what is above and below them."""
    for part in (module.header, *([statement] for statement in module.body), module.footer):
        yield "".join(map(module.code_for_node, part))


def _changes(
    statement: cst.CSTNode, places: Mapping[cst.CSTNode, CodeRange]
) -> list[tuple[cst.CSTNode, cst.CSTNode]]:
    collector = _Collector()
    statement.visit(collector)
    return sorted(collector.found, key=lambda pair: places[pair[0]].start.line)


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


class _Collector(cst.CSTVisitor):
    """What may stand in the place of which node."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        self._functions = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Annotation, cst.Decorator, cst.Param)):
            return False
        if self._functions or isinstance(node, cst.BaseNumber):
            for kind, operator in OPERATORS:
                if isinstance(node, kind):
                    self.found += ((node, other) for other in operator(node))
        self._functions += isinstance(node, cst.FunctionDef)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._functions -= isinstance(original_node, cst.FunctionDef)


class _Replacement(cst.CSTTransformer):
    def __init__(self, old: cst.CSTNode, new: cst.CSTNode) -> None:
        super().__init__()
        self._old, self._new = old, new

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node is not self._old

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.CSTNode:
        return self._new if original_node is self._old else updated_node


def _other_string(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    yield from list(mutators.operator_string(node))[:1]


def _without_keyword(node: cst.Call) -> Iterator[cst.CSTNode]:
    for number, argument in enumerate(node.args):
        if argument.keyword is not None:
            yield node.with_changes(args=[*node.args[:number], *node.args[number + 1 :]])


def _turned(node: cst.If | cst.While | cst.CompIf) -> Iterator[cst.CSTNode]:
    if not _has_opposite(node.test):
        yield node.with_changes(test=_not(node.test))


def _turned_guard(node: cst.MatchCase) -> Iterator[cst.CSTNode]:
    if node.guard is not None and not _has_opposite(node.guard):
        yield node.with_changes(guard=_not(node.guard))


def _has_opposite(test: cst.BaseExpression) -> bool:
    """Another operator turns it: ``is not`` for ``is``."""
    if isinstance(test, cst.Comparison):
        (first, *others) = test.comparisons
        return not others and isinstance(first.operator, _TURNED)
    return isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)


def _not(test: cst.BaseExpression) -> cst.UnaryOperation:
    inner = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


def _left_out(node: cst.SimpleStatementLine) -> Iterator[cst.CSTNode]:
    """A statement that is there for what it does; without one that binds a name all fails."""
    if len(node.body) == 1 and _does(node.body[0]):
        yield node.with_changes(body=[cst.Pass()])


def _does(statement: cst.BaseSmallStatement) -> bool:
    if isinstance(statement, cst.Assign):
        return all(not isinstance(t.target, (cst.Name, cst.Tuple)) for t in statement.targets)
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, (cst.Call, cst.Yield))
    return isinstance(statement, (cst.AugAssign, cst.Del))


_TURNED: Final = (cst.Is, cst.IsNot, cst.In, cst.NotIn, cst.Equal, cst.NotEqual)
_LEFT_OUT: Final = (
    mutators.operator_string,
    mutators.operator_assignment,
    mutators.operator_arg_removal,
    mutators.operator_augmented_assignment,
)
"""These nearly always end in an error at once: None for a value, or an argument that is missing."""
OPERATORS: Final[list[Operator]] = [
    *((kind, op) for kind, op in mutators.mutation_operators if op not in _LEFT_OUT),
    (cst.SimpleString, _other_string),
    (cst.Call, _without_keyword),
    (cst.If, _turned),
    (cst.While, _turned),
    (cst.CompIf, _turned),
    (cst.MatchCase, _turned_guard),
    (cst.SimpleStatementLine, _left_out),
]
