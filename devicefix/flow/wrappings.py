"""Calls of ``Variable``: what they wrap, and what that means today.

What ``Variable`` does since torch 0.4: it returns ``data.detach()``, which then gets
``requires_grad`` (``THPVariable_pynew`` in
https://github.com/pytorch/pytorch/blob/v2.9.0/torch/csrc/autograd/python_legacy_variable.cpp).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devicefix.flow.gradients_off import is_read_there_alone
from devicefix.flow.imported import dotted, origins
from devicefix.flow.ir import Bodies
from devicefix.flow.legacy_facts import Belief, Sort, Wrapping
from devicefix.flow.old_losses import is_first
from devicefix.flow.queries.access import of_tree
from devicefix.flow.questions import base_of
from devicefix.flow.scopes import scope_of
from devicefix.flow.second_names import bound_to, reads_of_second_name
from devicefix.flow.spent import born
from devicefix.flow.values import FileRecord
from devicefix.source.walking import walk
from devicefix.torch_api import FACTORIES, LEGACY_CONSTRUCTORS, LIKE, Effect, canonical, method

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.source import Source

VARIABLE = "torch.autograd.Variable"
_PARAMETERS = ("data", "requires_grad", "volatile")
_SAME_OBJECT = frozenset({"cpu", "cuda", "to", "type", "type_as", "contiguous", "xpu"})


def wrappings(
    analysis: Analysis, file: FileRecord, beliefs: Mapping[ast.AST, Belief]
) -> tuple[Wrapping, ...]:
    """The calls of ``Variable`` in a file, in the order of the text."""
    old = is_old(file.source, beliefs)
    found = []
    for tree, belief in beliefs.items():
        call = analysis.parents.get(tree)
        if belief.name == VARIABLE and isinstance(call, ast.Call) and call.func is tree:
            found.append(_Reader(analysis, beliefs, old).wrapping(call))
    return tuple(sorted(found, key=lambda w: (w.call.lineno, w.call.col_offset)))


def is_old(source: Source, beliefs: Mapping[ast.AST, Belief]) -> bool:
    """Whether the file is surely written for a torch before 0.4."""
    return source.once(_is_of_volatile) or _indexes_scalars(source, beliefs)


def _is_of_volatile(source: Source) -> bool:
    """Whether the file is written for a torch in which ``Variable`` took no variables.

    ``volatile`` went with torch 0.4.0, ``Variable(Variable(x))`` raised before.
    """
    return any(isinstance(n, ast.keyword) and n.arg == "volatile" for n in source.nodes)


def _indexes_scalars(source: Source, beliefs: Mapping[ast.AST, Belief]) -> bool:
    """Whether the file is surely as old by ``loss.data[0]``, which raises since torch 0.5."""
    indexed = filter(is_first, source.of_type(ast.Subscript))
    found = (beliefs.get(base_of(tree.value), Belief()) for tree in indexed)
    return any(belief.sort is Sort.TENSOR and belief.scalar for belief in found)


def _moved(tree: ast.expr) -> ast.expr:
    """``x`` of ``x.cuda()``."""
    while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        if tree.func.attr not in _SAME_OBJECT:
            break
        tree = tree.func.value
    return tree


class _Reader:
    def __init__(self, analysis: Analysis, beliefs: Mapping[ast.AST, Belief], old: bool) -> None:
        self._analysis = analysis
        self._beliefs = beliefs
        self._old = old

    def wrapping(self, call: ast.Call) -> Wrapping:
        given = dict(zip(_PARAMETERS, call.args, strict=False))
        spread = any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > 3
        for keyword in call.keywords:
            spread = spread or keyword.arg not in _PARAMETERS
            given[keyword.arg or ""] = keyword.value
        data, learns = given.get("data"), given.get("requires_grad")
        volatile = given.get("volatile")
        if data is None or spread:
            return Wrapping(call)
        constant = self._old or self._is_constant(data)
        constant = constant or (_is_false(learns) and is_read_there_alone(self._analysis, call))
        detached = self._detached(call) if _is_false(learns) and _is_false(volatile) else None
        return Wrapping(
            call,
            data,
            None if _is_false(learns) else learns,
            None if _is_false(volatile) else volatile,
            constant=constant,
            fresh=constant and self._is_fresh(data),
            factory=self._factory(data),
            reads=self._reads(detached or call, data) if constant and _is_false(learns) else (),
            detached=detached,
        )

    def _detached(self, call: ast.Call) -> ast.Call | None:
        method = self._analysis.parents.get(call)
        above = self._analysis.parents.get(method) if method is not None else None
        match method, above:
            case ast.Attribute(attr="detach"), ast.Call(func=func, args=[], keywords=[]):
                return above if func is method else None
        return None

    def _reads(self, call: ast.Call, data: ast.expr) -> tuple[ast.Name, ...]:
        parents = self._analysis.parents
        name = bound_to(call, parents)
        if name is None or not isinstance(data, ast.Name) or name.id == data.id:
            return ()
        file = self._analysis.home(call)
        if (file.imported or file.package) and isinstance(scope_of(parents, name), ast.Module):
            return ()
        return reads_of_second_name(name, data, file.source.once(Bodies).around(name))

    def _is_constant(self, tree: ast.expr) -> bool:
        """Whether a tensor surely has no gradient."""
        belief = self._beliefs.get(tree) or self._twin(tree)
        whole = belief.dtype.startswith(("int", "uint", "bool"))
        if belief.sort is Sort.TENSOR and (belief.constant or whole):
            return True
        if isinstance(tree, ast.Attribute):
            return tree.attr == "data"
        if isinstance(tree, ast.Compare):
            return True
        if isinstance(tree, ast.Subscript):
            return self._is_constant(tree.value)
        return isinstance(tree, ast.Call) and self._gives_constant(tree)

    def _twin(self, tree: ast.expr) -> Belief:
        """What the same name is in the other branch, where this one was not evaluated.

        ``if cuda: x = Variable(x.cuda())`` with ``else: x = Variable(x)``; ``a if cuda else b``.
        """
        choice, path = self._analysis.parents.get(tree), of_tree(tree)
        while path is not None and choice is not None:
            branches: list[ast.AST] = []
            if isinstance(choice, ast.If):
                branches = [*choice.body, *choice.orelse]
            elif isinstance(choice, ast.IfExp):
                branches = [choice.body, choice.orelse]
            both = (n for branch in branches for n in walk(branch) if n in self._beliefs)
            same = (n for n in both if isinstance(n, ast.expr) and of_tree(_moved(n)) == path)
            if (twin := next(same, None)) is not None:
                return self._beliefs[twin]
            choice = self._analysis.parents.get(choice)
        return Belief()

    def _gives_constant(self, call: ast.Call) -> bool:
        """``x.data.view(1, -1)``, whatever ``x`` is; other tensors may have a part in it."""
        func, others = call.func, [*call.args, *(k.value for k in call.keywords)]
        if self._made(call) is not None:
            return not any(k.arg in (None, "requires_grad", "out") for k in call.keywords)
        names = self._analysis.seen.calls.get(call)
        if names:
            plain = all(n.startswith("torch.") and n.count(".") == 1 for n in names)
            return plain and all(self._is_constant(o) or self._is_plain(o) for o in others)
        if not isinstance(func, ast.Attribute):
            return False
        row = method(func.attr)
        if row is not None and row.effect is Effect.IN_PLACE:
            added = all(self._is_constant(o) or self._is_plain(o) for o in others)
            return added and self._is_constant(func.value)
        if row is None or row.effect not in (Effect.VIEW, Effect.CAST, Effect.TRANSFER):
            return func.attr in ("detach", "new", "new_zeros", "new_ones", "new_full")
        return func.attr == "detach" or self._is_constant(func.value)  # others say how, no more

    def _is_plain(self, tree: ast.expr) -> bool:
        """Whether something is surely a number, or as good."""
        if isinstance(tree, ast.Constant):
            return True
        sort = self._beliefs.get(tree, Belief()).sort
        return sort in (Sort.NUMBER, Sort.TEXT, Sort.DICTIONARY, Sort.PLAIN)

    def _is_fresh(self, tree: ast.expr) -> bool:
        """Whether nothing else holds the tensor."""
        if isinstance(tree, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return not isinstance(getattr(tree, "op", None), ast.UAdd)  # `+x` is `x` itself
        if isinstance(tree, ast.Attribute):
            return tree.attr == "data"  # another object each time
        if isinstance(tree, ast.Name):
            body = self._analysis.home(tree).source.once(Bodies).around(tree)
            value = born(tree, body, self._kept)
            return value is not None and self._is_fresh(value)
        if not isinstance(tree, ast.Call):
            return False
        if self._made(tree) is not None:
            return True
        kept = self._kept(tree)
        if kept is not tree:
            return self._is_fresh(kept)
        row = method(tree.func.attr) if isinstance(tree.func, ast.Attribute) else None
        return row is not None and row.effect in (Effect.VIEW, Effect.COPY)

    def _kept(self, tree: ast.expr) -> ast.expr:
        """What a call may give back as it is, or changed: ``x`` of ``x.cuda().add_(1)``."""
        while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
            row = method(tree.func.attr)
            known = row is not None and row.effect in (Effect.CAST, Effect.IN_PLACE)
            if self._made(tree) is not None or not (known or tree.func.attr in _SAME_OBJECT):
                break
            tree = tree.func.value
        return tree

    def _made(self, call: ast.Call) -> str | None:
        """The factory that makes a tensor of its own; None for other calls."""
        names = self._analysis.seen.calls.get(call) or self._imported(call)
        name = next(iter(names)) if len(names) == 1 else ""
        row = FACTORIES.get(name)
        own = name in LIKE or (row is not None and not row.shares_memory)
        legacy = name in LEGACY_CONSTRUCTORS and self._analysis.seen.typed.get(call, False)
        return name if own or legacy or name == "torch.from_numpy" else None

    def _imported(self, call: ast.Call) -> set[str]:
        """What is called where nothing was evaluated: ``torch.zeros``, as the file imports it."""
        known = self._analysis.home(call).source.once(origins)
        root = of_tree(call.func)
        return {canonical(dotted(call.func, known))} if root and root[0] in known else set()

    def _factory(self, tree: ast.expr) -> ast.Call | None:
        """The call that can be told ``requires_grad`` itself."""
        if not isinstance(tree, ast.Call):
            return None
        name = self._made(tree)
        told = any(k.arg in (None, "requires_grad", "out") for k in tree.keywords)
        row = FACTORIES.get(name or "")
        takes = name in LIKE or (row is not None and row.device_keyword)
        return tree if takes and not told else None


def _is_false(tree: ast.expr | None) -> bool:
    return tree is None or (isinstance(tree, ast.Constant) and not tree.value)
