"""What a file holds that a program wrote and that is no text: values where its format is known.

The format is seen by the first bytes, not by the name. What is not known is known by its digest.
Nothing that a file names is run (`inert.py`).
"""

from __future__ import annotations

import ast
import io
import pickle
import re
import struct
import zipfile
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, Final

from devicefix.records.observations import Leaf
from devicefix.verification import inert
from devicefix.verification.elements import Layout, digest_of, in_a_row, leaf_of
from devicefix.verification.printed import lines_of

MOST_LEAVES: Final = 20_000
"""Values of one file; what follows is passed over."""
_DEPTH: Final = 12
_MANGLED: Final = re.compile(r"[./]___torch_mangle_\d+")
_UNPACKED: Final = 1_000_000_000
"""Bytes that a compressed file may hold."""
_ZIP: Final = b"PK\x03\x04"
_PICKLED: Final = "/data.pkl"
"""Ends the name of what `torch.save` and `torch.jit.save` pickle, in their archive."""
_NUMPY: Final = b"\x93NUMPY"
_KINDS: Final = {"f": "float", "i": "int", "u": "uint", "b": "bool", "c": "complex"}
_STORAGES: Final = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16",
    "Long": "int64", "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8",
    "Bool": "bool", "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip
_DAMAGED: Final = (ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError, OSError,
                   struct.error, OverflowError, SyntaxError, RecursionError, zipfile.BadZipFile,
                   NotImplementedError)  # fmt: skip


def leaves_of(content: bytes) -> tuple[Leaf, ...]:
    """The values in the file; one leaf with the digest where its format is not known."""
    try:
        found = _known(content)
        if found is not None:
            return found
    except _DAMAGED:
        pass
    return (whole(digest_of(content), len(content)),)


def holds_values(content: bytes) -> bool:
    """Whether a packed file is one of those whose values are known: its parts are no files."""
    if not content.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except _DAMAGED:
        return False
    is_torch = any(name.endswith(_PICKLED) for name in names)
    return is_torch or (bool(names) and all(name.endswith(".npy") for name in names))


def whole(digest: str, size: int) -> Leaf:
    """The leaf of a file that is compared as a whole."""
    return Leaf("", "file", text=f"{size:,} bytes, digest {digest[:16]}")


def _known(content: bytes) -> tuple[Leaf, ...] | None:
    if content.startswith(_NUMPY):
        return (_array("", content),)
    if content.startswith(_ZIP):
        return _archive(content)
    if content[:1] == pickle.PROTO and content.endswith(pickle.STOP):
        return tuple(_Flat({}).leaves(inert.load(content)))
    return None


def _archive(content: bytes) -> tuple[Leaf, ...] | None:
    """What `numpy.savez` or `torch.save` made; None for another archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > _UNPACKED:
            return None
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    if parts and all(part.startswith(_NUMPY) for part in parts.values()):
        return tuple(
            _array(f"[{name.removesuffix('.npy')!r}]", part) for name, part in parts.items()
        )
    top = next((name for name in parts if name.endswith(_PICKLED)), None)
    if top is None:
        return None
    folder = top.removesuffix("data.pkl") + "data/"
    storages = {name.removeprefix(folder): part for name, part in parts.items()}
    values = _Flat(storages).leaves(inert.load(parts[top]))
    return (*values, *_code(parts, top.removesuffix("data.pkl")))


def _code(parts: Mapping[str, bytes], folder: str) -> Iterator[Leaf]:
    """What `torch.jit.save` writes besides: the code, and the constants that it names.

    A class of a name that was there before gets a number, which says nothing.
    """
    code: dict[str, list[str]] = {}
    for name, part in parts.items():
        path = name.removeprefix(folder)
        if path.startswith("code/") and path.endswith(".py"):
            text = _MANGLED.sub("", part.decode("utf-8", "replace"))
            code.setdefault(_MANGLED.sub("", path), []).append(text)
        elif path.startswith("constants/"):
            yield Leaf(path, "bytes", text=digest_of(part))
    for path, texts in code.items():
        for number, line in enumerate(lines_of("\n".join(sorted(texts))), start=1):
            yield Leaf(f"line {number} of {path}", "str", text=line.text)


def _array(path: str, content: bytes) -> Leaf:
    """As in numpy.lib.format: magic, version, length of the header, header, elements."""
    wide = content[6] > 1
    length = int.from_bytes(content[8 : 12 if wide else 10], "little")
    begin = (12 if wide else 10) + length
    header = ast.literal_eval(content[begin - length : begin].decode("utf-8"))
    raw, shape = content[begin:], tuple(map(int, header["shape"]))
    if not isinstance(header["descr"], str):
        return Leaf(path, "array", "record", shape, digest=digest_of(raw), text=digest_of(raw))
    return _numpy(path, header["descr"], shape, raw, header["fortran_order"])


def _numpy(path: str, descr: str, shape: tuple[int, ...], raw: bytes, columns: bool) -> Leaf:
    order, kind, width = descr[0], descr[1:2], descr[2:]
    if order not in "<>|=":
        order, kind, width = "|", descr[0], descr[1:]
    name = _KINDS.get(kind)
    if name is None:
        return Leaf(path, "array", descr, shape, text=digest_of(raw))
    dtype = name if name == "bool" else f"{name}{int(width) * 8}"
    layout = Layout(dtype, shape, in_a_row(shape, columns), order=">" if order == ">" else "<")
    return leaf_of(path, "array", raw, layout)


class _Flat:
    """Takes what a pickle holds apart into leaves."""

    def __init__(self, storages: Mapping[str, bytes]) -> None:
        self._storages = storages
        self._left = MOST_LEAVES

    def leaves(self, value: Any) -> Iterator[Leaf]:
        """All of ``value``, in its own order."""
        for leaf in self._flat("", value, ()):
            self._left -= 1
            if self._left < 0:
                return
            yield leaf

    def _flat(self, path: str, value: Any, around: tuple[int, ...]) -> Iterator[Leaf]:
        plain = _plain(path, value)
        if plain is not None:
            yield plain
        elif id(value) in around or len(around) >= _DEPTH:
            return
        elif isinstance(value, inert.Node):
            yield from self._node(path, value, (*around, id(value)))
        else:
            yield from self._parts(path, value, (*around, id(value)))

    def _parts(self, path: str, value: Any, around: tuple[int, ...]) -> Iterator[Leaf]:
        if isinstance(value, dict):
            for key, item in value.items():
                name = repr(key) if isinstance(key, (str, int, float, bool, tuple)) else "…"
                yield from self._flat(f"{path}[{name}]", item, around)
        elif isinstance(value, (list, tuple)):
            for number, item in enumerate(value):
                yield from self._flat(f"{path}[{number}]", item, around)
        elif isinstance(value, (set, frozenset)):
            shown = sorted(leaf.text or repr(leaf.numbers) for item in value
                           for leaf in self._flat("", item, around))  # fmt: skip
            yield Leaf(path, "set", text=repr(shown))

    def _node(self, path: str, node: inert.Node, around: tuple[int, ...]) -> Iterator[Leaf]:
        leaf = self._tensor(path, node) or _of_numpy(path, node)
        if leaf is not None:
            yield leaf
            return
        if node.named.startswith("torch.nn.parameter.") or node.named == _PARAMETER:
            yield from self._flat(path, node.arguments[0], around)
            return
        if node.named == "torch.device":
            return
        yield Leaf(path, "object", text=_MANGLED.sub("", node.named))
        state = node.state
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict | None):
            state = {**(state[0] or {}), **(state[1] or {})}
        if isinstance(state, dict):
            for name, item in state.items():
                yield from self._flat(f"{path}.{name}", item, around)
        elif state is not None:
            yield from self._flat(f"{path}.state", state, around)
        for part in (node.arguments, node.items, node.elements):
            if part:
                yield from self._flat(path, part, around)

    def _tensor(self, path: str, node: inert.Node) -> Leaf | None:
        """A tensor of torch: storage, offset, size, strides."""
        if node.named != "torch._utils._rebuild_tensor_v2":
            return None
        storage, offset, size, strides = node.arguments[:4]
        dtype, raw = self._storage(storage)
        layout = Layout(dtype, tuple(size), tuple(strides), offset)
        return leaf_of(path, "tensor", raw, layout)

    def _storage(self, storage: Any) -> tuple[str, bytes]:
        if isinstance(storage, inert.Stored):
            kind, key = storage.key[1], storage.key[2]
            return _dtype(kind), self._storages[str(key)]
        # pickled without `torch.save`: the storage is a file of the older format
        return _older(_bytes(storage.arguments[0]))


_PARAMETER: Final = "torch._utils._rebuild_parameter"


def _dtype(kind: Any) -> str:
    name = kind.named if isinstance(kind, type) and issubclass(kind, inert.Node) else ""
    return _STORAGES.get(name.removeprefix("torch.").removesuffix("Storage"), name)


def _older(content: bytes) -> tuple[str, bytes]:
    """One storage as torch saved it before 1.6: five pickles, the number of elements, bytes."""
    file = io.BytesIO(content)
    *_, stored, _keys = (inert.one_of(file) for _ in range(5))
    file.read(8)
    return _dtype(stored.key[1]), file.read()


def _of_numpy(path: str, node: inert.Node) -> Leaf | None:
    """An array or a number of NumPy."""
    kind = node.named.rpartition(".")[2]
    if not node.named.startswith("numpy."):
        return None
    if kind == "_reconstruct" and isinstance(node.state, tuple):
        _, shape, dtype, columns, raw = node.state
        return _numpy(path, _descr(dtype), tuple(shape), _bytes(raw), bool(columns))
    if kind == "_frombuffer":
        raw, dtype, shape, order = node.arguments
        return _numpy(path, _descr(dtype), tuple(shape), _bytes(raw), order == "F")
    if kind == "scalar":
        return _numpy(path, _descr(node.arguments[0]), (), _bytes(node.arguments[1]), False)
    return None


def _descr(dtype: inert.Node) -> str:
    order = dtype.state[1] if dtype.state else "|"
    return f"{order}{dtype.arguments[0]}"


def _bytes(raw: Any) -> bytes:
    """Old protocols have no bytes: they name a function that makes them of a text."""
    if isinstance(raw, inert.Node) and raw.named == "_codecs.encode":
        return str(raw.arguments[0]).encode("latin1")
    return raw.encode("latin1") if isinstance(raw, str) else bytes(raw)


def _plain(path: str, value: Any) -> Leaf | None:
    """The leaf of a number, a text or bytes; the names of devices are not compared."""
    if value is None:
        return Leaf(path, "none")
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 1 << 63):
        return Leaf(path, type(value).__name__, numbers=array("q", [value]))
    if isinstance(value, int):
        return Leaf(path, "int", text=str(value))
    if isinstance(value, float):
        return Leaf(path, "float", numbers=array("d", [value]))
    if isinstance(value, complex):
        return Leaf(path, "complex", numbers=array("d", [value.real, value.imag]))
    if isinstance(value, str):
        return Leaf(path, "str", text="\n".join(line.text for line in lines_of(value)))
    if isinstance(value, (bytes, bytearray)):
        return Leaf(path, "bytes", text=digest_of(bytes(value)))
    if isinstance(value, type) and issubclass(value, inert.Node):
        return Leaf(path, "type", text=value.named)
    return None
