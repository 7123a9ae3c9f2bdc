"""Leaves that are moved right after they were made: behind ``.to(device)`` they are none any more.

A leaf is what ``backward`` leaves gradients in, what an optimizer takes and a module registers.
``leaf.to(device)`` is a new tensor, computed from the leaf; on the CPU it is the leaf itself
(https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html).
"""

from __future__ import annotations

import ast

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Leaf
from devicefix.flow.only_computed import is_only_computed_with
from devicefix.torch_api import FACTORIES

_PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_VARIABLES = frozenset({"torch.autograd.Variable"})


def fresh_leaf(analysis: Analysis, call: ast.Call) -> Leaf | None:
    """How the leaf was made that ``call`` moves, if nothing else holds it; None for anything else.

    A transfer whose result is computed with at once is none, whether it has a name meanwhile or
    not: nobody asks for its gradient.
    """
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(made, ast.Call) or not _is_kept(analysis, call):
        return None
    names = analysis.seen.calls.get(made, set())
    if names and (names <= _PARAMETERS or (names <= _VARIABLES and _wants_gradient(made, 1))):
        return Leaf.WRAPPED
    if names and names <= FACTORIES.keys() and _wants_gradient(made):
        return Leaf.DRAWN if any(FACTORIES[n].random for n in names) else Leaf.FACTORY
    if isinstance(made.func, ast.Attribute) and made.func.attr == "requires_grad_":
        switched = not made.args and not made.keywords
        return Leaf.SWITCHED if switched and isinstance(made.func.value, ast.Call) else None
    return None


def _is_kept(analysis: Analysis, call: ast.Call) -> bool:
    parent = analysis.parents.get(call)
    if isinstance(parent, ast.Call):
        names = analysis.seen.calls.get(parent, set())
        return not names & (_PARAMETERS | _VARIABLES)
    if isinstance(parent, ast.Assign) and is_only_computed_with(analysis, call):
        return False
    kept = (ast.Assign, ast.Return, ast.List, ast.Tuple, ast.Dict, ast.keyword)
    return isinstance(parent, (*kept, ast.ListComp, ast.GeneratorExp, ast.DictComp))


def _wants_gradient(call: ast.Call, position: int | None = None) -> bool:
    """``requires_grad=True``, or True at its position."""
    given = [k.value for k in call.keywords if k.arg == "requires_grad"]
    if position is not None:
        given += call.args[position : position + 1]
    return any(isinstance(value, ast.Constant) and value.value is True for value in given)
