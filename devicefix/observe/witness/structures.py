"""Leaves of what is more than a tensor: containers, modules, optimizers, objects of the program."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import torch

from devicefix.observe.witness.numbers import Leaf, digest_of, floats, ints, number_leaf
from devicefix.observe.witness.resumed import resumed
from devicefix.observe.witness.tensors import sampled, step_of, tensor_leaf
from devicefix.simulator.places import KINDS, Kind

DEPTH: Final = 8
"""Containers within each other."""
OBJECTS: Final = 3
"""Objects of the program within each other."""
LEAVES: Final = 20_000
"""Of one value; what follows is passed over."""
LENGTH: Final = 5_000
"""Items of one container."""


@dataclass(frozen=True)
class _Within:
    """What is around a value."""

    around: tuple[int, ...] = ()
    """Identities of the containers and objects that it is in."""
    objects: int = 0

    def inside(self, value: Any, instance: bool = False) -> _Within:
        return _Within((*self.around, id(value)), self.objects + instance)


class Flattening:
    """Takes one value apart."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._left = LEAVES

    def leaves(self, value: Any) -> list[Leaf]:
        """All that is of interest in ``value``, in its own order."""
        found = []
        for leaf in self._flat("", value, _Within()):
            found.append(leaf)
            self._left -= 1
            if self._left <= 0:
                break
        return found

    def _flat(self, path: str, value: Any, within: _Within) -> Iterator[Leaf]:
        if isinstance(value, torch.Tensor):
            yield tensor_leaf(path, value, self._room) | resumed(value)
            return
        leaf = number_leaf(path, value) or self._array(path, value)
        if leaf is not None:
            yield leaf
        elif id(value) not in within.around and len(within.around) < DEPTH:
            yield from self._parts(path, value, within)

    def _parts(self, path: str, value: Any, within: _Within) -> Iterator[Leaf]:
        if isinstance(value, torch.nn.Module):
            yield from self._module(path, value, within)
        elif _has_state(value):
            yield from self._flat(path, value.state_dict(), within.inside(value))
        elif isinstance(value, Mapping):
            named = ((f"{path}[{_key(key)}]", item) for key, item in _items(value))
            yield from self._each(named, within.inside(value))
        elif isinstance(value, (list, tuple)):
            yield from self._sequence(path, value, within)
        elif within.objects < OBJECTS and of_the_program(type(value)):
            attributes = getattr(value, "__dict__", {})
            named = ((f"{path}.{name}", item) for name, item in list(attributes.items()))
            yield from self._each(named, within.inside(value, instance=True))

    def _each(self, named: Iterable[tuple[str, Any]], within: _Within) -> Iterator[Leaf]:
        for number, (path, item) in enumerate(named):
            if number >= LENGTH:
                return
            if not isinstance(item, (type, ModuleType)) and not callable_only(item):
                yield from self._flat(path, item, within)

    def _sequence(self, path: str, value: Any, within: _Within) -> Iterator[Leaf]:
        leaf = self._numbers(path, value)
        if leaf is not None:
            yield leaf
        else:
            named = ((f"{path}[{number}]", item) for number, item in enumerate(value))
            yield from self._each(named, within.inside(value))

    def _numbers(self, path: str, value: Any) -> Leaf | None:
        """A list of numbers of one type is one leaf: losses of all steps, say."""
        kinds = set(map(type, value)) if len(value) > 1 else set()
        if len(kinds) != 1 or not kinds <= {float, int}:
            return None
        chosen = value[:: step_of(len(value), self._room)]
        leaf: Leaf = {"path": path, "type": type(value).__name__, "shape": [len(value)]}
        try:
            numbers = {"floats": floats(chosen)} if kinds == {float} else {"ints": ints(chosen)}
        except OverflowError:
            return None
        return leaf | numbers | {"digest": digest_of(repr(list(value)).encode())}

    def _module(self, path: str, module: torch.nn.Module, within: _Within) -> Iterator[Leaf]:
        inside = within.inside(module)
        yield from self._flat(path, module.state_dict(), inside)
        for name, part in list(module.named_modules()):
            yield from self._flat(f"{_dotted(path, name)}.training", part.training, inside)
        for name, parameter in list(module.named_parameters()):
            if not torch.nn.parameter.is_lazy(parameter) and parameter.grad is not None:
                yield from self._flat(f"{_dotted(path, name)}.grad", parameter.grad, inside)

    def _array(self, path: str, value: Any) -> Leaf | None:
        """The leaf of an array or a number of NumPy, which need not be there."""
        numpy = sys.modules.get("numpy")
        if numpy is None or not isinstance(value, (numpy.ndarray, numpy.generic)):
            return None
        array = numpy.ascontiguousarray(value)
        leaf: Leaf = {"path": path, "type": "array", "dtype": array.dtype.name}
        leaf["shape"] = list(numpy.shape(value))
        if array.dtype.hasobject or not array.size:
            return leaf
        leaf["digest"] = digest_of(array.view(numpy.uint8).data if array.ndim else array.tobytes())
        return leaf | self._elements(numpy, array.reshape(-1))

    def _elements(self, numpy: Any, array: Any) -> Leaf:
        kind = array.dtype.kind
        if kind not in "fciub":
            return {}
        size = array.size
        wide = {"f": numpy.float64, "c": numpy.complex128}.get(kind, numpy.int64)
        if kind != "c":
            array, size = array[:: step_of(size, self._room)], 0
        raw = memoryview(numpy.ascontiguousarray(array.astype(wide)).view(numpy.uint8).data)
        return sampled(raw, "d" if kind in "fc" else "q", size, self._room, kind == "c")


def of_the_program(kind: type) -> bool:
    """Whether a class is defined by the program itself."""
    module = sys.modules.get(kind.__module__)
    if kind.__module__ == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and KINDS[file] is Kind.PROGRAM


def callable_only(value: Any) -> bool:
    """Whether there is nothing to see of a value but that it can be called."""
    return callable(value) and not isinstance(value, torch.nn.Module)


def _has_state(value: Any) -> bool:
    """Optimizers and schedulers. A scaler of gradients is another one on every device."""
    return type(value).__module__.startswith("torch.optim") or (
        isinstance(value, torch.optim.Optimizer)
    )


def _key(key: Any) -> str:
    plain = (str, int, float, bool, tuple, type(None))
    return repr(key) if isinstance(key, plain) else f"<{type(key).__name__}>"


def _items(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    try:
        return list(mapping.items())
    except Exception:  # a class of the program's
        return []


def _dotted(path: str, name: str) -> str:
    return f"{path}.{name}" if name else path
