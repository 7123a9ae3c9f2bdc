"""Random numbers of the device come from the host's generator, in the order of a run on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import torch

from devicefix.observe.aside import Aside, is_plain

Tensor = torch.Tensor

_INSIDE: Final = ("attention", "_sdp_choice", "cudnn", "miopen", "_mps", "dropout_mask")
"""In the names of operators that draw inside a fused kernel, if they draw at all."""


class HostDraws(Aside):  # type: ignore[no-untyped-call]
    """Runs what draws random numbers on copies in the host's memory, and moves the results back.

    A generator of the device is the program's own business.
    """

    def ran(
        self,
        func: Any,
        run: Callable[..., Any],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        if draws(func):
            device = _device_of(args, keywords)
            if device is not None and not _has_generator(args, keywords):
                return _on_host(func, run, args, keywords, device)
        return run(*args, **keywords)


_DRAWS: Final[dict[int, tuple[Any, bool]]] = {}


def draws(func: Any) -> bool:
    """Whether an operator takes its result from a generator, in a way that the host can do."""
    known = _DRAWS.get(id(func))
    if known is None:
        name = func._schema.name
        tagged = torch.Tag.nondeterministic_seeded in func.tags
        answer = tagged and not any(part in name for part in _INSIDE)
        known = _DRAWS.setdefault(id(func), (func, answer))
    return known[1]


def _device_of(args: Sequence[Any], keywords: Mapping[str, Any]) -> torch.device | None:
    """The device on which the numbers are wanted; None for the host."""
    tensors = [value for value in _values(args, keywords) if isinstance(value, Tensor)]
    if not all(map(is_plain, tensors)):
        return None
    named = keywords.get("device")
    devices = [torch.device(named)] if named is not None else [one.device for one in tensors]
    return next((device for device in devices if device.type not in ("cpu", "meta")), None)


def _has_generator(args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    return any(
        isinstance(value, torch._C.Generator) and value.device.type != "cpu"
        for value in _values(args, keywords)
    )


def _values(args: Sequence[Any], keywords: Mapping[str, Any]) -> Iterator[Any]:
    for value in (*args, *keywords.values()):
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


class _Copies:
    """Copies of tensors in the host's memory."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Tensor, Tensor]] = {}

    def of(self, value: Any) -> Any:
        """``value`` with tensors of the host in the place of the device's."""
        if isinstance(value, Tensor) and not value.is_cpu:
            known = self._made.get(id(value))
            if known is None:
                known = self._made[id(value)] = (value, value.cpu())
            return known[1]
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.of, value))
        return value

    def back(self, value: Any, device: torch.device) -> Any:
        """A result of the host on ``device``; what was written to is the original again."""
        if isinstance(value, Tensor):
            same = (original for original, copy in self._made.values() if copy is value)
            found = next(same, None)
            return value.to(device) if found is None else found
        if isinstance(value, (list, tuple)):
            return type(value)(self.back(one, device) for one in value)
        return value

    def write(self, value: Any) -> None:
        """Bring what was written into the copy of ``value`` to the device."""
        if id(value) in self._made:
            original, copy = self._made[id(value)]
            original.copy_(copy)


def _on_host(
    func: Any,
    run: Callable[..., Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    device: torch.device,
) -> Any:
    copies = _Copies()
    named = {name: copies.of(value) for name, value in keywords.items()}
    if named.get("device") is not None:
        named["device"] = torch.device("cpu")
    results = run(*map(copies.of, args), **named)
    for value in _written(func, args, keywords):
        copies.write(value)
    return copies.back(results, device)


def _written(func: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Iterator[Any]:
    """The arguments that the operator writes to."""
    for number, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            yield args[number] if number < len(args) else keywords.get(argument.name)
