"""How much arithmetic one operator does.

Floating-point operations where it multiplies matrices, convolves or attends, by the formulas of
``torch.utils.flop_counter`` (which is not imported: it logs and takes long); else the number of
elements it computes. Nothing is counted for what computes nothing: views, copies and casts,
factories, constants and random draws written into a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import torch

Tensor = torch.Tensor
Count = Callable[[Sequence[Any], Mapping[str, Any], Any], int]

_STILL: Final = frozenset(
    {
        "_copy_from",
        "_copy_from_and_resize",
        "_efficientzerotensor",
        "_foreach_copy_",
        "_foreach_zero_",
        "_local_scalar_dense",
        "_pin_memory",
        "_to_copy",
        "alias",
        "bernoulli_",
        "cat",
        "cauchy_",
        "clone",
        "contiguous",
        "copy_",
        "detach",
        "empty_like",
        "equal",
        "exponential_",
        "fill",
        "fill_",
        "full_like",
        "geometric_",
        "is_nonzero",
        "is_pinned",
        "item",
        "lift",
        "lift_fresh",
        "log_normal_",
        "multinomial",
        "new_empty",
        "new_empty_strided",
        "new_full",
        "new_ones",
        "new_zeros",
        "normal_",
        "ones_like",
        "rand_like",
        "randint_like",
        "randn_like",
        "random_",
        "record_stream",
        "resize",
        "resize_",
        "set_",
        "stack",
        "uniform_",
        "zero",
        "zero_",
        "zeros_like",
    }
)
"""Operators, without namespace and overload, that take a tensor and compute nothing with it."""


def work_of(
    op: torch._ops.OpOverload[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    results: Any,
) -> int:
    """The work of one call, in floating-point operations or elements; 0 for what does not count."""
    known = _COUNTS.get(id(op))
    if known is None:
        known = _COUNTS.setdefault(id(op), (op, _count_for(op)))
    return known[1](arguments, keywords, results)


_COUNTS: Final[dict[int, tuple[Any, Count]]] = {}
"""What counts each operator that has run; it depends on the operator alone. By identity: torch
computes the hash of an operator in Python.
"""


def _count_for(op: torch._ops.OpOverload[..., Any]) -> Count:
    name = op._schema.name.partition("::")[2]
    if name in _PRODUCTS:
        return _PRODUCTS[name]
    if "scaled_dot_product" in name and "attention" in name:
        return _attention_backward if name.endswith("_backward") else _attention
    if name in _STILL or not _takes_tensors(op) or _is_view(op):
        return _nothing
    return _elements


def _nothing(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    return 0


def _elements(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """What came out; operators that return nothing change their first argument."""
    return _size(arguments[0] if results is None and arguments else results)


def _size(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, (list, tuple)):
        return sum(_size(item) for item in value)
    return 1  # a number or a bool: something was computed


def _takes_tensors(op: torch._ops.OpOverload[..., Any]) -> bool:
    return any("Tensor" in str(argument.type) for argument in op._schema.arguments)


def _is_view(op: torch._ops.OpOverload[..., Any]) -> bool:
    """Whether what it returns shares memory with an argument that it does not write to."""
    aliases = [result.alias_info for result in op._schema.returns]
    return bool(aliases) and all(one is not None and not one.is_write for one in aliases)


def _mm(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    left, right = arguments[0], arguments[1]
    return int(2 * left.numel() * right.size(-1))


def _mv(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    return int(2 * arguments[0].numel())


def _addmm(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    left, right = arguments[1], arguments[2]
    return int(2 * left.numel() * right.shape[-1])


def _mkldnn_rnn(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """One layer of the CPU's fused RNN: two products per step, with its two weights."""
    steps, batch = arguments[0].shape[0], arguments[0].shape[1]
    return int(2 * steps * batch * (arguments[1].numel() + arguments[2].numel()))


def _mkldnn_rnn_backward(
    arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any
) -> int:
    """The gradients of data, and those of parameters."""
    return 2 * _mkldnn_rnn(arguments, keywords, results)


def _recurrent(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """A recurrent layer as a whole: every matrix once for each step of each sequence."""
    data = arguments[0]
    parameters = next(one for one in reversed(arguments) if isinstance(one, (list, tuple)))
    matrices = sum(one.numel() for one in parameters if one.dim() == 2)
    return int(2 * prod(data.shape[:-1]) * matrices)


def _cell(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """One step of a recurrent layer: its two matrices."""
    return int(2 * arguments[0].shape[0] * (arguments[2].numel() + arguments[3].numel()))


def _convolution(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    transposed = len(arguments) > 6 and arguments[6] is True
    return _convolved(arguments[0].shape, arguments[1].shape, results.shape, transposed)


def _convolved(given: Sequence[int], weight: Sequence[int], made: Sequence[int], back: bool) -> int:
    """For every point of the output (of the input, if transposed) the whole filter."""
    points = (given if back else made)[2:]
    return 2 * given[0] * prod(points) * prod(weight)


def _convolution_backward(
    arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any
) -> int:
    """One convolution's work for the gradient of the input, and one for that of the weight."""
    made, given, weight = (one.shape for one in arguments[:3])
    transposed, wanted = arguments[7], arguments[10]
    return int(_convolved(given, weight, made, transposed) * sum(wanted[:2]))


def _attention(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """Scores, and the values they weigh; masks and causality are not accounted for."""
    query, key, value = (one.shape for one in arguments[:3])
    return int(2 * prod(query[:-1]) * key[-2] * (query[-1] + value[-1]))


def _attention_backward(arguments: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> int:
    """The scores again, and two products for each of the two of the forward pass."""
    query, key, value = (one.shape for one in arguments[1:4])
    return int(2 * prod(query[:-1]) * key[-2] * (3 * query[-1] + 2 * value[-1]))


_PRODUCTS: Final[Mapping[str, Count]] = {
    "mm": _mm,
    "bmm": _mm,
    "mv": _mv,
    "dot": _mv,
    "addmm": _addmm,
    "baddbmm": _addmm,
    "mkldnn_rnn_layer": _mkldnn_rnn,
    "mkldnn_rnn_layer_backward": _mkldnn_rnn_backward,
    **dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), _recurrent),
    **dict.fromkeys(("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"), _cell),
    **dict.fromkeys(
        (
            "convolution",
            "_convolution",
            "convolution_overrideable",
            "cudnn_convolution",
            "mkldnn_convolution",
            "thnn_conv2d",
            "_slow_conv2d_forward",
        ),
        _convolution,
    ),
    "convolution_backward": _convolution_backward,
    "convolution_backward_overrideable": _convolution_backward,
}
"""What has a formula. ``mkldnn_rnn_layer``, an LSTM on the host, has none in torch."""
