"""Which ``__init__`` makes the objects of a class, and which others it runs first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.queries.access import of_tree
from devicefix.flow.values import Class, ClassRecord, Function
from devicefix.source.walking import walk


def constructor(record: ClassRecord) -> ast.FunctionDef | None:
    """The ``__init__`` that objects of a class are made by, if the program has it."""
    init = record.lookup("__init__")
    tree = init.tree if isinstance(init, Function) else None
    return tree if isinstance(tree, ast.FunctionDef) and tree.args.args else None


def runs_first(heir: ClassRecord, base: ClassRecord) -> bool:
    """Whether objects of ``heir`` are made by the ``__init__`` of ``base``, or by one that runs it
    before it calls anything else.

    Only families in which each class has one base: with more of them the class of the object
    decides what ``super()`` is.
    """
    if "__init__" not in base.attributes:
        return False
    for record in _line(heir):
        if record is base:
            return constructor(base) is not None
        init = constructor(record) if "__init__" in record.attributes else None
        if init is not None and not begins_with_base(record.tree, init):
            return False
    return False


def _line(record: ClassRecord) -> Iterator[ClassRecord]:
    """A class, its base, and so on; it ends at one with several."""
    while True:
        yield record
        bases = [base.record for base in record.bases if isinstance(base, Class)]
        if len(bases) != 1 or len(record.bases) != 1:
            return
        record = bases[0]


def begins_with_base(cls: ast.ClassDef, init: ast.AST) -> bool:
    """``super().__init__(…)`` or ``Base.__init__(self, …)``, before ``init`` calls anything else or
    returns: no call before it may need what the base sets."""
    arguments = init.args.args if isinstance(init, ast.FunctionDef) else []
    if not isinstance(init, ast.FunctionDef) or not arguments or len(cls.bases) != 1:
        return False
    receiver, base = arguments[0].arg, of_tree(cls.bases[0])
    for statement in init.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and _is_of_base(call, receiver, base):
            return True
        if any(isinstance(node, (ast.Call, ast.Return)) for node in walk(statement)):
            return False
    return False


def _is_of_base(call: ast.Call, receiver: str, base: tuple[str, ...] | None) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
        case ast.Attribute(value=holder, attr="__init__"):
            given = call.args[0] if call.args else None
            own = isinstance(given, ast.Name) and given.id == receiver
            return own and base is not None and of_tree(holder) == base
    return False
