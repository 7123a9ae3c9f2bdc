"""Abstract values in the words of those who use torch."""

from __future__ import annotations

from devicefix.flow.analysis import Analysis
from devicefix.flow.joins import parts_in
from devicefix.flow.values import (
    Array,
    Dataset,
    Device,
    Generator,
    Instance,
    Listing,
    Loader,
    Mapping,
    ObjectRecord,
    Opaque,
    Optimizer,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)

_CONTAINERS = {Tuple: "tuple", Listing: "list", Mapping: "dict", Stream: "sequence"}


def kind_of(value: Value, analysis: Analysis) -> str:
    """``tensor``, ``module Net``, ``list of tensors`` …; empty for what lives nowhere."""
    match value:
        case Tensor():
            return _kind_of_tensor(value, analysis)
        case Array():
            return "NumPy array"
        case Loader():
            return "loader"
        case Dataset():
            return "dataset"
        case Optimizer():
            return "optimizer" if value.made else "scheduler"
        case Device():
            return "device"
        case Generator():
            return "random generator"
        case Instance():
            return " or ".join(sorted({_kind_of_object(r) for r in value.records} - {""}))
        case Opaque(parameter=parameter, part=part):
            return "part of a parameter" if part else _kind_of_parameter(parameter.tensor)
        case Unknown():
            return "unknown"
        case Tuple() | Listing() | Mapping() | Stream():
            return _kind_of_container(value, analysis)
        case _:
            return ""


def _kind_of_tensor(tensor: Tensor, analysis: Analysis) -> str:
    keys = [analysis.graph.key(node) for node in tensor.nodes]
    names = {str(key[0]) for key in keys if isinstance(key, tuple)}
    if tensor.parameter or (names and names <= {"object", "early", "unfinished", "returned"}):
        return "parameter or buffer"
    if names == {"buffer"}:
        return "tensor attribute of a module"
    return "0-dim tensor" if tensor.scalar else "tensor"


def _kind_of_object(record: ObjectRecord) -> str:
    name = record.cls.name if record.cls is not None else record.layer.replace("torch.nn.", "nn.")
    if record.module:
        return f"module {name}"
    return f"dataset {name}" if record.host else ""


def _kind_of_parameter(shown: bool) -> str:
    return "tensor" if shown else "parameter of unknown type"


def _kind_of_container(value: Value, analysis: Analysis) -> str:
    # only so deep: a list may hold itself
    parts = (part for part in parts_in(value) if not isinstance(part, Unknown))
    inside = sorted({kind_of(part, analysis) for part in parts} - {""})
    name = next(word for kind, word in _CONTAINERS.items() if isinstance(value, kind))
    return f"{name} of {' and '.join(map(_plural, inside))}" if inside else ""


def _plural(kind: str) -> str:
    head, _, rest = kind.partition(" ")
    if head in ("module", "parameter", "dataset"):
        return f"{head}s {rest.replace('buffer', 'buffers')}"
    return f"{kind}s"


def dtype_of(value: Value) -> str:
    """The dtype that all tensors and arrays in ``value`` have; empty where it is not known."""
    if isinstance(value, (Loader, Dataset)):
        return ""
    found = {p.dtype for p in parts_in(value) if isinstance(p, (Tensor, Array))}
    return (found.pop() or "") if len(found) == 1 else ""
