"""Attention: which of its operands have to be where."""

from __future__ import annotations

import torch
from expectations import HOST, mismatch, needs, placed, pointwise_mismatch, raises
from torch import nn
from torch.nn import functional

_EFFICIENT = "__scaled_dot_product_efficient_attention"
_CUDNN = "__scaled_dot_product_cudnn_attention"


def _heads(device: torch.device, width: int = 8, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Queries, keys and values of two heads over three places."""
    return torch.ones(1, 2, 3, width, device=device, dtype=dtype)


def a_fused_attention_names_its_mask(device: torch.device) -> None:
    """A mask on the CPU, float or bool, is the ``attn_bias`` of the
    memory-efficient kernel, which takes four dimensions, and widths that are multiples of 4
    (float32) or 8 (half precision). In half precision some GPUs (an H100 with torch 2.11) choose
    cuDNN's kernel, which calls it the same.

    Source: native_functions.yaml, `_scaled_dot_product_efficient_attention`,
    `_scaled_dot_product_cudnn_attention`; aten/src/ATen/native/transformers/cuda/sdp_utils.cpp,
    `use_mem_efficient_attention`, `check_prefer_cudnn_attention`; attention.cpp,
    `convert_boolean_attn_mask`.
    """
    said = mismatch("attn_bias", HOST, device, _EFFICIENT)
    data = _heads(device)
    for mask in (torch.zeros(3, 3), torch.ones(3, 3, dtype=torch.bool), torch.zeros(1, 1, 3, 3)):
        with raises(RuntimeError, *said):
            functional.scaled_dot_product_attention(data, data, data, attn_mask=mask)
    half = _heads(device, dtype=torch.float16)
    with raises(RuntimeError, *said, *mismatch("attn_bias", HOST, device, _CUDNN)):
        functional.scaled_dot_product_attention(half, half, half, torch.zeros(3, 3).half())
    mask = torch.zeros(3, 3, device=device)
    placed(device, functional.scaled_dot_product_attention(data, data, data, mask))


def a_composed_attention_adds_its_mask(device: torch.device) -> None:
    """Where no fused kernel takes them (three dimensions, float64, a width of 3), the mask is added
    to the scores, element by element.

    Source: aten/src/ATen/native/transformers/attention.cpp, `_scaled_dot_product_attention_math`.
    """
    for data in (
        _heads(device)[0],
        _heads(device, dtype=torch.float64),
        _heads(device, width=3),
    ):
        mask = torch.zeros(3, 3, dtype=data.dtype)
        with raises(RuntimeError, pointwise_mismatch(device)):
            functional.scaled_dot_product_attention(data, data, data, attn_mask=mask)


def a_switched_off_kernel_is_not_asked(device: torch.device) -> None:
    """Without the memory-efficient kernel the composite implementation raises.

    Source: torch docs, `torch.nn.attention.sdpa_kernel`; sdp_utils.cpp,
    `check_runtime_disabled_mem_efficient`.
    """
    data, before = _heads(device), torch.backends.cuda.mem_efficient_sdp_enabled()
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    try:
        with raises(RuntimeError, pointwise_mismatch(device)):
            functional.scaled_dot_product_attention(data, data, data, torch.zeros(3, 3))
    finally:
        torch.backends.cuda.enable_mem_efficient_sdp(before)


def attention_compares_its_three_inputs(device: torch.device) -> None:
    """Query, key and value are compared before a kernel is chosen.

    Source: aten/src/ATen/native/transformers/attention.cpp, `validate_sdpa_input`.
    """
    here, there = _heads(device), _heads(HOST)
    said = "Expected query, key, and value to have the same device type, but got query.device: "
    for operands in ((here, there, here), (here, here, there), (there, here, here)):
        with raises(RuntimeError, said + str(operands[0].device)):
            functional.scaled_dot_product_attention(*operands)


def attention_on_the_host_refuses_a_mask_of_the_device(device: torch.device) -> None:
    """A mask on the device with inputs on the CPU raises.

    Source: aten/src/ATen/native/transformers/attention.cpp, `scaled_dot_product_attention`: the
    kernel is chosen by the query, and is one that CUDA does not have.
    """
    data = _heads(HOST)
    try:
        functional.scaled_dot_product_attention(data, data, data, torch.zeros(3, 3, device=device))
    except (RuntimeError, NotImplementedError):
        return
    raise AssertionError("raised nothing")


def an_encoder_layer_in_training_names_its_mask(device: torch.device) -> None:
    """`TransformerEncoderLayer` asks attention for no weights, so a mask on the CPU goes to the
    fused kernel; one of padding, too.

    Source: torch/nn/modules/transformer.py, `_sa_block`; torch/nn/functional.py,
    `multi_head_attention_forward`.
    """
    layer = nn.TransformerEncoderLayer(16, 2, 16, batch_first=True, device=device)
    data = torch.ones(2, 3, 16, device=device)
    said = mismatch("attn_bias", HOST, device, _EFFICIENT)
    with raises(RuntimeError, *said):
        layer(data, src_mask=torch.ones(3, 3, dtype=torch.bool).triu(1))
    with raises(RuntimeError, *said):
        layer(data, src_key_padding_mask=torch.zeros(2, 3, dtype=torch.bool))


def a_decoder_layer_names_either_mask(device: torch.device) -> None:
    """In `TransformerDecoderLayer` the mask of the target and that of the memory have to be on the
    device.

    Source: torch/nn/modules/transformer.py, `_sa_block`, `_mha_block`.
    """
    layer = nn.TransformerDecoderLayer(16, 2, 16, batch_first=True, device=device)
    data = torch.ones(2, 3, 16, device=device)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    for name in ("tgt_mask", "memory_mask"):
        with raises(RuntimeError, *mismatch("attn_bias", HOST, device, _EFFICIENT)):
            layer(data, data, **{name: mask})
        placed(device, layer(data, data, **{name: mask.to(device)}))


def attention_without_weights_names_its_mask(device: torch.device) -> None:
    """`MultiheadAttention` with ``need_weights=False`` goes to the fused kernel; with weights the
    mask is the first argument of `baddbmm`.

    Source: torch/nn/functional.py, `multi_head_attention_forward`.
    """
    layer = nn.MultiheadAttention(16, 2, device=device)
    data, mask = torch.ones(3, 2, 16, device=device), torch.zeros(3, 3)
    with raises(RuntimeError, *mismatch("attn_bias", HOST, device, _EFFICIENT)):
        layer(data, data, data, attn_mask=mask, need_weights=False)
    with raises(RuntimeError, *mismatch("batch1", device, HOST, "baddbmm")):
        layer(data, data, data, attn_mask=mask)


def root_mean_square_norm_names_its_weight(device: torch.device) -> None:
    """`rms_norm` is one kernel on CUDA: its weight has to be beside the input.

    Source: native_functions.yaml, `_fused_rms_norm` (since torch 2.9; a composition before).
    """
    needs((2, 9), "the fused kernel of rms_norm")
    weight = torch.ones(4)
    with raises(RuntimeError, *mismatch("weight", HOST, device, "__fused_rms_norm")):
        functional.rms_norm(torch.ones(2, 4, device=device), (4,), weight)
    with raises(RuntimeError, *mismatch("weight", device, HOST, "__fused_rms_norm")):
        functional.rms_norm(torch.ones(2, 4), (4,), weight.to(device))


def cells_name_their_biases(device: torch.device) -> None:
    """The biases of an LSTM's and a GRU's cell are arguments of their fused kernels; those of a
    plain cell of its products.

    Source: aten/src/ATen/native/RNN.cpp, `LSTMCell`, `GRUCell`, `SimpleCell`;
    native_functions.yaml, `_thnn_fused_lstm_cell`, `_thnn_fused_gru_cell`.
    """
    data = torch.ones(2, 4, device=device)
    for layer, kernel in ((nn.LSTMCell, "lstm"), (nn.GRUCell, "gru")):
        for bias, name in (("bias_ih", "input_bias"), ("bias_hh", "hidden_bias")):
            cell = layer(4, 4, device=device)
            setattr(cell, bias, nn.Parameter(getattr(cell, bias).detach().cpu()))
            with raises(RuntimeError, *mismatch(name, HOST, device, f"__thnn_fused_{kernel}_cell")):
                cell(data)
    plain = nn.RNNCell(4, 4, device=device)
    plain.bias_ih = nn.Parameter(torch.zeros(4))
    with raises(RuntimeError, *mismatch("mat1", device, HOST, "addmm")):
        plain(data)
