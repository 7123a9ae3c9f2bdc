"""Which calls need CUDA because processes talk over NCCL.

What needs a process group (``all_reduce``, ``DistributedDataParallel``) has come by the call that
makes one. Where all groups of the program talk over NCCL, it has come by a need of CUDA.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.command_line import is_option
from devicefix.flow.facts import Need
from devicefix.source.imports import bindings

_JOINS: Final = "torch.distributed.init_process_group"
_IN_A_GROUP: Final = frozenset({
    "torch.nn.parallel.DistributedDataParallel",
    *(
        f"torch.distributed.{name}"
        for name in (
            "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all",
            "barrier", "broadcast", "broadcast_object_list", "gather", "reduce", "reduce_scatter",
            "scatter",
        )
    ),
})  # fmt: skip
_WHY: Final = "NCCL supports CUDA devices only"
_Named = Callable[[ast.Call], Collection[str]]


class Groups:
    """The process groups of one program; ``named`` says what a call may be a call of."""

    def __init__(self, analysis: Analysis, named: _Named) -> None:
        self._analysis = analysis
        self._named = named
        calls = [n for f in analysis.owned for n in f.source.of_type(ast.Call)]
        self._calls = [call for call in calls if isinstance(call, ast.Call)]
        assigned = [n for f in analysis.owned for n in f.source.of_type(ast.Assign)]
        self._assigned = [tree for tree in assigned if isinstance(tree, ast.Assign)]
        made = [call for call in self._calls if _JOINS in named(call)]
        over_nccl = bool(made) and all(map(self._takes_nccl, made))
        self._shared = Need(made[0], _WHY) if over_nccl else None

    def need(self, call: ast.Call) -> Need | None:
        """Why a call needs CUDA, as it makes a group, or works in one only."""
        names = self._named(call)
        if any(name.startswith("torch.cuda.nccl.") for name in names):
            return Need(call, _WHY)
        if _JOINS in names and self._takes_nccl(call):
            return Need(call, _WHY)
        return None if _IN_A_GROUP.isdisjoint(names) else self._shared

    def _takes_nccl(self, call: ast.Call) -> bool:
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "backend")]
        return any(set(map(_text, self._meant(tree))) == {"nccl"} for tree in given)

    def _meant(self, tree: ast.expr) -> list[ast.expr]:
        """An expression; a name that is bound once, an attribute, or an option, is what it was
        set to."""
        match tree:
            case ast.Name(id=name):
                source = self._analysis.home(tree).source
                alone = source.once(bindings)[name] == 1
                found = [a.value for a in self._assigned if alone and self._binds(a, name, tree)]
                return [part for value in found for part in self._meant(value)]
            case ast.Attribute(attr=name):
                options = [call for call in self._calls if is_option(call, name)]
                defaults = [k.value for c in options for k in c.keywords if k.arg == "default"]
                return [*defaults, *(a.value for a in self._assigned if _sets(a, name))]
        return [tree]

    def _binds(self, tree: ast.Assign, name: str, read: ast.expr) -> bool:
        here = self._analysis.home(tree) is self._analysis.home(read)
        return here and any(isinstance(t, ast.Name) and t.id == name for t in tree.targets)


def _sets(tree: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Attribute) and target.attr == name for target in tree.targets)


def _text(tree: ast.expr) -> object:
    # names of backends are read in any case (torch.distributed.Backend)
    value = tree.value if isinstance(tree, ast.Constant) else None
    return value.lower() if isinstance(value, str) else value
