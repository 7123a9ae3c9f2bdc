"""Where a program of before torch 0.4 computes without gradients: ``Variable(x, volatile=True)``.

In those days all that was computed of a volatile variable was volatile, too, and nobody could ask
for its gradient. Today the argument does nothing. The statements in which such a value meets
something that learns (a module, or code that may hold one) are to stand below ``torch.no_grad()``,
but only where nobody can tell the difference in the program as it runs today: nothing asks for a
gradient of what they compute, and nobody who was not seen gets it. Where a function returns it,
those that call it decide, if all of its calls are seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from devicefix.flow.legacy_facts import Belief, Sort, Ungraded, Wrapping
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.volatile_calls import UncertainError, Volatile, volatile_calls
from devicefix.flow.volatile_flow import Flow, is_unpacked

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.source import Source

_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)
_CALLERS = 3
"""How often what is returned may be returned again."""


class _Decision(NamedTuple):
    """The volatile values of one function that are so under one condition."""

    scope: ast.AST
    flag: str


class _Program(NamedTuple):
    analysis: Analysis
    beliefs: Mapping[ast.AST, Belief]


def ungraded(
    analysis: Analysis,
    beliefs: Mapping[ast.AST, Belief],
    found: Sequence[Wrapping],
    source: Source,
) -> tuple[Ungraded, ...]:
    """What is computed of volatile values in a file, one decision each."""
    decisions: dict[_Decision, list[Wrapping]] = {}
    for wrapping in found:
        if wrapping.volatile is not None:
            scope = _scope(analysis, wrapping.call)
            key = _Decision(scope, ast.unparse(wrapping.volatile))
            decisions.setdefault(key, []).append(wrapping)
    program = _Program(analysis, beliefs)
    return (
        *(_decided(program, key.scope, tuple(wrappings)) for key, wrappings in decisions.items()),
        *(_switched(program, statement) for statement in _switches(beliefs, source)),
    )


def _switches(beliefs: Mapping[ast.AST, Belief], source: Source) -> Iterator[ast.Assign]:
    """``x.volatile = True``, of a tensor: torch warns, and that is all."""
    for node in source.of_type(ast.Assign) if "volatile" in source.attributes else ():
        match node:
            case ast.Assign(
                targets=[ast.Attribute(attr="volatile", value=holder)],
                value=ast.Constant(value=bool()),
            ) if beliefs.get(holder, Belief()).sort is Sort.TENSOR:
                yield node


def _switched(program: _Program, statement: ast.Assign) -> Ungraded:
    target = statement.targets[0]
    holder = target.value if isinstance(target, ast.Attribute) else target
    if isinstance(statement.value, ast.Constant) and not statement.value.value:
        detaches = _is_detached(program, statement, holder)
        return Ungraded((), statement.value, switch=statement, detaches=detaches)
    if not (isinstance(holder, ast.Name) and program.beliefs[holder].constant):
        why = f"line {statement.lineno}: it is not a plain name, or may require a gradient"
        return Ungraded((), statement.value, blocked=why, switch=statement)
    scope = _scope(program.analysis, statement)
    found, flow = _followed(program, scope, [Volatile(target)], statement.value)
    if flow.returned and not found.blocked:
        why = (
            f"line {flow.returned[0].lineno}: it is returned, and what callers compute with it "
            "is unknown"
        )
        found = replace(found, runs=(), blocked=why)
    return replace(found, switch=statement)


def _is_detached(program: _Program, statement: ast.Assign, holder: ast.expr) -> bool:
    """Whether ``x.volatile = False`` made a leaf without gradient of ``x``: it was refused for what
    is computed, unless that was volatile. In a program that runs today it does nothing."""
    analysis, belief = program.analysis, program.beliefs[holder]
    scope = _scope(analysis, statement)
    source = analysis.home(scope).source
    if source.path not in analysis.program.revived or belief.constant or belief.leaf:
        return False
    return isinstance(holder, ast.Name) and isinstance(scope, (*FUNCTIONS, ast.Module))


def _decided(program: _Program, scope: ast.AST, wrappings: tuple[Wrapping, ...]) -> Ungraded:
    flag = wrappings[0].volatile
    assert flag is not None
    found, flow = _followed(program, scope, [Volatile(w.call) for w in wrappings], flag)
    found = replace(found, wrappings=wrappings)
    if flow.inside and not found.blocked:
        found = _read_inside(program, found, flow)
    if found.blocked or not (flow.returned if found.runs else flow.returned_raw):
        return found
    try:
        callers = _callers(program, scope, flag, flow, bool(found.runs))
    except UncertainError as error:
        line = flow.returned[0].lineno
        why = f"line {line}: it is returned, and what callers compute with it is unknown ({error})"
        return replace(found, runs=(), blocked=why)
    return replace(found, callers=(*found.callers, *callers))


def _read_inside(program: _Program, found: Ungraded, flow: Flow) -> Ungraded:
    """``found`` with what the functions compute that read volatile values of their module."""
    callers = []
    always = ast.copy_location(ast.Constant(True), found.flag)
    for function, reads in flow.inside.items():
        inner, further = _followed(program, function, [Volatile(read) for read in reads], always)
        if not isinstance(found.flag, ast.Constant):
            inner = replace(inner, blocked="it is volatile on some paths only")
        elif further.returned and not inner.blocked:
            line = further.returned[0].lineno
            inner = replace(inner, blocked=f"line {line}: a function that reads it returns it")
        if inner.blocked:
            return replace(found, runs=(), blocked=inner.blocked)
        callers.append(inner)
    return replace(found, callers=tuple(callers))


def _followed(
    program: _Program, scope: ast.AST, seeds: Sequence[Volatile], flag: ast.expr
) -> tuple[Ungraded, Flow]:
    """What has to stand below ``torch.no_grad()`` in one function, if nobody can tell."""
    flow = Flow(*program, scope, seeds, flag).follow()
    if flow.is_without() and not flow.returned_raw:
        return Ungraded((), flag), flow
    if flow.blocked:
        return Ungraded((), flag, blocked=flow.blocked), flow
    for together in (True, False):
        runs = tuple(flow.runs(together=together))
        if not runs:
            return Ungraded((), flag), flow
        below = frozenset(statement for run in runs for statement in run)
        after = Flow(*program, scope, seeds, flag, below).follow()
        if not (after.blocked or after.asked):
            return Ungraded((), flag, runs), after
    return Ungraded((), flag, blocked=after.asked or after.blocked), flow


def _callers(
    program: _Program, scope: ast.AST, flag: ast.expr, flow: Flow, computed: bool, depth: int = 0
) -> tuple[Ungraded, ...]:
    """What the functions compute that get such a value of ``scope``; raises ``UncertainError``.

    ``computed``: they get something that will have no gradient any more.
    """
    if depth == _CALLERS:
        raise UncertainError("it is returned through several functions")
    callers = []
    for caller, calls in _inside(program, scope, flag, flow).items():
        always = ast.copy_location(ast.Constant(True), calls[0].call)
        found, further = _followed(program, caller, calls, always)
        why = found.blocked or (further.asked if computed else "")
        if why:
            raise UncertainError(why)
        if found.runs and not flow.returned_raw:
            line = found.runs[0][0].lineno
            raise UncertainError(f"line {line}: a value computed from it is passed on")
        callers.append(found)
        again = computed or bool(found.runs)
        if further.returned if again else further.returned_raw:
            callers += _callers(program, caller, always, further, again, depth + 1)
    return tuple(callers)


def _inside(
    program: _Program, scope: ast.AST, flag: ast.expr, flow: Flow
) -> Mapping[ast.AST, list[Volatile]]:
    """The calls of ``scope`` that give such a value, by the function in which they stand."""
    places = flow.returned_places()
    inside: dict[ast.AST, list[Volatile]] = {}
    for call in volatile_calls(program.analysis, scope, flag):
        apart = flow.returned_raw or is_unpacked(program.analysis.parents.get(call))
        found = Volatile(call, places if apart else frozenset())
        inside.setdefault(_scope(program.analysis, call), []).append(found)
    return inside


def _scope(analysis: Analysis, tree: ast.AST) -> ast.AST:
    found: ast.AST | None = analysis.parents.get(tree)
    while found is not None and not isinstance(found, _SCOPES):
        found = analysis.parents.get(found)
    return found or tree
