"""What is known of the expressions that idioms of old torch are about; see ``questions``."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devicefix.flow.facts import Belief, Sort
from devicefix.flow.parallel import is_closed
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import (
    Array,
    Const,
    External,
    FileRecord,
    Flag,
    Instance,
    Listing,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Value,
)
from devicefix.flow.values import Mapping as Dictionary
from devicefix.source.imports import binds, bound_names
from devicefix.torch_api import OLD_NAMES, canonical

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.graph import Solution
    from devicefix.source import Source


def beliefs(analysis: Analysis, file: FileRecord, solution: Solution) -> Mapping[ast.AST, Belief]:
    """What was seen of them, where all contexts agree."""
    found: dict[ast.AST, Belief] = {
        tree: _agreed([_belief(analysis, solution, value) for value in values.values()])
        for tree, values in analysis.seen.asked.items()
        if analysis.home(tree) is file
    }
    for tree, names in analysis.seen.old_names.items():
        if analysis.home(tree) is not file or _is_parameter(analysis, tree):
            continue
        if len(set(names.values())) == 1:
            found[tree] = Belief(Sort.NAME, next(iter(names.values())))
    for tree, name in file.source.once(_imported).items():
        found.setdefault(tree, Belief(Sort.NAME, name))
    return found


def _is_parameter(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether callers say what the name means."""
    above = analysis.parents.get(tree) if isinstance(tree, ast.Name) else None
    while isinstance(tree, ast.Name) and above is not None:
        if isinstance(above, (*FUNCTIONS, ast.Lambda)):
            given = above.args
            names = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            if any(a is not None and a.arg == tree.id for a in names):
                return True
        above = analysis.parents.get(above)
    return False


_NEVER_BIND = (ast.Constant, ast.Attribute, ast.Call, ast.expr_context, ast.operator)
"""Most nodes are one of these."""


def _imported(source: Source) -> Mapping[ast.expr, str]:
    """Names of old torch by the imports alone: not all code was evaluated (`else:` of CUDA)."""
    bound: Counter[str] = Counter()
    origins: dict[str, str] = {}
    for node in source.nodes:
        if not isinstance(node, _NEVER_BIND):
            bound.update(binds(node))
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            origins.update(bound_names(node))
    once = {local: origin for local, origin in origins.items() if _is_sole(local, origin, bound)}
    found: dict[ast.expr, str] = {}
    for node in source.nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            name = canonical(_dotted(node, once))
            if name in OLD_NAMES:
                found[node] = name
    return found


def _is_sole(local: str, origin: str, bound: Counter[str]) -> bool:
    """Nothing but imports of one thing binds the name; ``import a.b`` binds ``a`` each time."""
    return origin.startswith("torch") and (bound[local] == 1 or origin == "torch" == local)


def _dotted(tree: ast.expr, origins: Mapping[str, str]) -> str:
    if isinstance(tree, ast.Attribute):
        head = _dotted(tree.value, origins)
        return f"{head}.{tree.attr}" if head else ""
    return origins.get(tree.id, "") if isinstance(tree, ast.Name) else ""


def _agreed(each: list[Belief]) -> Belief:
    first = each[0]
    if len(each) == 1:
        return first
    if any(other.sort is not first.sort for other in each):
        return Belief(scalar=all(b.scalar for b in each))
    return Belief(
        first.sort,
        dtype=first.dtype if all(b.dtype == first.dtype for b in each) else "",
        scalar=all(b.scalar for b in each),
        stateless=all(b.stateless for b in each),
        constant=all(b.constant for b in each),
        on_device=any(b.on_device for b in each),
    )


def _belief(analysis: Analysis, solution: Solution, value: Value) -> Belief:
    match value:
        case Tensor():
            if value.maybe == "other" or not value.certain:
                return Belief(scalar=value.scalar)
            return Belief(
                Sort.TENSOR,
                dtype=value.dtype or "",
                scalar=value.scalar,
                constant=value.constant and not value.nodes & analysis.seen.mixed,
                on_device=bool(value.nodes & solution.target),
            )
        case Array(dtype=dtype):
            return Belief(Sort.ARRAY, dtype=dtype or "")
        case Const(value=bool() | int() | float()):
            return Belief(Sort.NUMBER)
        case Const(value=str()) | Plain(text=True):
            return Belief(Sort.TEXT)
        case Tuple() | Listing() | Stream():
            return Belief(Sort.SEQUENCE)
        case Instance(modules=modules) if modules:
            learns = any(m.stateful or is_closed(m) for m in modules)
            return Belief(Sort.MODULE, stateless=not learns)
        case External():
            return Belief(Sort.NAME)
        case Dictionary():
            return Belief(Sort.DICTIONARY)
        case Plain() | Const() | Flag():
            return Belief(Sort.PLAIN)
    return Belief()
