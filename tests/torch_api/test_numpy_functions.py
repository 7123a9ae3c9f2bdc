"""The rows of NumPy's functions, against the installed NumPy and torch, by calling them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from devicefix.torch_api import makes_objects, numpy_function
from devicefix.torch_api.numpy_functions import NUMPY_FUNCTIONS

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

Trial = Callable[[Any], Any]
FLOATS: Final = torch.arange(1.0, 5.0).view(2, 2)
INTS: Final = torch.arange(1, 5)
TRIALS: Final[tuple[tuple[Any, ...], ...]] = (
    (FLOATS,), (FLOATS, FLOATS), (FLOATS, 1), (FLOATS[0],), (INTS,), (INTS, INTS), (INTS, 2),
    (FLOATS, 0, 1), (INTS, (4,)), (INTS > 2, INTS > 1),
)  # fmt: skip


def results(function: Trial) -> Iterator[Any]:
    """What the calls that work return."""
    for trial in TRIALS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield function(*trial)
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
            continue


def named(given: str) -> list[str]:
    rows = [row.name for row in NUMPY_FUNCTIONS.values() if row.given == given]
    return [name for name in rows if callable(getattr(np, name, None))]


@pytest.mark.parametrize("name", named("tensor"))
def test_a_tensor_comes_back(name: str) -> None:
    assert any(isinstance(result, torch.Tensor) for result in results(getattr(np, name)))


ARRAYS: Final = [name for name in named("array") if not NUMPY_FUNCTIONS[name].no_array]


@pytest.mark.parametrize("name", ARRAYS)
def test_no_tensor_comes_back(name: str) -> None:
    assert not any(isinstance(result, torch.Tensor) for result in results(getattr(np, name)))


class Elsewhere(torch.Tensor):  # type: ignore[misc]
    """A tensor that NumPy cannot read, as on a device."""

    def __array__(self, *args: object, **kwargs: object) -> Any:
        raise RuntimeError("read on the CPU")


@pytest.mark.parametrize("name", named("own") + named("any"))
def test_nothing_is_read_on_the_host(name: str) -> None:
    arguments: tuple[Any, ...] = (torch.ones(2, 4),)
    if name.endswith("split"):
        arguments = (*arguments, 2)
    elif name in ("swapaxes", "rollaxis"):
        arguments = (*arguments, 0, 1)
    elif name == "array_equiv":
        arguments = (*arguments, torch.ones(2, 4))
    elif name == "float64":
        arguments = (torch.tensor(2.0),)
    function = getattr(np, name)
    function(*(a.as_subclass(Elsewhere) if isinstance(a, torch.Tensor) else a for a in arguments))


@pytest.mark.parametrize("name", ["exp", "add", "argmax", "mean", "concatenate", "where"])
def test_all_else_is_read_on_the_host(name: str) -> None:
    x = torch.ones(2, 4).as_subclass(Elsewhere)
    arguments = ([x, x],) if name in ("concatenate", "mean") else (x, x) if name == "add" else (x,)
    with pytest.raises(RuntimeError, match="read on the CPU"):
        getattr(np, name)(*arguments)


DTYPES: Final = [
    row for row in NUMPY_FUNCTIONS.values() if row.dtype in ("float64", "int64", "floating")
]
CALLS: Final[dict[str, tuple[Any, ...]]] = {
    "linspace": (0, 1, 3), "logspace": (0, 1, 3), "meshgrid": ([1.0], [2.0]), "eye": (2,),
    "identity": (2,), "hamming": (3,), "hanning": (3,), "permutation": (3,), "randint": (0, 3, 4),
    "integers": (0, 3, 4), "multivariate_normal": ([0.0], [[1.0]]), "rand": (2,), "randn": (2,),
    "zeros": (2,), "empty": (2,), "ones": (2,), "bincount": ([1, 2],), "nonzero": ([1, 2],),
    "searchsorted": ([1, 2], 1), "normal": (0, 1, 3), "uniform": (0, 1, 3), "beta": (1, 1, 3),
    "gamma": (1, 1, 3), "laplace": (0, 1, 3), "lognormal": (0, 1, 3), "logistic": (0, 1, 3),
    "exponential": (1, 3), "random": (3,), "random_sample": (3,), "standard_normal": (3,),
    "argmax": ([1.0, 2.0],), "argmin": ([1.0],), "argsort": ([1.0],),
}  # fmt: skip
FILES: Final = ("genfromtxt", "loadtxt")


def find(name: str) -> Trial | None:
    """The function of that name in NumPy, its random module, or a generator."""
    places = (np, np.random, np.random.default_rng(0), np.linalg)
    return next((getattr(p, name) for p in places if callable(getattr(p, name, None))), None)


@pytest.mark.parametrize("name", [r.name for r in DTYPES if r.name not in FILES])
def test_dtype(name: str) -> None:
    function, dtype = find(name), NUMPY_FUNCTIONS[name].dtype
    if function is None:
        pytest.skip("not in this NumPy")
    if dtype == "floating":
        integers = (np.array([1, 2]), np.array([1, 2]))
        arguments = integers if name in ("arctan2", "divide", "true_divide") else integers[:1]
        assert np.asarray(function(*arguments)).dtype == "float64"
        singles = [a.astype("float32") for a in arguments]
        if name not in ("corrcoef", "cov"):
            assert np.asarray(function(*singles)).dtype == "float32"
        return
    result = function(*CALLS[name])
    result = result[0] if isinstance(result, (tuple, list)) else result
    assert np.asarray(result).dtype == dtype


@pytest.mark.parametrize("name", sorted(r.name for r in NUMPY_FUNCTIONS.values() if r.views))
def test_a_view_may_look_into_its_argument(name: str) -> None:
    if name in ("asanyarray", "ascontiguousarray", "view"):
        return
    arguments = {
        "broadcast_to": ((2, 2),), "expand_dims": (0,), "moveaxis": (0, 1), "reshape": ((4,),),
        "swapaxes": (0, 1),
    }  # fmt: skip
    array = np.ones((2, 2))
    assert np.shares_memory(array, getattr(np, name)(array, *arguments.get(name, ())))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("numpy.zeros", "shape"),
        ("numpy.random.rand", "sizes"),
        ("numpy.random.normal", "size"),
        ("numpy.mean", "reduced"),
        ("numpy.exp", "kept"),
        ("numpy.vstack", 2),
        ("numpy.array", "data"),
        ("numpy.nobody_knows", "unknown"),
    ],
)
def test_dimensions(name: str, expected: object) -> None:
    assert numpy_function(name).dims == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("matplotlib.pyplot.subplots", True),
        ("PIL.Image.open", True),
        ("sklearn.decomposition.PCA", False),
        ("gym.make", False),
        ("numpy.zeros", False),
    ],
)
def test_libraries_of_objects(name: str, expected: bool) -> None:
    assert makes_objects(name) is expected
