"""Where every storage was created and last moved: a stamp on the storage itself.

Views share it, it dies with the storage, and a transfer makes a storage of its own, whose stamp
remembers the one of its source. Stamps are given by a `TorchFunctionMode`, which sees the calls of
one Python thread; `follow_threads` brings it into those that Python starts. What C++ makes by
itself (gradients, results inside a compiled graph or a TorchScript function) has none, unless
somebody calls `stamp`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, resolve_name

from devicefix.simulator.places import KINDS, Kind, Site, site

Tensor = torch.Tensor

_ATTRIBUTE: Final = "_devicefix_stamp"
"""Where a storage keeps its stamp."""

SOMETHING: Final = "something"
"""What made a storage where only the line is known."""

_PROGRAM: Final = Kind.PROGRAM
_PARAMETER: Final = torch.nn.Parameter

_NOTHING: Final[Mapping[str, Any]] = {}

_MOVERS: Final = frozenset(
    getattr(Tensor, name)
    for name in (
        "to",
        "cuda",
        "cpu",
        "xpu",
        "npu",
        "type",
        "type_as",
        "pin_memory",
        "float",
        "double",
    )
    if hasattr(Tensor, name)
)
"""What may bring a tensor to another device: the new storage remembers the old one's stamp."""

_Raw = tuple[Site, Any, "_Raw | None", "tuple[_Raw, ...]"]
"""A stamp as it is kept: where, the function of torch, the stamp of what was moved, and those of
its ancestors. A plain tuple, because every tensor of the program gets one.
"""

_MOST: Final = 4
"""Ancestors that a stamp keeps, so that no chain of stamps grows."""


@dataclass(frozen=True)
class Step:
    """One call that made a storage."""

    code: CodeType
    line: int
    how: str
    """The call in the program's terms, such as ``torch.randn``, ``torch.nn.Linear`` or ``.to``."""


@dataclass(frozen=True)
class Stamp:
    """Where a storage comes from."""

    created: Step
    moved: Step | None
    """The last transfer to another device; None if it is where it was created."""
    ancestors: tuple[Step, ...] = ()
    """What made the tensors of no other that it was computed of, four at most; empty where it is
    one of these itself."""


def stamp(tensor: Tensor, made_by: Any, here: Site | None = None) -> None:
    """Note which line made the storage of ``tensor``; one that has a stamp keeps it.

    Args:
        tensor: A tensor with a storage; others (sparse, wrapped by a transform) are left alone.
        made_by: What was called: a function of torch, an operator or a name.
        here: Where the program stands; None for the line that this thread is at.
    """
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return
    if getattr(storage, _ATTRIBUTE, None) is None:
        here = here or site(sys._getframe(1))
        if here is not None:
            setattr(storage, _ATTRIBUTE, (here, made_by, None, ()))


def _origin(tensor: Tensor, source: Any) -> _Raw | None:
    """The stamp that says where ``tensor`` was created, if ``source`` lives on another device."""
    if not isinstance(source, Tensor) or source.device == tensor.device:
        return None
    earlier = _raw(source)
    if earlier is None:
        return None
    return earlier[2] or earlier


def _raw(tensor: Tensor) -> _Raw | None:
    try:
        found: _Raw | None = getattr(tensor.untyped_storage(), _ATTRIBUTE, None)
    except (NotImplementedError, RuntimeError):
        return None
    return found


def stamp_of(tensor: Tensor) -> Stamp | None:
    """Where the storage of ``tensor`` comes from; None if nobody saw it."""
    with torch._C.DisableTorchFunction():
        raw = _raw(tensor)
    if raw is None:
        return None
    if raw[2] is None:
        return Stamp(_step(raw), None, tuple(map(_step, raw[3])))
    return Stamp(_step(raw[2]), _step(raw))


def _ancestors(args: Sequence[Any], found: tuple[_Raw, ...] = ()) -> tuple[_Raw, ...]:
    """Those ``found``, and the ancestors of the tensors among ``args`` and in their lists."""
    for value in args:
        if isinstance(value, Tensor):
            raw = _raw(value)
            for one in () if raw is None else raw[3] or (raw,):
                if len(found) < _MOST and not any(one[:2] == other[:2] for other in found):
                    found = (*found, one)
        elif isinstance(value, (list, tuple)):
            found = _ancestors(value[:_MOST], found)
    return found


def _step(raw: _Raw) -> Step:
    (code, line, via), made_by, *_ = raw
    return Step(code, line, named(made_by if via is None else via))


def named(made_by: Any) -> str:
    """What a person calls a function: ``torch.randn``, and ``.to`` for a method of a tensor."""
    if isinstance(made_by, str):
        return made_by
    if isinstance(made_by, CodeType):
        return _function(made_by)
    if isinstance(made_by, torch._ops.OpOverload):
        return SOMETHING
    name: str = resolve_name(made_by) or getattr(made_by, "__name__", str(made_by))
    for prefix in ("torch.Tensor.", "torch._C.TensorBase."):
        if name.startswith(prefix):
            return "." + name.removeprefix(prefix)
    return name.replace("torch.functional.", "torch.")


_CONSTRUCTOR: Final = ".__init__"


def _function(code: CodeType) -> str:
    """What a person calls a function of torch that is written in Python: ``torch.nn.Linear``."""
    name: str = getattr(code, "co_qualname", code.co_name)
    module = code.co_filename.partition("/torch/")[2].removesuffix(".py").replace("/", ".")
    if module.startswith("nn.modules."):
        return f"torch.nn.{name.removesuffix(_CONSTRUCTOR)}"
    if module == "_tensor" and name.startswith("Tensor."):
        return name.removeprefix("Tensor")
    if module == "utils.data.dataloader":
        return "DataLoader"
    prefix = _PUBLIC.get(module)
    if prefix is not None:
        return f"{prefix}.{name}"
    return name.removesuffix(_CONSTRUCTOR)


_PUBLIC: Final[Mapping[str, str]] = {
    "nn.functional": "torch.nn.functional",
    "functional": "torch",
    "serialization": "torch",
    "autograd.__init__": "torch.autograd",
    "nn.init": "torch.nn.init",
    "nn.utils.rnn": "torch.nn.utils.rnn",
    "hub": "torch.hub",
}
"""Where the functions of a file of torch are public."""


@dataclass(frozen=True)
class Call:
    """A call of torch that raised."""

    function: Any
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]


_CALL: Final = "_devicefix_call"


def call_of(error: BaseException) -> Call | None:
    """The call of torch that ``error`` came out of, if a `Provenance` mode was watching."""
    found: Call | None = getattr(error, _CALL, None)
    return found


class Provenance(TorchFunctionMode):
    """Stamps the storages of what torch's functions return; notes the call that raised."""

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except (RuntimeError, TypeError, ValueError) as error:
            if call_of(error) is None:
                setattr(error, _CALL, Call(func, args, kwargs or _NOTHING))
            raise
        kind = type(result)
        if kind is Tensor or kind is _PARAMETER:
            self._made(result, func, args)
        elif isinstance(result, (tuple, list)):
            for item in result:
                if type(item) is Tensor:
                    self._made(item, func, args)
        return result

    @staticmethod
    def _made(tensor: Tensor, func: Any, args: Sequence[Any]) -> None:
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            return  # sparse, or wrapped by a transform of torch.func
        if getattr(storage, _ATTRIBUTE, None) is not None:
            return
        frame = sys._getframe(2)
        code = frame.f_code
        program = KINDS[code.co_filename] is _PROGRAM  # so mostly, and quicker than to ask `site`
        here = (code, frame.f_lineno, None) if program else site(frame)
        if here is not None:
            origin = _origin(tensor, args[0]) if func in _MOVERS and args else None
            # a transfer is an ancestor itself: what was made before it is elsewhere
            ancestors = () if origin is not None else _ancestors(args)
            setattr(storage, _ATTRIBUTE, (here, func, origin, ancestors))


def follow_threads(mode: AbstractContextManager[Any]) -> Callable[[], None]:
    """Enter ``mode`` in every thread that Python's `threading` starts from now on.

    Returns a function that ends it. `Thread.run` is what subclasses override, so the private
    method around it is wrapped (the same in Python 3.10 to 3.14).
    """
    original = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

    def bootstrap(thread: threading.Thread) -> None:
        with mode:
            original(thread)

    def end() -> None:
        threading.Thread._bootstrap_inner = original  # type: ignore[attr-defined]

    threading.Thread._bootstrap_inner = bootstrap  # type: ignore[attr-defined]
    return end


@contextmanager
def suspended(kind: type[TorchFunctionMode] = Provenance) -> Iterator[None]:
    """Take the modes of ``kind`` off this thread's stack for a while, whatever lies above them."""
    before = _stack()
    if not any(isinstance(mode, kind) for mode in before):
        yield
        return
    _replace(len(before), [mode for mode in before if not isinstance(mode, kind)])
    try:
        yield
    finally:
        _replace(len(_stack()), before)


def leave(kind: type[TorchFunctionMode] = Provenance) -> None:
    """Take the modes of ``kind`` off this thread's stack for good."""
    before = _stack()
    _replace(len(before), [mode for mode in before if not isinstance(mode, kind)])


def _stack() -> list[TorchFunctionMode]:
    """The modes of this thread, lowest first."""
    stack: list[TorchFunctionMode] = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return stack


def _replace(height: int, modes: Sequence[TorchFunctionMode]) -> None:
    for _ in range(height):
        torch._C._pop_torch_function_stack()
    for mode in modes:
        torch._C._push_on_torch_function_stack(mode)
