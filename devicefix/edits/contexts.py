"""Context managers that are taken out of a ``with``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devicefix.edits.errors import EditError
from devicefix.edits.gaps import outer_span
from devicefix.edits.guards import unguard
from devicefix.findings import Edit
from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.flow import FileFacts, LibraryCall

_CHOOSERS: Final = frozenset({"torch.cuda.device", "torch.cuda.set_device"})


def remove_context(source: Source, statement: ast.With, item: ast.withitem) -> tuple[Edit, ...]:
    """Take ``item`` out of a ``with``; the last one goes with the header, and the body moves left.

    Raises ``EditError`` where a comment would be lost, or the body cannot be moved.
    """
    if item.optional_vars is not None:
        raise EditError("the context manager is bound with `as`")
    if len(statement.items) == 1:
        edits = unguard(source, statement)
        if not edits:
            raise EditError("the body cannot be moved")
        return edits
    index = statement.items.index(item)
    own = outer_span(source, item.context_expr)
    if index + 1 < len(statement.items):
        start, end = own.start, _start(source, statement.items[index + 1])
    else:
        before = statement.items[index - 1]
        start, end = _end(source, before), own.end
    if "#" in source.text[start:end]:
        raise EditError("a comment would be lost")
    return (Edit(start, end, 0, ""),)


def _start(source: Source, item: ast.withitem) -> int:
    return outer_span(source, item.context_expr).start


def _end(source: Source, item: ast.withitem) -> int:
    return outer_span(source, item.optional_vars or item.context_expr).end


def without_cuda(source: Source, facts: FileFacts, found: LibraryCall) -> tuple[Edit, ...]:
    """``torch.cuda.device(0)`` goes where 0 is the current device anyway.

    Raises ``EditError`` where it may choose another one: what is made below it without naming a
    device is there, and only a person can say by which name.
    """
    item = source.parent(found.call)
    statement = source.parent(item) if item is not None else None
    if not isinstance(item, ast.withitem) or not isinstance(statement, ast.With):
        raise EditError("the context is entered elsewhere")
    if not _is_current(facts):
        raise EditError("it may select a device other than the current one")
    return remove_context(source, statement, item)


def is_no_device(call: ast.Call) -> bool:
    """None and negative numbers stand for no device: nothing happens."""
    index = _index(call)
    return index is not None and _is_nothing(index)


def _is_nothing(index: ast.expr) -> bool:
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute):
        return index.func.attr == "get_device"  # -1 for a tensor of the host
    if isinstance(index, ast.IfExp):
        return _is_nothing(index.body) or _is_nothing(index.orelse)
    negative = isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub)
    return negative or (isinstance(index, ast.Constant) and index.value is None)


def cuda_question(source: Source, facts: FileFacts, found: LibraryCall | None = None) -> str:
    """How the file asks whether there is CUDA: by the name of torch, or as it calls what it
    ``found``. Raises ``EditError`` where it cannot."""
    if facts.torch:
        return f"{facts.torch}.cuda.is_available()"
    func, names = (found.call.func, found.names) if found is not None else (None, ())
    if isinstance(func, ast.Attribute) and all(n.count(".") == 2 for n in names):
        return f"{source.segment(func.value)}.is_available()"
    raise EditError("torch is not imported in this scope")


def _index(call: ast.Call) -> ast.expr | None:
    given = [*call.args, *(k.value for k in call.keywords)]
    return given[0] if len(given) == 1 and not isinstance(given[0], ast.Starred) else None


def _is_current(facts: FileFacts) -> bool:
    """Whether 0 is the current device throughout: nothing in the program chooses another one."""
    chosen = [_index(found.call) for found in facts.library if found.names & _CHOOSERS]
    return facts.script and all(isinstance(i, ast.Constant) and i.value == 0 for i in chosen)
