"""Every class of torch.nn, and the kinds of torch.optim and torch.utils.data."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from devicefix.torch_api.names import canonical
from devicefix.torch_api.operations import CTC_LENGTHS
from devicefix.torch_api.rows import DOCS, table, words

LayerKind = Literal["layer", "activation", "loss", "container", "wrapper"]
LossDtype = Literal["strict", "promotes", "classes", ""]


class Layer(Struct, frozen=True):
    """One class of modules.

    ``parameters``: it owns parameters or floating buffers when constructed with its defaults.
    ``strict_float``: its input must be floating, with the dtype of the parameters.
    ``tensor_arguments``: keywords of the constructor that hold tensors. ``loss_dtype``: ``strict``
    raises on a float64 target beside a float32 input, ``promotes`` computes, ``classes`` wants
    integer classes (``CTCLoss`` converts floats); empty on what is no loss. ``promotes`` is about
    the forward computation. ``free_arguments``: position and keyword, pairwise, of arguments of a
    call that may live anywhere. ``inputs``: how many tensors a call has to be given.
    """

    name: str
    kind: LayerKind
    parameters: bool
    strict_float: bool
    tensor_arguments: tuple[str, ...]
    loss_dtype: LossDtype
    returns: Literal["tensor", "tensor and state"]
    source: str
    free_arguments: tuple[int | str, ...] = ()
    inputs: int = 1


_INPUTS: Final = {
    **dict.fromkeys(("Bilinear", "CosineSimilarity", "PairwiseDistance"), 2),
    **dict.fromkeys(("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"), 2),
    **dict.fromkeys(("Transformer", "TransformerDecoder", "TransformerDecoderLayer"), 2),
    "MultiheadAttention": 3,
}
"""The layers whose calls have to be given more than one tensor."""


def _layers(
    kind: LayerKind,
    names: str,
    prefix: str = "torch.nn.",
    *,
    parameters: bool = False,
    strict_float: bool = False,
    tensor_arguments: tuple[str, ...] = (),
    loss_dtype: LossDtype = "",
    returns: Literal["tensor", "tensor and state"] = "tensor",
    free_arguments: tuple[int | str, ...] = (),
    inputs: int = 1,
) -> Iterator[Layer]:
    for name in names.split():
        yield Layer(
            name=prefix + name,
            kind=kind,
            parameters=parameters,
            strict_float=strict_float,
            tensor_arguments=tensor_arguments,
            loss_dtype=loss_dtype,
            returns=returns,
            source=f"{DOCS}generated/{prefix}{name}.html",
            free_arguments=free_arguments,
            inputs=_INPUTS.get(name, inputs),
        )


def _losses(names: str, dtype: LossDtype, *tensors: str, inputs: int = 2) -> Iterator[Layer]:
    yield from _layers(
        "loss",
        names,
        inputs=inputs,
        loss_dtype=dtype,
        tensor_arguments=tensors,
    )


LAYERS: Final[Mapping[str, Layer]] = table(
    _layers(
        "layer",
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d "
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm GroupNorm LayerNorm LazyLinear "
        "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d "
        "LazyConvTranspose3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d "
        "LazyInstanceNorm2d LazyInstanceNorm3d RNNCell GRUCell "
        "RNNCellBase Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer "
        "TransformerDecoderLayer PReLU",
        parameters=True,
        strict_float=True,
    ),
    _layers("layer", "RMSNorm", parameters=True),
    _layers(
        "layer",
        "LSTM GRU RNN RNNBase LSTMCell MultiheadAttention",
        parameters=True,
        strict_float=True,
        returns="tensor and state",
    ),
    _layers("layer", "Embedding", parameters=True),
    _layers("layer", "EmbeddingBag", parameters=True),
    _layers(
        "layer",
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
        "AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d MaxPool1d MaxPool2d "
        "MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d LPPool1d LPPool2d LPPool3d "
        "FractionalMaxPool2d FractionalMaxPool3d ChannelShuffle PixelShuffle PixelUnshuffle "
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
        "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
        "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d CosineSimilarity PairwiseDistance "
        "CrossMapLRN2d LocalResponseNorm Dropout Dropout1d Dropout2d Dropout3d AlphaDropout "
        "FeatureAlphaDropout Flatten Unflatten Fold Unfold Identity InstanceNorm1d "
        "InstanceNorm2d InstanceNorm3d Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    ),
    _layers(
        "activation",
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
        "LogSoftmax Mish RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus "
        "Softshrink Softsign Tanh Tanhshrink Threshold",
    ),
    _losses("BCELoss", "strict", "weight"),
    _losses("BCEWithLogitsLoss", "promotes", "weight", "pos_weight"),
    _losses("MultiLabelSoftMarginLoss", "promotes", "weight"),
    _losses(
        "MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss PoissonNLLLoss SoftMarginLoss "
        "HingeEmbeddingLoss",
        "promotes",
    ),
    _losses(
        "GaussianNLLLoss MarginRankingLoss CosineEmbeddingLoss TripletMarginLoss "
        "TripletMarginWithDistanceLoss",
        "promotes",
        inputs=3,
    ),
    _losses("CrossEntropyLoss NLLLoss NLLLoss2d", "classes", "weight"),
    _losses("MultiMarginLoss", "classes", "weight"),
    _losses("MultiLabelMarginLoss", "classes"),
    _layers("loss", "CTCLoss", loss_dtype="classes", free_arguments=CTC_LENGTHS, inputs=4),
    _layers(
        "loss",
        "AdaptiveLogSoftmaxWithLoss LinearCrossEntropyLoss",
        parameters=True,
        strict_float=True,
        loss_dtype="classes",
        inputs=2,
    ),
    _layers("container", "Module Container Sequential ModuleDict ModuleList"),
    _layers("container", "ParameterDict ParameterList"),
    _layers("wrapper", "DataParallel parallel.DistributedDataParallel"),
    _layers("wrapper", "AveragedModel", "torch.optim.swa_utils."),
)
"""The classes by canonical name."""

_WEIGHTS: Final = {
    "weight": "Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d "
    "Embedding EmbeddingBag Linear PReLU",
    "weight_ih": "GRUCell LSTMCell RNNCell",
    "weight_ih_l0": "GRU LSTM RNN",
}
_OWN_WEIGHTS: Final = {
    f"torch.nn.{name}": weight for weight, names in _WEIGHTS.items() for name in names.split()
}
_RECOMPUTING: Final = frozenset(
    {
        "torch.nn.utils.parametrizations.orthogonal",
        "torch.nn.utils.parametrizations.spectral_norm",
        "torch.nn.utils.parametrizations.weight_norm",
        "torch.nn.utils.parametrize.register_parametrization",
        "torch.nn.utils.spectral_norm",
        "torch.nn.utils.weight_norm",
    }
)

MODULE_ATTRIBUTES: Final = words(
    "T_destination _apply _backward_hooks _backward_pre_hooks _buffers _call_impl "
    "_compiled_call_impl _forward_hooks _forward_hooks_always_called _forward_hooks_with_kwargs "
    "_forward_pre_hooks _forward_pre_hooks_with_kwargs _get_backward_hooks "
    "_get_backward_pre_hooks _get_name _is_full_backward_hook _load_from_state_dict "
    "_load_state_dict_post_hooks _load_state_dict_pre_hooks _maybe_warn_non_full_backward_hook "
    "_modules _named_members _non_persistent_buffers_set _parameters "
    "_register_load_state_dict_pre_hook _register_state_dict_hook _replicate_for_data_parallel "
    "_save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _version "
    "_wrapped_call_impl add_module apply bfloat16 buffers call_super_init children compile cpu "
    "cuda double dump_patches eval extra_repr float forward get_buffer get_extra_state "
    "get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers "
    "named_children named_modules named_parameters parameters register_backward_hook "
    "register_buffer register_forward_hook register_forward_pre_hook "
    "register_full_backward_hook register_full_backward_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module "
    "register_parameter register_state_dict_post_hook register_state_dict_pre_hook "
    "requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train "
    "training type xpu zero_grad"
)
"""What every ``Module`` has; no buffer may be called so (``dir(torch.nn.Module())``)."""

_OPTIMIZERS: Final = words(
    "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop "
    "Rprop SGD SparseAdam"
)
EAGER_OPTIMIZERS: Final = frozenset({"torch.optim.Adagrad"})
"""Those whose constructor makes state where the parameters are (the others wait for a step)."""
JOINING_OPTIMIZERS: Final = frozenset({"torch.optim.LBFGS"})
"""Those that join the gradients of all parameters to one vector, so all have to live together."""
_SCHEDULERS: Final = words(
    "LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR SequentialLR "
    "CosineAnnealingLR ChainedScheduler ReduceLROnPlateau CyclicLR "
    "CosineAnnealingWarmRestarts OneCycleLR PolynomialLR LRScheduler"
)


class DataKind(enum.Enum):
    """What a name of torch.utils.data is."""

    LOADER = "loader"
    DATASET = "dataset"
    ITERABLE_DATASET = "iterable dataset"
    DATASETS = "list of datasets"
    SAMPLER = "sampler"
    COLLATE = "collate function"


class DataName(Struct, frozen=True):
    """One name of torch.utils.data."""

    name: str
    kind: DataKind
    source: str


def _data(kind: DataKind, names: str) -> Iterator[DataName]:
    for name in names.split():
        yield DataName(f"torch.utils.data.{name}", kind, f"{DOCS}data.html")


DATA: Final[Mapping[str, DataName]] = table(
    _data(DataKind.LOADER, "DataLoader"),
    _data(DataKind.DATASET, "Dataset TensorDataset Subset ConcatDataset StackDataset"),
    _data(DataKind.DATASET, "MapDataPipe"),
    _data(
        DataKind.ITERABLE_DATASET,
        "IterableDataset ChainDataset IterDataPipe DFIterDataPipe",
    ),
    _data(DataKind.DATASETS, "random_split"),
    _data(
        DataKind.SAMPLER,
        "Sampler SequentialSampler RandomSampler SubsetRandomSampler WeightedRandomSampler "
        "BatchSampler DistributedSampler",
    ),
    _data(DataKind.COLLATE, "default_collate default_convert"),
)
"""The names of torch.utils.data that make or hold samples, by canonical name."""


def is_call(name: str, method: str) -> bool:
    """Say whether a method of a class of modules does what a call does; ``name``: the class.

    A metric counts what it is given by ``update``
    (https://lightning.ai/docs/torchmetrics/stable/pages/overview.html). A language model calls
    itself for each token that it generates
    (https://huggingface.co/docs/transformers/main_classes/text_generation).
    """
    return bool(name) and (
        method == "forward"
        or (method == "update" and is_metric(name))
        or (method == "generate" and name.startswith("transformers."))
    )


def is_metric(name: str) -> bool:
    """Say whether the class keeps counts as state that moves with it: one of torchmetrics."""
    owner, _, last = name.rpartition(".")
    library, *packages = owner.split(".")
    return library == "torchmetrics" and last[:1].isupper() and "functional" not in packages


def layer(name: str) -> Layer | None:
    """Return the row of a class of torch.nn, or ``None``."""
    return LAYERS.get(canonical(name))


def own_weight(name: str) -> str:
    """Return a parameter that each layer of this class has, whatever its constructor is told.

    Empty for norms, which may be made without, and for layers that are made of others.
    """
    return _OWN_WEIGHTS.get(canonical(name), "")


def recomputes_weights(name: str) -> bool:
    """Say whether a function makes the weight of a layer something that torch computes anew.

    It is then no parameter any more, and where the last computation has left it.
    """
    dotted = canonical(name)
    return dotted in _RECOMPUTING or dotted.startswith("torch.nn.utils.prune.")


def data_kind(name: str) -> DataKind | None:
    """Return what a name of torch.utils.data is, or ``None``."""
    row = DATA.get(canonical(name))
    return row.kind if row else None


def is_optimizer(name: str) -> bool:
    """Say whether a dotted name is an optimizer class of torch.optim."""
    head, _, last = canonical(name).rpartition(".")
    return head == "torch.optim" and last in _OPTIMIZERS


def is_scheduler(name: str) -> bool:
    """Say whether a dotted name is a learning rate scheduler of torch.optim."""
    head, _, last = canonical(name).rpartition(".")
    return head == "torch.optim.lr_scheduler" and last in _SCHEDULERS
