"""Kernels of the simulated device: the CPU computes on aliases of the same memory.

A kernel checks where its operands are, as CUDA does, makes aliases of them on the host, lets
torch's own CPU kernel run, and relabels what came out. One Python function stands between the
dispatcher and the CPU kernel; it runs at every operation of a program, so what can be known
beforehand is worked out when it is made.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.checks import Check, are_apart
from devicefix.simulator.errors import NotSimulated
from devicefix.simulator.generators import Engines
from devicefix.simulator.messages import wrong_generator
from devicefix.simulator.relabelling import Relabeller
from devicefix.simulator.signatures import Argument, Op, Signature, signature_of
from devicefix.simulator.watching import POST

Tensor = torch.Tensor
Kernel = Callable[..., Any]

_HOST = torch.device("cpu")
_ALIASES = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_AUTOCAST = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)


@dataclass(frozen=True)
class Workshop:
    """What all kernels work with."""

    accelerator: Accelerator
    relabel: Relabeller
    engines: Engines


def computing(op: Op, check: Check, shop: Workshop) -> Kernel:
    """The kernel of an operator that computes: on the CPU, with aliases."""
    signature = signature_of(op)
    if signature.device and not (signature.tensors or signature.lists or signature.generator):
        return _making(op, signature, shop)
    if signature.outs or signature.device or signature.generator or signature.by_name:
        return _general(op, signature, check, shop)
    if signature.lists:
        if op._schema.name.startswith(_FOREACH):
            return _foreach(op, signature, shop)
        return _general(op, signature, check, shop)
    return _plain(op, signature, check, shop)


def viewing(op: Op) -> Kernel:
    """The kernel of an operator that only makes another view.

    The CPU's kernel runs on the device's tensor itself: it looks at sizes and strides only, and its
    result shares the storage.
    """
    redispatch = op._handle.redispatch_boxed

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        return redispatch(_ALIASES, *arguments, **keywords)

    return kernel


def refusing(what: str, check: Check | None = None) -> Kernel:
    """A kernel that says that ``what`` is not simulated; what CUDA refuses it refuses, too."""

    def kernel(*arguments: Any, **keywords: Any) -> NoReturn:
        if check is not None and are_apart(arguments, keywords):
            check(arguments, keywords)
        raise NotSimulated(f"{what} on a device")

    return kernel


def _plain(op: Op, signature: Signature, check: Check, shop: Workshop) -> Kernel:
    """For operators that take tensors and plain values: nearly all that run often."""
    run, outside = op._op, _outside_autocast(op)
    on_the_host, fresh = torch.is_autocast_enabled, signature.returned == (None,)
    to_host, to_device = shop.relabel.to_host, shop.relabel.to_device
    relabel, share = _relabelling(signature, shop), _sharing(signature, to_host)
    devices, post = shop.accelerator.devices, POST

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        aliases: list[Any] = []
        index, mixed = -1, False
        for value in arguments:
            if isinstance(value, Tensor):
                place = value.get_device()
                if place < 0:
                    mixed = True
                else:
                    if index < 0:
                        index = place
                    elif place != index:
                        mixed = True
                    value = to_host(value)
            aliases.append(value)
        if mixed:
            check(arguments, keywords)
        elif share is not None:
            share(arguments, aliases)
        call = outside if on_the_host("cpu") else run
        try:
            results = call(*aliases, **keywords)
        except RuntimeError:
            if not _unwrap_numbers(signature, aliases):
                raise
            results = call(*aliases, **keywords)
        if fresh and isinstance(results, Tensor):
            results = to_device(results, index)
        else:
            results = relabel(results, index, arguments, keywords)
        if post.watcher is not None:
            post.watcher.ran(op, arguments, keywords, results, devices[index])
        return results

    return kernel


def _making(op: Op, signature: Signature, shop: Workshop) -> Kernel:
    """For operators that make a tensor out of plain values."""
    run, accelerator = op._op, shop.accelerator
    relabel = _relabelling(signature, shop)

    def kernel(*arguments: Any, device: Any = None, **keywords: Any) -> Any:
        if device is not None and device.type == "cpu":
            return run(*arguments, device=device, **keywords)
        index = accelerator.index(device)
        _refuse_pinned(keywords)
        results = relabel(run(*arguments, device=_HOST, **keywords), index, arguments, keywords)
        if POST.watcher is not None:
            POST.watcher.ran(op, arguments, keywords, results, accelerator.devices[index])
        return results

    return kernel


def _outside_autocast(op: Op) -> Callable[..., Any]:
    """Calls ``op`` with aliases of device tensors: autocast for the host is not for those."""
    run = op._op

    def outside(*arguments: Any, **keywords: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
            return run(*arguments, **keywords)

    return outside


_Mending = Callable[[Sequence[Any], list[Any]], None]


def _sharing(signature: Signature, to_host: Callable[[Tensor], Tensor]) -> _Mending | None:
    """Operands over the same memory as what is written get aliases that know of it, for torch
    refuses to write what it still has to read.

    None for operators that cannot need it.
    """
    (place,) = signature.returned if len(signature.returned) == 1 else (None,)
    if place is None or len(signature.tensors) < 2:
        return None
    torch_core: Any = torch._C
    target, is_alias_of = place.position, torch_core._is_alias_of
    others = [position for position in signature.tensors if position != target]

    def share(arguments: Sequence[Any], aliases: list[Any]) -> None:
        written = arguments[target]
        for position in others:
            value = _at(arguments, position)
            if value is written or not isinstance(value, Tensor):
                continue
            if is_alias_of(written, value):
                memory = _memory(written, to_host)
                aliases[target], aliases[position] = _over(memory, written), _over(memory, value)

    return share


def _memory(tensor: Tensor, to_host: Callable[[Tensor], Tensor]) -> Any:
    """A storage of the host over all that the storage of ``tensor`` has."""
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    as_strided = torch.ops.aten.as_strided.default
    whole: Tensor = as_strided.redispatch(_ALIASES, tensor, [elements], [1], 0)
    return to_host(whole).untyped_storage()


def _over(memory: Any, tensor: Tensor) -> Tensor:
    """What ``tensor`` is, over ``memory``."""
    alias = torch.ops.aten.empty.memory_format([0], dtype=tensor.dtype, device=_HOST)
    alias.set_(memory, tensor.storage_offset(), tensor.shape, tensor.stride())
    return torch._conj(alias) if tensor.is_conj() else alias


_FOREACH = "aten::_foreach_"


class _Apart(Exception):  # noqa: N818 - caught where it is raised
    """The tensors of a call are not all on one device."""


def _foreach(op: Op, signature: Signature, shop: Workshop) -> Kernel:
    """For operators on lists. If their tensors are not all on one device they go the slow way,
    tensor after tensor (``can_use_fast_route``, aten/src/ATen/native/ForeachUtils.h).
    """

    def check(arguments: Any, keywords: Any) -> NoReturn:
        raise _Apart

    kernel = _general(op, signature, check, shop)
    if not op._schema.returns:
        kernel = _counting(kernel)

    def foreach(*arguments: Any, **keywords: Any) -> Any:
        try:
            return kernel(*arguments, **keywords)
        except _Apart:
            return op.redispatch(_ALIASES, *arguments, **keywords)

    return foreach


def _counting(kernel: Kernel) -> Kernel:
    """Kernels over lists count the versions of what they write themselves, for autograd does not
    (``increment_version``, aten/src/ATen/native/cuda/MultiTensorApply.cuh).
    """

    def counting(written: Sequence[Tensor], *arguments: Any, **keywords: Any) -> Any:
        result = kernel(written, *arguments, **keywords)
        for tensor in written:
            torch.autograd.graph.increment_version(tensor)
        return result

    return counting


def _unwrap_numbers(signature: Signature, values: list[Any]) -> bool:
    """Make tensors of numbers where the schema wants tensors; says whether there were any.

    A number in Python's arithmetic is a tensor inside torch ("wrapped number"), and a number again
    when it arrives here. Only some operators take it back as one
    (``should_allow_numbers_as_tensors``, torch/csrc/utils/python_arg_parser.cpp).
    """
    numbers = [place for place in signature.tensors if isinstance(_at(values, place), _NUMBERS)]
    for place in numbers:
        values[place] = torch.ops.aten.scalar_tensor.default(
            values[place], dtype=_dtype_of(values[place]), device=_HOST
        )
    return bool(numbers)


_NUMBERS = (bool, int, float, complex)


def _at(values: Sequence[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _dtype_of(number: bool | int | float | complex) -> torch.dtype | None:
    """What `torch.result_type` takes a number for; None is the default dtype."""
    if isinstance(number, bool):
        return torch.bool
    if isinstance(number, int):
        return torch.int64
    return None if isinstance(number, float) else torch.complex64


def _general(op: Op, signature: Signature, check: Check, shop: Workshop) -> Kernel:
    """For all operators."""
    run, outside = op._op, _outside_autocast(op)
    on_the_host = torch.is_autocast_enabled
    relabel = _relabelling(signature, shop)
    accelerator = shop.accelerator
    prepare, fill = _preparing(signature, shop), _filling(shop.relabel.to_host)

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        aliases = _Aliases(shop.relabel.to_host)
        places = [aliases.of(value) for value in arguments]
        names = {name: aliases.of(value) for name, value in keywords.items()}
        if aliases.mixed:
            check(arguments, keywords)
        index = prepare(arguments, keywords, places, names, aliases.index)
        if index is None:
            return run(*places, **names)
        call = outside if on_the_host("cpu") else run
        try:
            result = call(*places, **names)
        except RuntimeError:
            if not _unwrap_numbers(signature, places):
                raise
            result = call(*places, **names)
        results = relabel(result, index, arguments, keywords)
        for out in signature.outs:
            fill(out.of(arguments, keywords), out.of(places, names))
        if POST.watcher is not None:
            POST.watcher.ran(op, arguments, keywords, results, accelerator.devices[index])
        return results

    return kernel


class _Aliases:
    """Aliases the arguments of one call, and sees on which devices they are."""

    def __init__(self, to_host: Callable[[Tensor], Tensor]) -> None:
        self._to_host = to_host
        self.index = -1
        self.mixed = False

    def of(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, (list, tuple)):
            return [self._tensor(item) if isinstance(item, Tensor) else item for item in value]
        return value

    def _tensor(self, tensor: Tensor) -> Tensor:
        place = tensor.get_device()
        if self.index < 0 <= place:
            self.index = place
        if place != self.index or place < 0:
            self.mixed = True
        return tensor if place < 0 else self._to_host(tensor)


_Places = list[Any]
_Names = dict[str, Any]
_Preparing = Callable[[Any, Any, _Places, _Names, int], int | None]


def _preparing(signature: Signature, shop: Workshop) -> _Preparing:
    """Replaces devices, generators and outputs in a call; finds the device of the results."""
    accelerator = shop.accelerator

    def prepare(
        arguments: Any, keywords: Any, places: _Places, names: _Names, index: int
    ) -> int | None:
        if signature.device is not None:
            asked = signature.device.of(arguments, keywords)
            if asked is not None and asked.type == "cpu":
                return None
            if asked is not None:
                index = accelerator.index(asked)
            _put(signature.device, places, names, _HOST)
            _refuse_pinned(names)
        if index < 0:
            index = accelerator.index()
        if signature.generator is not None:
            _prepare_generator(signature.generator, arguments, keywords, places, names, shop)
        for out in signature.outs:
            _put(out, places, names, _empty_like(out.of(arguments, keywords)))
        return index

    return prepare


def _prepare_generator(
    place: Argument, arguments: Any, keywords: Any, places: _Places, names: _Names, shop: Workshop
) -> None:
    generator = place.of(arguments, keywords)
    if generator is None:
        return
    engine = shop.engines.of(generator)
    if engine is None:
        raise RuntimeError(wrong_generator(shop.accelerator.name, generator.device.type))
    _put(place, places, names, engine)


def _refuse_pinned(names: _Names) -> None:
    if names.pop("pin_memory", None):
        raise RuntimeError(
            "Only dense CPU tensors can be pinned"
        )  # aten/src/ATen/native/cuda/TensorFactories.cu


def _empty_like(out: Any) -> Any:
    """A fresh tensor takes the result: the memory behind an alias cannot grow."""
    if isinstance(out, Tensor):
        return torch.ops.aten.empty.memory_format([0], dtype=out.dtype, device=_HOST)
    return [_empty_like(item) for item in out]


def _filling(to_host: Callable[[Tensor], Tensor]) -> Callable[[Any, Any], None]:
    """Gives the program's ``out`` the size and the values of a result."""

    def fill(out: Any, result: Any) -> None:
        if not isinstance(out, Tensor):
            for part, value in zip(out, result, strict=True):
                fill(part, value)
            return
        if out.shape != result.shape:
            _resize(out, result)
        to_host(out).copy_(result)

    return fill


def _resize(out: Tensor, result: Tensor) -> None:
    """``resize_output`` (aten/src/ATen/native/Resize.cpp); it takes the strides, too."""
    shape = result.shape
    if out.numel():
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out.shape)}, which does not match the required output shape {list(shape)}. "
            "This behavior is deprecated, and in a future PyTorch release outputs will not be "
            "resized unless they have zero elements. You can explicitly reuse an out tensor t by "
            "resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=4,
        )
    torch.ops.aten.resize_.default(out, shape)
    stride = torch.ops.aten.empty_like.default(result).stride()  # without the gaps of a view
    if out.stride() != stride:
        torch.ops.aten.as_strided_.default.redispatch(_ALIASES, out, shape, stride)


def _put(place: Argument, places: _Places, names: _Names, value: Any) -> None:
    if place.position < len(places):
        places[place.position] = value
    else:
        names[place.name] = value


_Relabelling = Callable[[Any, int, Any, Any], Any]


def _relabelling(signature: Signature, shop: Workshop) -> _Relabelling:
    """Makes the device's results out of the host's: an argument written in place is itself the
    result.
    """
    to_device = shop.relabel.to_device
    returned = signature.returned

    def one(result: Any, index: int) -> Any:
        if isinstance(result, Tensor):
            return to_device(result, index)
        if isinstance(result, (list, tuple)):
            return [one(item, index) for item in result]
        return result

    def several(results: Any, index: int, arguments: Any, keywords: Any) -> Any:
        return tuple(
            one(result, index) if place is None else place.of(arguments, keywords)
            for place, result in zip(returned, results, strict=True)
        )

    def fresh(result: Any, index: int, arguments: Any, keywords: Any) -> Any:
        return to_device(result, index) if isinstance(result, Tensor) else one(result, index)

    def nothing(result: Any, index: int, arguments: Any, keywords: Any) -> None:
        return None

    if len(returned) > 1:
        return several
    if not returned:
        return nothing
    place = returned[0]
    if place is None:
        return fresh

    def written(result: Any, index: int, arguments: Any, keywords: Any) -> Any:
        return place.of(arguments, keywords)

    return written
