"""What is known of the expressions that idioms of old torch are about; see ``questions``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from devicefix.flow.imported import dotted, is_sole, origins, root_name
from devicefix.flow.legacy_facts import Belief, Sort
from devicefix.flow.parallel import is_closed
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import (
    Array,
    Const,
    External,
    FileRecord,
    Flag,
    Flat,
    Instance,
    Listing,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Value,
)
from devicefix.flow.values import Mapping as Dictionary
from devicefix.torch_api import OLD_NAMES, canonical

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.graph import Solution
    from devicefix.source import Source


class Noted:
    """What evaluation has noted of a program, by file."""

    def __init__(self, analysis: Analysis) -> None:
        self.asked = analysis.by_file(analysis.seen.asked.items(), lambda item: item[0])
        self.old_names = analysis.by_file(analysis.seen.old_names.items(), lambda item: item[0])


def beliefs(
    analysis: Analysis, file: FileRecord, solution: Solution, noted: Noted
) -> Mapping[ast.AST, Belief]:
    """What was seen of them, where all contexts agree."""
    found: dict[ast.AST, Belief] = {
        tree: _agreed([_belief(analysis, solution, value) for value in values.values()])
        for tree, values in noted.asked.get(file, ())
    }
    for tree, names in noted.old_names.get(file, ()):
        if len(set(names.values())) == 1 and not _is_parameter(analysis, tree):
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


_LAST: Final = frozenset(name.rpartition(".")[2] for name in OLD_NAMES) | {
    *("TensorBase", "_TensorBase")  # `canonical` has another name for it
}
"""What a dotted name of old torch ends in."""


def _imported(source: Source) -> Mapping[ast.expr, str]:
    """Names of old torch by the imports alone: not all code was evaluated (`else:` of CUDA)."""
    known = source.once(origins)
    torch = {local: origin for local, origin in known.items() if origin.startswith("torch")}
    if not torch:
        return {}
    old = {local for local, origin in torch.items() if canonical(origin) in OLD_NAMES}
    trees: list[ast.Name | ast.Attribute] = []
    if not old.isdisjoint(source.names):
        trees += [n for n in source.of_type(ast.Name) if n.id in old]
    if not _LAST.isdisjoint(source.attributes):
        trees += [n for n in source.of_type(ast.Attribute) if n.attr in _LAST]
    return dict(_old(trees, torch, source))


def _old(
    trees: Iterable[ast.Name | ast.Attribute], known: Mapping[str, str], source: Source
) -> Iterator[tuple[ast.expr, str]]:
    """Those of ``trees`` that are read and name something of old torch, with its name."""
    for tree in trees:
        name = canonical(dotted(tree, known)) if isinstance(tree.ctx, ast.Load) else ""
        if name in OLD_NAMES and is_sole(root_name(tree), known, source):
            yield tree, name


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
        flat=all(b.flat for b in each),
        single=all(b.single for b in each),
        leaf=any(b.leaf for b in each),
        stateless=all(b.stateless for b in each),
        constant=all(b.constant for b in each),
        on_device=any(b.on_device for b in each),
        layer=first.layer if all(b.layer == first.layer for b in each) else "",
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
                flat=value.flat >= Flat.SURE,
                single=value.flat is Flat.SINGLE,
                leaf=value.leaf,
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
            layers = {m.layer if m.cls is None else "" for m in modules}
            layer = layers.pop() if len(layers) == 1 else ""
            return Belief(Sort.MODULE, stateless=not learns, layer=layer)
        case External():
            return Belief(Sort.NAME)
        case Dictionary():
            return Belief(Sort.DICTIONARY)
        case Plain() | Const() | Flag():
            return Belief(Sort.PLAIN)
    return Belief()
