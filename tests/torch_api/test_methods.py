"""Methods and attributes: the rows cover the installed torch, and say what it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devicefix.torch_api import ATTRIBUTES, METHODS, ONLY_TENSOR, Effect, Method, method

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
torchgen = pytest.importorskip("torchgen")

pytestmark = pytest.mark.filterwarnings("ignore")  # deprecated methods are called on purpose

LEFT_TORCH = {"names"}  # named tensors went with 2.13
NO_TENSOR = (
    numpy.ndarray,
    numpy.float64,
    list,
    dict,
    tuple,
    str,
    set,
    bytes,
    int,
    float,
    complex,
    torch.nn.Module,
)


def _public(wanted: bool) -> set[str]:
    names = {name for name in dir(torch.Tensor) if not name.startswith("_")}
    return {name for name in names if callable(getattr(torch.Tensor, name)) is wanted}


def test_no_method_is_missing() -> None:
    assert _public(True) - METHODS.keys() == set()


def test_no_row_is_about_something_else() -> None:
    assert {name for name in METHODS if not hasattr(torch.Tensor, name)} == set()


def test_attributes_are_complete() -> None:
    assert _public(False) ^ ATTRIBUTES.keys() <= LEFT_TORCH


def test_only_tensor_names_are_nowhere_else() -> None:
    shared = {name for name in METHODS if any(hasattr(kind, name) for kind in NO_TENSOR)}
    assert METHODS.keys() - shared == ONLY_TENSOR
    assert {"unsqueeze", "backward", "numpy", "matmul"} <= ONLY_TENSOR
    assert not {"to", "cuda", "cpu", "float", "view", "size", "add"} & ONLY_TENSOR


def test_a_trailing_underscore_means_in_place() -> None:
    in_place = {name for name, row in METHODS.items() if row.effect is Effect.IN_PLACE}
    underscored = {name for name in METHODS if name.endswith("_") and not name.startswith("__")}
    assert in_place == underscored


def test_casts() -> None:
    casts = {name: row.dtype for name, row in METHODS.items() if row.effect is Effect.CAST}
    for name, dtype in casts.items():
        if dtype is not None:
            made = getattr(torch.ones(2, dtype=torch.int16), name)()
            assert str(made.dtype) == f"torch.{dtype}"
    assert [name for name, dtype in casts.items() if dtype is None] == ["type"]


def test_a_cast_that_changes_nothing_is_the_receiver() -> None:
    tensor = torch.zeros(2)
    assert tensor.float() is tensor
    assert tensor.to("cpu") is tensor
    assert tensor.type_as(tensor) is tensor


def test_transfers_take_device_and_dtype_of_another_tensor() -> None:
    like = torch.zeros(1, dtype=torch.float64, device="meta")
    for moved in (torch.zeros(2).to(like), torch.zeros(2).type_as(like)):
        assert (moved.device.type, moved.dtype) == ("meta", torch.float64)
    assert METHODS["to"].effect is METHODS["type_as"].effect is Effect.TRANSFER
    assert not METHODS["to"].same_device
    assert not METHODS["type_as"].same_device


# --- calls with the first arguments that fit


def _attempts() -> Iterator[Callable[[], tuple[Any, ...]]]:
    yield lambda: ()
    yield lambda: (torch.rand(3, 3) + 0.1,)
    yield lambda: (0,)
    yield lambda: (1,)
    yield lambda: (0, 1)
    yield lambda: (2.0,)
    yield lambda: (torch.float32,)
    yield lambda: ((9,),)
    yield lambda: (torch.rand(3, 3), torch.rand(3, 3))
    yield lambda: (torch.eye(3) > 0, 1.0)
    yield lambda: (torch.eye(3) > 0, torch.rand(3, 3))
    yield lambda: (0, torch.tensor([0, 1]), torch.rand(2, 3))
    yield lambda: (0, torch.tensor([0, 1]))
    yield lambda: (0, torch.zeros(3, 3, dtype=torch.int64), torch.rand(3, 3))
    yield lambda: (0, torch.zeros(3, 3, dtype=torch.int64))
    yield lambda: ((3, 3), (3, 1))


UNTRIED = {
    "index",
    "record_stream",
    "module_load",
    "to_mkldnn",
    "pin_memory",
    "cuda",
    "xpu",
    "ipu",
    "mtia",
}


MISFIT = object()


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return the result of a call, or ``MISFIT``."""
    try:
        return function(*arguments)
    except Exception:
        return MISFIT


def _first(name: str) -> tuple[Any, Any] | None:
    for make in _attempts():
        receiver = torch.rand(3, 3) + 0.1
        result = _called(getattr(receiver, name), make())
        if result is not MISFIT:
            return receiver, result
    return None


def _tensors(result: Any) -> list[Any]:
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for part in result for tensor in _tensors(part)]
    return []


def _tried() -> Iterator[tuple[Method, Any, Any]]:
    for name, row in METHODS.items():
        found = None if name in UNTRIED else _first(name)
        if found:
            yield row, *found


def _shares(receiver: Any, result: Any) -> bool:
    storage = receiver.untyped_storage().data_ptr()
    dense = [part for part in _tensors(result) if part.layout is torch.strided]
    return any(part.untyped_storage().data_ptr() == storage for part in dense)


def _as_told(effect: Effect, receiver: Any, result: Any) -> bool:
    """Say whether a result fits the effect, as far as one call can show it."""
    if effect is Effect.IN_PLACE:
        return result is receiver
    if effect is Effect.VALUE:
        return not _tensors(result)
    if effect is Effect.COPY:
        return bool(_tensors(result)) and not _shares(receiver, result)
    if effect is Effect.HOST_READ:
        return isinstance(result, numpy.ndarray)
    return effect is not Effect.VIEW or bool(_tensors(result))


def test_effects() -> None:
    wrong = {row.name: row.effect for row, *call in _tried() if not _as_told(row.effect, *call)}
    assert wrong == {}


def test_fixed_dtypes() -> None:
    wrong = {}
    for row, _, result in _tried():
        if row.dtype and _tensors(result) and row.effect is Effect.COPY:
            made = str(_tensors(result)[0].dtype)
            if made != f"torch.{row.dtype}":
                wrong[row.name] = made
    assert wrong == {}
    assert METHODS["argmax"].dtype == "int64"
    assert METHODS["eq"].dtype == "bool"


# --- schemas: which methods take another tensor


def _methods_with_another_tensor() -> set[str]:
    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    text = (folder / "native_functions.yaml").read_text(encoding="utf-8")
    found = set()
    for entry in re.split(r"\n(?=- func: )", text):
        match = re.match(r"- func: ([\w.]+)\((.*)\) -> ", entry)
        if match and re.search(r"variants:.*method", entry):
            arguments = re.sub(r"Tensor\(\w!\) (?!self)\w+", "", match[2])
            tensors = re.findall(r"Tensor(?:\(\w!?\))?\??(?:\[\])? (\w+)", arguments)
            if set(tensors) - {"self"}:
                found.add(match[1].partition(".")[0])
    return found


ANY_DEVICE = {  # what the schema calls a tensor may live elsewhere, or only its shape is read
    "as_strided_scatter": "copies its source over",
    "broadcast_to": "reads the shape only",
    "copy_": "moves its source",
    "diagonal_scatter": "copies its source over",
    "expand_as": "reads the shape only",
    "fill_": "takes a value without dimensions",
    "index": "indices may live anywhere",
    "is_same_size": "reads the shape only",
    "narrow": "reads the start on the host",
    "repeat_interleave": "",
    "reshape_as": "reads the shape only",
    "resize_as_": "reads the shape only",
    "resize_as_sparse_": "reads the shape only",
    "select_scatter": "copies its source over",
    "slice_inverse": "internal",
    "slice_scatter": "copies its source over",
    "split": "",
    "tensor_split": "wants its indices on the host",
    "to": "takes device and dtype",
    "type_as": "takes device and dtype",
    "view_as": "reads the shape only",
}


def test_methods_whose_tensors_live_together() -> None:
    expected = {name for name in _methods_with_another_tensor() if name in METHODS}
    rows = {name for name, row in METHODS.items() if row.same_device}
    assert expected - rows - ANY_DEVICE.keys() == set()
    assert rows & {name for name, why in ANY_DEVICE.items() if why} == set()


def test_host_receivers() -> None:
    for name in ("numpy", "__array__"):
        with pytest.raises((TypeError, RuntimeError)):
            getattr(torch.zeros(2, device="meta"), name)()
        assert METHODS[name].host_receiver
    assert METHODS["apply_"].host_receiver
    assert METHODS["pin_memory"].host_receiver


def test_copy_takes_a_tensor_from_anywhere() -> None:
    torch.zeros(2, device="meta").copy_(torch.zeros(2))
    assert not METHODS["copy_"].same_device


@pytest.mark.parametrize("name", ["matmul", "mm", "scatter_", "index_add_", "lerp", "dot"])
def test_strict_methods(name: str) -> None:
    assert METHODS[name].strict_dtype


@pytest.mark.parametrize("name", ["add", "mul_", "cat", "clamp", "pow"])
def test_promoting_methods(name: str) -> None:
    row = method(name)
    assert row is None or not row.strict_dtype


def test_index_arguments_count_without_the_receiver() -> None:
    assert METHODS["gather"].index_arguments == (1, "index")
    assert METHODS["take"].index_arguments == (0, "index")
    assert METHODS["bincount"].index_arguments == (-1, "input")
    assert METHODS["tensor_split"].host_arguments[0] == 0


def test_lookup() -> None:
    found = method("add")
    assert found is not None
    assert found.pointwise
    assert method("append") is None
