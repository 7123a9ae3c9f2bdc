"""From the lines that a run names to the statements and expressions that stand there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from devicefix.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_OWN_SCOPE: Final = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS: Final = (ast.For, ast.AsyncFor)
_WITHS: Final = (ast.With, ast.AsyncWith)
_METADATA: Final = frozenset(
    {"device", "dim", "dtype", "grad", "is_cuda", "ndim", "numel", "requires_grad", "shape", "size"}
)
"""Attributes that are the same wherever a tensor is."""
_BLOCKS: Final = ("body", "orelse", "finalbody")


def statement_at(source: Source, line: int) -> ast.stmt | None:
    """The innermost statement at a line, 1-based."""
    found: ast.stmt | None = None
    for node in source.nodes:
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def statement_of(source: Source, node: ast.AST) -> ast.stmt:
    """The innermost statement around an expression."""
    current: ast.AST | None = node
    while not isinstance(current, ast.stmt):
        assert current is not None
        current = source.parent(current)
    return current


def function_of(source: Source, node: ast.AST) -> Function | None:
    """The function whose scope a node is in; None at the top of the file."""
    above = source.parent(node)
    while above is not None and not isinstance(above, _FUNCTIONS):
        above = source.parent(above)
    return above


def class_of(source: Source, node: ast.AST) -> ast.ClassDef | None:
    """The class around a node."""
    above = source.parent(node)
    while above is not None and not isinstance(above, ast.ClassDef):
        above = source.parent(above)
    return above


def expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Those of a statement itself, outermost first; not of the statements inside."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.expr):
            yield node
        inner = ast.iter_child_nodes(node)
        waiting += [child for child in inner if not isinstance(child, (ast.stmt, ast.Lambda))]


def names_read(statement: ast.stmt) -> list[str]:
    """The variables that a statement itself reads, but for the functions that it calls."""
    nodes = list(expressions(statement))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    read = [
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called
    ]
    return list(dict.fromkeys(read))


def attributes_read(statement: ast.stmt) -> list[str]:
    """The attributes of objects in variables that a statement itself reads: ``self.net``."""
    nodes = list(expressions(statement))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    read = [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and id(node) not in called
    ]
    return list(dict.fromkeys(read))


def gradients_given(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """``p`` and ``value`` of ``p.grad = value``."""
    if not isinstance(statement, ast.Assign):
        return []
    return [
        (target.value, statement.value)
        for target in statement.targets
        if isinstance(target, ast.Attribute) and target.attr == "grad"
    ]


def put_into(source: Source, statement: ast.stmt, name: str) -> list[ast.expr]:
    """What the function around a statement appends to the list ``name``."""
    scope = function_of(source, statement) or source.tree
    return [
        node.args[0]
        for node in ast.walk(scope)
        if isinstance(node, ast.Call)
        and len(node.args) == 1
        and ast.unparse(node.func) == f"{name}.append"
    ]


def at_span(statement: ast.stmt, span: tuple[int, ...]) -> ast.expr | None:
    """The expression of a statement with these lines and columns, as its node has them."""
    for node in expressions(statement):
        if (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) == span:
            return node
    return None


def operands_of(node: ast.expr) -> list[ast.expr]:
    """What an expression is computed of: arguments, and what a method is called on.

    Of a list that is written there, its items.
    """
    return [item for operand in _operands_of(node) for item in _items(operand)]


def _items(operand: ast.expr) -> list[ast.expr]:
    match operand:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [item for item in items if not isinstance(item, ast.Starred)]
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
            return [item]
    return [operand]


def _operands_of(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=receiver)):
            return [receiver, *_arguments(node)]
        case ast.Call():
            return _arguments(node)
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Subscript():
            return [node.value, node.slice]
    return []


def _arguments(call: ast.Call) -> list[ast.expr]:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [argument for argument in given if not isinstance(argument, ast.Starred)]


def uses(source: Source, statement: ast.stmt, text: str) -> list[ast.expr]:
    """Where a statement uses the value of the expression ``text``, and not only its shape."""
    return [
        node
        for node in expressions(statement)
        if ast.unparse(node) == text
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and not _is_about(source.parent(node))
    ]


def called(source: Source, statement: ast.stmt, variable: str) -> list[ast.expr]:
    """Where a statement calls the object that ``variable`` has."""
    return [
        node
        for node in uses(source, statement, variable)
        if getattr(source.parent(node), "func", None) is node
    ]


def is_written(source: Source, statement: ast.stmt, name: str) -> bool:
    """Whether the function around a statement changes the tensor ``name`` in place."""
    for node in ast.walk(function_of(source, statement) or source.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=changed), attr=method)):
                in_place = method.endswith("_") and not method.endswith("__")
            case ast.AugAssign(target=ast.Name(id=changed) | ast.Subscript(ast.Name(id=changed))):
                in_place = True
            case ast.Subscript(value=ast.Name(id=changed), ctx=ast.Store()):
                in_place = True
            case _:
                continue
        if in_place and changed == name:
            return True
    return False


def kept(source: Source, statement: ast.stmt, name: str) -> ast.Assign | None:
    """The assignment before ``statement`` that keeps the parameter ``name`` of the function."""
    function = function_of(source, statement)
    if function is None or not _is_parameter(function, name):
        return None
    for one in function.body:
        match one:
            case ast.Assign(value=ast.Name(id=value)) if value == name and one is not statement:
                return one
        if one is statement:
            break
    return None


def _is_about(parent: ast.AST | None) -> bool:
    return isinstance(parent, ast.Attribute) and parent.attr in _METADATA


def binding(source: Source, statement: ast.stmt, name: str) -> ast.stmt | None:
    """What gives ``name`` the value that it has at ``statement``, on every way there.

    An assignment, a loop or a ``with`` before it, or a condition of which each branch does; None
    where it is a parameter, or may have several.
    """
    current: ast.AST = statement
    while (above := source.parent(current)) is not None:
        if isinstance(current, ast.stmt):
            found = [b for one in _before(above, current) for b in _bindings_in(one, name)]
            if found:
                return found[-1].statement if found[-1].sure else None
        if isinstance(above, (*_LOOPS, *_WITHS)) and name in _bound_by(above):
            return above
        if isinstance(above, _FUNCTIONS):
            return _from_outside(source, above, name)
        current = above
    return None


def _before(above: ast.AST, statement: ast.stmt) -> Sequence[ast.stmt]:
    for block in _BLOCKS:
        statements = getattr(above, block, None)
        if isinstance(statements, list) and statement in statements:
            return statements[: statements.index(statement)]
    return ()


class _Binding(NamedTuple):
    statement: ast.stmt
    sure: bool
    """Whether no way leads around it."""


def _bindings_in(statement: ast.stmt, name: str, sure: bool = True) -> Iterator[_Binding]:
    """What binds the name in a statement, in the order of the text."""
    if name in _bound_by(statement):
        yield _Binding(statement, sure and not isinstance(statement, _LOOPS))
    if isinstance(statement, _OWN_SCOPE):
        return
    always = sure and isinstance(statement, _WITHS)
    for inner in ast.iter_child_nodes(statement):
        parts = [inner] if isinstance(inner, ast.stmt) else _statements_of(inner)
        for part in parts:
            yield from _bindings_in(part, name, always)
    if _binds_in_any_case(statement, name):
        yield _Binding(statement, sure)


def _binds_in_any_case(statement: ast.stmt, name: str) -> bool:
    """Whether it is a condition that binds the name in each of its branches."""
    if not isinstance(statement, ast.If):
        return False
    return all(
        any(name in _bound_by(one) or _binds_in_any_case(one, name) for one in branch)
        for branch in (statement.body, statement.orelse)
    )


def _statements_of(part: ast.AST) -> list[ast.stmt]:
    """Those of the handler of an exception, or of a case."""
    return (
        [one for one in getattr(part, "body", ()) if isinstance(one, ast.stmt)]
        if (isinstance(part, (ast.ExceptHandler, ast.match_case)))
        else []
    )


def _from_outside(source: Source, function: Function, name: str) -> ast.stmt | None:
    """The only statement at the top of the file that binds a name which is not the function's."""
    if _is_parameter(function, name):
        return None
    found = [
        statement
        for statement in source.tree.body
        if name in _bound_by(statement) or _binds_in_any_case(statement, name)
    ]
    return found[0] if len(found) == 1 else None


def _is_parameter(function: Function, name: str) -> bool:
    arguments = function.args
    own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    own += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return any(argument.arg == name for argument in own)


def _bound_by(statement: ast.AST) -> frozenset[str]:
    """The names that a statement itself binds."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, *_LOOPS)):
        targets = [statement.target]
    elif isinstance(statement, _WITHS):
        targets = [item.optional_vars for item in statement.items if item.optional_vars]
    nodes = (node for target in targets for node in ast.walk(target))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def value_of(bound: ast.stmt, variable: str) -> ast.expr | None:
    """The expression that an assignment gives a variable; None where it comes out of something."""
    if isinstance(bound, ast.AnnAssign):
        return bound.value
    if not isinstance(bound, ast.Assign) or len(bound.targets) != 1:
        return None
    target, value = bound.targets[0], bound.value
    if ast.unparse(target) == variable:
        return value
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(
        value, (ast.Tuple, ast.List)
    ):
        return None
    pairs = zip(target.elts, value.elts, strict=False)
    straight = len(target.elts) == len(value.elts) and not any(
        isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)
    )
    return next((v for t, v in pairs if straight and ast.unparse(t) == variable), None)


def attribute_binding(source: Source, statement: ast.stmt, name: str) -> ast.Assign | None:
    """The only assignment to the attribute ``name`` (``self.model``) of the class around.

    ``self.model = None``, until it is made, is none.
    """
    owner = class_of(source, statement) or source.tree
    found = [
        node
        for node in ast.walk(owner)
        if isinstance(node, ast.Assign)
        and name in map(ast.unparse, node.targets)
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    ]
    return found[0] if len(found) == 1 else None


def calls_of(statement: ast.stmt, how: str) -> list[ast.Call]:
    """The calls in a statement of what a person calls ``how``: ``torch.randn``."""
    last = how.rpartition(".")[2]
    return [
        node
        for node in expressions(statement)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == last
    ]


def plain_names(target: ast.expr) -> list[str]:
    """The names of ``x`` or ``x, y``; none where there is anything else."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []
