"""What a function, or a name, gives that only asks torch what is there, by what is there.

Nothing else is understood: a function that does more than ask does not do the same when it is
called once more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from devicefix.flow.imported import dotted, origins
from devicefix.source import Source
from devicefix.source.imports import bindings, module_constants
from devicefix.torch_api import IS_AVAILABLE, canonical

_GENERIC: Final = "torch.accelerator."
_BUILT: Final[Mapping[str, str]] = MappingProxyType(
    {"torch.backends.mps.is_built": "mps", "torch.backends.cuda.is_built": "cuda"}
)
"""What asks how torch was built, which says little about what is there."""
_KEPT: Final = frozenset({"functools.cache", "functools.lru_cache"})
"""Decorators that give what the function gives."""
_DEEP: Final = 8
"""Functions of the file that ask each other."""
_Value = object


class Place(Struct, frozen=True):
    """A ``torch.device``."""

    kind: str
    index: int | None = None

    def __str__(self) -> str:
        return self.kind if self.index is None else f"{self.kind}:{self.index}"


class Machine(Struct, frozen=True):
    """What there is, as torch tells it."""

    kind: str = ""
    """The accelerator; empty for none."""
    recent: bool = True
    """Torch has what newer ones have: ``hasattr(torch, "accelerator")``."""


class _OtherError(Exception):
    """Something that does more than ask, or that nobody knows."""


def given(source: Source, name: str, machine: Machine) -> str | Place | None:
    """What the function or the name of that name gives there: a device, or a string that names one.

    None where it gives something else, or does more than ask.
    """
    try:
        found = _Answers(source, machine).of_name(name)
    except (_OtherError, RecursionError):
        return None
    return found if isinstance(found, (str, Place)) else None


def functions(source: Source) -> Iterator[ast.FunctionDef]:
    """Those at the top of a file that can be called without arguments."""
    for statement in source.tree.body:
        if isinstance(statement, ast.FunctionDef) and _needs_nothing(statement):
            yield statement


def _needs_nothing(function: ast.FunctionDef) -> bool:
    spec = function.args
    positional = len(spec.posonlyargs) + len(spec.args)
    return positional == len(spec.defaults) and None not in spec.kw_defaults


class _Answers(Struct):
    source: Source
    machine: Machine
    running: list[str] = field(default_factory=list)

    def of_name(self, name: str) -> _Value:
        """What a function gives without arguments, or a name stands for."""
        known = self.source.once(_defined).get(name)
        if isinstance(known, ast.FunctionDef):
            return self._called(known)
        if known is None:
            raise _OtherError
        return self._value(known, {})

    def _called(self, function: ast.FunctionDef) -> _Value:
        if function.name in self.running or len(self.running) >= _DEEP:
            raise _OtherError
        if not _needs_nothing(function) or not all(map(self._keeps, function.decorator_list)):
            raise _OtherError
        self.running.append(function.name)
        try:
            done, result = self._run(function.body, dict(self._defaults(function)))
        finally:
            self.running.pop()
        return result if done else None

    def _keeps(self, decorator: ast.expr) -> bool:
        tree = decorator.func if isinstance(decorator, ast.Call) else decorator
        return dotted(tree, self.source.once(origins)) in _KEPT

    def _defaults(self, function: ast.FunctionDef) -> Iterator[tuple[str, _Value]]:
        spec = function.args
        names = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        for parameter, tree in zip(names, [*spec.defaults, *spec.kw_defaults], strict=True):
            assert tree is not None
            yield parameter.arg, self._value(tree, {})

    # -- statements ------------------------------------------------------------------------------

    def _run(self, body: Sequence[ast.stmt], names: dict[str, _Value]) -> tuple[bool, _Value]:
        """Whether ``body`` returns, and what."""
        for statement in body:
            match statement:
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    continue
                case ast.Return(value=tree):
                    return True, None if tree is None else self._value(tree, names)
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=tree)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as tree)
                ):
                    names[name] = self._value(tree, names)
                case ast.If(test=test, body=taken, orelse=other):
                    chosen = taken if self._value(test, names) else other
                    done, result = self._run(chosen, names)
                    if done:
                        return True, result
                case _:
                    raise _OtherError
        return False, None

    # -- expressions -----------------------------------------------------------------------------

    def _value(self, tree: ast.expr, names: Mapping[str, _Value]) -> _Value:
        match tree:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return names[name] if name in names else self._constant(name)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._value(body if self._value(test, names) else other, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, names)
            case ast.BoolOp(op=op, values=parts):
                return self._either(parts, isinstance(op, ast.Or), names)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _compared(self._value(left, names), op, self._value(right, names))
            case ast.JoinedStr(values=parts):
                return "".join(str(self._value(part, names)) for part in parts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._value(value, names)
            case ast.Attribute(value=holder, attr="type"):
                place = self._value(holder, names)
                if isinstance(place, Place):
                    return place.kind
            case ast.Call():
                return self._call(tree, names)
        raise _OtherError

    def _constant(self, name: str) -> _Value:
        known = self.source.once(_defined).get(name)
        if known is None or isinstance(known, ast.FunctionDef) or name in self.running:
            raise _OtherError
        self.running.append(name)
        try:
            return self._value(known, {})
        finally:
            self.running.pop()

    def _either(
        self, parts: Sequence[ast.expr], until: bool, names: Mapping[str, _Value]
    ) -> _Value:
        value: _Value = not until
        for part in parts:
            value = self._value(part, names)
            if bool(value) is until:
                break
        return value

    def _call(self, call: ast.Call, names: Mapping[str, _Value]) -> _Value:
        own = call.func.id if isinstance(call.func, ast.Name) else ""
        known = self.source.once(_defined).get(own)
        if isinstance(known, ast.FunctionDef) and not (call.args or call.keywords):
            return self._called(known)
        if own in ("hasattr", "getattr") and not self.source.once(bindings)[own]:
            return self._has(call, names)
        given = [self._value(a, names) for a in call.args]
        if own == "str" and not self.source.once(bindings)[own] and len(given) == 1:
            return str(given[0])
        options = {k.arg: self._value(k.value, names) for k in call.keywords}
        name = canonical(dotted(call.func, self.source.once(origins)))
        return self._of_torch(name, given, options)

    def _has(self, call: ast.Call, names: Mapping[str, _Value]) -> _Value:
        """``hasattr(torch, "accelerator")``, ``getattr(torch.backends, "mps", None)``, of which
        nothing counts but whether it is there."""
        asked = dotted(call.args[0], self.source.once(origins)) if call.args else ""
        if asked.partition(".")[0] != "torch" or len(call.args) not in (2, 3):
            raise _OtherError
        other = self._value(call.args[2], names) if len(call.args) > 2 else False
        return self.machine.recent or other

    def _of_torch(
        self, name: str, given: Sequence[_Value], options: Mapping[str | None, _Value]
    ) -> _Value:
        kind = self.machine.kind
        if name == "torch.device" and not options:
            return _place(given)
        if name == f"{_GENERIC}current_accelerator" and not given:
            if not kind and options != {"check_available": True}:
                raise _OtherError  # a build for CUDA says that there is one
            return Place(kind) if kind else None
        if given or options:
            raise _OtherError
        if name in IS_AVAILABLE:
            return kind == IS_AVAILABLE[name]
        if name == f"{_GENERIC}is_available":
            return bool(kind)
        if name == "torch.cuda.device_count":
            return int(kind == "cuda")
        if name == f"{_GENERIC}device_count":
            return int(bool(kind))
        if name in _BUILT:
            return kind in ("", _BUILT[name])
        raise _OtherError


def _place(given: Sequence[_Value]) -> Place:
    match given:
        case [Place() as place]:
            return place
        case [str(text)] if text.partition(":")[2].isdigit() or ":" not in text:
            kind, _, index = text.partition(":")
            return Place(kind, int(index) if index else None)
        case [str(kind), int(index)] if ":" not in kind:
            return Place(kind, index)
    raise _OtherError


def _compared(left: _Value, op: ast.cmpop, right: _Value) -> bool:
    match op, left, right:
        case ast.Is(), _, None:
            return left is None
        case ast.IsNot(), _, None:
            return left is not None
        case ast.Eq(), (str() | int() | None), (str() | int() | None):
            return left == right
        case ast.NotEq(), (str() | int() | None), (str() | int() | None):
            return left != right
        case ast.Gt(), int(), int():
            return left > right
        case ast.GtE(), int(), int():
            return left >= right
    raise _OtherError


def _defined(source: Source) -> Mapping[str, ast.FunctionDef | ast.expr]:
    """What the names stand for that a file binds once, at its top level."""
    bound = source.once(bindings)
    found: dict[str, ast.FunctionDef | ast.expr] = dict(module_constants(source))
    for statement in source.tree.body:
        match statement:
            case ast.FunctionDef(name=name) if bound[name] == 1:
                found[name] = statement
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                bound[name] == 1
            ):
                found[name] = value
    return found


def names(source: Source) -> Iterator[tuple[str, ast.expr]]:
    """The names that a file binds once, at its top level, and what to."""
    for name, value in source.once(_defined).items():
        if isinstance(value, ast.expr):
            yield name, value
