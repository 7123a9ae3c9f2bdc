"""Pickles taken apart without running anything that they name.

To load a pickle is to call what it names. Here every name stands for a class that keeps what it is
given and does nothing: no module is imported, no code of a program runs.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import Any, Final

MOST_NAMES: Final = 1000
"""Classes and functions that one pickle may name."""

MOST_STEPS: Final = 2_000_000
"""Instructions of one pickle."""


class Node:
    """What a pickle makes by calling something: the name, the arguments, and what came later."""

    named: str = ""

    def __new__(cls, *arguments: Any, **keywords: Any) -> Node:
        node = super().__new__(cls)
        node.arguments = arguments
        node.state = None
        node.items = {}
        node.elements = []
        return node

    arguments: tuple[Any, ...]
    state: Any
    items: dict[Any, Any]
    elements: list[Any]

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        """Nothing is left to do."""

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items[key] = value

    def append(self, value: Any) -> None:
        """An element of a list."""
        self.elements.append(value)

    def extend(self, values: Any) -> None:
        """Elements of a list."""
        self.elements.extend(values)

    add = append


class Stored:
    """What a pickle refers to and does not hold: a storage of torch."""

    def __init__(self, key: Any) -> None:
        self.key = key


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, encoding="latin1")
        self._names: dict[tuple[str, str], type[Node]] = {}

    def find_class(self, module: str, name: str) -> Any:
        """A class that does nothing, for every name."""
        if len(self._names) >= MOST_NAMES:
            raise pickle.UnpicklingError("too many names")
        known = self._names.get((module, name))
        if known is None:
            known = type("Named", (Node,), {"named": f"{module}.{name}"})
            self._names[module, name] = known
        return known

    def persistent_load(self, key: Any) -> Any:
        """Storages are looked up by who asks."""
        return Stored(key)


def load(content: bytes) -> Any:
    """The object in ``content``. Raises `ValueError` for what is no pickle, or has more behind."""
    file = io.BytesIO(content)
    found = one_of(file)
    if file.tell() != len(content):
        raise ValueError("there is data after the pickle")
    return found


def _check(file: io.BytesIO) -> None:
    """Raises `ValueError` for what would take far more memory than it is long."""
    begin, most = file.tell(), len(file.getbuffer())
    for number, (code, argument, _) in enumerate(pickletools.genops(file)):
        if number > MOST_STEPS or ("PUT" in code.name and int(argument or 0) > most):
            raise ValueError("not a valid pickle")
    file.seek(begin)


def one_of(file: io.BytesIO) -> Any:
    """The next object in ``file``. Raises `ValueError`."""
    try:
        _check(file)
        return _Unpickler(file).load()
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged pickle makes of the classes above
        raise ValueError(str(error)) from None
