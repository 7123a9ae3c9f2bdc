"""Factories: each row against what the installed torch does when it is called."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from devicefix.torch_api import FACTORIES, LEGACY_CONSTRUCTORS, LIKE, NEW_METHODS, factory

pytestmark = pytest.mark.filterwarnings("ignore")  # prototypes and deprecations, called on purpose

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")

SPARSE = ([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))
COMPRESSED = ([0, 1, 2], [0, 1], [1.0, 2.0])
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "torch.eye": (3,),
    "torch.range": (0, 3),
    "torch.linspace": (0.0, 1.0, 3),
    "torch.logspace": (0.0, 1.0, 3),
    "torch.empty_strided": ((2, 3), (3, 1)),
    "torch.empty_permuted": ((2, 3), (0, 1)),
    "torch.normal": (0.0, 1.0, (3,)),
    "torch.randint": (0, 5, (3,)),
    "torch.randperm": (5,),
    "torch.tril_indices": (3, 3),
    "torch.triu_indices": (3, 3),
    "torch.full": ((2,), 7),
    "torch.tensor": ([1, 2],),
    "torch.scalar_tensor": (1.0,),
    "torch.as_tensor": ([1, 2],),
    "torch.asarray": ([1, 2],),
    "torch.from_numpy": (numpy.arange(3),),
    "torch.frombuffer": (bytearray(numpy.arange(3).tobytes()),),
    "torch.sparse_coo_tensor": SPARSE,
    "torch.sparse_csr_tensor": COMPRESSED,
    "torch.sparse_csc_tensor": COMPRESSED,
    "torch.sparse_bsr_tensor": ([0, 1], [0], [[[1.0]]]),
    "torch.sparse_bsc_tensor": ([0, 1], [0], [[[1.0]]]),
    "torch.sparse_compressed_tensor": COMPRESSED,
    "torch.nested.nested_tensor": ([[1.0, 2.0]],),
    "torch.get_rng_state": (),
}
KEYWORDS: dict[str, dict[str, Any]] = {
    "torch.frombuffer": {"dtype": torch.int64},
    "torch.sparse_compressed_tensor": {"layout": torch.sparse_csr},
    "torch.signal.windows.general_cosine": {"a": [0.5, 0.3, 0.2]},
}
NO_CPU_CALL = {"torch.from_file", "torch.cuda.get_rng_state"}
CALLED = sorted(FACTORIES.keys() - NO_CPU_CALL)


def _resolve(dotted: str) -> Any:
    found: Any = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part)
    return found


def _call(name: str, **more: Any) -> Any:
    keywords = KEYWORDS.get(name, {}) | more
    return _resolve(name)(*ARGUMENTS.get(name, (3,)), **keywords)


@pytest.mark.parametrize("name", CALLED)
def test_a_factory_makes_a_host_tensor(name: str) -> None:
    assert _call(name).device.type == "cpu"


@pytest.mark.parametrize("name", CALLED)
def test_device_keyword(name: str) -> None:
    if not FACTORIES[name].device_keyword:
        with pytest.raises(TypeError):
            _call(name, device="cpu")
    else:
        assert _call(name, device="cpu").device.type == "cpu"


def test_normal_takes_a_device_only_with_a_size() -> None:
    assert FACTORIES["torch.normal"].device_with == (2, "size")
    with pytest.raises(TypeError):
        torch.normal(torch.zeros(3), 1.0, device="cpu")


@pytest.mark.parametrize("name", CALLED)
def test_dtype(name: str) -> None:
    expected = {"default": "float32", "data": None}.get(
        FACTORIES[name].dtype, FACTORIES[name].dtype
    )
    made = _call(name).dtype
    assert expected is None or str(made) == f"torch.{expected}"


@pytest.mark.parametrize("name", [name for name in CALLED if FACTORIES[name].dtype == "default"])
def test_the_default_dtype_is_followed(name: str) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert _call(name).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("value", [1, 1.5, True])
def test_arange_full_and_tensor_follow_their_data(value: object) -> None:
    kind = {int: torch.int64, float: torch.float32, bool: torch.bool}[type(value)]
    assert torch.full((2,), value).dtype == kind
    assert torch.tensor([value]).dtype == kind
    assert value is True or torch.arange(value).dtype == kind


def test_float64_arrays_stay_float64() -> None:
    array = numpy.zeros(2)
    for make in (torch.tensor, torch.as_tensor, torch.asarray, torch.from_numpy):
        assert make(array).dtype == torch.float64


@pytest.mark.parametrize("name", ["torch.tensor", "torch.as_tensor", "torch.from_numpy"])
def test_shared_memory(name: str) -> None:
    array = numpy.zeros(2)
    made = _resolve(name)(array)
    array[0] = 1.0
    assert bool(made[0] == 1.0) is FACTORIES[name].shares_memory


def test_random_factories_draw_and_the_others_do_not() -> None:
    for name in CALLED:
        if "empty" not in name and name != "torch.get_rng_state":
            before = torch.get_rng_state()
            _call(name)
            assert (not torch.equal(before, torch.get_rng_state())) is FACTORIES[name].random, name


def test_random_factories_take_a_generator() -> None:
    for name in CALLED:
        if FACTORIES[name].random:
            _call(name, generator=torch.Generator())


@pytest.mark.parametrize("name", sorted(LIKE))
def test_like_follows_its_tensor(name: str) -> None:
    more = {"torch.full_like": (1.0,), "torch.randint_like": (5,)}.get(name, ())
    like = _resolve(name)(torch.zeros(2, dtype=torch.float64, device="meta"), *more)
    assert (like.dtype, like.device.type) == (torch.float64, "meta")


@pytest.mark.parametrize("name", sorted(NEW_METHODS))
def test_new_methods_follow_the_receiver(name: str) -> None:
    arguments = {
        "new_full": ((2,), 1.0),
        "new_tensor": ([1],),
        "new_empty_strided": ((2, 3), (3, 1)),
    }.get(name, ((2,),))
    made = getattr(torch.zeros(1, dtype=torch.float64, device="meta"), name)(*arguments)
    assert made.device.type == "meta"
    assert NEW_METHODS[name].dtype == "operand"
    assert made.dtype == torch.float64


@pytest.mark.parametrize("name", sorted(LEGACY_CONSTRUCTORS))
def test_legacy_constructors(name: str) -> None:
    row = LEGACY_CONSTRUCTORS[name]
    constructor = _resolve(name)
    expected = "float32" if row.dtype == "default" else row.dtype
    if row.device == "cpu":
        made = constructor(2)
        assert (str(made.dtype), made.device.type) == (f"torch.{expected}", "cpu")
    else:
        assert constructor.dtype == getattr(torch, expected)


def test_no_legacy_constructor_is_missing() -> None:
    found = {f"torch.{n}" for n in vars(torch) if n.endswith("Tensor") and n[0] != "_"}
    found |= {f"torch.cuda.{n}" for n in vars(torch.cuda) if n.endswith("Tensor")}
    aliases = {"torch.cuda.Tensor"}  # imported for annotations
    assert found - aliases == set(LEGACY_CONSTRUCTORS)


def test_no_public_factory_is_missing() -> None:
    """Every function of torch whose docstring names a device but no tensor first is a row."""
    hits = set()
    for name in dir(torch._C._VariableFunctions):
        text = inspect.getdoc(getattr(torch, name, None)) or ""
        first = text.partition("\n")[0]
        if "device=None" in first and not first.startswith(f"{name}(input"):
            hits.add(f"torch.{name}")
    known = FACTORIES.keys() | LIKE.keys() | {"torch.empty_quantized"}
    assert hits - known == set()


def test_lookup_takes_any_spelling() -> None:
    row = factory("torch._C._VariableFunctions.zeros")
    assert row is not None
    assert row.name == "torch.zeros"
    assert factory("numpy.zeros") is None
    assert factory("torch.add") is None


def test_from_file_maps_a_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(numpy.zeros(2, dtype="float32").tobytes())
    made = torch.from_file(str(path), shared=True, size=2, device="cpu")
    made[0] = 1.0
    assert FACTORIES["torch.from_file"].shares_memory
    assert numpy.frombuffer(path.read_bytes(), dtype="float32")[0] == 1.0
