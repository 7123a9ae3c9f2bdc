"""float64 that goes to the device, though nothing there asks for it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Transfer
from devicefix.flow.graph import Label, Solution
from devicefix.flow.observations import DtypeClash
from devicefix.flow.values import Tensor


def doubles(
    analysis: Analysis, solution: Solution, transfers: Iterable[Transfer]
) -> tuple[DtypeClash, ...]:
    """What becomes float64 on the device, once for each expression that made it so.

    None where the author asks for it by name, nor in a program that computes in float64.
    """
    if analysis.default_float64 or any(m.dtype == "float64" for m in analysis.modules):
        return ()
    refused = {c.born for c in analysis.seen.clashes.values()} | set(analysis.seen.clashes)
    refused |= analysis.seen.on_purpose
    found: dict[ast.AST, DtypeClash] = {}
    for place, value in _arrivals(analysis, solution, transfers):
        key = value.born or place
        if key not in refused and place not in refused and analysis.home(place).owned:
            found.setdefault(key, _clash(analysis, place, value))
    return tuple(found.values())


def double_precision(
    analysis: Analysis, solution: Solution, transfers: Iterable[Transfer]
) -> ast.AST | None:
    """Where float64 surely is on the device, or goes there, for whatever reason: a module, if the
    program computes in float64. None where nothing is known to.
    """
    wide = analysis.seen.doubles
    for tree, value in wide.items():
        if _on_device(solution, value):
            return tree
    for tree, _ in _arrivals(analysis, solution, transfers):
        return tree
    for module in analysis.modules:
        if analysis.default_float64 or module.dtype == "float64":
            return module.tree
    return None


def _clash(analysis: Analysis, place: ast.expr, value: Tensor) -> DtypeClash:
    born = value.born
    keyword = born in analysis.seen.takes_dtype
    if born is not None and analysis.home(born) is not analysis.home(place):
        born = None
    return DtypeClash(place, "float64", "float32", born, keyword=keyword)


def _arrivals(
    analysis: Analysis, solution: Solution, transfers: Iterable[Transfer]
) -> Iterator[tuple[ast.expr, Tensor]]:
    """Expressions that are float64, right before they are on the device."""
    wide = analysis.seen.doubles
    for transfer in transfers:
        value = wide.get(transfer.tree)
        if transfer.device is not None and value is not None and not transfer.name:
            assert isinstance(transfer.tree, ast.expr)
            yield transfer.tree, value
    for call, seen in analysis.seen.transfers.items():
        for before, after, _ in seen:
            if isinstance(before, Tensor) and _arrives(solution, before, after):
                assert isinstance(call.func, ast.Attribute)
                yield call.func.value, before
    for tree, value in wide.items():
        if tree in analysis.seen.takes_dtype and value.born is tree and _on_device(solution, value):
            assert isinstance(tree, ast.expr)
            yield tree, value


def _arrives(solution: Solution, before: Tensor, after: object) -> bool:
    return (
        isinstance(after, Tensor)
        and before.dtype == after.dtype == "float64"
        and not _on_device(solution, before)
        and _on_device(solution, after)
    )


def _on_device(solution: Solution, value: Tensor) -> bool:
    return bool(value.nodes) and all(solution.label(n) is Label.TARGET for n in value.nodes)
