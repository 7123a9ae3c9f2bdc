"""NumPy and the libraries around it: they read tensors on the host and give arrays."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.dimensions import dimensions_of_call, flat_array, flattened
from devicefix.flow.dtypes import dtype_of_data
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.memory import fresh, write_array
from devicefix.flow.operands import as_tensor, note_dtype_use
from devicefix.flow.values import (
    PLAIN,
    Array,
    Beside,
    Const,
    Dtype,
    External,
    Flat,
    Plain,
    Tensor,
    Unknown,
    Value,
)
from devicefix.torch_api import NumpyFunction, makes_objects, numpy_function

_KNOWN = ("float32", "float64", "int64", "int32")
OBJECT = Plain(reads=True)
"""A figure, an image, a graph: what its methods are given is read on the host."""

_OBJECTS = (
    External("builtins.object"),
    External("numpy.object_"),
    Const("object"),
    Const("O"),
)
"""A ``dtype=`` that makes an array of whatever it is given."""


def call_numpy(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """``numpy.name(args)`` or a call into another library that works on arrays."""
    if not name.startswith("numpy."):
        read_on_host(frame, tree, args)
        return OBJECT if makes_objects(name) else Array(None)
    last = name.rpartition(".")[2]
    if last in ("RandomState", "default_rng"):
        return External("numpy.random")
    if name == "numpy.dtype":
        known = _named_dtype(args.value(0) or PLAIN)
        return Dtype(known) if known is not None else Unknown("a dtype")
    row = numpy_function(name)
    if (result := _of_tensors(frame, tree, row, args)) is not None:
        return result
    read_on_host(frame, tree, args)
    return _array_result(frame, tree, row, args)


def _of_tensors(frame: Frame, tree: ast.expr, row: NumpyFunction, args: Arguments) -> Value | None:
    """What is made of tensors that are given directly; None where that is an array."""
    given = [v for v in (as_tensor(v) for _, v in args.all()) if isinstance(v, Tensor)]
    if not given or row.given == "array":
        return None
    if row.given == "any":
        return PLAIN
    if row.given == "own":
        return Tensor(given[0].nodes, given[0].dtype, raw=False)
    read_on_host(frame, tree, args)
    _write_outputs(frame, row, args)
    result = computed_on_host(frame, tree, [v for _, v in args.all()], _dtype(row, args))
    # of a number, NumPy makes a number; that a parameter may be a tensor is no proof
    return result if any(isinstance(v, Tensor) for _, v in args.all()) else _open(result)


def _open(result: Tensor) -> Tensor:
    return replace(result, beside=Beside(other=True))


def computed_on_host(
    frame: Frame, tree: ast.expr | ast.AugAssign, values: list[Value], dtype: str | None
) -> Tensor:
    """NumPy computes on the host what tensors take part in, and makes a tensor of the result."""
    tensors = [v for v in values if isinstance(v, Tensor)]
    scalar = len(tensors) == len(values) and all(t.scalar for t in tensors)
    born = tree if isinstance(tree, ast.expr) else None
    made = frame.host_tensor(tree, "numpy", dtype=dtype)
    return replace(made, scalar=scalar, born=born, raw=False)


def _array_result(frame: Frame, tree: ast.expr, row: NumpyFunction, args: Arguments) -> Value:
    if row.no_array:
        return PLAIN
    if any(value in _OBJECTS for _, value in args.all()):
        return Unknown("an array of objects holds tensors as they are")
    _write_outputs(frame, row, args)
    first = args.value(0)
    dtype, least = _dtype(row, args), dimensions_of_call(row, args)
    if row.views and isinstance(first, Array):
        return Array(dtype, first.memory, first.views, least)
    return replace(fresh(frame, tree, dtype, least), flat=flat_array(row, args))


def _write_outputs(frame: Frame, row: NumpyFunction, args: Arguments) -> None:
    """``out=``, ``np.copyto(x, …)``, ``np.add.at(x, …)``, ``rng.shuffle(x)`` write into arrays."""
    outputs = [args.value(None, "out")]
    if row.writes:
        outputs.append(args.value(0))
    for output in outputs:
        if isinstance(output, Array):
            write_array(frame, output)


def read_on_host(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """Tensors among the arguments are read through ``__array__``."""
    for expr, value in args.all():
        if isinstance(value, Unknown):
            for node in sorted(value.near):
                frame.meet(node, expr or tree, value.reason)
        if tensors_in(value):
            frame.need_host(expr, value)
            for tensor in tensors_in(value):
                note_dtype_use(frame, tree, tensor)


def call_number(frame: Frame, tree: ast.expr, dtype: str, args: Arguments) -> Value:
    """``np.float32(x)``; only ``np.float64`` takes a number from wherever it lives."""
    value = args.value(0)
    if dtype != "float64" or not (isinstance(value, Tensor) and value.scalar):
        read_on_host(frame, tree, args)
    return Array(dtype)


# -- dtypes ------------------------------------------------------------------------------------


def _dtype(row: NumpyFunction, args: Arguments) -> str | None:
    given = args.value(None, "dtype") or _positional_dtype(args)
    if given is not None and given != Const(None):
        return _named_dtype(given)
    if row.dims in ("data", "shape") and len(args.positional) > 1:
        return None  # the second argument is the dtype, whatever that is
    match row.dtype:
        case "":
            return None
        case "kept":
            return _kept_dtype(row, args)
        case "floating":
            return _floating_dtype(args)
        case "range":
            return _range_dtype(args)
        case fixed:
            return fixed


def _positional_dtype(args: Arguments) -> Value | None:
    """``np.ones(3, np.float32)``, ``np.array(x, float)``, ``np.zeros(3, "f4")``."""
    for _, value in args.positional[1:]:
        python = isinstance(value, External) and value.name.startswith("builtins.")
        text = isinstance(value, Const) and isinstance(value.value, str)
        if isinstance(value, Dtype) or python or text:
            return value
    return None


def _named_dtype(given: Value) -> str | None:
    if isinstance(given, Dtype):
        return given.name
    if isinstance(given, External) and given.name.startswith("builtins."):
        return {"float": "float64", "int": "int64", "bool": "bool"}.get(given.name.split(".")[1])
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value if given.value in _KNOWN else None
    return None


def _dtypes(args: Arguments) -> set[str | None]:
    parts = [p for _, v in args.all() for p in parts_in(v)]
    return {p.dtype for p in parts if isinstance(p, (Array, Tensor))}


def _floating_dtype(args: Arguments) -> str | None:
    dtypes = _dtypes(args)
    only = dtypes.pop() if len(dtypes) == 1 else None
    return only if only in ("float32", None) else "float64"


def _kept_dtype(row: NumpyFunction, args: Arguments) -> str | None:
    dtypes = _dtypes(args)
    if len(dtypes) == 1:
        return dtypes.pop()
    if not dtypes and row.name in ("array", "asarray") and args.positional:
        found = dtype_of_data(args.positional[0][1])
        return "float64" if found == "float32" else found
    return None


def _range_dtype(args: Arguments) -> str | None:
    values = [v for _, v in args.positional]
    if all(isinstance(v, Const) and isinstance(v.value, int) for v in values):
        return "int64"
    if any(isinstance(v, Const) and isinstance(v.value, float) for v in values):
        return "float64"
    return None


# -- methods -----------------------------------------------------------------------------------


def call_array_method(
    frame: Frame, tree: ast.expr, receiver: Array, name: str, args: Arguments
) -> Value:
    """``array.name(args)``."""
    read_on_host(frame, tree, args)
    row = numpy_function(name)
    _write_outputs(frame, row, args)
    if name == "astype":
        given = args.value(0, "dtype")
        dtype = _named_dtype(given) if given is not None else None
        return replace(fresh(frame, tree, dtype, receiver.least), flat=receiver.flat)
    if name in ("fill", "sort", "put", "itemset", "partition", "resize", "setfield"):
        write_array(frame, receiver)
        return PLAIN
    if name in ("item", "tolist", "tobytes", "dump", "tofile"):
        return PLAIN
    if name in ("argmax", "argmin", "argsort", "nonzero"):
        return Array("int64")
    least = dimensions_of_call(row, args.before((None, receiver)))
    if name in ("mean", "std", "var"):
        dtype = receiver.dtype if receiver.dtype in ("float32", "float64") else None
        return Array(dtype, least=least)
    if flattened(name, args) is not Flat.NO:
        made = receiver if row.views else fresh(frame, tree, receiver.dtype, 1)
        return replace(made, least=1, flat=Flat.SURE)
    if row.views:
        return replace(receiver, least=least, flat=Flat.OPEN)
    made = fresh(frame, tree, receiver.dtype, least)
    return replace(made, flat=receiver.flat) if name in ("copy", "round", "clip") else made
