"""A device that a script defines further down than it is needed: its definition can be moved up.

Rule: the first of the top-level assignments to the name, which are all the same and each on a line
of its own, of what anybody may compute right after the imports: an accelerator by its name, or by
whether there is one. Notebooks have it more often than scripts: the device comes in with the cell
that trains, or with each that does.
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.scripts import bound_at_top
from devicefix.source import Source
from devicefix.source.imports import bound_names as imported_names
from devicefix.source.walking import walk

_ASKED: Final = frozenset(
    {
        "torch.cuda.is_available",
        "torch.accelerator.is_available",
        "torch.backends.mps.is_available",
        "torch.xpu.is_available",
        "torch.device",
        "torch.accelerator.current_accelerator",
    }
)
_ACCELERATORS: Final = ("cuda", "mps", "xpu")
_HOST: Final = "cpu"


def late_definition(source: Source) -> ast.Assign | None:
    """The statement that defines a device and may stand after the imports as well, if any."""
    if not any(name in source.text for name in _ACCELERATORS):
        return None
    found = [s for s in source.tree.body if isinstance(s, ast.Assign) and _is_device(s, source)]
    names = [name for s in source.tree.body for name in bound_at_top(s)]
    shared = {n for x in source.nodes if isinstance(x, ast.Global | ast.Nonlocal) for n in x.names}
    alike = {(name_of(s), ast.dump(s.value)) for s in found}
    if len(alike) != 1:
        return None
    name = name_of(found[0])
    return found[0] if names.count(name) == len(found) and name not in shared else None


def name_of(statement: ast.Assign) -> str:
    """The only name that is assigned; empty where it is another kind of target."""
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) and len(statement.targets) == 1 else ""


def is_typed(statement: ast.Assign) -> bool:
    """Whether it is a ``torch.device``, and no string."""
    return isinstance(statement.value, ast.Call)


def _is_device(statement: ast.Assign, source: Source) -> bool:
    if not name_of(statement) or not _has_its_line(statement, source):
        return False
    torch = source.once(_torch_names)
    words = [n.value for n in walk(statement.value) if isinstance(n, ast.Constant)]
    texts = [word for word in words if isinstance(word, str)]
    known = all(text.partition(":")[0] in (*_ACCELERATORS, _HOST) for text in texts)
    chosen = any(text.startswith(_ACCELERATORS) for text in texts)
    return known and chosen and _is_free(statement.value, torch)


def _torch_names(source: Source) -> dict[str, str]:
    """What the file calls torch and its parts."""
    return {
        name: origin
        for top in source.tree.body
        if isinstance(top, ast.Import | ast.ImportFrom)
        for name, origin in imported_names(top).items()
        if origin == "torch" or origin.startswith("torch.")
    }


def only_asks(function: ast.AST, source: Source) -> bool:
    """Whether a function does nothing but ask torch for the device: anybody may call it."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    torch = source.once(_torch_names)
    return all(_only_returns(statement, torch) for statement in function.body)


def _only_returns(statement: ast.stmt, torch: dict[str, str]) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=ast.expr() as value):
            return _is_free(value, torch)
        case ast.If(test=test, body=body, orelse=orelse):
            return _is_free(test, torch) and all(_only_returns(s, torch) for s in (*body, *orelse))
    return False


def _is_free(tree: ast.expr, torch: dict[str, str]) -> bool:
    """Whether nothing but torch is asked."""
    match tree:
        case ast.Constant() | ast.JoinedStr(values=[ast.Constant()]):
            return True
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return all(_is_free(part, torch) for part in (test, body, orelse))
        case ast.BoolOp(values=values):
            return all(_is_free(value, torch) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_free(operand, torch)
        case ast.Call(func=func, args=args, keywords=[]):
            return _dotted(func, torch) in _ASKED and all(_is_free(a, torch) for a in args)
    return False


def _dotted(tree: ast.expr, torch: dict[str, str]) -> str:
    if isinstance(tree, ast.Attribute):
        return f"{_dotted(tree.value, torch)}.{tree.attr}"
    return torch.get(tree.id, "") if isinstance(tree, ast.Name) else ""


def _has_its_line(statement: ast.Assign, source: Source) -> bool:
    span = source.span(statement)
    before = source.text[source.line_start(span.start) : span.start]
    after = source.text[span.end : source.line_end(span.end)].strip()
    one_line = source.line_end(span.start) == source.line_end(span.end)
    return one_line and not before and (not after or after.startswith("#"))
