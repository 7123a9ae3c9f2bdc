"""What annotations say of parameters that nobody fills: some surely are no tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from devicefix.flow.attributes import external_attribute
from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.joins import join_all
from devicefix.flow.values import (
    NONE,
    NUMBER,
    PLAIN,
    TEXT,
    Array,
    Device,
    External,
    Parameter,
    Plain,
    Value,
)
from devicefix.source.walking import walk
from devicefix.torch_api import World, world

_NUMBERS = frozenset(("int", "float", "bool"))
_PLAIN_ANNOTATIONS = frozenset(("str", "bytes", "Path"))
_TENSORS = frozenset((
    "torch.BoolTensor", "torch.ByteTensor", "torch.FloatTensor", "torch.HalfTensor",
    "torch.IntTensor", "torch.LongTensor", "torch.Tensor",
))  # fmt: skip
_DEVICES = frozenset((None, "builtins.int", "builtins.str", "torch.device"))


_BUILT_IN: Mapping[str, Value] = MappingProxyType({
    "builtins.bool": NUMBER, "builtins.bytes": PLAIN, "builtins.float": NUMBER,
    "builtins.int": NUMBER, "builtins.str": TEXT,
})  # fmt: skip


def annotated(scope: Frame, parameter: ast.arg) -> Value | None:
    """Numbers, strings and paths, arrays and tables (``np.ndarray``, ``pd.Series``); else None.

    ``scope`` is where the function is defined: annotations mean there what they say.
    """
    tree = _unquoted(parameter.annotation)
    if tree is None:
        return None
    text = ast.unparse(tree)
    if text in _NUMBERS or text in _PLAIN_ANNOTATIONS:
        return NUMBER if text in _NUMBERS else PLAIN
    return of_type(_named(scope, tree)) or _device(scope, tree)


def _device(scope: Frame, tree: ast.expr) -> Value | None:
    """``torch.device``, and what else may stand for one: a string, a number, None."""
    options = {_name(scope, part) or getattr(part, "value", "") for part in _options(scope, tree)}
    if "torch.device" not in options or not options <= _DEVICES:
        return None
    typed = options <= {"torch.device", None}
    device = Device(Label.TARGET, typed=typed, origins=frozenset((tree,)))
    scope.seen.note_given(device)
    return join_all((device, NONE)) if None in options else device


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
    name = _name(scope, tree)
    return name == "torch.Tensor" or name.startswith("torch.nn.")


def says_tensor(scope: Frame, parameter: ast.arg) -> bool:
    """Whether an annotation says that a parameter is a tensor, wherever that lives.

    ``Float[Tensor, "batch n"]`` of jaxtyping says so, too, and may be a string.
    """
    tree = _unquoted(parameter.annotation)
    if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple):
        shaped = _name(scope, tree.value).startswith("jaxtyping.")
        tree = tree.slice.elts[0] if shaped and tree.slice.elts else tree
    return tree is not None and _name(scope, tree) in _TENSORS


def type_name(scope: Frame, parameter: ast.arg) -> str:
    """The canonical name of the type that an annotation says; empty where that is of no library."""
    return _name(scope, parameter.annotation) if parameter.annotation is not None else ""


def admits_none(scope: Frame, parameter: ast.arg) -> bool:
    """Whether None is among what an annotation admits: ``Optional[torch.Tensor]``."""
    tree = _unquoted(parameter.annotation)
    return tree is not None and any(map(_is_none, _options(scope, tree)))


def _options(scope: Frame, tree: ast.expr) -> Iterator[ast.expr]:
    """What is admitted: ``T`` and None by ``T | None``, ``Optional[T]``, ``Union[T, None]``."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        yield from _options(scope, tree.left)
        yield from _options(scope, tree.right)
        return
    asked = _name(scope, tree.value) if isinstance(tree, ast.Subscript) else ""
    if isinstance(tree, ast.Subscript) and asked in ("typing.Optional", "typing.Union"):
        parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        for part in parts:
            yield from _options(scope, part)
        if asked == "typing.Optional":
            yield ast.Constant(None)
        return
    yield tree


def _is_none(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is None


def says_number(parameter: Parameter) -> bool:
    """Whether a number is among what the annotation of a parameter admits."""
    function = parameter.frame.function
    spec = function.args if function is not None else None
    found = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs] if spec is not None else []
    tree = next((_unquoted(a.annotation) for a in found if a.arg == parameter.name), None)
    names = walk(tree) if tree is not None else ()
    return any(isinstance(node, ast.Name) and node.id in _NUMBERS for node in names)


def _name(scope: Frame, tree: ast.expr) -> str:
    """The canonical name of what an annotation says, empty if that is of no library."""
    unquoted = _unquoted(tree)
    named = _named(scope, unquoted) if unquoted is not None else None
    return named.name if isinstance(named, External) else ""


def _unquoted(tree: ast.expr | None) -> ast.expr | None:
    """What an annotation says, as a string, too; None where that is no expression."""
    if not (isinstance(tree, ast.Constant) and isinstance(tree.value, str)):
        return tree
    try:
        return ast.parse(tree.value, mode="eval").body
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
