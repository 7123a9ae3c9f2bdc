"""The classes of libraries on top of torch that make a ``torch.nn.Module``.

``library_modules.txt`` is made from the sources of the libraries by
``scripts/build_library_modules.py``. One line is one library: its name, the version that was read,
and the names of the classes; ``-`` leads those whose objects have no parameters and no buffers. A
name is enough: wherever the library defines it, it is such a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct

TABLE: Final = Path(__file__).with_name("library_modules.txt")
_OBJECTS_ONCE: Final = ("torchvision.transforms.",)
"""Classes that older versions have, too, but not as modules."""
_MAKERS: Final = frozenset({"from_config", "from_name", "from_pretrained"})
"""Class methods by which these classes make their objects."""
_PLACING: Final = ("device_map", "quantization_config", "load_in_4bit", "load_in_8bit")
"""With these, what makes a module brings it to the accelerator itself, and it cannot be moved any
more: https://huggingface.co/docs/transformers/main_classes/model#transformers.PreTrainedModel."""


class Library(Struct, frozen=True):
    """The public module classes of one version of a library."""

    name: str
    version: str
    names: frozenset[str]
    stateless: frozenset[str] = frozenset()
    """Those of ``names`` that have no parameters, no buffers and no parts that have some."""

    @classmethod
    def parsed(cls, line: str) -> Library:
        """The library of a line of the table."""
        name, version, *words = line.split()
        stateless = frozenset(w[1:] for w in words if w.startswith("-"))
        return cls(name, version, frozenset(w.lstrip("-") for w in words), stateless)

    def __str__(self) -> str:
        marked = ((f"-{name}" if name in self.stateless else name) for name in sorted(self.names))
        return " ".join((self.name, self.version, *marked))


def libraries() -> Mapping[str, Library]:
    """Return the whole table by the names that programs import."""
    return MappingProxyType({name: Library.parsed(line) for name, line in _lines().items()})


def is_library_module(name: str) -> bool:
    """Say whether a call of a dotted name gives a module of a library: ``timm.layers.DropPath``.

    Nobody knows whether it has parameters, nor what a call of it gives beside tensors.
    """
    return _names(name, stateless=False)


def is_stateless_module(name: str) -> bool:
    """Say whether such a module surely has nothing that could be on a device."""
    return _names(name, stateless=True)


def placing_keywords(name: str) -> tuple[str, ...]:
    """The arguments that have a call of ``name`` decide where its module is."""
    return _PLACING if name.rpartition(".")[2] in _MAKERS else ()


@lru_cache(maxsize=4096)
def _names(name: str, *, stateless: bool) -> bool:
    owner, _, last = name.rpartition(".")
    if last in _MAKERS:
        owner, _, last = owner.rpartition(".")
    row = _library(name.partition(".")[0]) if owner else None
    if row is None or name.startswith(_OBJECTS_ONCE):
        return False
    return last in (row.stateless if stateless else row.names)


@lru_cache(maxsize=128)
def _library(name: str) -> Library | None:
    line = _lines().get(name)
    return Library.parsed(line) if line is not None else None


@lru_cache(maxsize=1)
def _lines() -> Mapping[str, str]:
    """The lines of the table by the names of the libraries; it is read when first asked for."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {line.partition(" ")[0]: line for line in lines}
