"""C++ objects whose virtual functions are replaced: by name, in a copy of their table."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence

_WORD = ctypes.sizeof(ctypes.c_void_p)
_PREAMBLE = 2
"""In front of the functions lie the offset to the top and the type information (Itanium C++ ABI,
2.5.2).
"""
_SPARE = 32
"""More slots than the headers name are copied: a derived class may add functions of its own."""


def replace(address: int, slots: Sequence[str], functions: Mapping[str, int]) -> list[str]:
    """Give the object at ``address`` a copy of its table, with ``functions`` in the slots of these
    names.

    Every overload of a name is replaced. Returns the names that were found. The copy lives as long
    as the process.
    """
    pointer = ctypes.c_void_p.from_address(address)
    assert pointer.value is not None
    table = _copy(pointer.value, len(slots) + _SPARE)
    found = _fill(table, slots, functions)
    pointer.value = _keep(table) + _PREAMBLE * _WORD
    return found


def build(model: int, slots: Sequence[str], functions: Mapping[str, int], rest: int) -> int:
    """A new object without fields: ``functions`` in their slots, ``rest`` in all others.

    ``model`` is an object of another class with the same interface, whose type information is used.
    Returns the address of the object, which lives as long as the process.
    """
    pointer = ctypes.c_void_p.from_address(model)
    assert pointer.value is not None
    table = _copy(pointer.value, 0)
    table = (ctypes.c_void_p * (_PREAMBLE + len(slots) + _SPARE))(
        *table, *[rest] * (len(slots) + _SPARE)
    )
    _fill(table, slots, functions)
    return _keep((ctypes.c_void_p * 1)(_keep(table) + _PREAMBLE * _WORD))


def _copy(functions: int, slots: int) -> ctypes.Array[ctypes.c_void_p]:
    words = ctypes.c_void_p * (_PREAMBLE + slots)
    return words(*words.from_address(functions - _PREAMBLE * _WORD))


def _fill(
    table: ctypes.Array[ctypes.c_void_p], slots: Iterable[str], functions: Mapping[str, int]
) -> list[str]:
    found = []
    for slot, name in enumerate(slots):
        if name in functions:
            table[_PREAMBLE + slot] = functions[name]
            found.append(name)
    return found


def _keep(array: ctypes.Array[ctypes.c_void_p]) -> int:
    """The address of ``array``, which is never freed: C++ has a pointer to it, and destroys its own
    objects after the interpreter has gone.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
    return ctypes.addressof(array)
