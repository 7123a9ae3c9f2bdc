"""Operations: the facts that the installed torch shows, by calling and from its schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from devicefix.torch_api import FUNCTIONS, NEEDS_VALUES, Result, goes_on
from devicefix.torch_api.functions import Function
from devicefix.torch_api.rows import words

torch = pytest.importorskip("torch")
torchgen = pytest.importorskip("torchgen")
F = torch.nn.functional

pytestmark = pytest.mark.filterwarnings("ignore")  # deprecated functions are called on purpose

Dtype = Any
Call = Callable[[Dtype, Dtype], Any]
X, Y = torch.float32, torch.float64


def r(*shape: int, dtype: Dtype = X) -> Any:
    """Return a tensor of positive numbers below one."""
    return (torch.rand(shape) * 0.8 + 0.1).to(dtype)


def i(*numbers: int) -> Any:
    """Return an index."""
    return torch.tensor(numbers)


def _square(dtype: Dtype) -> Any:
    return torch.eye(3, dtype=dtype)


# Each call takes the dtypes of two operands; it works where they are the same.
CALLS: dict[str, Call] = {
    "torch.mm": lambda a, b: torch.mm(r(2, 3, dtype=a), r(3, 2, dtype=b)),
    "torch.bmm": lambda a, b: torch.bmm(r(1, 2, 3, dtype=a), r(1, 3, 2, dtype=b)),
    "torch.mv": lambda a, b: torch.mv(r(2, 3, dtype=a), r(3, dtype=b)),
    "torch.matmul": lambda a, b: torch.matmul(r(2, 3, dtype=a), r(3, 2, dtype=b)),
    "torch.addmm": lambda a, b: torch.addmm(r(2, 2, dtype=a), r(2, 3, dtype=a), r(3, 2, dtype=b)),
    "torch.addmv": lambda a, b: torch.addmv(r(2, dtype=a), r(2, 3, dtype=a), r(3, dtype=b)),
    "torch.addbmm": lambda a, b: torch.addbmm(
        r(2, 2, dtype=a), r(1, 2, 3, dtype=a), r(1, 3, 2, dtype=b)
    ),
    "torch.baddbmm": lambda a, b: torch.baddbmm(
        r(1, 2, 2, dtype=a), r(1, 2, 3, dtype=a), r(1, 3, 2, dtype=b)
    ),
    "torch.dot": lambda a, b: torch.dot(r(3, dtype=a), r(3, dtype=b)),
    "torch.vdot": lambda a, b: torch.vdot(r(3, dtype=a), r(3, dtype=b)),
    "torch.inner": lambda a, b: torch.inner(r(3, dtype=a), r(3, dtype=b)),
    "torch.chain_matmul": lambda a, b: torch.chain_matmul(_square(a), _square(b)),
    "torch.tensordot": lambda a, b: torch.tensordot(_square(a), _square(b)),
    "torch.einsum": lambda a, b: torch.einsum("ij,jk->ik", _square(a), _square(b)),
    "torch.cdist": lambda a, b: torch.cdist(r(2, 3, dtype=a), r(2, 3, dtype=b)),
    "torch.cross": lambda a, b: torch.cross(r(3, dtype=a), r(3, dtype=b), dim=0),
    "torch.bilinear": lambda a, b: torch.bilinear(
        r(2, 3, dtype=a), r(2, 3, dtype=a), r(1, 3, 3, dtype=b), None
    ),
    "torch.conv1d": lambda a, b: torch.conv1d(r(1, 1, 4, dtype=a), r(1, 1, 2, dtype=b)),
    "torch.conv2d": lambda a, b: torch.conv2d(r(1, 1, 4, 4, dtype=a), r(1, 1, 2, 2, dtype=b)),
    "torch.conv3d": lambda a, b: torch.conv3d(r(1, 1, 4, 4, 4, dtype=a), r(1, 1, 2, 2, 2, dtype=b)),
    "torch.conv_tbc": lambda a, b: torch.conv_tbc(
        r(4, 1, 2, dtype=a), r(2, 2, 1, dtype=b), r(1, dtype=b)
    ),
    "torch.conv_transpose1d": lambda a, b: torch.conv_transpose1d(
        r(1, 1, 4, dtype=a), r(1, 1, 2, dtype=b)
    ),
    "torch.conv_transpose2d": lambda a, b: torch.conv_transpose2d(
        r(1, 1, 4, 4, dtype=a), r(1, 1, 2, 2, dtype=b)
    ),
    "torch.conv_transpose3d": lambda a, b: torch.conv_transpose3d(
        r(1, 1, 4, 4, 4, dtype=a), r(1, 1, 2, 2, 2, dtype=b)
    ),
    "torch.nn.functional.batch_norm": lambda a, b: F.batch_norm(
        r(2, 3, dtype=a), r(3, dtype=b), r(3, dtype=b)
    ),
    "torch.nn.functional.group_norm": lambda a, b: F.group_norm(
        r(2, 4, dtype=a), 2, r(4, dtype=b), r(4, dtype=b)
    ),
    "torch.nn.functional.instance_norm": lambda a, b: F.instance_norm(
        r(2, 3, 4, dtype=a), weight=r(3, dtype=b), bias=r(3, dtype=b)
    ),
    "torch.nn.functional.layer_norm": lambda a, b: F.layer_norm(
        r(2, 3, dtype=a), (3,), r(3, dtype=b)
    ),
    "torch.nn.functional.rms_norm": lambda a, b: F.rms_norm(r(2, 3, dtype=a), (3,), r(3, dtype=b)),
    "torch.prelu": lambda a, b: torch.prelu(r(3, dtype=a), r(1, dtype=b)),
    "torch.lerp": lambda a, b: torch.lerp(r(3, dtype=a), r(3, dtype=b), 0.5),
    "torch.heaviside": lambda a, b: torch.heaviside(r(3, dtype=a), r(3, dtype=b)),
    "torch.complex": lambda a, b: torch.complex(r(3, dtype=a), r(3, dtype=b)),
    "torch.polar": lambda a, b: torch.polar(r(3, dtype=a), r(3, dtype=b)),
    "torch.allclose": lambda a, b: torch.allclose(r(3, dtype=a), r(3, dtype=b)),
    "torch.isclose": lambda a, b: torch.isclose(r(3, dtype=a), r(3, dtype=b)),
    "torch.cartesian_prod": lambda a, b: torch.cartesian_prod(r(3, dtype=a), r(3, dtype=b)),
    "torch.meshgrid": lambda a, b: torch.meshgrid(r(3, dtype=a), r(3, dtype=b), indexing="ij"),
    "torch.masked_scatter": lambda a, b: torch.masked_scatter(
        r(3, dtype=a), i(1, 0, 1) > 0, r(3, dtype=b)
    ),
    "torch.index_copy": lambda a, b: torch.index_copy(r(3, dtype=a), 0, i(0), r(1, dtype=b)),
    "torch.index_add": lambda a, b: torch.index_add(r(3, dtype=a), 0, i(0), r(1, dtype=b)),
    "torch.index_reduce": lambda a, b: torch.index_reduce(
        r(3, dtype=a), 0, i(0), r(1, dtype=b), "prod"
    ),
    "torch.index_put": lambda a, b: torch.index_put(r(3, dtype=a), (i(0),), r(1, dtype=b)),
    "torch.put": lambda a, b: r(3, dtype=a).put(i(0), r(1, dtype=b)),
    "torch.scatter": lambda a, b: torch.scatter(r(3, dtype=a), 0, i(0), r(1, dtype=b)),
    "torch.scatter_add": lambda a, b: torch.scatter_add(r(3, dtype=a), 0, i(0), r(1, dtype=b)),
    "torch.scatter_reduce": lambda a, b: torch.scatter_reduce(
        r(3, dtype=a), 0, i(0), r(1, dtype=b), "sum"
    ),
    "torch.cholesky_solve": lambda a, b: torch.cholesky_solve(r(3, 1, dtype=a), _square(b)),
    "torch.lu_solve": lambda a, b: torch.lu_solve(
        r(3, 1, dtype=a), *torch.linalg.lu_factor(_square(b))
    ),
    "torch.triangular_solve": lambda a, b: torch.triangular_solve(r(3, 1, dtype=a), _square(b)),
    "torch.ormqr": lambda a, b: torch.ormqr(_square(a), r(3, dtype=a), _square(b)),
    "torch.quantile": lambda a, b: torch.quantile(r(3, dtype=a), r(2, dtype=b)),
    "torch.nanquantile": lambda a, b: torch.nanquantile(r(3, dtype=a), r(2, dtype=b)),
    "torch.grid_sampler": lambda a, b: torch.grid_sampler(
        r(1, 1, 4, 4, dtype=a), r(1, 2, 2, 2, dtype=b), 0, 0, False
    ),
    "torch.grid_sampler_2d": lambda a, b: torch.grid_sampler_2d(
        r(1, 1, 4, 4, dtype=a), r(1, 2, 2, 2, dtype=b), 0, 0, False
    ),
    "torch.grid_sampler_3d": lambda a, b: torch.grid_sampler_3d(
        r(1, 1, 4, 4, 4, dtype=a), r(1, 2, 2, 2, 3, dtype=b), 0, 0, False
    ),
    "torch.nn.functional.grid_sample": lambda a, b: F.grid_sample(
        r(1, 1, 4, 4, dtype=a), r(1, 2, 2, 2, dtype=b), align_corners=False
    ),
    "torch.nn.functional.embedding_bag": lambda a, b: F.embedding_bag(
        torch.zeros(1, 2, dtype=torch.int64),
        r(3, 2, dtype=a),
        per_sample_weights=r(1, 2, dtype=b),
        mode="sum",
    ),
    "torch.histogram": lambda a, b: torch.histogram(r(3, dtype=a), 2, weight=r(3, dtype=b)),
    "torch.histogramdd": lambda a, b: torch.histogramdd(
        r(3, 2, dtype=a), [2, 2], weight=r(3, dtype=b)
    ),
    "torch.lstm_cell": lambda a, b: torch.lstm_cell(
        r(1, 2, dtype=a), (r(1, 1, dtype=b),) * 2, r(4, 2, dtype=b), r(4, 1, dtype=b)
    ),
    "torch.gru_cell": lambda a, b: torch.gru_cell(
        r(1, 2, dtype=a), r(1, 1, dtype=b), r(3, 2, dtype=b), r(3, 1, dtype=b)
    ),
    "torch.rnn_tanh_cell": lambda a, b: torch.rnn_tanh_cell(
        r(1, 2, dtype=a), r(1, 1, dtype=b), r(1, 2, dtype=b), r(1, 1, dtype=b)
    ),
    "torch.rnn_relu_cell": lambda a, b: torch.rnn_relu_cell(
        r(1, 2, dtype=a), r(1, 1, dtype=b), r(1, 2, dtype=b), r(1, 1, dtype=b)
    ),
    "torch.nn.functional.linear": lambda a, b: F.linear(r(2, 3, dtype=a), r(4, 3, dtype=b)),
    "torch.nn.functional.scaled_dot_product_attention": lambda a, b: F.scaled_dot_product_attention(
        r(1, 2, 4, dtype=a), r(1, 2, 4, dtype=b), r(1, 2, 4, dtype=b)
    ),
    "torch.nn.functional.binary_cross_entropy": lambda a, b: F.binary_cross_entropy(
        r(3, dtype=a), r(3, dtype=b)
    ),
    "torch.nn.functional.nll_loss": lambda a, b: F.nll_loss(
        r(2, 3, dtype=a), i(0, 1), r(3, dtype=b)
    ),
    "torch.nn.functional.multi_margin_loss": lambda a, b: F.multi_margin_loss(
        r(2, 3, dtype=a), i(0, 1), weight=r(3, dtype=b)
    ),
    "torch.nn.functional.cross_entropy": lambda a, b: F.cross_entropy(
        r(2, 3, dtype=a), r(2, 3, dtype=b)
    ),
    "torch.linalg.cross": lambda a, b: torch.linalg.cross(r(3, dtype=a), r(3, dtype=b)),
    "torch.linalg.vecdot": lambda a, b: torch.linalg.vecdot(r(3, dtype=a), r(3, dtype=b)),
    "torch.linalg.matmul": lambda a, b: torch.linalg.matmul(_square(a), _square(b)),
    "torch.linalg.multi_dot": lambda a, b: torch.linalg.multi_dot([_square(a), _square(b)]),
    "torch.linalg.solve": lambda a, b: torch.linalg.solve(_square(a), r(3, dtype=b)),
    "torch.linalg.solve_ex": lambda a, b: torch.linalg.solve_ex(_square(a), r(3, dtype=b)),
    "torch.linalg.tensorsolve": lambda a, b: torch.linalg.tensorsolve(_square(a), r(3, dtype=b)),
    "torch.linalg.lstsq": lambda a, b: torch.linalg.lstsq(_square(a), r(3, 1, dtype=b)),
    "torch.linalg.householder_product": lambda a, b: torch.linalg.householder_product(
        _square(a), r(3, dtype=b)
    ),
    "torch.linalg.lu_solve": lambda a, b: torch.linalg.lu_solve(
        *torch.linalg.lu_factor(_square(a)), r(3, 1, dtype=b)
    ),
    "torch.linalg.ldl_solve": lambda a, b: torch.linalg.ldl_solve(
        *torch.linalg.ldl_factor(_square(a)), r(3, 1, dtype=b)
    ),
    "torch.linalg.solve_triangular": lambda a, b: torch.linalg.solve_triangular(
        _square(a), r(3, 1, dtype=b), upper=True
    ),
    "torch.cat": lambda a, b: torch.cat([r(3, dtype=a), r(3, dtype=b)]),
    "torch.stack": lambda a, b: torch.stack([r(3, dtype=a), r(3, dtype=b)]),
    "torch.hstack": lambda a, b: torch.hstack([r(3, dtype=a), r(3, dtype=b)]),
    "torch.outer": lambda a, b: torch.outer(r(3, dtype=a), r(3, dtype=b)),
    "torch.kron": lambda a, b: torch.kron(r(3, dtype=a), r(3, dtype=b)),
    "torch.where": lambda a, b: torch.where(i(1, 0, 1) > 0, r(3, dtype=a), r(3, dtype=b)),
    "torch.dist": lambda a, b: torch.dist(r(3, dtype=a), r(3, dtype=b)),
    "torch.searchsorted": lambda a, b: torch.searchsorted(r(3, dtype=a), r(3, dtype=b)),
    "torch.addcmul": lambda a, b: torch.addcmul(r(3, dtype=a), r(3, dtype=b), r(3, dtype=b)),
    "torch.nn.functional.cosine_similarity": lambda a, b: F.cosine_similarity(
        r(2, 3, dtype=a), r(2, 3, dtype=b)
    ),
    "torch.nn.functional.cosine_embedding_loss": lambda a, b: F.cosine_embedding_loss(
        r(2, 3, dtype=a), r(2, 3, dtype=b), torch.ones(2)
    ),
    "torch.nn.functional.gaussian_nll_loss": lambda a, b: F.gaussian_nll_loss(
        r(3, dtype=a), r(3, dtype=b), r(3, dtype=b)
    ),
    "torch.nn.functional.margin_ranking_loss": lambda a, b: F.margin_ranking_loss(
        r(3, dtype=a), r(3, dtype=b), torch.ones(3)
    ),
    "torch.nn.functional.triplet_margin_loss": lambda a, b: F.triplet_margin_loss(
        r(2, 3, dtype=a), r(2, 3, dtype=b), r(2, 3, dtype=b)
    ),
}
SIMPLE = words(
    """
    torch.add torch.sub torch.mul torch.div torch.pow torch.eq torch.lt torch.maximum torch.max
    torch.min torch.atan2 torch.hypot torch.fmod torch.remainder torch.xlogy torch.logaddexp
    torch.clamp torch.nn.functional.mse_loss torch.nn.functional.l1_loss
    torch.nn.functional.smooth_l1_loss torch.nn.functional.huber_loss
    torch.nn.functional.binary_cross_entropy_with_logits torch.nn.functional.kl_div
    torch.nn.functional.poisson_nll_loss torch.nn.functional.soft_margin_loss
    torch.nn.functional.hinge_embedding_loss torch.nn.functional.pairwise_distance
    """
)
UNCALLED = {  # the fused recurrent ones are called through their modules, in test_modules.py
    "torch.lstm",
    "torch.gru",
    "torch.rnn_tanh",
    "torch.rnn_relu",
    "torch.native_batch_norm",
    "torch.native_group_norm",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.functional.linear_cross_entropy",
    "torch.nn.functional.grouped_mm",
    "torch.nn.functional.scaled_mm",
    "torch.nn.functional.scaled_grouped_mm",
}


def _resolve(dotted: str) -> Any:
    found: Any = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _simple(name: str) -> Call:
    return lambda a, b: _resolve(name)(r(2, 3, dtype=a), r(2, 3, dtype=b))


def _raises(call: Call) -> bool:
    try:
        call(X, Y)
    except (RuntimeError, ValueError):
        return True
    return False


@pytest.mark.parametrize("name", sorted(CALLS.keys() | SIMPLE))
def test_strict_dtype(name: str) -> None:
    call = CALLS.get(name) or _simple(name)
    call(X, X)
    call(Y, Y)
    assert _raises(call) is FUNCTIONS[name].strict_dtype


def test_every_strict_row_is_called() -> None:
    called = CALLS.keys() | UNCALLED
    bare = {name.rpartition(".")[2] for name in called}
    strict = {name for name, row in FUNCTIONS.items() if row.strict_dtype}
    assert {n for n in strict - called if n.rpartition(".")[2].rstrip("_") not in bare} == set()


def test_huber_promotes_forward_and_raises_backward() -> None:
    loss = F.huber_loss(r(3).requires_grad_(), r(3, dtype=Y))
    with pytest.raises(RuntimeError):
        loss.backward()


# --- devices: what the dispatcher does not check, TensorIterator does, and it lets 0-dim pass


@cache
def _schemas() -> tuple[tuple[str, str, bool], ...]:
    """Return the name, the arguments and ``device_check: NoCheck`` of each packaged schema."""
    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    text = (folder / "native_functions.yaml").read_text(encoding="utf-8")
    found = []
    for entry in re.split(r"\n(?=- func: )", text):
        match = re.match(r"- func: ([\w.]+)\((.*)\) -> ", entry)
        if match:
            found.append((match[1], match[2], "device_check: NoCheck" in entry))
    return tuple(found)


def _unchecked_with_two_tensors() -> Iterator[str]:
    for name, arguments, unchecked in _schemas():
        inputs = re.sub(r"Tensor\(\w!\) (?!self)\w+", "", arguments)  # without the outputs
        tensors = re.findall(r"Tensor(?:\(\w!?\))?\??(?:\[\])? \w+", inputs)
        base = name.partition(".")[0]
        internal = base.startswith("_") or "backward" in base or name.endswith("out")
        if unchecked and len(tensors) > 1 and not internal:
            yield base.rstrip("_")


COMPOSITE = words(  # made of pointwise operations, or another name of one
    """
    subtract multiply divide true_divide not_equal less less_equal greater greater_equal arctan2
    float_power ldexp isclose allclose pairwise_distance
    """
)
NOT_POINTWISE = {  # unchecked for reasons of their own
    "as_strided_scatter": "copies its source over",
    "bernoulli": "the probabilities are the receiver, or must live with it",
    "binary_cross_entropy": "wants equal sizes",
    "binary_cross_entropy_with_logits": "wants equal sizes",
    "binomial": "a distribution's sampler",
    "copy": "moves its source",
    "copy_sparse_to_sparse": "moves its source",
    "diagonal_scatter": "copies its source over",
    "expand_as": "reads the shape only",
    "fake_quantize_per_channel_affine": "scales live with the input",
    "fake_quantize_per_tensor_affine": "scales live with the input",
    "index": "indices may live anywhere",
    "is_same_size": "reads the shape only",
    "is_set_to": "compares storages",
    "miopen_ctc_loss": "internal",
    "mse_loss": "the Python function broadcasts first",
    "narrow": "the start is read on the host",
    "reshape_as": "reads the shape only",
    "select_scatter": "copies its source over",
    "set": "takes a storage over",
    "slice_inverse": "internal",
    "slice_scatter": "copies its source over",
    "smooth_l1_loss": "the Python function broadcasts first",
    "sort": "one tensor, and its outputs",
    "to": "moves",
    "view_as": "reads the shape only",
}


def test_pointwise_rows_are_those_that_the_dispatcher_leaves_to_the_iterator() -> None:
    unchecked = set(_unchecked_with_two_tensors()) - NOT_POINTWISE.keys()
    special = {name.replace("special_", "") for name in unchecked if name.startswith("special_")}
    expected = {name for name in unchecked if not name.startswith("special_")} | special | COMPOSITE
    rows = {name.rpartition(".")[2].rstrip("_") for name, row in FUNCTIONS.items() if row.pointwise}
    assert rows == expected


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an accelerator")
def test_a_host_operand_without_dimensions_on_an_accelerator() -> None:
    for name in sorted(n for n, row in FUNCTIONS.items() if row.pointwise):
        function = _resolve(name)
        if _called(function, (r(3).cuda(), r(3).cuda())):
            function(r(3).cuda(), r())
            with pytest.raises(RuntimeError):
                function(r(3).cuda(), r(3))


# --- what a call gives back, tried with the first arguments that fit


def _attempts(make: Callable[[], Any]) -> Iterator[tuple[Any, ...]]:
    yield (make(),)
    yield (make(), make())
    yield (make(), 0)
    yield (make(), 1)
    yield (make(), make(), make())
    yield (make(), 0, 1)
    yield ([make(), make()],)
    yield (make() != 0, make(), make())


def _tensors(result: Any) -> list[Any]:
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for part in result for tensor in _tensors(part)]
    return []


def _first(name: str, make: Callable[[], Any]) -> tuple[tuple[Any, ...], list[Any]] | None:
    function = _resolve(name)
    for arguments in _attempts(make):
        result = _called(function, arguments)
        if result:
            return arguments, result
    return None


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
    """Return the tensors of a result; none where the arguments do not fit."""
    try:
        return _tensors(function(*arguments))
    except Exception:
        return []


OUTSIDE = ("torch.nn.init.", "torch.nn.utils.", "torch.autograd.", "torch.func.")
UNSAFE = {
    "torch.lobpcg",  # seconds per call
    "torch.lu_unpack",  # believes its pivots, and writes outside the tensor where they are wrong
}
ROWS = [
    row
    for name, row in FUNCTIONS.items()
    if row.result is Result.TENSOR
    and not name.startswith(OUTSIDE)
    and name not in UNSAFE
    and _resolve(name)
]
NUMBERS: dict[str, Callable[[], Any]] = {
    "integers": lambda: torch.randint(1, 3, (3,), dtype=torch.int32),
    "integer matrix": lambda: torch.randint(1, 3, (3, 3), dtype=torch.int32),
    "floats": lambda: r(3),
    "float matrix": lambda: r(3, 3),
    "double matrix": lambda: r(3, 3, dtype=Y),
}
WHERE = "torch.where"  # with one argument it is nonzero


def _expected(row: Function, source: str) -> set[str]:
    whole = source == "int32"
    return {
        "operands": {source},
        "float": {"float32" if whole else source},
        "widened": {"int64" if whole else source},
        "real": {source, "float32"} if whole else {source},
        "complex": {"complex128" if source == "float64" else "complex64"},
    }.get(row.result_dtype, {row.result_dtype})


@pytest.mark.parametrize("numbers", NUMBERS)
def test_result_dtype(numbers: str) -> None:
    torch.manual_seed(0)
    make = NUMBERS[numbers]
    wrong = {}
    for row in ROWS:
        tried = _first(row.name, make)
        if tried and row.name != WHERE and "loss" not in row.name:
            made = str(tried[1][0].dtype).removeprefix("torch.")
            if made not in _expected(row, str(make().dtype).removeprefix("torch.")):
                wrong[row.name] = made
    assert wrong == {}


def test_parts() -> None:
    wrong = {}
    for row in ROWS:
        tried = _first(row.name, lambda: r(3, 3))
        if tried and row.parts not in ((), ("*",)) and row.name != "torch.histogramdd":
            result = next(iter(_expected(row, "float32")))
            expected = [result if part == "operands" else part for part in row.parts]
            made = [str(tensor.dtype).removeprefix("torch.") for tensor in tried[1]]
            if made != expected:
                wrong[row.name] = made
    assert wrong == {}


def test_zero_dim() -> None:
    wrong = {}
    for row in ROWS:
        for make in (lambda: r(3), lambda: r(3, 3)):
            tried = _first(row.name, make)
            if tried and row.name != WHERE:
                dims = {tensor.dim() for tensor in tried[1]}
                by_dim = any(isinstance(a, int) for a in tried[0])
                if row.zero_dim == "as inputs" and 0 in dims:
                    wrong[row.name] = dims
                if row.zero_dim == "always" and dims != {0}:
                    wrong[row.name] = dims
                if row.zero_dim in ("without dim", "reduced") and not by_dim and dims != {0}:
                    wrong[row.name] = dims
    assert wrong == {}


def test_zero_dim_as_inputs() -> None:
    wrong = {}
    for row in ROWS:
        tried = _first(row.name, lambda: r())
        if tried and row.zero_dim != "never" and row.name != WHERE:
            dims = {tensor.dim() for tensor in tried[1]}
            if dims != {0}:
                wrong[row.name] = dims
    assert wrong == {}


VIEWED: tuple[Callable[[], Any], ...] = (
    lambda: r(3),
    lambda: r(3, 3),
    lambda: r(),
    lambda: r(3, 2),
    lambda: r(4, 4, 4, 4),
    lambda: torch.complex(r(3, 2), r(3, 2)),
)
NOT_TRIED = {  # the attempts above do not fit these; the documentation of each says that it views
    "torch.as_strided",
    "torch.narrow",
    "torch.permute",
    "torch.split_with_sizes",
    "torch.unsafe_split_with_sizes",
    "torch.unflatten",
    "torch.view_as_complex",
    "torch.imag",
    "torch.dsplit",
    "torch.broadcast_to",
}


def _shares(arguments: tuple[Any, ...], result: list[Any]) -> bool:
    first = arguments[0][0] if isinstance(arguments[0], list) else arguments[0]
    storage = first.untyped_storage().data_ptr()
    return any(tensor.untyped_storage().data_ptr() == storage for tensor in result)


@cache
def _measured_views() -> dict[str, bool]:
    """Return whether a result shared storage with its first argument, of those that ran."""
    found = {}
    for row in ROWS:
        tries = [tried for make in VIEWED if (tried := _first(row.name, make))]
        if tries:
            found[row.name] = any(_shares(*tried) for tried in tries)
    return found


def test_no_view_is_missing() -> None:
    shared = {name for name, shares in _measured_views().items() if shares}
    assert {name for name in shared if not FUNCTIONS[name].view} == set()


def test_views_named_by_the_table_do_share() -> None:
    alone = {name for name, shares in _measured_views().items() if not shares}
    assert {name for name in alone if FUNCTIONS[name].view} - NOT_TRIED == set()


# --- arguments that must be integers, or must be on the host


INDEXED: dict[str, Callable[[Any], Any]] = {
    "torch.gather": lambda index: torch.gather(r(3), 0, index),
    "torch.scatter": lambda index: torch.scatter(r(3), 0, index, 1.0),
    "torch.scatter_add": lambda index: torch.scatter_add(r(3), 0, index, r(3)),
    "torch.index_select": lambda index: torch.index_select(r(3), 0, index),
    "torch.index_add": lambda index: torch.index_add(r(3), 0, index, r(3)),
    "torch.index_fill": lambda index: torch.index_fill(r(3), 0, index, 1.0),
    "torch.take": lambda index: torch.take(r(3), index),
    "torch.take_along_dim": lambda index: torch.take_along_dim(r(3), index, 0),
    "torch.bincount": lambda index: torch.bincount(index),
    "torch.repeat_interleave": lambda index: torch.repeat_interleave(r(3), index),
    "torch.nn.functional.embedding": lambda index: F.embedding(index, r(3, 2)),
    "torch.nn.functional.embedding_bag": lambda index: F.embedding_bag(index, r(3, 2), i(0)),
    "torch.nn.functional.one_hot": lambda index: F.one_hot(index),
    "torch.nn.functional.nll_loss": lambda index: F.nll_loss(r(3, 3), index),
    "torch.nn.functional.cross_entropy": lambda index: F.cross_entropy(r(3, 3), index),
    "torch.nn.functional.multi_margin_loss": lambda index: F.multi_margin_loss(r(3, 3), index),
}


@pytest.mark.parametrize("name", sorted(INDEXED))
def test_index_arguments(name: str) -> None:
    INDEXED[name](i(0, 1, 2))
    with pytest.raises((RuntimeError, IndexError)):
        INDEXED[name](torch.tensor([0.0, 1.0, 2.0]))
    assert FUNCTIONS[name].index_arguments != ()


def test_lengths_live_on_the_host() -> None:
    rows = [name for name, row in FUNCTIONS.items() if row.host_arguments]
    assert "torch.nn.utils.rnn.pack_padded_sequence" in rows
    with pytest.raises(RuntimeError, match="CPU"):
        torch.nn.utils.rnn.pack_padded_sequence(r(2, 1, 1), i(2).to("meta"))
    with pytest.raises(RuntimeError, match=r"(?i)cpu"):
        torch.tensor_split(r(4), i(2).to("meta"))
    with pytest.raises((RuntimeError, TypeError)):
        torch.set_rng_state(torch.get_rng_state().to("meta"))


def test_what_depends_on_values_waits_for_them() -> None:
    """torch tags the operators that cannot return before the values are there."""
    tags = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)
    for name in torch._C._dispatch_get_all_op_names():
        space, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        if space != "aten" or base.startswith(("_", "linalg_")) or base == "index":
            continue  # `index` with a mask is asked for by its argument
        op = getattr(getattr(torch.ops.aten, base), overload or "default", None)
        if op is not None and any(tag in op.tags for tag in tags):
            assert any(base.startswith(known) for known in NEEDS_VALUES), base
            assert not goes_on(f"torch.{base}")
    for name in ("torch.relu", "torch.nn.functional.linear", "torch.matmul", "torch.numel"):
        assert goes_on(name), name
    for name in ("torch.cuda.synchronize", "torch.linalg.inv", "torch.save", "torch.unheard_of"):
        assert not goes_on(name), name
