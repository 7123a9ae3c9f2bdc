"""Every torch function: what it returns, what it asks of its arguments, where the result lives."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.torch_api.factories import FACTORIES, LEGACY_CONSTRUCTORS, LIKE
from devicefix.torch_api.names import canonical
from devicefix.torch_api.operations import CTC_LENGTHS, OPERATIONS, Operation
from devicefix.torch_api.rows import DOCS, ZeroDim, table, words


class Result(enum.Enum):
    """What a call returns."""

    TENSOR = "tensor"
    """A tensor, or a tuple or list of tensors."""
    NUMBER = "number"
    """A plain Python value: a number, bool, string, dtype, size, device."""
    NONE = "none"
    """Nothing."""
    OTHER = "other"
    """Something else: a generator, stream, context manager, loaded object, module."""


class Function(Struct, frozen=True):
    """One function.

    ``pointwise``: a CPU operand of no dimensions may sit beside device tensors. ``zero_dim``: when
    the result has no dimensions. ``host_arguments``: position and keyword, pairwise, of arguments
    that must be on the CPU, ``free_arguments`` of such that may live anywhere, ``result_beside`` of
    the one beside whose tensors the results live (empty: beside all of them). ``view``: the result
    may share storage with the first argument (in-place functions too). ``in_place``: the first
    argument is changed and returned.
    ``strict_dtype``: it raises where one floating operand is float64 and another float32.
    ``result_dtype``: ``operands`` (promoted), ``float`` (integers become the default float),
    ``widened`` (bool and small integers become int64), ``real``, ``complex``, or a dtype's name.
    ``index_arguments``: position and keyword, pairwise, of arguments that must be integers.
    ``parts``: the result dtypes of a tuple; ``("*",)`` is any number of pieces like the operand.
    ``parts_with_dim``: values and int64 indices if the call names a ``dim``. ``same_device``:
    tensor arguments must live together, but for what ``pointwise`` allows. ``known``: false on the
    default row. ``host_only``: devices have no kernel for it; all tensors have to be on the CPU,
    and the result is there.
    """

    name: str
    result: Result
    pointwise: bool
    zero_dim: ZeroDim
    host_arguments: tuple[int | str, ...]
    view: bool
    strict_dtype: bool
    result_dtype: str
    index_arguments: tuple[int | str, ...]
    source: str
    in_place: bool = False
    parts: tuple[str, ...] = ()
    parts_with_dim: bool = False
    same_device: bool = True
    known: bool = True
    host_only: bool = False
    free_arguments: tuple[int | str, ...] = ()
    result_beside: tuple[int | str, ...] = ()


def _tensors(
    names: str,
    prefix: str = "torch.",
    *,
    pointwise: bool = False,
    zero_dim: ZeroDim = "never",
    host_arguments: tuple[int | str, ...] = (),
    view: bool = False,
    strict_dtype: bool = False,
    result_dtype: str = "operands",
    index_arguments: tuple[int | str, ...] = (),
    in_place: bool = False,
    parts: tuple[str, ...] = (),
    free_arguments: tuple[int | str, ...] = (),
    result_beside: tuple[int | str, ...] = (),
    page: str = "",
) -> Iterator[Function]:
    """Yield rows of functions that return tensors."""
    for name in names.split():
        yield Function(
            name=prefix + name,
            result=Result.TENSOR,
            pointwise=pointwise,
            zero_dim=zero_dim,
            host_arguments=host_arguments,
            view=view or in_place,
            strict_dtype=strict_dtype,
            result_dtype=result_dtype,
            index_arguments=index_arguments,
            source=DOCS + (page or f"generated/{prefix}{name}.html"),
            in_place=in_place,
            parts=parts,
            free_arguments=free_arguments,
            result_beside=result_beside,
        )


def _plain(
    result: Result,
    names: str,
    prefix: str = "torch.",
    *,
    host_arguments: tuple[int | str, ...] = (),
    same_device: bool = False,
    page: str = "",
) -> Iterator[Function]:
    """Yield rows of functions that return no tensor."""
    for name in names.split():
        source = DOCS + (page or f"generated/{prefix}{name}.html")
        yield Function(
            name=prefix + name,
            result=result,
            pointwise=False,
            zero_dim="never",
            host_arguments=host_arguments,
            view=False,
            strict_dtype=False,
            result_dtype="operands",
            index_arguments=(),
            source=source,
            same_device=same_device,
        )


def _row(operation: Operation, name: str, *, in_place: bool = False) -> Function:
    return Function(
        name=name,
        result=Result.TENSOR,
        pointwise=operation.pointwise,
        zero_dim=operation.zero_dim,
        host_arguments=operation.host_arguments,
        host_only=operation.host_only,
        view=operation.view or in_place,
        strict_dtype=operation.strict_dtype,
        result_dtype=operation.result_dtype,
        index_arguments=operation.index_arguments,
        source=operation.source,
        in_place=in_place,
        parts=operation.parts,
        parts_with_dim=operation.parts_with_dim,
        same_device=operation.same_device,
    )


_METHOD_ONLY: Final = words(
    "contiguous expand expand_as repeat reshape_as sum_to_size unfold view view_as index "
    "grid_sample"
)
"""Operations that exist as methods only."""


def _operations() -> Iterator[Function]:
    for operation in OPERATIONS.values():
        if operation.name not in _METHOD_ONLY and operation.name != "allclose":
            yield _row(operation, f"torch.{operation.name}")


_IN_PLACE: Final = (
    "abs acos acosh addmv alpha_dropout arccos arccosh arcsin arcsinh arctan arctanh asin asinh "
    "atan atanh ceil celu clamp clamp_max clamp_min clip conj_physical cos cosh deg2rad detach "
    "dropout erf erfc exp exp2 expm1 feature_alpha_dropout feature_dropout fill fix floor frac "
    "gcd i0 index_put lcm ldexp log log10 log1p log2 logit nan_to_num neg negative rad2deg "
    "reciprocal relu round rrelu rsqrt selu sigmoid sin sinc sinh sqrt square tan tanh threshold "
    "trunc xlogy"
)


def _in_place() -> Iterator[Function]:
    for name in _IN_PLACE.split():
        yield _row(OPERATIONS[name], f"torch.{name}_", in_place=True)


def _elsewhere(prefix: str, names: str) -> Iterator[Function]:
    """Yield rows of functions that are the same operation under another module."""
    for name in names.split():
        yield _row(OPERATIONS[name], prefix + name)


_F: Final = "torch.nn.functional."

_FUNCTIONAL: Final = (
    *_elsewhere(
        _F,
        "sigmoid tanh relu selu celu hardshrink rrelu threshold softmax log_softmax dropout "
        "alpha_dropout feature_alpha_dropout pairwise_distance cosine_similarity pdist "
        "pixel_shuffle pixel_unshuffle channel_shuffle conv1d conv2d conv3d conv_tbc "
        "conv_transpose1d conv_transpose2d conv_transpose3d bilinear batch_norm group_norm "
        "instance_norm layer_norm rms_norm prelu",
    ),
    *(
        _row(OPERATIONS[name], f"{_F}{name}_", in_place=True)
        for name in ("relu", "selu", "celu", "rrelu", "threshold")
    ),
    *_tensors("elu_ hardtanh_ leaky_relu_", _F, zero_dim="as inputs", in_place=True),
    *_tensors(
        "elu gelu glu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 silu "
        "softplus softshrink softmin gumbel_softmax",
        _F,
        zero_dim="as inputs",
    ),
    *_tensors("softsign tanhshrink", _F, zero_dim="as inputs", result_dtype="float"),
    *_tensors(
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
        "adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d max_pool1d "
        "max_pool2d max_pool3d lp_pool1d lp_pool2d lp_pool3d fractional_max_pool2d "
        "fractional_max_pool3d max_unpool1d max_unpool2d max_unpool3d "
        "fold unfold interpolate upsample upsample_bilinear upsample_nearest local_response_norm "
        "normalize pad affine_grid native_channel_shuffle",
        _F,
    ),
    *_tensors(
        "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
        "adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices "
        "fractional_max_pool3d_with_indices max_pool1d_with_indices max_pool2d_with_indices "
        "max_pool3d_with_indices",
        _F,
        parts=("operands", "int64"),
    ),
    *_tensors("dropout1d dropout2d dropout3d", _F, view=True),
    *_tensors("linear grid_sample scaled_dot_product_attention", _F, strict_dtype=True),
    *_tensors("multi_head_attention_forward", _F, strict_dtype=True, parts=("operands",) * 2),
    *_tensors("grouped_mm scaled_mm scaled_grouped_mm", _F, strict_dtype=True),
    *_tensors("embedding", _F, index_arguments=(0, "input")),
    *_tensors("embedding_bag", _F, strict_dtype=True, index_arguments=(0, "input")),
    *_tensors("one_hot", _F, result_dtype="int64", index_arguments=(0, "tensor", 0, "input")),
)

_LOSSES: Final = (
    *_tensors(
        "binary_cross_entropy_with_logits cosine_embedding_loss gaussian_nll_loss "
        "hinge_embedding_loss huber_loss kl_div l1_loss margin_ranking_loss mse_loss "
        "multilabel_soft_margin_loss poisson_nll_loss smooth_l1_loss soft_margin_loss "
        "triplet_margin_loss triplet_margin_with_distance_loss",
        _F,
        zero_dim="reduced",
        result_dtype="float",
    ),
    *_tensors("binary_cross_entropy", _F, zero_dim="reduced", strict_dtype=True),
    *_tensors("cross_entropy", _F, zero_dim="reduced", index_arguments=(1, "target")),
    *_tensors(
        "nll_loss multi_margin_loss",
        _F,
        zero_dim="reduced",
        strict_dtype=True,
        index_arguments=(1, "target"),
    ),
    *_tensors("multilabel_margin_loss", _F, zero_dim="reduced", index_arguments=(1, "target")),
    *_tensors("ctc_loss", _F, zero_dim="reduced", free_arguments=CTC_LENGTHS),
    *_tensors(
        "linear_cross_entropy",
        _F,
        zero_dim="reduced",
        strict_dtype=True,
        index_arguments=(2, "target"),
    ),
    *_tensors(
        "binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div "
        "margin_ranking_loss poisson_nll_loss triplet_margin_loss",
        result_dtype="float",
        page="nn.functional.html#loss-functions",
    ),
    *_tensors(
        "ctc_loss",
        result_dtype="float",
        free_arguments=CTC_LENGTHS,
        page="nn.functional.html#loss-functions",
    ),
)
"""Most losses broadcast their operands first, or want equal sizes: no CPU operand beside device
ones. Those of ``torch`` itself do not reduce unless the call says so.

``huber_loss`` promotes forward and raises in backward; ``cross_entropy`` takes class indices or
probabilities. (Checked by calling.)
"""

LOSS_WEIGHTS: Final[Mapping[str, tuple[tuple[int, str], ...]]] = MappingProxyType(
    {
        "binary_cross_entropy": ((2, "weight"),),
        "binary_cross_entropy_with_logits": ((2, "weight"), (6, "pos_weight")),
        "cross_entropy": ((2, "weight"),),
        "huber_loss": ((4, "weight"),),
        "l1_loss": ((5, "weight"),),
        "linear_cross_entropy": ((4, "weight"),),
        "mse_loss": ((5, "weight"),),
        "multi_margin_loss": ((4, "weight"),),
        "multilabel_soft_margin_loss": ((2, "weight"),),
        "nll_loss": ((2, "weight"),),
    }
)
"""Position and keyword of the tensors that weigh a loss of ``torch.nn.functional``."""

_LINALG: Final = (
    *_elsewhere("torch.linalg.", "matrix_exp matrix_power vander diagonal det"),
    *_tensors(
        "cholesky cond eigvalsh inv matrix_norm pinv svdvals tensorinv",
        "torch.linalg.",
    ),
    *_tensors("norm vector_norm", "torch.linalg.", zero_dim="without dim"),
    *_tensors("matrix_rank", "torch.linalg.", result_dtype="int64"),
    *_tensors("solve_triangular", "torch.linalg."),
    *_tensors(
        "cross householder_product ldl_solve lu_solve matmul multi_dot solve tensorsolve vecdot",
        "torch.linalg.",
        strict_dtype=True,
    ),
    *_tensors("solve_ex", "torch.linalg.", strict_dtype=True, parts=("operands", "int32")),
    *_tensors("cholesky_ex inv_ex", "torch.linalg.", parts=("operands", "int32")),
    *_tensors("eigh qr slogdet", "torch.linalg.", parts=("operands", "operands")),
    *_tensors("eig", "torch.linalg.", result_dtype="complex", parts=("operands", "operands")),
    *_tensors("eigvals", "torch.linalg.", result_dtype="complex"),
    *_tensors("svd lu", "torch.linalg.", parts=("operands",) * 3),
    *_tensors("lu_factor ldl_factor", "torch.linalg.", parts=("operands", "int32")),
    *_tensors(
        "lu_factor_ex ldl_factor_ex",
        "torch.linalg.",
        parts=("operands", "int32", "int32"),
    ),
    *_tensors(
        "lstsq",
        "torch.linalg.",
        strict_dtype=True,
        parts=("operands", "operands", "int64", "operands"),
    ),
)

_FFT: Final = (
    *_tensors(
        "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn ihfft ihfft2 ihfftn",
        "torch.fft.",
        result_dtype="complex",
    ),
    *_tensors("hfft hfft2 hfftn irfft irfft2 irfftn", "torch.fft.", result_dtype="real"),
    *_tensors("fftshift ifftshift", "torch.fft."),
)

_SPECIAL: Final = (
    *_elsewhere(
        "torch.special.",
        "digamma erf erfc erfinv exp2 expm1 i0 log1p log_softmax logit logsumexp polygamma round "
        "sinc softmax xlogy",
    ),
    *_tensors(
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx expit gammaln i0e i1 i1e "
        "log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "multigammaln ndtr ndtri psi scaled_modified_bessel_k0 scaled_modified_bessel_k1 "
        "spherical_bessel_j0 gammainc gammaincc",
        "torch.special.",
        zero_dim="as inputs",
        result_dtype="float",
        page="special.html",
    ),
    *_tensors(
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
        "chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l "
        "legendre_polynomial_p shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
        "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w xlog1py zeta",
        "torch.special.",
        pointwise=True,
        zero_dim="as inputs",
        result_dtype="float",
        page="special.html",
    ),
)

_POOLS_AND_LAYERS: Final = (
    *_tensors("adaptive_avg_pool1d avg_pool1d max_pool1d max_pool2d max_pool3d"),
    *_tensors("adaptive_max_pool1d max_pool1d_with_indices", parts=("operands", "int64")),
    *_tensors("affine_grid_generator native_norm norm_except_dim"),
    *_tensors("native_dropout native_channel_shuffle spmm smm sspaddmm saddmm hspmm dsmm hsmm"),
    *_tensors(
        "native_batch_norm native_group_norm",
        strict_dtype=True,
        parts=("operands",) * 3,
    ),
    *_tensors("matrix_rank", result_dtype="int64"),
    *_tensors("lu_unpack", parts=("operands",) * 3),
    *_tensors("orgqr solve symeig lstsq binomial convolution"),
    *_tensors("as_strided_ resize_as_ embedding_renorm_", in_place=True),
    *_tensors("zero_", zero_dim="as inputs", in_place=True),
)

_NN_UTILS: Final = "torch.nn.utils."
_RNN: Final = "torch.nn.utils.rnn."

_UTILITIES: Final = (
    *_tensors("clip_grad_norm_ clip_grad_norm get_total_norm", _NN_UTILS, zero_dim="always"),
    *_tensors("parameters_to_vector", _NN_UTILS),
    # what the vector holds becomes the parameters themselves
    *_plain(Result.NONE, "vector_to_parameters", _NN_UTILS, same_device=True),
    *_plain(Result.NONE, "clip_grad_value_ clip_grads_with_norm_", _NN_UTILS),
    *_plain(
        Result.OTHER,
        "weight_norm remove_weight_norm spectral_norm remove_spectral_norm skip_init "
        "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights "
        "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format "
        "parametrizations.orthogonal parametrizations.spectral_norm parametrizations.weight_norm",
        _NN_UTILS,
    ),
    *_tensors("stateless.functional_call", _NN_UTILS),
    *_plain(Result.OTHER, "pack_padded_sequence", _RNN, host_arguments=(1, "lengths")),
    *_plain(Result.OTHER, "PackedSequence", _RNN, host_arguments=(1, "batch_sizes")),
    *_plain(Result.OTHER, "pack_sequence", _RNN),
    *_tensors("pad_packed_sequence", _RNN, parts=("operands", "int64")),
    *_tensors("pad_sequence", _RNN),
    *_tensors("unpad_sequence unpack_sequence", _RNN, parts=("*",)),
)

_INIT: Final = (
    *_tensors(
        "constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ "
        "trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_ constant dirac eye "
        "kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal "
        "xavier_uniform",
        "torch.nn.init.",
        in_place=True,
        page="nn.init.html",
    ),
    *_plain(Result.NUMBER, "calculate_gain", "torch.nn.init.", page="nn.init.html"),
)

_AUTOGRAD: Final = (
    # of its inputs themselves: a copy on another device has no part in the graph
    *_tensors(
        "grad",
        "torch.autograd.",
        parts=("*",),
        free_arguments=(1, "inputs"),
        result_beside=(1, "inputs"),
    ),
    *_plain(Result.NONE, "backward", "torch.autograd.", same_device=True),
    *_tensors(
        "Variable",
        "torch.autograd.",
        view=True,
        page="autograd.html#variable-deprecated",
    ),
    *_tensors(
        "functional.hessian functional.hvp functional.jacobian functional.jvp functional.vhp "
        "functional.vjp",
        "torch.autograd.",
        page="autograd.html#functional-higher-level-api",
    ),
    *_plain(Result.NUMBER, "gradcheck gradgradcheck", "torch.autograd."),
    *_plain(Result.OTHER, "detect_anomaly set_detect_anomaly", "torch.autograd."),
    *_plain(
        Result.OTHER,
        "get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn",
        "torch.optim.swa_utils.",
        page="optim.html",
    ),
    *_plain(
        Result.OTHER,
        "no_grad enable_grad set_grad_enabled inference_mode amp.autocast amp.GradScaler "
        "cuda.amp.autocast cuda.amp.GradScaler Generator Stream Event cuda.Stream cuda.Event "
        "cuda.stream cuda.device cuda.device_of load manual_seed compile vmap hub.load "
        "hub.load_state_dict_from_url jit.load jit.script jit.trace fork wait "
        "thread_safe_generator cuda.current_stream cuda.default_stream "
        "accelerator.current_stream random.fork_rng cuda.get_device_properties get_device_module "
        "cond while_loop func.grad func.vmap",
        page="torch.html",
    ),
    *_tensors("func.functional_call", page="generated/torch.func.functional_call.html"),
)

_STATE: Final = (
    *_plain(
        Result.NONE,
        "save set_default_dtype set_default_device set_default_tensor_type set_printoptions "
        "set_num_threads set_num_interop_threads set_flush_denormal use_deterministic_algorithms "
        "set_deterministic_debug_mode set_float32_matmul_precision set_warn_always "
        "set_anomaly_enabled cuda.manual_seed cuda.manual_seed_all cuda.set_device "
        "cuda.synchronize cuda.empty_cache cuda.init cuda.seed cuda.seed_all cuda.set_stream "
        "cuda.ipc_collect cuda.reset_peak_memory_stats cuda.reset_max_memory_allocated "
        "cuda.reset_max_memory_cached accelerator.synchronize accelerator.set_device_index "
        "accelerator.set_stream clear_autocast_cache mps.manual_seed mps.synchronize "
        "mps.empty_cache xpu.manual_seed xpu.manual_seed_all xpu.synchronize xpu.empty_cache",
        page="torch.html",
    ),
    *_plain(Result.NONE, "set_rng_state", host_arguments=(0, "new_state")),
    *_plain(Result.NONE, "set_rng_state", "torch.random.", host_arguments=(0, "new_state")),
    *_tensors("spdiags", "torch.sparse.", host_arguments=(0, "diagonals", 1, "offsets")),
    *_plain(Result.NONE, "cuda.set_rng_state", host_arguments=(0, "new_state")),
)

_NUMBERS: Final = (
    *_plain(Result.NUMBER, "equal is_same_size", same_device=True),
    replace(_row(OPERATIONS["allclose"], "torch.allclose"), result=Result.NUMBER),
    *_plain(
        Result.NUMBER,
        "device dtype layout memory_format is_tensor is_storage is_complex is_conj "
        "is_distributed is_floating_point is_inference is_neg is_nonzero is_signed numel "
        "can_cast promote_types result_type get_default_dtype get_default_device get_num_threads "
        "get_num_interop_threads initial_seed seed finfo iinfo is_grad_enabled "
        "is_inference_mode_enabled is_autocast_enabled is_anomaly_enabled broadcast_shapes "
        "typename get_device are_deterministic_algorithms_enabled get_deterministic_debug_mode "
        "get_float32_matmul_precision is_warn_always_enabled get_autocast_dtype "
        "get_autocast_gpu_dtype get_autocast_cpu_dtype Size q_scale q_zero_point qscheme "
        "compiled_with_cxx11_abi is_vulkan_available cudnn_is_acceptable cuda.is_available "
        "cuda.device_count cuda.current_device cuda.get_device_name cuda.get_device_capability "
        "cuda.memory_allocated cuda.max_memory_allocated cuda.memory_reserved "
        "cuda.max_memory_reserved cuda.memory_cached cuda.max_memory_cached cuda.memory_summary "
        "cuda.memory_stats cuda.mem_get_info cuda.is_initialized cuda.is_bf16_supported "
        "cuda.initial_seed cuda.utilization cuda.get_arch_list cuda.can_device_access_peer "
        "accelerator.is_available accelerator.current_accelerator accelerator.device_count "
        "accelerator.current_device_index mps.is_available mps.device_count xpu.is_available "
        "xpu.device_count backends.mps.is_available backends.mps.is_built backends.cuda.is_built "
        "backends.cudnn.is_available backends.cudnn.version backends.mkldnn.is_available",
        page="torch.html",
    ),
)

FUNCTIONS: Final[Mapping[str, Function]] = table(
    _operations(),
    _in_place(),
    _FUNCTIONAL,
    _LOSSES,
    _LINALG,
    _FFT,
    _SPECIAL,
    _POOLS_AND_LAYERS,
    _UTILITIES,
    _INIT,
    _AUTOGRAD,
    _STATE,
    _NUMBERS,
)
"""The functions by canonical name; those that make tensors from nothing are in ``factories``."""


def function(name: str) -> Function | None:
    """Return the row of a torch function, or a default row (``known`` is false: a tensor that
    follows its arguments) for an unheard-of lower-case callable below ``torch.``; ``None`` for
    anything else: classes, factories, names from elsewhere.
    """
    name = canonical(name)
    row = FUNCTIONS.get(name)
    if row is not None or not name.startswith("torch."):
        return row
    if name in FACTORIES or name in LIKE or name in LEGACY_CONSTRUCTORS:
        return None
    last = name.rpartition(".")[2]
    return _default(name) if last[:1].islower() else None


def _default(name: str) -> Function:
    return Function(
        name=name,
        result=Result.TENSOR,
        pointwise=False,
        zero_dim="never",
        host_arguments=(),
        view=False,
        strict_dtype=False,
        result_dtype="operands",
        index_arguments=(),
        source="no row: taken as following its arguments",
        known=False,
    )
