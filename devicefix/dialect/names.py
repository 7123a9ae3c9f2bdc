"""Builtins and attributes of modules that are called something else now, or are gone."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

RENAMED: Final = {
    "xrange": "range",
    "raw_input": "input",
    "unicode": "str",
    "basestring": "str",
    "long": "int",
    "unichr": "chr",
    "StandardError": "Exception",
    "file": "open",
}
"""Builtins that do under a new name what they did (docs.python.org/3/whatsnew/3.0.html)."""

IMPORTED: Final = {
    "reduce": ("from functools import reduce", "reduce"),
    "intern": ("import sys", "sys.intern"),
    "reload": ("import importlib", "importlib.reload"),
}
"""Builtins that live in a module now."""

_GONE: Final = {
    "buffer": "use memoryview(), which holds bytes",
    "coerce": "convert the operands explicitly",
    "execfile": 'exec(compile(open(name, "rb").read(), name, "exec"))',
    "apply": "function(*args)",
}

ATTRIBUTES: Final = {
    ("sys", "maxint"): "maxsize",
    ("time", "clock"): "process_time",
    ("os", "getcwdu"): "getcwd",
    ("string", "letters"): "ascii_letters",
    ("string", "lowercase"): "ascii_lowercase",
    ("string", "uppercase"): "ascii_uppercase",
    ("itertools", "izip_longest"): "zip_longest",
    ("itertools", "ifilterfalse"): "filterfalse",
}
ABSTRACT: Final = frozenset(
    [
        "Callable",
        "Container",
        "Hashable",
        "ItemsView",
        "Iterable",
        "Iterator",
        "KeysView",
        "Mapping",
        "MappingView",
        "MutableMapping",
        "MutableSequence",
        "MutableSet",
        "Sequence",
        "Set",
        "Sized",
        "ValuesView",
    ]
)
"""What ``collections`` had until Python 3.9, and ``collections.abc`` has since 3.3."""
GONE_LATER: Final = frozenset(
    {"time.clock", "from time import", "from collections import"}
    | {f"collections.{name}" for name in ABSTRACT}
)
"""Changes that say nothing about Python 2: Python 3 had these, too."""
BUILTINS_NOW: Final = {"izip": "zip", "imap": "map", "ifilter": "filter"}
"""What ``itertools`` had, and what the builtin is called that does it now."""

TYPES: Final = {
    "BooleanType": "bool",
    "DictType": "dict",
    "FloatType": "float",
    "IntType": "int",
    "ListType": "list",
    "LongType": "int",
    "ObjectType": "object",
    "StringType": "str",
    "StringTypes": "str",
    "TupleType": "tuple",
    "TypeType": "type",
    "UnicodeType": "str",
}

_ASK_FOR_TYPES: Final = frozenset({"isinstance", "issubclass"})
CHANGED: Final = frozenset((*RENAMED, *IMPORTED, *_GONE, "input"))
"""The builtins that are not what they were: who binds a name is looked up for these only."""
_MODULES: Final = frozenset(("collections", "itertools", "types", *(m for m, _ in ATTRIBUTES)))
"""The modules that some attribute went from."""


def rename(draft: Draft) -> None:
    """Names and attributes that have a successor get its name; the others are noted."""
    for node in draft.walk():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            _name(draft, node)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            _attribute(draft, node, node.value)
        elif isinstance(node, ast.Expr):
            _encoding(draft, node)


def _name(draft: Draft, node: ast.Name) -> None:
    name = node.id
    if name not in CHANGED:
        return
    if draft.scopes.holder(name, draft.scopes.of(node)) is not None or draft.is_guarded(node):
        return
    if _sets_encoding(draft.parent(draft.parent(node)), draft):
        return
    if name in RENAMED:
        if draft.scopes.holder(RENAMED[name], draft.scopes.of(node)) is None:
            _put(draft, node, RENAMED[name])
        else:
            draft.note(
                node, f"`{name}` was removed", f"`{RENAMED[name]}` means something else here"
            )
    elif name in IMPORTED:
        statement, new = IMPORTED[name]
        change = draft.change(node, name)
        draft.need(statement, change)
        if new != name:
            draft.replace(node, new, name, change)
    elif name == "input" and draft.is_python2 and _is_called(draft, node):
        draft.wrap(draft.parent(node), "eval(", ")", "input()")
    elif name in _GONE:
        draft.note(node, f"`{name}` was removed in Python 3", _GONE[name])


def _put(draft: Draft, node: ast.Name, new: str) -> None:
    """``isinstance(x, (float, int, long))`` asks for ``int`` once, and so does ``type(x) is int or
    type(x) is long``."""
    holder = draft.parent(node)
    others = [e for e in holder.elts if e is not node] if isinstance(holder, ast.Tuple) else []
    if _is_asked_before(draft, node, new):
        return
    twice = _are_asked_for(draft, holder) and any(_is_named(e, new) for e in others)
    if not twice or "#" in draft.source.segment(holder):
        draft.replace(node, new, node.id)
    elif len(others) == 1:
        draft.replace(holder, new, node.id)
    else:
        _drop(draft, holder, node)


def _is_asked_before(draft: Draft, node: ast.Name, new: str) -> bool:
    """Whether the operand of ``or`` before asks for the new name already; this one is gone then."""
    asked = draft.parent(node)
    either = draft.parent(asked) if isinstance(asked, ast.Compare) else None
    if not isinstance(either, ast.BoolOp) or not isinstance(asked, ast.Compare):
        return False
    before = either.values[either.values.index(asked) - 1] if asked in either.values[1:] else None
    if not isinstance(either.op, ast.Or) or not isinstance(before, ast.Compare):
        return False
    same = asked.comparators == [node] and _read_alike(asked.left, before.left)
    alike = same and type(asked.ops[0]) is type(before.ops[0]) and len(before.ops) == 1
    gone = Span(draft.source.span(before).end, draft.source.span(asked).end)
    text = draft.source.text[gone.start : gone.end]
    bare = not text.lstrip().startswith(")") and "#" not in text
    if not (alike and bare and _is_named(before.comparators[0], new)):
        return False
    draft.replace(gone, "", node.id)
    return True


def _read_alike(one: object, other: object) -> bool:
    """Whether two expressions read the same, where they stand."""
    if isinstance(one, ast.AST) and type(one) is type(other):
        assert isinstance(other, ast.AST)
        pairs = zip(ast.iter_fields(one), ast.iter_fields(other), strict=True)
        return all(_read_alike(a, b) for (_, a), (_, b) in pairs)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_read_alike, one, other))
    return type(one) is type(other) and one == other


def _drop(draft: Draft, holder: ast.AST, node: ast.Name) -> None:
    """Take one of several elements out of a tuple."""
    elements = holder.elts if isinstance(holder, ast.Tuple) else []
    at, span = elements.index(node), draft.source.span(node)
    if at:
        gone = Span(draft.source.span(elements[at - 1]).end, span.end)
    else:
        gone = Span(span.start, draft.source.span(elements[1]).start)
    draft.replace(gone, "", node.id)


def _are_asked_for(draft: Draft, holder: ast.AST) -> bool:
    call = draft.parent(holder) if isinstance(holder, ast.Tuple) else None
    asks = isinstance(call, ast.Call) and getattr(call.func, "id", "") in _ASK_FOR_TYPES
    return isinstance(call, ast.Call) and asks and call.args[1:] == [holder]


def _is_named(tree: ast.expr, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name


def _is_called(draft: Draft, node: ast.Name) -> bool:
    parent = draft.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _attribute(draft: Draft, node: ast.Attribute, value: ast.Name) -> None:
    if value.id not in _MODULES or not draft.is_module(value) or draft.is_guarded(node):
        return
    new = ATTRIBUTES.get((value.id, node.attr))
    if new is not None:
        draft.replace(draft.attribute(node), new, f"{value.id}.{node.attr}")
    elif value.id == "collections" and node.attr in ABSTRACT:
        change = draft.replace(value, "collections.abc", f"collections.{node.attr}")
        draft.need("import collections.abc", change)
    elif value.id == "itertools" and node.attr in BUILTINS_NOW:
        draft.replace(node, BUILTINS_NOW[node.attr], f"itertools.{node.attr}")
    elif value.id == "types" and node.attr in TYPES:
        draft.replace(node, TYPES[node.attr], f"types.{node.attr}")
    elif value.id == "types" and node.attr == "NoneType":
        draft.replace(node, "type(None)", "types.NoneType")


# -- the default encoding --------------------------------------------------------------------------


def _encoding(draft: Draft, node: ast.Expr) -> None:
    """``reload(sys)`` and ``sys.setdefaultencoding("utf-8")``: it is UTF-8 now."""
    if _sets_encoding(node, draft):
        remove(draft, node, "sys.setdefaultencoding")


def _sets_encoding(node: ast.AST, draft: Draft) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr=name))):
            return name == "setdefaultencoding"
        case ast.Expr(value=ast.Call(func=ast.Name(id="reload"), args=[ast.Name(id="sys")])):
            return any(
                isinstance(n, ast.Attribute) and n.attr == "setdefaultencoding"
                for n in draft.walk()
            )
    return False


def remove(draft: Draft, node: ast.stmt, what: str) -> None:
    """Take a statement out, with its line if it is alone there; ``pass`` where one is needed."""
    source, span = draft.source, draft.source.span(node)
    start, end = source.line_start(span.start), source.next_line(span.end)
    alone = not source.text[start : span.start].strip()
    alone = alone and not source.text[span.end : end].strip()
    if alone and _has_company(draft.parent(node), node):
        draft.replace(Span(start, end), "", what)
    else:
        draft.replace(span, "pass", what)


def _has_company(holder: ast.AST, node: ast.stmt) -> bool:
    blocks = (getattr(holder, name, []) for name in ("body", "orelse", "finalbody"))
    return any(isinstance(b, list) and node in b and len(b) > 1 for b in blocks)
