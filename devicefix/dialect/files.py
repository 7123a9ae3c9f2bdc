"""Pickles are bytes: files they come from are opened so, and what Python 2 wrote can be read."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

_PICKLES: Final = frozenset({"cPickle", "pickle"})
_WHAT: Final = "pickles"


def open_pickles(draft: Draft) -> None:
    """``open(f)`` that only ``pickle`` or torch reads or writes gets ``"rb"`` or ``"wb"``."""
    for node in draft.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr="load" | "dump" | "loads" as name) as function):
                if _is_one_of(draft, function.value, _PICKLES):
                    _pickle(draft, node, name)
                elif name == "load" and _is_one_of(draft, function.value, {"torch"}):
                    _open_binary(draft, node, name)
            case ast.Call(func=ast.Attribute(attr="save", value=ast.Name() as module)):
                if _is_one_of(draft, module, {"torch"}):
                    _open_binary(draft, node, "save")


def _is_one_of(draft: Draft, node: ast.expr, modules: Collection[str]) -> bool:
    if not isinstance(node, ast.Name):
        return False
    imports = [b.node for b in draft.scopes.bindings(node)]
    if not draft.is_python2 and any(map(draft.is_guarded, imports)):
        return False  # the file runs with both, and knows its pickles
    names = {
        alias.name
        for n in imports
        if isinstance(n, ast.Import)
        for alias in n.names
        if (alias.asname or alias.name) == node.id
    }
    return bool(names) and names <= set(modules)


def _pickle(draft: Draft, node: ast.Call, name: str) -> None:
    if name != "dump" and len(node.args) == 1 and not node.keywords:
        # text of a pickle that Python 2 wrote is bytes; arrays in it are, too
        # (docs.python.org/3/library/pickle.html#pickle.load)
        change = draft.change(node, "pickle encoding")
        draft.insert(draft.source.span(node.args[0]).end, ', encoding="latin1"', change)
    if name != "loads":
        _open_binary(draft, node, name)


def _open_binary(draft: Draft, node: ast.Call, name: str) -> None:
    at = 0 if name == "load" else 1
    if len(node.args) > at:
        for opened in _opened(draft, node, node.args[at]):
            _make_binary(draft, opened, "r" if name == "load" else "w")


def _opened(draft: Draft, node: ast.Call, file: ast.expr) -> Iterator[ast.Call]:
    """The call of ``open`` that made a file, if nothing but pickling is done with it."""
    if isinstance(file, ast.Call):
        if _opens(draft, file):
            yield file
        return
    if not isinstance(file, ast.Name):
        return
    block, opened = _block(draft, node, file)
    if opened is not None and _is_only_pickled(block, file.id):
        yield opened
    elif opened is None or not _is_binary(opened):
        values = [b.value for b in draft.scopes.bindings(file)]
        if any(_opens(draft, value) and not _is_binary(value) for value in values):
            draft.note(file, "pickles are bytes in Python 3", 'open the file with "rb" or "wb"')


def _block(draft: Draft, node: ast.Call, file: ast.Name) -> tuple[ast.AST, ast.Call | None]:
    """Where a file is open, and the call that opened it; None where it is not known."""
    for holder in draft.parents(node):
        for item in getattr(holder, "items", []) if isinstance(holder, ast.With) else []:
            if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == file.id:
                opens = _opens(draft, item.context_expr)
                return holder, item.context_expr if opens else None
    bindings = draft.scopes.bindings(file)
    value = bindings[0].value if len(bindings) == 1 and bindings[0].how == "value" else None
    return draft.tree, value if isinstance(value, ast.Call) and _opens(draft, value) else None


def _opens(draft: Draft, value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and draft.scopes.is_builtin(value.func, "open", "file")


def _is_binary(call: ast.expr | None) -> bool:
    mode = _mode(call) if isinstance(call, ast.Call) else None
    return isinstance(mode, ast.Constant) and "b" in str(mode.value)


def _is_only_pickled(block: ast.AST, name: str) -> bool:
    allowed: set[ast.AST] = set()
    for node in ast.walk(block):
        match node:
            case ast.Call(func=ast.Attribute(attr="load" | "dump" | "save"), args=args):
                allowed.update(args)
            case ast.Attribute(attr="close", value=value):
                allowed.add(value)
    names = (n for n in ast.walk(block) if isinstance(n, ast.Name) and n.id == name)
    return all(n in allowed or isinstance(n.ctx, ast.Store) for n in names)


def _mode(call: ast.Call) -> ast.expr | None:
    if len(call.args) > 1:
        return call.args[1]
    return next((k.value for k in call.keywords if k.arg == "mode"), None)


def _make_binary(draft: Draft, call: ast.Call, default: str) -> None:
    mode = _mode(call)
    if mode is None and len(call.args) == 1 and not call.keywords:
        change = draft.change(call, _WHAT)
        draft.insert(draft.source.span(call.args[0]).end, f', "{default}b"', change)
    elif isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "b" not in mode.value:
        end = draft.source.span(mode).end
        quote = draft.source.text[end - 1]
        if draft.source.segment(mode) == f"{quote}{mode.value}{quote}":
            draft.replace(Span(end - 1, end - 1), "b", _WHAT)
