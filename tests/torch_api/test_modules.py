"""Modules: every class of torch.nn has a row, and the row says what the class does when called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from devicefix.torch_api import (
    EAGER_OPTIMIZERS,
    LAYERS,
    LOSS_WEIGHTS,
    MODULE_ATTRIBUTES,
    DataKind,
    data_kind,
    is_optimizer,
    is_scheduler,
    layer,
)

torch = pytest.importorskip("torch")
nn = torch.nn

pytestmark = pytest.mark.filterwarnings("ignore")  # deprecated classes are made on purpose

NO_MODULES = {  # parameters and options
    "Buffer",
    "LinearCrossEntropyOptions",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
}
ABSTRACT = {"RNNBase", "RNNCellBase", "Module", "Container"}


def r(*shape: int) -> Any:
    """Return a float32 tensor."""
    return torch.rand(shape)


# The arguments of each constructor, and the floating inputs of a call.
Sample = tuple[Callable[[], Any], Callable[[], tuple[Any, ...]]]
SINGLE: dict[str, Sample] = {
    "Linear": (lambda: nn.Linear(3, 2), lambda: (r(2, 3),)),
    "LazyLinear": (lambda: nn.LazyLinear(2), lambda: (r(2, 3),)),
    "Bilinear": (lambda: nn.Bilinear(3, 3, 2), lambda: (r(2, 3), r(2, 3))),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(3), lambda: (r(2, 3),)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), lambda: (r(2, 3, 2, 2),)),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(3), lambda: (r(2, 3, 2, 2, 2),)),
    "LazyBatchNorm1d": (lambda: nn.LazyBatchNorm1d(), lambda: (r(2, 3),)),
    "LazyBatchNorm2d": (lambda: nn.LazyBatchNorm2d(), lambda: (r(2, 3, 2, 2),)),
    "LazyBatchNorm3d": (lambda: nn.LazyBatchNorm3d(), lambda: (r(2, 3, 2, 2, 2),)),
    "SyncBatchNorm": (lambda: nn.SyncBatchNorm(3).eval(), lambda: (r(2, 3, 2, 2),)),
    "GroupNorm": (lambda: nn.GroupNorm(1, 3), lambda: (r(2, 3),)),
    "LayerNorm": (lambda: nn.LayerNorm(3), lambda: (r(2, 3),)),
    "RMSNorm": (lambda: nn.RMSNorm(3), lambda: (r(2, 3),)),
    "PReLU": (lambda: nn.PReLU(), lambda: (r(2, 3),)),
    "RNN": (lambda: nn.RNN(3, 2), lambda: (r(4, 1, 3),)),
    "GRU": (lambda: nn.GRU(3, 2), lambda: (r(4, 1, 3),)),
    "LSTM": (lambda: nn.LSTM(3, 2), lambda: (r(4, 1, 3),)),
    "RNNCell": (lambda: nn.RNNCell(3, 2), lambda: (r(1, 3),)),
    "GRUCell": (lambda: nn.GRUCell(3, 2), lambda: (r(1, 3),)),
    "LSTMCell": (lambda: nn.LSTMCell(3, 2), lambda: (r(1, 3),)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2), lambda: (r(2, 1, 4),) * 3),
    "Transformer": (lambda: nn.Transformer(4, 2, 1, 1, 8), lambda: (r(2, 1, 4),) * 2),
    "TransformerEncoderLayer": (
        lambda: nn.TransformerEncoderLayer(4, 2, 8),
        lambda: (r(2, 1, 4),),
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1),
        lambda: (r(2, 1, 4),),
    ),
    "TransformerDecoderLayer": (
        lambda: nn.TransformerDecoderLayer(4, 2, 8),
        lambda: (r(2, 1, 4),) * 2,
    ),
    "TransformerDecoder": (
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 1),
        lambda: (r(2, 1, 4),) * 2,
    ),
    "AdaptiveLogSoftmaxWithLoss": (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2]),
        lambda: (r(2, 4), torch.tensor([0, 1])),
    ),
    "LinearCrossEntropyLoss": (
        lambda: nn.LinearCrossEntropyLoss(4, 5),
        lambda: (r(2, 4), torch.tensor([0, 1])),
    ),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(2), lambda: (r(1, 4, 2, 2),)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), lambda: (r(1, 4, 2, 2),)),
    "PixelUnshuffle": (lambda: nn.PixelUnshuffle(2), lambda: (r(1, 4, 2, 2),)),
    "CosineSimilarity": (lambda: nn.CosineSimilarity(), lambda: (r(2, 3), r(2, 3))),
    "PairwiseDistance": (lambda: nn.PairwiseDistance(), lambda: (r(2, 3), r(2, 3))),
    "CrossMapLRN2d": (lambda: nn.CrossMapLRN2d(2), lambda: (r(1, 4, 2, 2),)),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), lambda: (r(1, 4, 2, 2),)),
    "Flatten": (lambda: nn.Flatten(), lambda: (r(2, 3),)),
    "Unflatten": (lambda: nn.Unflatten(1, (3, 1)), lambda: (r(2, 3),)),
    "Fold": (lambda: nn.Fold(2, 1), lambda: (r(1, 3, 4),)),
    "Unfold": (lambda: nn.Unfold(1), lambda: (r(1, 3, 2, 2),)),
    "Identity": (lambda: nn.Identity(), lambda: (r(2),)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2), lambda: (r(1, 1, 2),)),
    "Threshold": (lambda: nn.Threshold(0.5, 0.0), lambda: (r(2),)),
    "Softmax2d": (lambda: nn.Softmax2d(), lambda: (r(1, 2, 2, 2),)),
    "FractionalMaxPool2d": (lambda: nn.FractionalMaxPool2d(2, 2), lambda: (r(1, 1, 5, 5),)),
    "FractionalMaxPool3d": (lambda: nn.FractionalMaxPool3d(2, 2), lambda: (r(1, 1, 5, 5, 5),)),
}


FAMILIES: dict[str, tuple[Any, ...]] = {  # one class per number of dimensions
    "Conv": (3, 2, 2),
    "ConvTranspose": (3, 2, 2),
    "LazyConv": (2, 2),
    "LazyConvTranspose": (2, 2),
    "AdaptiveAvgPool": (2,),
    "AdaptiveMaxPool": (2,),
    "AvgPool": (2,),
    "MaxPool": (2,),
    "LPPool": (2, 2),
    "CircularPad": (1,),
    "ReflectionPad": (1,),
    "ReplicationPad": (1,),
    "ZeroPad": (1,),
    "ConstantPad": (1, 0.0),
    "Dropout": (),
    "InstanceNorm": (3,),
    "LazyInstanceNorm": (),
}


def _inputs(*shape: int) -> tuple[Any, ...]:
    return (r(*shape),)


def _family_samples() -> dict[str, Sample]:
    return {
        f"{family}{rank}d": (
            partial(getattr(nn, f"{family}{rank}d"), *arguments),
            partial(_inputs, 1, 3, *([4] * rank)),
        )
        for family, arguments in FAMILIES.items()
        for rank in (1, 2, 3)
    }


def _activation_samples() -> dict[str, Sample]:
    names = [n.removeprefix("torch.nn.") for n, row in LAYERS.items() if row.kind == "activation"]
    return {name: (getattr(nn, name), partial(_inputs, 2, 4)) for name in names}


SAMPLES = _activation_samples() | _family_samples() | SINGLE
UNCALLED = {  # indices from a pooling, integers, or a fixed rank
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Embedding",
    "EmbeddingBag",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "Dropout",
    "AlphaDropout",
    "FeatureAlphaDropout",
}


def _cast(inputs: tuple[Any, ...], dtype: Any) -> tuple[Any, ...]:
    return tuple(x.to(dtype) if x.is_floating_point() else x for x in inputs)


def _raises(make: Callable[[], Any], inputs: tuple[Any, ...]) -> bool:
    module = make()
    try:
        module(*inputs)
    except (RuntimeError, ValueError, NotImplementedError):
        return True
    return False


def test_no_class_is_missing() -> None:
    classes = {n for n in dir(nn) if inspect.isclass(getattr(nn, n))} - NO_MODULES
    assert {n for n in classes if f"torch.nn.{n}" not in LAYERS} == set()


def test_no_row_is_about_something_else() -> None:
    names = {name.removeprefix("torch.nn.") for name in LAYERS}
    assert {n for n in names if "." not in n and not hasattr(nn, n)} == set()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_strict_float(name: str) -> None:
    make, inputs = SAMPLES[name]
    row = LAYERS[f"torch.nn.{name}"]
    make()(*inputs())
    lazy = name.startswith("Lazy")
    warm = make()
    if lazy:
        warm(*inputs())
    raised = _raises(lambda: warm, _cast(inputs(), torch.float64))
    assert raised is row.strict_float
    if row.strict_float:
        assert _raises(lambda: warm, _cast(inputs(), torch.int64))


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_parameters_and_returns(name: str) -> None:
    make, inputs = SAMPLES[name]
    row = LAYERS[f"torch.nn.{name}"]
    module = make()
    result = module(*inputs())
    owned = [*module.parameters(), *module.buffers()]
    assert bool(owned) is row.parameters
    if row.kind != "loss":
        assert isinstance(result, tuple) is (row.returns == "tensor and state")


def test_every_layer_is_called() -> None:
    rows = {n.removeprefix("torch.nn.") for n, row in LAYERS.items() if row.kind == "layer"}
    assert rows - SAMPLES.keys() - UNCALLED - ABSTRACT == set()


@pytest.mark.parametrize("name", ["Embedding", "EmbeddingBag"])
def test_integer_input(name: str) -> None:
    module = getattr(nn, name)(5, 2)
    module(torch.zeros(1, 2, dtype=torch.int64))
    assert LAYERS[f"torch.nn.{name}"].parameters
    assert _raises(lambda: module, (torch.zeros(1, 2),))


# --- losses


PAIRS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "GaussianNLLLoss": lambda: (r(3), r(3), r(3)),
    "MarginRankingLoss": lambda: (r(3), r(3), torch.ones(3)),
    "CosineEmbeddingLoss": lambda: (r(2, 3), r(2, 3), torch.ones(2)),
    "TripletMarginLoss": lambda: (r(2, 3), r(2, 3), r(2, 3)),
    "TripletMarginWithDistanceLoss": lambda: (r(2, 3), r(2, 3), r(2, 3)),
    "MultiLabelSoftMarginLoss": lambda: (r(2, 3), r(2, 3)),
}
LOSSES = {
    name.removeprefix("torch.nn."): row.loss_dtype
    for name, row in LAYERS.items()
    if row.kind == "loss" and not row.parameters
}


@pytest.mark.parametrize("name", sorted(n for n, kind in LOSSES.items() if kind != "classes"))
def test_float64_targets(name: str) -> None:
    inputs = PAIRS.get(name, lambda: (r(3), r(3)))()
    getattr(nn, name)()(*inputs)
    mixed = (inputs[0], *_cast(inputs[1:], torch.float64))
    assert _raises(getattr(nn, name), mixed) is (LOSSES[name] == "strict")


CLASSES: dict[str, Callable[[], tuple[Any, ...]]] = {
    "MultiLabelMarginLoss": lambda: (r(2, 3), torch.tensor([[0, -1, 1], [1, -1, 0]])),
    "CTCLoss": lambda: (
        r(4, 1, 3).log_softmax(2),
        torch.tensor([[1, 2]]),
        torch.tensor([4]),
        torch.tensor([2]),
    ),
    "NLLLoss2d": lambda: (r(2, 3, 1, 1), torch.zeros(2, 1, 1, dtype=torch.int64)),
}


@pytest.mark.parametrize(
    "name", sorted(n for n, kind in LOSSES.items() if kind == "classes" and n != "CTCLoss")
)
def test_class_targets(name: str) -> None:
    scores, target, *rest = CLASSES.get(name, lambda: (r(2, 3), torch.tensor([0, 1])))()
    getattr(nn, name)()(scores, target, *rest)
    assert _raises(getattr(nn, name), (scores, target.float(), *rest))


def test_ctc_loss_converts_float_targets() -> None:
    scores, target, *rest = CLASSES["CTCLoss"]()
    assert not _raises(nn.CTCLoss, (scores, target.float(), *rest))


HIDDEN_SIGNATURE = {"torch.nn.NLLLoss2d"}  # a deprecated alias that takes *args


@pytest.mark.parametrize(
    "name",
    sorted(n for n, row in LAYERS.items() if row.tensor_arguments and n not in HIDDEN_SIGNATURE),
)
def test_tensor_arguments_of_constructors(name: str) -> None:
    row = LAYERS[name]
    constructor = getattr(nn, name.removeprefix("torch.nn."))
    for keyword in row.tensor_arguments:
        assert dict(constructor(**{keyword: r(3)}).named_buffers()).keys() == {keyword}


def test_no_other_loss_holds_a_tensor() -> None:
    for name in LOSSES.keys() - {"NLLLoss2d"}:
        parameters = inspect.signature(getattr(nn, name)).parameters
        tensors = {key for key in parameters if key in {"weight", "pos_weight"}}
        assert tensors == set(LAYERS[f"torch.nn.{name}"].tensor_arguments)


# --- optimizers, schedulers, data


def test_optimizers() -> None:
    optimizers = {
        n
        for n, value in vars(torch.optim).items()
        if inspect.isclass(value) and issubclass(value, torch.optim.Optimizer)
    }
    assert {n for n in optimizers if not is_optimizer(f"torch.optim.{n}")} == set()
    eager = set()
    for name in optimizers - {"Optimizer"}:
        parameter = nn.Parameter(torch.ones(2, 2))
        made = getattr(torch.optim, name)([parameter], lr=0.1)
        eager |= {f"torch.optim.{name}"} if parameter in made.state else set()
    assert eager == EAGER_OPTIMIZERS
    assert is_optimizer("torch.optim.adam.Adam")
    assert not is_optimizer("torch.optim.lr_scheduler.StepLR")
    assert not is_optimizer("numpy.Adam")


def test_schedulers() -> None:
    for name in torch.optim.lr_scheduler.__all__:
        assert is_scheduler(f"torch.optim.lr_scheduler.{name}")
    assert is_scheduler("torch.optim.lr_scheduler._LRScheduler")
    assert not is_scheduler("torch.optim.Adam")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch.utils.data.DataLoader", DataKind.LOADER),
        ("torch.utils.data.dataset.TensorDataset", DataKind.DATASET),
        ("torch.utils.data.IterableDataset", DataKind.ITERABLE_DATASET),
        ("torch.utils.data.random_split", DataKind.DATASETS),
        ("torch.utils.data.distributed.DistributedSampler", DataKind.SAMPLER),
        ("torch.utils.data.default_collate", DataKind.COLLATE),
        ("torch.nn.Linear", None),
    ],
)
def test_data(name: str, kind: DataKind | None) -> None:
    assert data_kind(name) is kind


def test_data_names_are_complete() -> None:
    classes = {n for n in torch.utils.data.__all__ if inspect.isclass(getattr(torch.utils.data, n))}
    helpers = {n for n in classes if "valid" in n or "determin" in n or n.startswith("_")}
    helpers |= {"DataChunk", "functional_datapipe"}
    assert {n for n in classes - helpers if data_kind(f"torch.utils.data.{n}") is None} == set()


def test_lookup_takes_any_spelling() -> None:
    found = layer("torch.nn.modules.linear.Linear")
    assert found is not None
    assert found.strict_float
    assert layer("torch.nn.functional.linear") is None


def test_the_attributes_that_every_module_has() -> None:
    inherited = {name for name in dir(nn.Module()) if not name.startswith("__")}
    assert inherited <= MODULE_ATTRIBUTES


def test_the_weights_of_functional_losses() -> None:
    found = {}
    for name, value in vars(nn.functional).items():
        try:
            parameters = list(inspect.signature(value).parameters)
        except (TypeError, ValueError):
            continue
        weights = [(i, p) for i, p in enumerate(parameters) if p in ("weight", "pos_weight")]
        if weights and "reduction" in parameters:
            found[name] = tuple(weights)
    assert found == LOSS_WEIGHTS


@pytest.mark.parametrize("name", [name for name, row in LAYERS.items() if row.kind == "loss"])
def test_a_loss_takes_so_many_tensors(name: str) -> None:
    cls = getattr(nn, name.removeprefix("torch.nn."))
    takes = list(inspect.signature(cls.forward).parameters)
    assert len(takes) == LAYERS[name].inputs + 1


def test_how_many_tensors_a_call_has_to_be_given() -> None:
    own = {name.removeprefix("torch.nn."): row for name, row in LAYERS.items()}
    told = {}
    for name, row in own.items():
        forward = getattr(getattr(nn, name, None), "forward", None)
        if forward is None or row.kind in ("container", "wrapper"):
            continue
        parameters = list(inspect.signature(forward).parameters.values())[1:]
        needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
        told[name] = max(1, sum(p.kind is not p.VAR_KEYWORD for p in needed))
    assert {name: own[name].inputs for name in told} == told
