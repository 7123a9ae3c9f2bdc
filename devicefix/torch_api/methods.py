"""Every method and attribute of a tensor: where the result lives, and what it asks of the rest."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.torch_api.factories import NEW_METHODS
from devicefix.torch_api.operations import OPERATIONS, Operation
from devicefix.torch_api.rows import DOCS, ZeroDim, table, words


class Effect(enum.Enum):
    """What a method makes of its receiver."""

    VIEW = "view"
    """A tensor that shares, or may share, the receiver's storage."""
    COPY = "copy"
    """A new tensor (or several) where the receiver lives."""
    IN_PLACE = "in place"
    """Changes the receiver and returns it."""
    CAST = "cast"
    """The same values in another dtype; the receiver itself where it has it already."""
    TRANSFER = "transfer"
    """The same values on another device; the receiver itself where it is there already."""
    HOST_READ = "host read"
    """An array of the host: raises off the CPU."""
    VALUE = "value"
    """A plain Python value; works on any device."""
    OTHER = "other"
    """None of these: hooks, storages, ``backward``."""


class Method(Struct, frozen=True):
    """One method.

    ``dtype``: the dtype of the result where it is fixed (``CAST``, ``argmax``, comparisons).
    ``zero_dim``: when the result has no dimensions. ``pointwise``: a CPU argument of no dimensions
    may sit beside a device receiver. ``same_device``: tensor arguments must live with the receiver;
    false too where there are none. ``strict_dtype``: float64 beside float32 raises.
    ``index_arguments``: position (without the receiver) and keyword of arguments that must be
    integers; position -1 is the receiver. ``host_arguments``: the same of arguments that must be on
    the CPU. ``host_receiver``: the receiver must be on the CPU. ``parts``, ``parts_with_dim``: as
    in ``Function``. ``result_dtype``: as in ``Function``.
    """

    name: str
    effect: Effect
    dtype: str | None
    zero_dim: ZeroDim
    pointwise: bool
    same_device: bool
    strict_dtype: bool
    source: str
    result_dtype: str = "operands"
    index_arguments: tuple[int | str, ...] = ()
    host_arguments: tuple[int | str, ...] = ()
    host_receiver: bool = False
    parts: tuple[str, ...] = ()
    parts_with_dim: bool = False


class Attribute(Struct, frozen=True):
    """One attribute: ``VIEW`` is a tensor that lives with the receiver, ``VALUE`` a plain value."""

    name: str
    effect: Effect
    source: str


def _page(name: str) -> str:
    return f"{DOCS}generated/torch.Tensor.{name}.html"


def _methods(
    effect: Effect,
    names: str,
    *,
    dtype: str | None = None,
    zero_dim: ZeroDim = "as inputs",
    same_device: bool = False,
    host_receiver: bool = False,
    source: str = "",
) -> Iterator[Method]:
    for name in names.split():
        yield Method(
            name=name,
            effect=effect,
            dtype=dtype,
            zero_dim=zero_dim,
            pointwise=False,
            same_device=same_device,
            strict_dtype=False,
            source=source or _page(name),
            result_dtype=dtype or "operands",
            host_receiver=host_receiver,
        )


_FIXED: Final = frozenset({"bool", "int64"})
"""Result dtypes that do not depend on the operands."""

_ALONE: Final = words(
    "abs absolute acos acosh adjoint all amax amin aminmax angle any arccos arccosh arcsin "
    "arcsinh arctan arctanh argmax argmin argsort argwhere asin asinh atan atanh as_strided "
    "bitwise_not broadcast_to ceil cholesky cholesky_inverse chunk clone conj "
    "conj_physical contiguous corrcoef cos cosh count_nonzero cummax cummin cumprod cumsum "
    "deg2rad det detach diag diag_embed diagflat diagonal digamma dsplit erf erfc erfinv exp "
    "exp2 expand expm1 fix flatten flip fliplr flipud floor frac frexp hardshrink hsplit i0 "
    "inverse isfinite isinf isnan isneginf isposinf isreal kthvalue lgamma log log10 log1p "
    "log2 log_softmax logcumsumexp logdet logical_not logit logsumexp matrix_exp matrix_power "
    "mean median mode moveaxis movedim msort multinomial mvlgamma nan_to_num nanmean nanmedian "
    "nansum narrow neg negative nonzero nonzero_static norm permute pinverse polygamma positive "
    "prod qr rad2deg ravel reciprocal relu renorm repeat reshape reshape_as resolve_conj "
    "resolve_neg roll rot90 round rsqrt select sgn sigmoid sign signbit sin sinc sinh slogdet "
    "softmax sort split split_with_sizes sqrt square squeeze std sum sum_to_size svd swapaxes "
    "swapdims t tan tanh tensor_split tile topk trace transpose tril triu trunc unbind "
    "unflatten unfold unique unique_consecutive unsafe_chunk unsafe_split "
    "unsafe_split_with_sizes unsqueeze var view view_as vsplit expand_as histc dequantize"
)
"""Methods that take no other tensor, or read only the shape of it (``expand_as``, ``view_as``)."""

_FUNCTION_ONLY: Final = words(
    "alias_copy alpha_dropout atleast_1d atleast_2d atleast_3d batch_norm bilinear block_diag "
    "broadcast_tensors bucketize cartesian_prod cat cdist celu chain_matmul channel_shuffle "
    "column_stack combinations complex concat concatenate constant_pad_nd conv1d conv2d conv3d "
    "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity "
    "cumulative_trapezoid dropout dstack einsum embedding embedding_bag "
    "fake_quantize_per_tensor_affine feature_alpha_dropout feature_dropout frobenius_norm "
    "gradient grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell histogramdd "
    "hstack imag instance_norm isin layer_norm lstm lstm_cell meshgrid native_layer_norm "
    "nuclear_norm pairwise_distance pca_lowrank pdist pixel_shuffle pixel_unshuffle poisson "
    "polar real rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell row_stack rrelu rsub "
    "searchsorted allclose lobpcg from_dlpack segment_reduce selu stack std_mean svd_lowrank "
    "tensordot threshold trapezoid trapz unravel_index vander var_mean view_as_complex "
    "view_as_real vstack fill scalar_tensor"
)
"""Operations that exist as functions only."""


def _shifted(arguments: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Count positions without the receiver."""
    return tuple(item - 1 if isinstance(item, int) else item for item in arguments)


def _row(operation: Operation, name: str, effect: Effect) -> Method:
    fixed = operation.result_dtype if operation.result_dtype in _FIXED else None
    return Method(
        name=name,
        effect=effect,
        dtype=None if effect is Effect.IN_PLACE else fixed,
        zero_dim=operation.zero_dim,
        pointwise=operation.pointwise,
        same_device=operation.same_device and operation.name not in _ALONE,
        strict_dtype=operation.strict_dtype,
        source=_page(name),
        result_dtype=operation.result_dtype,
        index_arguments=_shifted(operation.index_arguments),
        host_arguments=_shifted(operation.host_arguments),
        parts=operation.parts,
        parts_with_dim=operation.parts_with_dim,
    )


def _operations() -> Iterator[Method]:
    for operation in OPERATIONS.values():
        if operation.name not in _FUNCTION_ONLY:
            effect = Effect.VIEW if operation.view else Effect.COPY
            yield _row(operation, operation.name, effect)


_IN_PLACE: Final = (
    "abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr arccos arccosh arcsin "
    "arcsinh arctan arctan2 arctanh as_strided asin asinh atan atan2 atanh baddbmm bernoulli "
    "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil "
    "clamp clamp_max clamp_min clip conj_physical copysign cos cosh cumprod cumsum deg2rad detach "
    "digamma div divide eq erf erfc erfinv exp exp2 expm1 fill fix float_power floor floor_divide "
    "fmod frac gcd ge greater greater_equal gt heaviside hypot i0 igamma igammac index_add "
    "index_copy index_fill index_put index_reduce lcm ldexp le lerp less less_equal lgamma log "
    "log10 log1p log2 logical_and logical_not logical_or logical_xor logit lt masked_fill "
    "masked_scatter mul multiply mvlgamma nan_to_num ne neg negative nextafter not_equal polygamma "
    "pow put rad2deg reciprocal relu remainder renorm round rsqrt scatter scatter_add "
    "scatter_reduce sgn sigmoid sign sin sinc sinh sqrt square squeeze sub subtract swapaxes "
    "swapdims t tan tanh transpose tril triu true_divide trunc unsqueeze xlogy"
)
"""Operations with an in-place method: the name and an underscore."""


def _in_place() -> Iterator[Method]:
    for name in _IN_PLACE.split():
        yield _row(OPERATIONS[name], f"{name}_", Effect.IN_PLACE)


_VALUES: Final = (
    "item tolist size dim ndimension numel nelement stride element_size storage_offset data_ptr "
    "const_data_ptr get_device is_complex is_conj is_contiguous is_coalesced is_distributed "
    "is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_shared "
    "is_signed dim_order dense_dim sparse_dim q_scale q_zero_point "
    "q_per_channel_axis qscheme storage_type __len__ __bool__ __int__ __float__ __index__ "
    "__complex__ __format__ __repr__ __str__ __hash__"
)

_CASTS: Final[Mapping[str, str]] = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "chalf": "complex32",
}

_RANDOM: Final = (
    "cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_ zero_ fill_diagonal_ "
    "resize_ resize_as_ resize_as_sparse_ sparse_resize_ sparse_resize_and_clear_ requires_grad_ "
    "share_memory_"
)

METHODS: Final[Mapping[str, Method]] = table(
    _operations(),
    _in_place(),
    _methods(Effect.VALUE, _VALUES),
    _methods(Effect.VALUE, "equal is_set_to", same_device=True),
    (replace(_row(OPERATIONS["allclose"], "allclose", Effect.VALUE), dtype=None),),
    *(_methods(Effect.CAST, name, dtype=dtype) for name, dtype in _CASTS.items()),
    _methods(Effect.CAST, "type"),
    _methods(Effect.TRANSFER, "to cpu cuda xpu ipu mtia type_as"),
    _methods(Effect.HOST_READ, "numpy __array__", host_receiver=True, source=_page("numpy")),
    _methods(Effect.COPY, "pin_memory to_mkldnn", host_receiver=True),
    _methods(Effect.IN_PLACE, "apply_", host_receiver=True),
    _methods(Effect.IN_PLACE, "map_ map2_", host_receiver=True, same_device=True),
    _methods(Effect.IN_PLACE, _RANDOM),
    _methods(Effect.IN_PLACE, "copy_"),
    _methods(Effect.IN_PLACE, "set_", same_device=True),
    _methods(
        Effect.OTHER,
        "backward register_hook register_post_accumulate_grad_hook reinforce retain_grad "
        "record_stream storage untyped_storage module_load as_subclass solve lstsq symeig",
    ),
    _methods(Effect.COPY, " ".join(NEW_METHODS.keys() - {"new"}), zero_dim="never"),
    _methods(Effect.COPY, "new", zero_dim="never", same_device=True),
    _methods(
        Effect.VIEW,
        "values indices crow_indices col_indices ccol_indices row_indices slice_inverse "
        "to_dense resize resize_as",
        zero_dim="never",
    ),
    _methods(
        Effect.COPY,
        "coalesce to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr "
        "to_sparse_coo to_sparse_csc to_sparse_csr int_repr q_per_channel_scales "
        "q_per_channel_zero_points hash_tensor",
        zero_dim="never",
    ),
    _methods(
        Effect.COPY,
        "sparse_mask smm sspaddmm orgqr",
        zero_dim="never",
        same_device=True,
    ),
)
"""The methods by name. ``type`` follows its argument: a CAST, a TRANSFER (``"torch.cuda.…"``), or
without one a string. ``type_as`` takes the device and the dtype of its argument.
"""

_TENSORS: Final = "data grad T mT H mH real imag"
_PLAIN: Final = (
    "shape dtype device layout ndim is_cuda is_cpu is_xpu is_mps is_ipu is_mtia is_maia is_meta "
    "is_mkldnn is_vulkan is_xla is_sparse is_sparse_csr is_quantized is_nested is_leaf "
    "requires_grad retains_grad grad_fn grad_dtype itemsize nbytes name names output_nr volatile"
)


def _attributes(effect: Effect, names: str) -> Iterator[Attribute]:
    for name in names.split():
        yield Attribute(name, effect, f"{DOCS}tensors.html")


ATTRIBUTES: Final[Mapping[str, Attribute]] = table(
    _attributes(Effect.VIEW, _TENSORS), _attributes(Effect.VALUE, _PLAIN)
)
"""The attributes by name; ``grad`` lives with the tensor, or is None."""

_SHARED: Final = words(
    "__array__ __bool__ __complex__ __float__ __format__ __hash__ __index__ __int__ __len__ "
    "__repr__ __str__ add all any argmax argmin argsort bfloat16 clip conj cpu cuda cumprod "
    "cumsum diagonal dot double flatten float half index ipu item max mean min mtia nonzero "
    "prod put ravel repeat requires_grad_ reshape resize round size sort split squeeze std "
    "sum swapaxes take to tolist trace transpose type values var view xpu "
)
"""Names that arrays, containers, numbers, strings or modules have as well."""

_OF_FRAMES: Final = words(
    "abs cov cummax cummin diff div divide eq ge gt isin le lt median mode mul multiply ne pow "
    "quantile rename sub subtract unique where "
)
"""Names that a ``Series`` or ``DataFrame`` of pandas has as well, and nothing in ``_SHARED``."""

ONLY_TENSOR: Final = frozenset(METHODS) - _SHARED
"""Methods of a tensor that no ndarray, list, dict, set, str, bytes, number or module has."""

ONLY_TENSOR_BESIDE_PANDAS: Final = ONLY_TENSOR - _OF_FRAMES
"""The same for programs that work with pandas, too."""

OF_ARRAYS: Final = words("diagonal flatten ravel repeat reshape squeeze swapaxes transpose view ")
"""Methods that only tensors and ndarrays have, of which the latter have no method ``size()``."""


OTHER_TENSORS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("mindspore", "oneflow", "paddle", "tinygrad"), ONLY_TENSOR),
    **dict.fromkeys(("jax", "keras", "mxnet", "tensorflow"), frozenset({"numpy"})),
}
"""By framework, what its tensors have of ``ONLY_TENSOR``, or may have."""


def method(name: str) -> Method | None:
    """Return the row of a tensor's method, or ``None`` where a tensor has none of that name."""
    return METHODS.get(name)
