"""What the form of an expression says of its value."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devicefix.dialect.numbers import COMPARISONS, MASK_STAYS
from devicefix.dialect.scopes import Scopes


def is_mask(node: ast.expr) -> bool:
    """``(a == b).cpu()``, ``a.eq(b)``: bytes or truth values, whose sum is a whole number."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in COMPARISONS:
            return True
        if node.func.attr not in MASK_STAYS:
            return False
        node = node.func.value
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return is_mask(node.value)
    return isinstance(node, ast.Compare)


def path_of(index: ast.expr) -> tuple[int, ...]:
    """Which item an index picks; -1 where that is not known."""
    match index:
        case ast.Constant(value=int(number)):
            return (number,)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return (-number,)
    return (-1,)


def reducing(nodes: Sequence[ast.AST], scopes: Scopes) -> Iterator[tuple[ast.AST, ast.Call]]:
    """The two parameters of each function that is handed to ``reduce``."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Name() as function,
                args=[ast.Lambda(args=ast.arguments(args=[one, other])), _, *_],
                keywords=[],
            ) if scopes.is_builtin(function, "reduce"):
                yield from ((one, node), (other, node))


def selves(nodes: Sequence[ast.AST]) -> Iterator[ast.arg]:
    """The first parameters of all methods."""
    for node in nodes:
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef):
                yield from method.args.args[:1]


def own_nodes(definition: ast.FunctionDef) -> Iterable[ast.AST]:
    """The nodes of a function, those of functions inside left out."""
    stack: list[ast.AST] = list(definition.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)


def written(value: ast.expr) -> list[ast.expr]:
    """The elements of a list that are written where it is made."""
    if isinstance(value, ast.List):
        return value.elts
    return [value.elt] if isinstance(value, ast.ListComp) else []


def is_fixed(element: ast.expr) -> bool:
    """Whether nobody can exchange the items of an element; of a call that is asked elsewhere."""
    return isinstance(element, (ast.Tuple, ast.Call))


def is_grown(value: ast.expr) -> bool:
    """Whether a container may get further elements later on: a list may, a tuple may not."""
    return not (
        isinstance(value, ast.Tuple)
        or (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id in ("tuple", "range")
        )
    )
