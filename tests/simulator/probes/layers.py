"""Layers and losses whose parts are on different devices."""

from __future__ import annotations

import torch
from expectations import HOST, mismatch, placed, pointwise_mismatch, raises, same
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

HOST_TYPE = "torch.FloatTensor"
DEVICE_TYPE = "torch.cuda.FloatTensor"


def a_convolution_compares_types(device: torch.device) -> None:
    """A convolution whose weight is elsewhere raises about types, not devices, where cuDNN or
    MKLDNN would compute it.

    Source: aten/src/ATen/native/Convolution.cpp, `check_input_same_type_as_parameters`.
    """
    images, layer = torch.ones(2, 1, 3, 3), nn.Conv2d(1, 1, 2)
    with raises(RuntimeError, f"Input type ({DEVICE_TYPE}) and weight type ({HOST_TYPE}) should"):
        layer(images.to(device))
    layer.to(device)
    with raises(RuntimeError, f"Input type ({HOST_TYPE}) and weight type ({DEVICE_TYPE}) should"):
        layer(images)
    placed(device, layer(images.to(device)))


def a_convolution_of_one_small_image_names_its_weight(device: torch.device) -> None:
    """A single image on the CPU, of no more than 20,480 numbers, is not for MKLDNN unless the
    kernel is larger than 3 by 3; nothing is for it in double precision. The kernel that is chosen
    by the image names the weight, and then the bias. That of three dimensions does not exist for
    CUDA.

    Source: aten/src/ATen/native/Convolution.cpp, `use_mkldnn`, `_select_conv_backend`,
    `_convolution`.
    """
    image, layer = torch.ones(1, 1, 5, 5), nn.Conv2d(1, 1, 2, device=device)
    said = mismatch("weight", device, HOST, "__slow_conv2d_forward")
    with raises(RuntimeError, *said):
        layer(image)
    with raises(RuntimeError, *said):
        nn.Conv2d(1, 1, 2, device=device, dtype=torch.float64)(torch.ones(2, 1, 3, 3).double())
    with raises(RuntimeError, *said):
        nn.Conv1d(1, 1, 2, device=device)(torch.ones(1, 1, 3))
    with raises(RuntimeError, *mismatch("bias", device, HOST, "__slow_conv2d_forward")):
        functional.conv2d(image, torch.ones(1, 1, 2, 2), layer.bias)
    with raises(RuntimeError, *mismatch("weight", device, HOST, "_slow_conv_dilated2d")):
        nn.Conv2d(1, 1, 2, dilation=2, device=device)(image)
    with raises(RuntimeError, f"Input type ({HOST_TYPE}) and weight type ({DEVICE_TYPE}) should"):
        nn.Conv2d(1, 1, 4, device=device)(image)
    with raises(RuntimeError, "Could not run 'aten::slow_conv3d_forward' with arguments from the"):
        nn.Conv3d(1, 1, 2, device=device)(torch.ones(1, 1, 3, 3, 3))


def a_convolution_of_each_channel_names_its_weight(device: torch.device) -> None:
    """A depthwise convolution in single precision is not cuDNN's, and compares no types.

    Source: aten/src/ATen/native/Convolution.cpp, `is_depthwise`, `use_cudnn_depthwise`;
    native_functions.yaml, `_conv_depthwise2d`, `conv_depthwise3d` (checked).
    """
    image = torch.ones(1, 2, 3, 3, device=device)
    with raises(RuntimeError, *mismatch("weight", HOST, device, "__conv_depthwise2d")):
        nn.Conv2d(2, 2, 2, groups=2)(image)
    weight = torch.ones(2, 1, 2, 2, device=device)
    with raises(RuntimeError, *mismatch("bias", HOST, device, "__conv_depthwise2d")):
        functional.conv2d(image, weight, torch.zeros(2), groups=2)
    with raises(RuntimeError, *mismatch("weight", HOST, device, "_conv_depthwise3d")):
        nn.Conv3d(2, 2, 2, groups=2)(torch.ones(1, 2, 3, 3, 3, device=device))


def a_convolution_of_nothing_reads_one_weight(device: torch.device) -> None:
    """Without images one number of the weight and one of the bias are read, from the CPU, too.

    Source: aten/src/ATen/native/Convolution.cpp, `_convolution`, `ConvBackend::Empty`.
    """
    layer, none = nn.Conv2d(1, 1, 2), torch.ones(0, 1, 3, 3)
    placed(device, layer(none.to(device)))
    with raises(RuntimeError, pointwise_mismatch(device)):
        layer.to(device)(none)


def every_convolution_compares_types(device: torch.device) -> None:
    """One, three and transposed dimensions give the same error.

    Source: aten/src/ATen/native/Convolution.cpp, `check_input_same_type_as_parameters`.
    """
    said = f"Input type ({DEVICE_TYPE}) and weight type ({HOST_TYPE}) should be the same"
    for layer, dimensions in ((nn.Conv1d, 1), (nn.Conv3d, 3), (nn.ConvTranspose2d, 2)):
        with raises(RuntimeError, said):
            layer(1, 1, 2)(torch.ones(1, 1, *[3] * dimensions, device=device))


def a_convolution_compares_its_bias(device: torch.device) -> None:
    """A bias on the CPU, the weight on the device, raises about the bias's type.

    Source: aten/src/ATen/native/Convolution.cpp, `check_input_same_type_as_parameters`.
    """
    image, weight = torch.ones(1, 1, 3, 3, device=device), torch.ones(1, 1, 2, 2, device=device)
    with raises(RuntimeError, f"Input type ({DEVICE_TYPE}) and bias type ({HOST_TYPE}) should be"):
        functional.conv2d(image, weight, torch.zeros(1))


def an_embedding_names_its_index(device: torch.device) -> None:
    """An embedding is `index_select` of its weight: the tokens are the ``index``.

    Source: aten/src/ATen/native/Embedding.cpp, `embedding_symint`.
    """
    layer, tokens = nn.Embedding(3, 2), torch.tensor([[0, 2]])
    with raises(RuntimeError, *mismatch("index", device, HOST, "_index_select")):
        layer(tokens.to(device))
    layer.to(device)
    with raises(RuntimeError, *mismatch("index", HOST, device, "_index_select")):
        layer(tokens)
    placed(device, layer(tokens.to(device)))


def an_embedding_bag_is_checked_as_a_whole(device: torch.device) -> None:
    """`EmbeddingBag` on the device with tokens on the CPU raises and names the indices.

    Source: native_functions.yaml, `_embedding_bag` (checked).
    """
    layer, tokens = nn.EmbeddingBag(3, 2).to(device), torch.tensor([[0, 2]])
    methods = ("__embedding_bag", "__embedding_bag_forward_only")
    said = [text for name in methods for text in mismatch("indices", HOST, device, name)]
    with raises(RuntimeError, *said):
        layer(tokens)


def batch_norm_names_what_was_left_behind(device: torch.device) -> None:
    """Batch norm on the CPU with an input on the device names the weight; with only its
    statistics on the CPU it names ``running_mean``.

    The method is cuDNN's or native, as the machine has it.
    Source: native_functions.yaml, `cudnn_batch_norm`, `native_batch_norm` (checked).
    """
    batch, layer = torch.ones(4, 2, device=device), nn.BatchNorm1d(2)
    methods = ("_cudnn_batch_norm", "_native_batch_norm")
    said = [text for name in methods for text in mismatch("weight", HOST, device, name)]
    with raises(RuntimeError, *said):
        layer(batch)
    layer.to(device)
    layer.running_mean = torch.zeros(2)
    said = [text for name in methods for text in mismatch("running_mean", HOST, device, name)]
    with raises(RuntimeError, *said):
        layer(batch)


def layer_norm_names_its_weight(device: torch.device) -> None:
    """Layer norm on the CPU with an input on the device names the weight.

    Source: native_functions.yaml, `native_layer_norm` (checked).
    """
    batch, layer = torch.ones(4, 2), nn.LayerNorm(2)
    with raises(RuntimeError, *mismatch("weight", HOST, device, "_native_layer_norm")):
        layer(batch.to(device))
    layer.to(device)
    with raises(RuntimeError, *mismatch("weight", device, HOST, "_native_layer_norm")):
        layer(batch)


def a_recurrent_layer_compares_input_and_parameters(device: torch.device) -> None:
    """LSTM, GRU and RNN on the device with an input on the CPU raise about the parameters, or about
    the hidden state, which they create on the input's device and compare first.

    Source: aten/src/ATen/native/RNN.h, `check_attributes`.
    """
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        layer, batch = kind(2, 3), torch.ones(4, 1, 2)
        with raises(
            RuntimeError,
            "Input and parameter tensors are not at the same device, found input tensor at "
            f"{device} and parameter tensor at cpu",
        ):
            layer(batch.to(device))
        layer.to(device)
        with raises(
            RuntimeError,
            "Input and parameter tensors are not at the same device, found input tensor at cpu "
            f"and parameter tensor at {device}",
        ):
            layer(batch)


def a_recurrent_layer_compares_its_hidden_state(device: torch.device) -> None:
    """A hidden state made on the CPU is named.

    Source: aten/src/ATen/native/RNN.h, `check_attributes` (hidden states before parameters).
    """
    batch, hidden = torch.ones(4, 1, 2, device=device), torch.zeros(1, 1, 3)
    said = f"Input and hidden tensors are not at the same device, found input tensor at {device}"
    with raises(RuntimeError, f"{said} and hidden tensor at cpu"):
        nn.GRU(2, 3).to(device)(batch, hidden)
    with raises(RuntimeError, f"{said} and hidden tensor at cpu"):
        nn.LSTM(2, 3).to(device)(batch, (hidden, hidden))


def a_recurrent_layer_makes_its_state_beside_the_input(device: torch.device) -> None:
    """Without a hidden state everything that comes out is on the device.

    Source: torch/nn/modules/rnn.py: ``torch.zeros(..., device=input.device)``.
    """
    batch = torch.ones(4, 1, 2, device=device)
    outputs, (hidden, cell) = nn.LSTM(2, 3, num_layers=2).to(device)(batch)
    placed(device, outputs, hidden, cell)


def recurrent_cells_are_products(device: torch.device) -> None:
    """`LSTMCell` and `GRUCell` on the device with an input on the CPU raise in their product.

    Source: aten/src/ATen/native/RNN.cpp, `lstm_cell` (``linear_ih`` for an input that is not on
    the device).
    """
    for kind in (nn.LSTMCell, nn.GRUCell):
        with raises(RuntimeError, *mismatch("mat1", HOST, device, "addmm")):
            kind(2, 3).to(device)(torch.ones(1, 2))


def lengths_stay_on_the_host(device: torch.device) -> None:
    """`pack_padded_sequence` wants its lengths on the CPU, the sequences anywhere.

    Source: aten/src/ATen/native/PackedSequence.cpp, `_pack_padded_sequence`.
    """
    batch, lengths = torch.ones(3, 2, 1, device=device), torch.tensor([3, 1])
    with raises(
        RuntimeError,
        f"'lengths' argument should be a 1D CPU int64 tensor, but got 1D {device} Long tensor",
    ):
        pack_padded_sequence(batch, lengths.to(device))
    packed = pack_padded_sequence(batch, lengths)
    placed(device, packed.data)
    placed(HOST, packed.batch_sizes)
    padded, counted = pad_packed_sequence(packed)
    placed(device, padded)
    placed(HOST, counted)
    same(padded[:, 1], [[1.0], [0.0], [0.0]])


def unsorted_lengths_are_sorted_on_the_device(device: torch.device) -> None:
    """With ``enforce_sorted=False`` the order of the sequences goes to the device; the result of
    a packed layer is there, too.

    Source: torch/nn/utils/rnn.py: ``sorted_indices.to(input.device)``.
    """
    batch = torch.ones(3, 2, 1, device=device)
    packed = pack_padded_sequence(batch, torch.tensor([1, 3]), enforce_sorted=False)
    assert packed.sorted_indices is not None
    placed(device, packed.data, packed.sorted_indices)
    outputs, hidden = nn.GRU(1, 2).to(device)(packed)
    placed(device, outputs.data, hidden)
    assert packed.is_cuda
    assert packed.cpu().data.device == HOST
    assert pack_sequence([torch.ones(2, 1)]).to(device).data.device == device


def a_packed_sequence_on_the_host_meets_the_device(device: torch.device) -> None:
    """A packed CPU batch given to a layer on the device raises in its first product: packed
    inputs are not compared with the parameters beforehand.

    Source: aten/src/ATen/native/RNN.cpp, `lstm` with ``batch_sizes``, `PackedLayer`.
    """
    packed = pack_sequence([torch.ones(2, 1)])
    with raises(RuntimeError, *mismatch("mat1", HOST, device, "addmm")):
        nn.LSTM(1, 2).to(device)(packed)


def cross_entropy_names_target_and_weight(device: torch.device) -> None:
    """`cross_entropy` with class labels names ``target`` or ``weight``.

    Source: native_functions.yaml, `nll_loss_forward` (checked).
    """
    scores, labels = torch.zeros(2, 3, device=device), torch.tensor([0, 2])
    with raises(RuntimeError, *mismatch("target", HOST, device, "nll_loss_forward")):
        functional.cross_entropy(scores, labels)
    with raises(RuntimeError, *mismatch("weight", HOST, device, "nll_loss_forward")):
        functional.cross_entropy(scores, labels.to(device), weight=torch.ones(3))
    with raises(RuntimeError, *mismatch("target", device, HOST, "nll_loss_forward")):
        functional.cross_entropy(scores.cpu(), labels.to(device))


def a_positive_weight_lives_with_the_logits(device: torch.device) -> None:
    """``pos_weight`` of `BCEWithLogitsLoss` on the CPU raises unless the module was moved.

    Source: aten/src/ATen/native/Loss.cpp, `binary_cross_entropy_with_logits` (pointwise).
    """
    logits, targets = torch.zeros(2, 3, device=device), torch.ones(2, 3, device=device)
    loss = nn.BCEWithLogitsLoss(pos_weight=torch.ones(3))
    with raises(RuntimeError, pointwise_mismatch(device)):
        loss(logits, targets)
    placed(device, loss.to(device)(logits, targets))


def attention_needs_its_mask_beside_it(device: torch.device) -> None:
    """`MultiheadAttention` on the device with a mask on the CPU raises.

    Source: torch/nn/functional.py, `multi_head_attention_forward` (`baddbmm` of mask and query);
    native_functions.yaml, `baddbmm` (checked: the mask comes first).
    """
    layer, batch = nn.MultiheadAttention(4, 1).to(device), torch.ones(2, 1, 4, device=device)
    with raises(RuntimeError, *mismatch("batch1", device, HOST, "baddbmm")):
        layer(batch, batch, batch, attn_mask=torch.zeros(2, 2))
    outputs, weights = layer(batch, batch, batch, attn_mask=torch.zeros(2, 2, device=device))
    placed(device, outputs, weights)


def dropout_and_activations_keep_the_device(device: torch.device) -> None:
    """Layers without parameters work wherever their input is.

    Source: torch/nn/modules/dropout.py, activation.py: no state.
    """
    batch = torch.ones(2, 4, device=device)
    for layer in (nn.Dropout(0.5), nn.ReLU(), nn.Softmax(dim=1), nn.Flatten(), nn.Identity()):
        placed(device, layer(batch))
    placed(device, functional.pad(batch, (1, 1)), functional.one_hot(batch.long(), 2))


def a_parametric_relu_names_its_weight(device: torch.device) -> None:
    """`PReLU` on the CPU with an input on the device names the weight.

    Source: native_functions.yaml, `_prelu_kernel` (checked).
    """
    with raises(RuntimeError, *mismatch("weight", HOST, device, "__prelu_kernel")):
        nn.PReLU()(torch.ones(2, device=device))


def group_and_instance_norm_name_their_weight(device: torch.device) -> None:
    """`GroupNorm` on the CPU with an input on the device names the weight.

    Source: native_functions.yaml, `native_group_norm` (checked).
    """
    with raises(RuntimeError, *mismatch("weight", HOST, device, "_native_group_norm")):
        nn.GroupNorm(1, 2)(torch.ones(1, 2, 3, device=device))


def grid_sample_needs_one_device(device: torch.device) -> None:
    """`grid_sample` with a grid on the CPU is refused by the device check, before the kernel's
    own message.

    Source: native_functions.yaml, `grid_sampler_2d` (checked).
    """
    image, grid = torch.ones(1, 1, 2, 2, device=device), torch.zeros(1, 2, 2, 2)
    with raises(RuntimeError, *mismatch("grid", HOST, device, "_grid_sampler_2d")):
        functional.grid_sample(image, grid, align_corners=False)
