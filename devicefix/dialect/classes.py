"""Special methods that Python calls under other names now, or never."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft

SPECIAL: Final = {
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
}
"""Methods that Python calls under another name now."""

_UNCALLED: Final = {
    "__cmp__": "write __eq__ and __lt__ (functools.total_ordering)",
    "__coerce__": "write __add__ and similar methods for each type",
    "__getslice__": "__getitem__ is given a slice",
    "__setslice__": "__setitem__ is given a slice",
    "__delslice__": "__delitem__ is given a slice",
    "__unicode__": "__str__ is called",
}
_FUNCTION: Final = {
    "func_name": "__name__",
    "func_code": "__code__",
    "func_defaults": "__defaults__",
    "func_globals": "__globals__",
    "im_func": "__func__",
    "im_self": "__self__",
}


def rename_special(draft: Draft) -> None:
    """Special methods of classes, and attributes of functions, under the names they have now."""
    for node in draft.walk():
        if isinstance(node, ast.ClassDef):
            _class(draft, node)
        elif isinstance(node, ast.Attribute) and node.attr not in draft.around.own_methods:
            new = _FUNCTION.get(node.attr)
            if new is not None:
                draft.replace(draft.attribute(node), new, f".{node.attr}")


def _class(draft: Draft, node: ast.ClassDef) -> None:
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    bound = {
        t.id
        for s in node.body
        if isinstance(s, ast.Assign)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    for name, method in methods.items():
        new = SPECIAL.get(name)
        divides = name.endswith("div__") and "division" in draft.features
        if new is not None and not divides and new not in bound | set(methods):
            draft.replace(draft.definition(method), new, name)
        elif name in _UNCALLED:
            draft.note(method, f"Python 3 never calls {name}", _UNCALLED[name])
    _iterator(draft, methods, bound)
    if "__eq__" in methods and not {"__hash__"} & (bound | set(methods)) and node.bases:
        draft.note(
            methods["__eq__"],
            "a class that defines __eq__ alone has no hash in Python 3",
            "add __hash__ = object.__hash__ if its objects are in sets or keys of dicts",
        )


def _iterator(draft: Draft, methods: dict[str, ast.FunctionDef], bound: set[str]) -> None:
    """An iterator keeps its ``next``, which may be called by name, and gets ``__next__``."""
    method = methods.get("next")
    if method is None or "__iter__" not in methods or "__next__" in bound | set(methods):
        return
    if len(method.args.args) != 1 or method.decorator_list:
        return
    source, end = draft.source, draft.source.span(method).end
    indent = source.indent_of(method)
    change = draft.change(draft.definition(method), "next() of an iterator")
    draft.insert(end, f"{2 * source.newline}{indent}__next__ = next", change)
