"""Generators of the device: genuine `torch.Generator` objects whose numbers come from a hidden one
of the host.

`GeneratorImpl` holds the device that it is for; two bytes changed, and torch's own checks
("Expected a 'cpu' device type for generator but found 'cuda'") work on it. It still is the CPU's
generator inside, so the methods of our class go to the hidden engine.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, ClassVar

import torch

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import Refused
from devicefix.simulator.random_states import States

_Native: Any = torch._C.Generator
_FIRST_SEED = 67280421310721
"""``c10::detail::default_rng_seed_val`` (c10/core/GeneratorImpl.h)."""
_FIELDS = 120
"""`GeneratorImpl` is smaller (c10/core/GeneratorImpl.h)."""


class Engines:
    """The hidden engine of each generator of the device."""

    def __init__(self) -> None:
        self._engines: dict[int, Any] = {}

    def of(self, generator: Any) -> Any | None:
        """The engine behind ``generator``; None if that is the host's."""
        return self._engines.get(generator._cdata)

    def add(self, generator: Any) -> Any:
        """A new engine for ``generator``; it goes when that goes."""
        engine = _Native(device="cpu")
        engine.manual_seed(_FIRST_SEED)
        return self.set(generator, engine)

    def set(self, generator: Any, engine: Any) -> Any:
        """Let ``engine`` draw for ``generator``."""
        self._engines[generator._cdata] = engine
        weakref.finalize(generator, self._engines.pop, generator._cdata, None)
        return engine


def device_field(accelerator: Accelerator) -> int:
    """Where in a `GeneratorImpl` its device lies, in bytes: found by trying. Raises `Refused`."""
    probe = _Native(device="cpu")
    fields = (ctypes.c_uint8 * _FIELDS).from_address(probe._cdata)
    for offset in range(ctypes.sizeof(ctypes.c_void_p), _FIELDS, 2):
        if (fields[offset], fields[offset + 1]) != (0, 0xFF):  # the CPU, without an index
            continue
        fields[offset], fields[offset + 1] = accelerator.kind.c10, 0
        found = probe.device == accelerator.devices[0]
        fields[offset], fields[offset + 1] = 0, 0xFF
        if found:
            return offset
    raise Refused("this torch's generators hold their device elsewhere")


class _SameClass(type(_Native)):  # type: ignore[misc]
    """Programs ask ``isinstance(g, torch.Generator)``: those of the host are that, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Native)


class Generator(_Native, metaclass=_SameClass):  # type: ignore[misc]
    """Stands for `torch.Generator`."""

    accelerator: ClassVar[Accelerator]
    engines: ClassVar[Engines]
    offset: ClassVar[int]
    states: ClassVar[States]

    def __new__(cls, device: Any = "cpu") -> Any:
        asked = torch.device(device)
        if asked.type != cls.accelerator.name:
            return _Native(device=asked)
        index = cls.accelerator.index(asked)
        generator = super().__new__(cls, device="cpu")
        fields = (ctypes.c_uint8 * 2).from_address(generator._cdata + cls.offset)
        fields[0], fields[1] = cls.accelerator.kind.c10, index
        generator.engine = cls._engine(generator)
        return generator

    @classmethod
    def _engine(cls, generator: Any) -> Any:
        return cls.engines.add(generator)

    def __init__(self, device: Any = "cpu") -> None:
        """Everything is done by ``__new__``."""

    engine: Any

    def manual_seed(self, seed: int) -> Generator:
        self.engine.manual_seed(seed)
        return self

    def seed(self) -> Any:
        return self.engine.seed()

    def initial_seed(self) -> Any:
        return self.engine.initial_seed()

    def get_state(self) -> Any:
        return self.states.packed(self.initial_seed(), self.engine.get_state())

    def set_state(self, state: torch.Tensor) -> Generator:
        known = self.states.unpacked(state)
        if known is not None:
            self.engine.set_state(known)
        return self

    def clone_state(self) -> Generator:
        twin = Generator(self.device)
        twin.engine.set_state(self.engine.get_state())
        return twin


class DefaultGenerator(Generator):
    """The generator of a device that draws where the program names none.

    The host's default generator draws for it, which a program that seeds the device alone does not
    mean: the seed is remembered, and that is all.
    """

    _seed: int

    @classmethod
    def _engine(cls, generator: Any) -> Any:
        generator._seed = torch.initial_seed()
        return cls.engines.set(generator, torch.default_generator)

    def manual_seed(self, seed: int) -> Generator:
        self._seed = int(seed)
        return self

    def seed(self) -> Any:
        self._seed = int.from_bytes(os.urandom(7), "little")
        return self._seed

    def initial_seed(self) -> Any:
        return self._seed

    def set_state(self, state: torch.Tensor) -> Generator:
        super().set_state(state)
        self._seed = self.states.seed(state)
        return self


def install(accelerator: Accelerator, engines: Engines) -> tuple[DefaultGenerator, ...]:
    """Let `torch.Generator` make generators of the device; returns the default one of each device.
    Raises `Refused`.
    """
    Generator.accelerator, Generator.engines = accelerator, engines
    Generator.offset, Generator.states = device_field(accelerator), States()
    torch.Generator = Generator  # type: ignore[misc]
    return tuple(DefaultGenerator(device) for device in accelerator.devices)
