"""Whether a value is an instance of a class of Python or of a library: ``isinstance(x, list)``.

What nobody can tell stays open, and both branches are looked at. A tensor may be a parameter, or of
a type that says where it is; a dict may be an ``OrderedDict``, a list a set or a ``deque``.
"""

from __future__ import annotations

from typing import Final

from devicefix.flow.values import ALONE, Array, Listing, Mapping, Tensor, Tuple, Value
from devicefix.torch_api import layer, makes_module

_ABSTRACT: Final = ("collections.abc.", "collections.", "typing.")
_ALL: Final = frozenset((Array, Listing, Mapping, Tensor, Tuple))
_SEQUENCES: Final = frozenset((Listing, Tuple))
_MAPPINGS: Final = frozenset((Mapping,))
_KINDS: Final = {
    **dict.fromkeys(("Collection", "Container", "Iterable", "Sized"), _ALL),
    **dict.fromkeys(("Mapping", "MutableMapping"), _MAPPINGS),
    "Sequence": _SEQUENCES,
}
"""The kinds of values that are instances of an abstract class; the others are none.

https://docs.python.org/3/library/collections.abc.html
"""
_OPEN: Final = ("AbstractSet", "Hashable", "Iterator", "MutableSequence", "MutableSet", "Set")
_TENSORS: Final = frozenset({"torch.Tensor", "torch.autograd.Variable"})
_NO_TENSORS: Final = frozenset({
    "torch.Generator", "torch.Size", "torch.device", "torch.dtype", "torch.nn.Module",
    "torch.nn.utils.rnn.PackedSequence", "torch.optim.Optimizer",
})  # fmt: skip
_BUFFERS: Final = frozenset({"builtins.bytearray", "builtins.bytes", "builtins.memoryview"})
_OTHER_LISTS: Final = frozenset({"builtins.frozenset", "builtins.set", "collections.deque"})
"""What else has the methods of a list, for all that is followed here."""


def is_instance(value: Value, name: str) -> bool | None:
    """Whether ``value`` is an instance of the class ``name``; None where it may be."""
    if type(value) not in _ALL or (value.beside != ALONE and not isinstance(value, Tensor)):
        return None
    if name == "builtins.object":
        return True
    prefix, _, last = name.rpartition(".")
    if f"{prefix}." in _ABSTRACT and last in _KINDS:
        return type(value) in _KINDS[last]
    if f"{prefix}." in _ABSTRACT and last in _OPEN:
        return None
    match value:
        case Tensor():
            return None if value.maybe else _is_tensor(name)
        case Tuple(listed=listed):
            either = listed is None and name in ("builtins.list", "builtins.tuple")
            return None if either else name == ("builtins.list" if listed else "builtins.tuple")
        case Listing():
            return None if name in _OTHER_LISTS else name == "builtins.list"
        case Mapping():
            return name == "builtins.dict" if name.startswith("builtins.") else None
    return _is_array(name)


def _is_tensor(name: str) -> bool | None:
    if not name.startswith("torch."):
        return False
    other = name in _NO_TENSORS or layer(name) is not None or makes_module(name)
    return False if other else (name in _TENSORS or None)


def _is_array(name: str) -> bool | None:
    if name in _BUFFERS:
        return None
    return name == "numpy.ndarray" or (None if name.startswith("numpy.") else False)
