"""NumPy and the libraries around it: they read tensors on the host and give arrays."""

from __future__ import annotations

import ast

from devicefix.flow.dtypes import dtype_of_data
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.memory import fresh, write_array
from devicefix.flow.operands import note_dtype_use
from devicefix.flow.values import (
    PLAIN,
    Array,
    Const,
    Dtype,
    External,
    Tensor,
    Value,
)

_FLOAT64 = frozenset({
    "beta", "empty", "exponential", "eye", "gamma", "genfromtxt", "hamming", "hanning", "identity",
    "laplace", "linspace", "loadtxt", "logistic", "lognormal", "logspace", "meshgrid",
    "multivariate_normal", "normal", "ones", "rand", "randn", "random", "random_sample",
    "standard_normal", "uniform", "zeros",
})  # fmt: skip
_FLOATING = frozenset({
    "arctan", "arctan2", "average", "corrcoef", "cos", "cosh", "cov", "divide", "exp", "log",
    "log10", "log1p", "log2", "mean", "median", "sigmoid", "sin", "sinh", "sqrt", "std", "tan",
    "tanh", "true_divide", "var",
})  # fmt: skip
_INT64 = frozenset({
    "argmax", "argmin", "argsort", "bincount", "integers", "nonzero", "permutation", "randint",
    "searchsorted",
})  # fmt: skip
_KEEPS = frozenset({
    "abs", "add", "append", "array", "array_split", "asarray", "ascontiguousarray", "astype",
    "choice", "clip", "column_stack", "concatenate", "convolve", "copy", "cumsum", "delete", "diff",
    "dot", "empty_like", "expand_dims", "flatten", "flip", "full_like", "gradient", "hstack",
    "insert", "interp", "matmul", "max", "maximum", "min", "minimum", "multiply", "newaxis",
    "ones_like", "outer", "pad", "power", "prod", "ravel", "repeat", "reshape", "roll", "round",
    "shuffle", "sort", "split", "square", "squeeze", "stack", "subtract", "sum", "swapaxes", "take",
    "tile", "transpose", "unique", "view", "vstack", "where", "zeros_like",
})  # fmt: skip
_VIEWS = frozenset({
    "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "broadcast_to",
    "expand_dims", "moveaxis", "ravel", "reshape", "squeeze", "swapaxes", "transpose",
})  # fmt: skip
_PLAIN_RESULTS = frozenset({
    "array2string", "isscalar", "load", "ndim", "save", "savetxt", "savez", "seed",
    "set_printoptions", "shape", "size",
})  # fmt: skip


def call_numpy(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """``numpy.name(args)`` or a call into another library that works on arrays."""
    read_on_host(frame, tree, args)
    last = name.rpartition(".")[2]
    if last in ("RandomState", "default_rng"):
        return External("numpy.random")
    if last in ("finfo", "iinfo"):
        return PLAIN
    if not name.startswith("numpy"):
        return PLAIN if name.startswith(("matplotlib", "PIL.", "cv2.im")) else Array(None)
    if last in _PLAIN_RESULTS:
        return PLAIN if last != "load" else Array(None)
    _write_outputs(frame, last, args)
    first = args.value(0)
    if last in _VIEWS and isinstance(first, Array):
        return Array(_dtype(last, args), first.memory, first.views)
    return fresh(frame, tree, _dtype(last, args))


def _write_outputs(frame: Frame, name: str, args: Arguments) -> None:
    """``out=``, ``np.copyto(x, …)``, ``np.add.at(x, …)``, ``rng.shuffle(x)`` write into arrays."""
    outputs = [args.value(None, "out")]
    if name in ("copyto", "at", "put", "place", "putmask", "fill_diagonal", "shuffle"):
        outputs.append(args.value(0))
    for output in outputs:
        if isinstance(output, Array):
            write_array(frame, output)


def read_on_host(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """Tensors among the arguments are read through ``__array__``."""
    for expr, value in args.all():
        if tensors_in(value):
            frame.need_host(expr, value)
            for tensor in tensors_in(value):
                note_dtype_use(frame, tree, tensor)


def _dtype(name: str, args: Arguments) -> str | None:
    given = args.value(None, "dtype")
    if isinstance(given, Dtype):
        return given.name
    if isinstance(given, External) and given.name.startswith("builtins."):
        return {"float": "float64", "int": "int64", "bool": "bool"}.get(given.name.split(".")[1])
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value if given.value in ("float32", "float64", "int64", "int32") else None
    if name in ("float32", "float64", "int64", "int32"):
        return name
    if name in _INT64:
        return "int64"
    if name in _FLOAT64:
        return "float64" if given is None else None
    arrays = [p for _, v in args.all() for p in parts_in(v) if isinstance(p, (Array, Tensor))]
    dtypes = {a.dtype for a in arrays}
    if name in _FLOATING:
        if len(dtypes) == 1:
            only = dtypes.pop()
            return only if only in ("float32", "float64") else ("float64" if only else None)
        return None
    if name == "arange":
        return _range_dtype(args)
    if name in _KEEPS and given is None:
        if len(dtypes) == 1:
            return dtypes.pop()
        if not arrays and name in ("array", "asarray") and args.positional:
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


def call_array_method(
    frame: Frame, tree: ast.expr, receiver: Array, name: str, args: Arguments
) -> Value:
    """``array.name(args)``."""
    read_on_host(frame, tree, args)
    if name == "astype":
        given = args.value(0, "dtype")
        inner = Arguments((), [("dtype", (None, given))]) if given is not None else Arguments()
        return fresh(frame, tree, _dtype("astype", inner))
    if name in ("fill", "sort", "put", "itemset", "partition", "resize", "setfield"):
        write_array(frame, receiver)
        return PLAIN
    if name in ("item", "tolist", "tobytes", "dump", "tofile"):
        return PLAIN
    if name in ("argmax", "argmin", "argsort", "nonzero"):
        return Array("int64")
    if name in ("mean", "std", "var"):
        return Array(receiver.dtype if receiver.dtype in ("float32", "float64") else None)
    if name in _VIEWS or name == "view":
        return receiver
    return fresh(frame, tree, receiver.dtype)
