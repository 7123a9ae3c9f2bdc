"""What NumPy's functions make of their arguments: dtype, dimensions, memory, and tensors.

Rows go by the last part of the name, which ``np.random``, generators and methods of arrays share.
The facts about tensors were found by calling every function of NumPy 2.4 with tensors of the CPU
and of a device; tests/torch_api/test_numpy_functions.py does it again with what is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from devicefix.torch_api.rows import table, words

Given = Literal["array", "tensor", "own", "any"]
Dims = Literal["unknown", "kept", "reduced", "shape", "sizes", "size", "data"] | int


class NumpyFunction(Struct, frozen=True):
    """One function of NumPy, by the last part of its name.

    ``dtype``: of the result: a dtype's name, ``kept`` (that of the arguments, where they agree),
    ``floating`` (the same, integers become float64), ``range``, or empty where nobody knows.
    ``dims``: of the result, at least: a number, ``kept`` (of the arguments), ``reduced``,
    ``shape`` (argument 0), ``sizes`` (one argument each), ``size`` (`size_position`), ``data`` (of
    nested lists), ``unknown``.
    ``views``: the result may share memory with the first argument. ``no_array``: it is none.
    ``writes``: the first argument is written.
    ``given``: what becomes of a tensor given directly (one inside a list always makes an array):
    ``array`` reads it on the host; ``tensor`` reads it there and returns a tensor of the CPU
    (``Tensor.__array_wrap__``); ``own`` calls the method of that name of the tensor; ``any`` asks
    no more than the shape or one number.
    """

    name: str
    dtype: str
    dims: Dims
    views: bool
    no_array: bool
    writes: bool
    given: Given
    size_position: int
    source: str


_PAGE: Final = "https://numpy.org/doc/stable/reference/generated/numpy.{}.html"

FLOAT64: Final = words(
    "beta empty exponential eye gamma genfromtxt hamming hanning identity laplace linspace loadtxt "
    "logistic lognormal logspace meshgrid multivariate_normal normal ones rand randn random "
    "random_sample standard_normal uniform zeros"
)
"""float64 unless ``dtype=`` says something else."""

FLOATING: Final = words(
    "arctan arctan2 average corrcoef cos cosh cov divide exp log log10 log1p log2 mean median "
    "sin sinh sqrt std tan tanh true_divide var"
)
"""Floats stay what they are, integers become float64."""

INT64: Final = words(
    "argmax argmin argsort bincount integers nonzero permutation randint searchsorted"
)
"""int64 on all platforms but old Windows ones."""

KEPT: Final = words(
    "abs absolute add append array array_split asanyarray asarray ascontiguousarray astype choice "
    "clip column_stack concatenate convolve copy cumsum delete diff dot empty_like expand_dims "
    "flatten flip full_like gradient hstack insert interp matmul max maximum min minimum multiply "
    "ones_like outer pad power prod ravel repeat reshape roll round sort split square squeeze "
    "stack subtract sum swapaxes take tile transpose unique view vstack where zeros_like"
)
"""The dtype of the arguments, where they agree."""

VIEWS: Final = words(
    "asanyarray asarray ascontiguousarray atleast_1d atleast_2d broadcast_to expand_dims moveaxis "
    "ravel reshape squeeze swapaxes transpose view"
)
"""The result may look into the memory of the first argument."""

NO_ARRAYS: Final = words(
    "array2string isscalar ndim save savetxt savez savez_compressed seed set_printoptions shape "
    "size allclose array_equal array_equiv iterable finfo iinfo errstate printoptions"
)
"""The result is no array."""

WRITES: Final = words("at copyto fill_diagonal place put putmask shuffle")
"""The first argument is written; it stands for what ``out=`` is elsewhere."""

_MATHEMATICS: Final = words(
    "abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh "
    "cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs floor isfinite isinf "
    "isnan log log10 log1p log2 logical_not negative positive rad2deg radians reciprocal rint "
    "sign signbit sin sinh spacing sqrt square tan tanh trunc add arctan2 atan2 bitwise_and "
    "bitwise_or bitwise_xor copysign divide equal float_power floor_divide fmax fmin fmod greater "
    "greater_equal heaviside hypot left_shift less less_equal logaddexp logaddexp2 logical_and "
    "logical_or logical_xor maximum minimum mod multiply not_equal pow power remainder "
    "right_shift subtract true_divide"
)
"""Universal functions: element by element, and ``__array_wrap__`` makes tensors of the results."""

_WRAPPED: Final = words(
    "argmax argmin argpartition argsort argwhere around clip compress cumprod cumsum delete diff "
    "diagflat ediff1d fix insert isneginf isposinf linspace logspace matmul permute_dims ptp "
    "repeat reshape round searchsorted take transpose trim_zeros"
)
"""Other functions that hand their result to ``__array_wrap__``."""

_OWN: Final = words("array_split hsplit nonzero real rollaxis split squeeze swapaxes vsplit")
"""They call the tensor's own method, or slice it: right wherever it lives."""

_ANY: Final = words("array_equiv float64 isscalar iterable ndim shape size")
"""They ask for the shape, or convert one number by ``float()``."""

_REDUCED: Final = words(
    "all any argmax argmin average count_nonzero max mean median min nanmax nanmean nanmin nanstd "
    "nansum percentile prod ptp quantile std sum trace var"
)
_SHAPE: Final = words("empty full ones zeros")
_SIZES: Final = words("rand randn")
_SIZE: Final[Mapping[str, int]] = {
    "beta": 2,
    "binomial": 2,
    "choice": 1,
    "exponential": 1,
    "gamma": 2,
    "integers": 2,
    "laplace": 2,
    "lognormal": 2,
    "multivariate_normal": 2,
    "normal": 2,
    "poisson": 1,
    "randint": 2,
    "random": 0,
    "random_sample": 0,
    "standard_normal": 0,
    "uniform": 2,
}
"""Where the argument ``size`` stands; one number is drawn without it."""

_KEPT_DIMS: Final = (
    words(
        "astype copy ascontiguousarray cumsum diff flip pad roll sort clip round around nan_to_num "
        "zeros_like ones_like empty_like full_like transpose permutation interp cumprod argsort"
    )
    | _MATHEMATICS
)
_DATA: Final = words("array asarray asanyarray")
_AT_LEAST: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        words(
            "append arange argwhere atleast_1d bincount concatenate delete flatten fromiter "
            "hamming hanning hstack linspace loadtxt genfromtxt logspace ravel repeat stack "
            "unique convolve insert"
        ),
        1,
    ),
    **dict.fromkeys(
        words("atleast_2d column_stack eye identity meshgrid vstack outer corrcoef"), 2
    ),
}


def _dtype(name: str) -> str:
    kinds = ((FLOAT64, "float64"), (FLOATING, "floating"), (INT64, "int64"), (KEPT, "kept"))
    found = next((dtype for names, dtype in kinds if name in names), "")
    return "range" if name == "arange" else found


def _dims(name: str) -> Dims:
    if name in _AT_LEAST:
        return _AT_LEAST[name]
    kinds: tuple[tuple[frozenset[str], Dims], ...] = (
        (_REDUCED, "reduced"),
        (_SHAPE, "shape"),
        (_SIZES, "sizes"),
        (frozenset(_SIZE), "size"),
        (_DATA, "data"),
        (_KEPT_DIMS, "kept"),
    )
    return next((dims for names, dims in kinds if name in names), "unknown")


def _given(name: str) -> Given:
    if name in _MATHEMATICS or name in _WRAPPED:
        return "tensor"
    return "own" if name in _OWN else "any" if name in _ANY else "array"


def _row(name: str) -> NumpyFunction:
    return NumpyFunction(
        name=name,
        dtype=_dtype(name),
        dims=_dims(name),
        views=name in VIEWS,
        no_array=name in NO_ARRAYS,
        writes=name in WRITES,
        given=_given(name),
        size_position=_SIZE.get(name, -1),
        source=_PAGE.format(name),
    )


def _names() -> Iterator[str]:
    groups = (
        FLOAT64,
        FLOATING,
        INT64,
        KEPT,
        VIEWS,
        NO_ARRAYS,
        WRITES,
        _MATHEMATICS,
        _WRAPPED,
        _OWN,
        _ANY,
        _REDUCED,
        _SHAPE,
        _SIZE,
        _KEPT_DIMS,
        _AT_LEAST,
    )
    yield from sorted({name for group in groups for name in group})


NUMPY_FUNCTIONS: Final[Mapping[str, NumpyFunction]] = table(map(_row, _names()))
"""The functions by the last part of their name."""

_UNKNOWN: Final = _row("")


def numpy_function(name: str) -> NumpyFunction:
    """The row of a function, or one that knows nothing but that it reads tensors on the host."""
    return NUMPY_FUNCTIONS.get(name.rpartition(".")[2], _UNKNOWN)
