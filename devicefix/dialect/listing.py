"""Builtins and dict methods that gave lists and now give iterators and views."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.dialect.kinds import Kind
from devicefix.findings import Span
from devicefix.source.imports import binds, bound_names

_VIEWS: Final = frozenset({"keys", "values", "items"})
GONE: Final = {
    "iterkeys": "keys",
    "itervalues": "values",
    "iteritems": "items",
    "viewkeys": "keys",
    "viewvalues": "values",
    "viewitems": "items",
}
_LAZY: Final = frozenset({"map", "filter", "zip"})
_CONSUMERS: Final = frozenset(
    [
        "all",
        "any",
        "bytearray",
        "dict",
        "enumerate",
        "filter",
        "frozenset",
        "iter",
        "list",
        "map",
        "max",
        "min",
        "next",
        "reduce",
        "set",
        "sorted",
        "sum",
        "tuple",
        "zip",
    ]
)
"""Builtins that go through what they are given and keep nothing of it."""
_CONSUMING_METHODS: Final = frozenset(
    [
        "extend",
        "fromkeys",
        "join",
        "update",
        "union",
        "difference",
        "intersection",
        "issubset",
        "chain",
        "from_iterable",
        "izip",
        "imap",
        "ifilter",
        "islice",
        "product",
        "fromiter",
        "writelines",
        "executemany",
        "OrderedDict",
        "Counter",
        "deque",
        "reduce",
    ]
)
_CONSUMING_MODULES: Final = ("torch.optim.", "torch.nn.utils.clip_grad_")
"""What takes the parameters to be trained as any iterable."""
_STEPWISE: Final = frozenset({"enumerate", "zip", "iter", "map", "filter"})
_CHANGING: Final = frozenset(
    {"pop", "popitem", "clear", "update", "setdefault", "append", "remove"}
)
_WHAT: Final = "list() of an iterator"


def replace_methods(draft: Draft) -> None:
    """``iteritems`` and its kin, which Python 3 has not."""
    for node in draft.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr=name) as function, args=[], keywords=[]):
                if name in GONE:
                    _gone(draft, node, function)


def _gone(draft: Draft, node: ast.Call, function: ast.Attribute) -> None:
    name, new = function.attr, GONE[function.attr]
    if draft.is_guarded(node) or draft.is_module(function.value):
        return
    if name in draft.around.own_methods:
        if draft.is_python2:
            draft.note(
                node,
                f"dicts have no {name}() in Python 3, but a class of this program does",
                f"write .{new}() if this is a dict",
            )
        return
    if name.startswith("iter") and not _is_only_gone_through(draft, node):
        change = draft.wrap(node, "iter(", ")", f".{name}()")
        draft.replace(draft.attribute(function), new, "", change)
    else:
        draft.replace(draft.attribute(function), new, f".{name}()")


def make_lists(draft: Draft) -> None:
    """``list(…)`` where a list is needed, and nowhere else."""
    for node in draft.walk():
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute):
            _view(draft, node, node.func)
        elif draft.scopes.is_builtin(node.func, "range"):
            if not _is_only_read(draft, node) and not _is_only_gone_through(draft, node):
                draft.wrap(node, "list(", ")", _WHAT)
        elif draft.scopes.is_builtin(node.func, *_LAZY):
            _lazy(draft, node)


def _view(draft: Draft, node: ast.Call, function: ast.Attribute) -> None:
    if node.args or node.keywords or function.attr not in _VIEWS:
        return
    if not draft.is_module(function.value) and not _may_stay_view(draft, node, function):
        draft.wrap(node, "list(", ")", _WHAT)


def _lazy(draft: Draft, node: ast.Call) -> None:
    assert isinstance(node.func, ast.Name)
    if node.func.id == "map" and _is_none(node.args[0] if node.args else None):
        _map_of_none(draft, node)
        return
    if node.func.id == "filter" and len(node.args) == 2:
        kind = draft.kinds.of(node.args[1])
        if kind is Kind.TEXT:
            draft.wrap(node, '"".join(', ")", "filter() of a string")
            return
        if isinstance(node.args[1], ast.Tuple):
            draft.wrap(node, "tuple(", ")", "filter() of a tuple")
            return
    if not _is_only_gone_through(draft, node):
        draft.wrap(node, "list(", ")", _WHAT)
        if node.func.id == "filter" and _may_be_of_text(draft, node):
            draft.note(
                node,
                "filter() of a str returned a str in Python 2",
                'write "".join(filter(…)) if it is one',
            )


def _may_be_of_text(draft: Draft, node: ast.Call) -> bool:
    """Whether a ``filter`` asks what one asks of characters, and nobody knows whose they are."""
    match node.args:
        case [ast.Attribute(value=ast.Name(id="str" | "unicode" | "string")), of]:
            return draft.kinds.of(of) is None
    return False


def _map_of_none(draft: Draft, node: ast.Call) -> None:
    """``map(None, xs)`` was a copy; of several it was what ``zip_longest`` gives."""
    if len(node.args) < 2:
        return
    start, end = draft.source.span(node).start, draft.source.span(node).end
    first = draft.source.span(node.args[1]).start
    several = len(node.args) > 2
    new = "list(itertools.zip_longest(" if several else "list("
    change = draft.replace(Span(start, first), new, "map(None, …)")
    if several:
        draft.replace(Span(end, end), ")", "", change)
        draft.need("import itertools", change)


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _may_stay_view(draft: Draft, node: ast.Call, function: ast.Attribute) -> bool:
    """Whether a view does what the list did: it has a length and a truth, and shows changes."""
    loop = _loop(draft, node)
    if loop is not None and _changes(loop, ast.unparse(function.value), _key(loop, node)):
        return False
    return _is_only_gone_through(draft, node) or _is_only_measured(draft, node)


def _loop(draft: Draft, node: ast.expr) -> ast.For | ast.AsyncFor | None:
    """The loop that takes the elements of ``node`` one by one, while its body runs."""
    at, parent = node, draft.parent(node)
    while isinstance(parent, ast.Call) and draft.scopes.is_builtin(parent.func, *_STEPWISE):
        at, parent = parent, draft.parent(parent)
    loops = isinstance(parent, (ast.For, ast.AsyncFor)) and parent.iter is at
    return parent if loops and isinstance(parent, (ast.For, ast.AsyncFor)) else None


def _key(loop: ast.For | ast.AsyncFor, node: ast.Call) -> str:
    """The name of the key that a loop is at, as long as it is; empty where it has none."""
    if loop.iter is not node or not isinstance(node.func, ast.Attribute):
        return ""
    target = loop.target
    if node.func.attr == "items" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[0]
    elif node.func.attr != "keys":
        return ""
    if not isinstance(target, ast.Name):
        return ""
    bound = {name for part in loop.body for inner in ast.walk(part) for name in binds(inner)}
    return target.id if target.id not in bound else ""


def _changes(loop: ast.For | ast.AsyncFor, holder: str, key: str) -> bool:
    """Whether the body of a loop may change the size of what it goes through.

    What is stored under the ``key`` that the loop is at changes none.
    """
    for node in (n for statement in loop.body for n in ast.walk(statement)):
        match node:
            case ast.Subscript(slice=ast.Name(id=name), ctx=ast.Store()) if name == key:
                continue
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                if ast.unparse(value) == holder:
                    return True
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                if name in _CHANGING and ast.unparse(value) == holder:
                    return True
    return False


def _is_only_measured(draft: Draft, node: ast.expr) -> bool:
    parent = draft.parent(node)
    if isinstance(parent, ast.Call) and draft.scopes.is_builtin(parent.func, "len", "bool"):
        return True
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node:
        return True
    return isinstance(parent, ast.Expr) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    )


def _is_only_read(draft: Draft, node: ast.expr) -> bool:
    """Whether a ``range`` does what the list did: it can be indexed, too."""
    parent = draft.parent(node)
    place = draft.parent(parent) if isinstance(parent, ast.Tuple) else parent
    if isinstance(place, ast.Subscript) and place.slice in (node, parent):
        return True  # arrays and tensors are indexed by any sequence
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return isinstance(parent.ctx, ast.Load) and not isinstance(parent.slice, ast.Slice)
    match parent:
        case ast.Call(func=ast.Attribute(attr="choice" | "sample")):
            return True
        case ast.Call() if node in parent.args and _is_progress(draft, parent.func):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return _is_numeric(draft, parent.func, name)
    return _is_only_measured(draft, node)


def _is_progress(draft: Draft, function: ast.expr) -> bool:
    """``tqdm(range(n))`` asks for the length, and goes through it."""
    return _origin(draft, function).startswith("tqdm.")


def _is_numeric(draft: Draft, function: ast.expr, name: str) -> bool:
    """Whether a function of NumPy is given it: that makes an array of it at once."""
    assert isinstance(function, ast.Attribute)
    if function.attr not in ("array", "asarray", "random.permutation"):
        return False
    return name in ("np", "numpy") and draft.is_module(function.value)


def _is_only_gone_through(draft: Draft, node: ast.expr) -> bool:
    """Whether its elements are taken one by one, once, and nothing else is asked of it."""
    parent = draft.parent(node)
    match parent:
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return parent.iter is node
        case ast.Starred():
            return True
        case ast.Assign(targets=[ast.Tuple() | ast.List()]):
            return True
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.Call():
            return node in parent.args and _consumes(draft, parent)
    return False


def _consumes(draft: Draft, call: ast.Call) -> bool:
    if _origin(draft, call.func).startswith(_CONSUMING_MODULES):
        return True
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _CONSUMING_METHODS
    if draft.scopes.is_builtin(call.func, *_CONSUMERS):
        return True
    if not isinstance(call.func, ast.Name):
        return False
    bindings = draft.scopes.bindings(call.func)
    imported = bool(bindings) and all(b.how == "import" for b in bindings)
    return imported and call.func.id in _CONSUMING_METHODS


def _origin(draft: Draft, function: ast.expr) -> str:
    """The full name of what is imported, such as ``torch.optim.SGD``; empty for anything else."""
    if isinstance(function, ast.Attribute):
        holder = _origin(draft, function.value)
        return f"{holder}.{function.attr}" if holder else ""
    if not isinstance(function, ast.Name) or not draft.is_module(function):
        return ""
    nodes = [binding.node for binding in draft.scopes.bindings(function)]
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = {bound_names(node).get(function.id, "") for node in imports}
    return found.pop() if len(found) == 1 and len(imports) == len(nodes) else ""
