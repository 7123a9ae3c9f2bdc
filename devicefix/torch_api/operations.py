"""What the operations of torch do to device and dtype, under the bare name that ``torch.add`` and
``Tensor.add`` share. Positions count from the first tensor, as in the function.

One set of names per fact; its docstring says where the fact comes from. "Checked by calling" is
what tests/torch_api/test_operations.py does with the installed torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from devicefix.torch_api.rows import DOCS, ZeroDim, table, words

POINTWISE: Final = words(
    "add sub subtract rsub mul multiply div divide true_divide floor_divide remainder fmod pow "
    "float_power eq ne not_equal lt less le less_equal gt greater ge greater_equal maximum "
    "minimum fmax fmin atan2 arctan2 hypot copysign bitwise_and bitwise_or bitwise_xor "
    "bitwise_left_shift bitwise_right_shift logical_and logical_or logical_xor where lerp "
    "addcmul addcdiv heaviside xlogy dist fill masked_fill index_fill index_put max min ldexp "
    "isclose allclose pairwise_distance"
)
"""A CPU tensor of no dimensions may sit beside device tensors.

Source: ``device_check: NoCheck   # TensorIterator`` in native_functions.yaml; the aliases call
their namesakes, and ``ldexp``, ``isclose``, ``pairwise_distance`` are made of such operations. Not
here, though they compute element by element: ``clamp`` with tensor bounds,
``logaddexp``, ``gcd``, ``lcm``, ``nextafter``, ``igamma``: the dispatcher checks their devices
(https://github.com/pytorch/pytorch/issues/94174 shows it for ``clamp``).
"""

ANY_DEVICE: Final = words(
    """
    atleast_1d atleast_2d atleast_3d broadcast_tensors slice_scatter select_scatter diagonal_scatter
    as_strided_scatter index fill
    """
)
"""Tensor arguments may live on different devices: each is treated alone, or is copied over."""

STRICT_DTYPE: Final = words(
    "mm bmm mv matmul addmm addmv addbmm baddbmm dot vdot inner chain_matmul tensordot einsum "
    "cdist cross bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
    "conv_transpose3d conv_tbc batch_norm group_norm instance_norm layer_norm prelu lerp "
    "heaviside complex polar allclose isclose cartesian_prod meshgrid masked_scatter "
    "index_copy index_add index_reduce index_put put scatter scatter_add scatter_reduce "
    "cholesky_solve lu_solve triangular_solve ormqr quantile nanquantile grid_sampler "
    "grid_sampler_2d grid_sampler_3d embedding_bag histogram histogramdd lstm gru rnn_tanh "
    "rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell"
)
"""Raises where one floating operand is float64 and another float32 (checked by calling)."""

_UNARY: Final = (
    "abs absolute acos acosh alias_copy angle arccos arccosh arcsin arcsinh arctan arctanh asin "
    "asinh atan atanh bernoulli bitwise_not ceil celu clamp clamp_max clamp_min clip clone conj "
    "conj_physical cos cosh deg2rad dequantize frexp from_dlpack t detach digamma dropout "
    "alpha_dropout feature_alpha_dropout feature_dropout erf erfc erfinv exp exp2 expm1 fix "
    "floor frac hardshrink i0 ldexp lgamma log log10 log1p log2 logical_not logit mvlgamma "
    "nan_to_num neg negative polygamma positive rad2deg real imag reciprocal relu resolve_conj "
    "resolve_neg round rrelu rsqrt selu sgn sigmoid sign signbit sin sinc sinh sqrt square tan "
    "tanh threshold trunc poisson logaddexp logaddexp2 gcd lcm nextafter igamma igammac isfinite "
    "isinf isnan isneginf isposinf isreal isclose cumsum cumprod logcumsumexp polar complex "
    "masked_scatter softmax log_softmax flip fliplr flipud roll sort argsort msort contiguous "
    "tril triu"
)

_REDUCTIONS: Final = (
    "all any sum nansum mean nanmean prod amax amin argmax argmin max min median nanmedian std var "
    "logsumexp norm count_nonzero std_mean var_mean aminmax nuclear_norm "
    "frobenius_norm"
)

ZERO_DIM: Final[Mapping[str, ZeroDim]] = {
    **dict.fromkeys(POINTWISE, "as inputs"),
    **dict.fromkeys(_UNARY.split(), "as inputs"),
    **dict.fromkeys(_REDUCTIONS.split(), "without dim"),
    **dict.fromkeys(words("dot vdot trace dist"), "always"),
    "pairwise_distance": "never",
}
"""When the result has no dimensions; every other operation makes at least one."""

BOOL_RESULT: Final = words(
    "eq ne not_equal lt less le less_equal gt greater ge greater_equal logical_and logical_or "
    "logical_xor logical_not isclose isfinite isinf isnan isneginf isposinf isreal isin signbit "
    "all any"
)
"""The result is bool whatever the operands are (``all`` and ``any`` keep uint8)."""

INT64_RESULT: Final = words(
    "argmax argmin argsort argwhere count_nonzero nonzero nonzero_static bincount searchsorted "
    "bucketize multinomial unravel_index"
)
"""The result is int64 (``bincount`` with weights: their dtype; ``out_int32=True``: int32)."""

FLOAT_RESULT: Final = words(
    "angle corrcoef cov cumulative_trapezoid gradient pairwise_distance trapezoid trapz "
    "acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh "
    "cos cosh deg2rad digamma div divide true_divide erf erfc erfinv exp exp2 expm1 i0 lgamma "
    "log log10 log1p log2 logit mvlgamma polygamma rad2deg reciprocal rsqrt sigmoid sin sinc "
    "sinh sqrt tan tanh xlogy logsumexp igamma igammac copysign ldexp"
)
"""Integers become the default float; floats stay."""

WIDENED_RESULT: Final = words("sum nansum prod cumsum cumprod trace vander")
"""Bool and the small integers become int64; floats stay."""

REAL_RESULT: Final = words("real imag view_as_real")
"""Complex becomes the float of its parts; floats stay (and integers, in ``real``)."""

COMPLEX_RESULT: Final = words("complex polar view_as_complex eig")
"""The complex dtype of the operands' parts."""

VIEW: Final = words(
    "view_as_real view_as_complex adjoint as_strided broadcast_to broadcast_tensors chunk "
    "conj contiguous detach diagonal dsplit expand expand_as flatten hsplit imag moveaxis "
    "movedim narrow permute positive ravel real reshape reshape_as resolve_conj resolve_neg "
    "select split split_with_sizes squeeze swapaxes swapdims t tensor_split transpose unbind "
    "unflatten unfold unsqueeze view view_as vsplit meshgrid atleast_1d atleast_2d atleast_3d "
    "cartesian_prod conj_physical dequantize einsum from_dlpack dropout alpha_dropout "
    "feature_alpha_dropout feature_dropout unsafe_chunk unsafe_split unsafe_split_with_sizes"
)
"""The result shares, or may share, the storage of the first argument, or is that argument itself:
``dropout`` outside training, ``contiguous`` on what is contiguous (checked by pointers).
"""

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(words("kthvalue mode sort topk cummax cummin"), ("operands", "int64")),
    **dict.fromkeys(words("aminmax std_mean var_mean"), ("operands", "operands")),
    **dict.fromkeys(words("slogdet qr geqrf eig triangular_solve"), ("operands", "operands")),
    **dict.fromkeys(words("svd svd_lowrank pca_lowrank"), ("operands",) * 3),
    **dict.fromkeys(words("frexp lu"), ("operands", "int32")),
    **dict.fromkeys(words("histogram histogramdd lobpcg"), ("operands", "operands")),
    **dict.fromkeys(
        words(
            "broadcast_tensors chunk dsplit hsplit meshgrid split split_with_sizes tensor_split "
            "unbind unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit gradient"
        ),
        ("*",),
    ),
}
"""The dtypes of a tuple result: ``operands`` is the operation's own result dtype, ``("*",)`` any
number of pieces that are like the operand.

``max``, ``min``, ``median`` and ``nanmedian`` return values and int64 indices if a ``dim`` is
given; see ``PARTS_WITH_DIM``.
"""

PARTS_WITH_DIM: Final = words("max min median nanmedian")
"""A tuple of values and int64 indices if the call names a ``dim``; else one tensor.

With two tensors ``max`` and ``min`` are pointwise, and their result has the operands' dimensions.
"""

INDEX_ARGUMENTS: Final[Mapping[str, tuple[int | str, ...]]] = {
    **dict.fromkeys(
        words(
            "gather scatter scatter_add scatter_reduce index_add index_copy index_fill "
            "index_select index_reduce"
        ),
        (2, "index"),
    ),
    "take": (1, "index"),
    "put": (1, "index"),
    "take_along_dim": (1, "indices"),
    "index_put": (1, "indices"),
    "embedding": (1, "indices"),
    "embedding_bag": (1, "indices"),
    "bincount": (0, "input"),
    "repeat_interleave": (1, "repeats"),
    "unravel_index": (0, "indices"),
}
"""Position and keyword of arguments that must be integers: a float there raises."""

HOST_ARGUMENTS: Final[Mapping[str, tuple[int | str, ...]]] = {
    "tensor_split": (1, "tensor_indices_or_sections"),
}
"""Position and keyword of arguments that must be on the CPU.

``tensor_split``: "tensor_indices_or_sections" must be on CPU (its own error message).
"""

HOST_ONLY: Final = words("histogram histogramdd")
"""Only the CPU has a kernel for them (their ``dispatch`` in native_functions.yaml)."""

CTC_LENGTHS: Final = (2, "input_lengths", 3, "target_lengths")
"""Arguments of the CTC loss that may live anywhere: wherever they are, it copies them to the CPU
(``_ctc_loss.Tensor`` in aten/src/ATen/native/LossCTC.cpp), or cuDNN takes them there.
"""


class Operation(Struct, frozen=True):
    """One operation; the fields mean what they mean in ``Function``."""

    name: str
    pointwise: bool
    same_device: bool
    zero_dim: ZeroDim
    strict_dtype: bool
    result_dtype: str
    view: bool
    parts: tuple[str, ...]
    parts_with_dim: bool
    index_arguments: tuple[int | str, ...]
    host_arguments: tuple[int | str, ...]
    host_only: bool
    source: str


_OTHERS: Final = (
    "addr block_diag lobpcg from_dlpack cat column_stack combinations concat concatenate "
    "constant_pad_nd corrcoef cov cumulative_trapezoid diag diag_embed diagflat diff dstack "
    "fake_quantize_per_tensor_affine ger hstack kron masked_select matrix_exp matrix_power "
    "narrow_copy outer pinverse renorm repeat_interleave rot90 row_stack stack stft istft tile "
    "trapezoid trapz unique unique_consecutive vander vstack det logdet inverse cholesky "
    "cholesky_inverse take vsplit histc select_scatter slice_scatter diagonal_scatter "
    "as_strided_scatter repeat expand sum_to_size unfold view permute msort "
    "pairwise_distance cosine_similarity pdist pixel_shuffle pixel_unshuffle channel_shuffle "
    "rms_norm native_layer_norm constant_pad_nd unravel_index index segment_reduce"
)


def _names() -> list[str]:
    groups = (
        POINTWISE,
        STRICT_DTYPE,
        ZERO_DIM,
        BOOL_RESULT,
        INT64_RESULT,
        FLOAT_RESULT,
        WIDENED_RESULT,
        REAL_RESULT,
        COMPLEX_RESULT,
        VIEW,
        PARTS,
        INDEX_ARGUMENTS,
        HOST_ARGUMENTS,
        _OTHERS.split(),
    )
    return sorted({name for group in groups for name in group})


def _result_dtype(name: str) -> str:
    kinds = (
        (BOOL_RESULT, "bool"),
        (INT64_RESULT, "int64"),
        (FLOAT_RESULT, "float"),
        (WIDENED_RESULT, "widened"),
        (REAL_RESULT, "real"),
        (COMPLEX_RESULT, "complex"),
        (("float_power",), "float64"),
        (("dequantize",), "float32"),
    )
    return next((dtype for names, dtype in kinds if name in names), "operands")


def _operation(name: str) -> Operation:
    return Operation(
        name=name,
        pointwise=name in POINTWISE,
        same_device=name not in ANY_DEVICE,
        zero_dim=ZERO_DIM.get(name, "never"),
        strict_dtype=name in STRICT_DTYPE,
        result_dtype=_result_dtype(name),
        view=name in VIEW,
        parts=PARTS.get(name, ()),
        parts_with_dim=name in PARTS_WITH_DIM,
        index_arguments=INDEX_ARGUMENTS.get(name, ()),
        host_arguments=HOST_ARGUMENTS.get(name, ()),
        host_only=name in HOST_ONLY,
        source=f"{DOCS}generated/torch.{name}.html",
    )


OPERATIONS: Final[Mapping[str, Operation]] = table(map(_operation, _names()))
"""The operations by bare name."""
