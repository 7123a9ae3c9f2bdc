"""What annotations say of parameters that nobody fills: some surely are no tensors."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from devicefix.flow.attributes import external_attribute
from devicefix.flow.frame import Frame
from devicefix.flow.values import NUMBER, PLAIN, TEXT, Array, External, Plain, Value
from devicefix.torch_api import World, world

_NUMBERS = frozenset(("int", "float", "bool"))
_PLAIN_ANNOTATIONS = frozenset(("str", "bytes", "Path"))


_BUILT_IN: Mapping[str, Value] = MappingProxyType({
    "builtins.bool": NUMBER, "builtins.bytes": PLAIN, "builtins.float": NUMBER,
    "builtins.int": NUMBER, "builtins.str": TEXT,
})  # fmt: skip


def annotated(scope: Frame, parameter: ast.arg) -> Value | None:
    """Numbers, strings and paths, arrays and tables (``np.ndarray``, ``pd.Series``); else None.

    ``scope`` is where the function is defined: annotations mean there what they say.
    """
    tree = parameter.annotation
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        tree = _parsed(tree.value)
    if tree is None:
        return None
    text = ast.unparse(tree)
    if text in _NUMBERS or text in _PLAIN_ANNOTATIONS:
        return NUMBER if text in _NUMBERS else PLAIN
    return of_type(_named(scope, tree))


def of_type(named: Value | None) -> Value | None:
    """An object of a class that is no tensor; None where it may be one."""
    if isinstance(named, External) and named.name in _BUILT_IN:
        return _BUILT_IN[named.name]
    if not isinstance(named, External) or world(named.name) is not World.NUMPY:
        return None
    arrays = named.name.startswith(("numpy.", "pandas."))
    return Array(None) if arrays else Plain(reads=True)


def says_torch(scope: Frame, tree: ast.expr) -> bool:
    """Whether an annotation names a tensor or a module of torch: ``layer: nn.Linear = …``."""
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        tree = _parsed(tree.value) or tree
    named = _named(scope, tree)
    if not isinstance(named, External):
        return False
    return named.name == "torch.Tensor" or named.name.startswith("torch.nn.")


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _named(scope: Frame, tree: ast.expr) -> Value | None:
    """What a dotted name means."""
    if isinstance(tree, ast.Name):
        return scope.lookup(tree.id)
    if isinstance(tree, ast.Attribute):
        holder = _named(scope, tree.value)
        if isinstance(holder, External):
            return external_attribute(f"{holder.name}.{tree.attr}")
    return None
