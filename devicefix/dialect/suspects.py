"""Whether a file that parses may hold anything that only Python 2 had.

Nearly no file does. To find out what a name means, the scopes of the file have to be made, which
costs as much as parsing it; here it is looked at names alone. What is found need not be anything;
where nothing is found, there is nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from devicefix.dialect import listing, modules, names, needs
from devicefix.source import Source
from devicefix.source.parsing import Parents

_GONE: Final[Mapping[str, Collection[str]]] = {
    "collections": names.ABSTRACT,
    "itertools": names.BUILTINS_NOW,
    "types": (*names.TYPES, "NoneType"),
}
_GONE_FROM: Final = frozenset((*_GONE, *(module for module, _ in names.ATTRIBUTES)))
_LOST: Final = frozenset(name for gone in _GONE.values() for name in gone) | {
    name for _, name in names.ATTRIBUTES
}
_NAMES: Final = (names.CHANGED - {"input"}) | {"cmp"}
"""``input`` means what it says in a file that Python 3 reads."""
_METHODS: Final = frozenset((*listing.GONE, "has_key", "setdefaultencoding"))
_TRANSPARENT: Final = (ast.BinOp, ast.UnaryOp, ast.IfExp)
_SAME: Final = frozenset({"min", "max", "abs"})
_SIZED: Final = frozenset((*needs.METHODS, *needs.LAYERS, *needs.SIZED, *needs.LEGACY))
_TAKERS: Final = frozenset((*needs.LAYERS, "range", "xrange"))


def may_be_old(source: Source) -> bool:
    """Whether `leftovers` may find something in ``source``."""
    return (
        not _NAMES.isdisjoint(source.names)
        or not _METHODS.isdisjoint(source.attributes)
        or (not _GONE_FROM.isdisjoint(source.names) and _uses_gone(source))
        or any(map(_imports, source.of_type(ast.Import)))
        or any(map(_takes, source.of_type(ast.ImportFrom)))
        or (_is_sorting(source) and any(map(_sorts, source.of_type(ast.Call))))
        or ("print" in source.names and any(map(_prints, source.of_type(ast.Expr))))
        or _may_round(source)
    )


def _is_sorting(source: Source) -> bool:
    return "sort" in source.attributes or "sorted" in source.names


def _uses_gone(source: Source) -> bool:
    lost = not _LOST.isdisjoint(source.attributes)
    return lost and any(map(_is_gone, source.of_type(ast.Attribute)))


def _is_gone(node: ast.Attribute) -> bool:
    """``sys.maxint``, ``collections.Mapping`` …"""
    return isinstance(node.value, ast.Name) and _is_elsewhere(node.value.id, node.attr)


def _is_elsewhere(module: str, name: str) -> bool:
    return name in _GONE.get(module, ()) or (module, name) in names.ATTRIBUTES


def _imports(node: ast.Import) -> bool:
    """An import of a module that was renamed or split, or of ``string``."""
    return any(
        alias.name in modules.SPLIT
        or alias.name == "string"
        or modules.MODULES.get(alias.name, alias.name) != alias.name
        for alias in node.names
    )


def _takes(node: ast.ImportFrom) -> bool:
    """The same, and what some modules had and have no more."""
    module = node.module or ""
    if node.level:
        return False
    return (
        module in modules.SPLIT
        or module == "string"
        or modules.MODULES.get(module, module) != module
        or any(_is_elsewhere(module, alias.name) for alias in node.names)
    )


def _sorts(node: ast.Call) -> bool:
    """``sorted(xs, compare)``, ``xs.sort(cmp=compare)``."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "sort" and _compares(node, 1)
    return isinstance(node.func, ast.Name) and node.func.id == "sorted" and _compares(node, 2)


def _compares(node: ast.Call, arguments: int) -> bool:
    """Whether something is sorted by a function of two elements, given as the last argument."""
    if any(keyword.arg == "cmp" for keyword in node.keywords):
        return True
    return len(node.args) == arguments and not isinstance(node.args[-1], ast.Constant)


def _prints(node: ast.Expr) -> bool:
    """``print >>file, x``."""
    whole = node.value
    first = whole.elts[0] if isinstance(whole, ast.Tuple) and whole.elts else whole
    if not isinstance(first, ast.BinOp) or not isinstance(first.left, ast.Name):
        return False
    return first.left.id == "print"


# -- divisions where only an integer will do -------------------------------------------------------


def _may_round(source: Source) -> bool:
    """Whether a ``/`` may stand where only an integer will do (`needs`), between integers."""
    divisions = [n for n in source.of_type(ast.BinOp) if isinstance(n.op, ast.Div)]
    if not any(map(_may_be_of_integers, divisions)):
        return False
    reads: defaultdict[str, list[ast.Name]] = defaultdict(list)
    for name in source.of_type(ast.Name):
        reads[name.id].append(name)
    seen: set[str] = set()
    return any(_may_be_needed(n, reads, seen) for n in divisions if _may_be_of_integers(n))


def _may_be_of_integers(node: ast.BinOp) -> bool:
    constants = (n.value for n in (node.left, node.right) if isinstance(n, ast.Constant))
    return all(isinstance(value, int) for value in constants)


def _may_be_needed(node: ast.expr, reads: Mapping[str, list[ast.Name]], seen: set[str]) -> bool:
    """Whether ``node``, or a name that it is bound to, may have to be an integer."""
    parents = Parents()
    above = parents.get(node)
    while isinstance(above, _TRANSPARENT) or (isinstance(above, ast.Call) and _is_same(above)):
        if isinstance(above, ast.BinOp) and isinstance(above.left, ast.List):
            return True  # how often a list is repeated
        above = parents.get(above)
    if isinstance(above, (ast.Assign, ast.NamedExpr)):
        bound = set(_bound(above)) - seen
        seen |= bound
        return any(_may_be_needed(read, reads, seen) for name in bound for read in reads[name])
    return _wants_integers(above)


def _is_same(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _SAME


def _bound(node: ast.Assign | ast.NamedExpr) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return (target.id for target in targets if isinstance(target, ast.Name))


def _wants_integers(holder: ast.AST | None) -> bool:
    """Whether what stands right in ``holder`` is a bound, an index, a size or a count."""
    if isinstance(holder, (ast.Tuple, ast.List)):
        holder = Parents().get(holder)
        if isinstance(holder, ast.Subscript):
            return True
    if isinstance(holder, ast.keyword):
        return holder.arg in needs.KEYWORDS
    if not isinstance(holder, ast.Call):
        return isinstance(holder, ast.Slice)
    function = holder.func
    if isinstance(function, ast.Attribute):
        return function.attr in _SIZED
    return isinstance(function, ast.Name) and function.id in _TAKERS
