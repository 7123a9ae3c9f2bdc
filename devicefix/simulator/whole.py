"""Operators that a GPU does in one piece: here they are the CPU's, as a whole.

A recurrent layer on CUDA goes to cuDNN or to fused cells, attention to a fused kernel; none of them
exists on a CPU, and what torch would put together instead rounds differently. So the whole operator
runs on aliases, forward and backward, and its numbers are those of the CPU to the last digit. As
with cuDNN, the derivative cannot be derived once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.functional import linear
from torch.utils import _pytree as pytree

from devicefix.simulator.kernels import Kernel, Workshop
from devicefix.simulator.messages import Operand, refuse
from devicefix.simulator.signatures import Op
from devicefix.simulator.watching import POST

Tensor = torch.Tensor
WholeCheck = Callable[[Op, Sequence[Any], Mapping[str, Any]], None]
_aten = torch.ops.aten


def recurrent(op: Op, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """``check_attributes`` (aten/src/ATen/native/RNN.cpp): all beside the input, hidden states
    first.
    """
    data, *others = arguments
    groups = [(name, tensor) for name, value in zip(("hidden", "parameter"), others, strict=False)
              for tensor in pytree.tree_leaves(value) if isinstance(tensor, Tensor)]  # fmt: skip
    for name, tensor in groups:
        if tensor.device != data.device:
            text = (
                f"Input and {name} tensors are not at the same device, found input tensor "
                f"at {data.device} and {name} tensor at {tensor.device}"
            )
            refuse(text, op, [Operand("input", data), *(Operand(*group) for group in groups)])


def packed(op: Op, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """cuDNN compares; for data on the host nobody does, and the first product raises
    (``PackedLayer``, aten/src/ATen/native/RNN.cpp).
    """
    data, _, hidden, parameters, has_biases, *_ = arguments  # lengths stay on the host
    if data.device.type == "cpu":
        linear(data, parameters[0], parameters[2] if has_biases else None)
    recurrent(op, (data, hidden, parameters), keywords)


def cell(op: Op, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """The steps of which torch composes a cell on a device raise by themselves: its products
    (``linear_ih``, ``matmul_ih``), and the fused kernel that adds the biases
    (aten/src/ATen/native/RNN.cpp).
    """
    if len({leaf.device for leaf in pytree.tree_leaves(arguments) if leaf is not None}) > 1:
        op.decompose(*arguments, **keywords)


def attention(op: Op, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """``validate_sdpa_input`` (aten/src/ATen/native/transformers/attention.cpp) compares query, key
    and value; a mask that is elsewhere is refused by the kernel that is chosen.
    """
    query, key, value, mask = (*arguments, None)[:4]
    if not query.device == key.device == value.device:
        text = (
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{query.device} key.device: {key.device} and value.device: {value.device} instead."
        )
        refuse(text, op, [Operand("query", query), Operand("key", key), Operand("value", value)])
    if mask is None or mask.device == query.device:
        return
    if query.device.type == "cpu":
        op.decompose(*arguments, **keywords)
    elif query.device.type != "mps" and _is_efficient(
        query, key, value, keywords.get("enable_gqa", False)
    ):
        _aten._scaled_dot_product_efficient_attention.default(query, key, value, mask, False)
    else:
        _aten._scaled_dot_product_attention_math.default(query, key, value, mask)


def _is_efficient(query: Tensor, key: Tensor, value: Tensor, grouped: bool) -> bool:
    """Whether attention with a mask goes to the memory-efficient kernel, on a GPU of compute
    capability 8.0 (`sdp::use_mem_efficient_attention`,
    aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).
    """
    flags: Any = torch.backends.cuda
    half = query.dtype in (torch.float16, torch.bfloat16)
    return (
        flags.mem_efficient_sdp_enabled()
        and (half or query.dtype is torch.float32)
        and query.dtype is key.dtype is value.dtype
        and query.dim() == key.dim() == value.dim() == 4
        and query.shape[:2] == key.shape[:2] == value.shape[:2]
        and not grouped
        and min(query.shape[2], key.shape[2], query.shape[3], value.shape[3]) > 0
        and query.shape[3] == key.shape[3]
        and not any(tensor.shape[3] % (8 if half else 4) for tensor in (query, value))
        and all(tensor.stride(3) == 1 for tensor in (query, key, value))
    )


_LAYERS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
WHOLE: Mapping[str, WholeCheck | None] = {
    **{f"{layer}.input": recurrent for layer in _LAYERS},
    **{f"{layer}.data": packed for layer in _LAYERS},
    **{f"{layer}_cell": cell for layer in _LAYERS},
    "scaled_dot_product_attention": attention,
    "_fused_rms_norm": None,
}
"""The operators by name and overload, each with its check; None where it has a CUDA kernel of its
own, and so the check that is made in front of every one.
"""


def as_a_whole(op: Op, check: WholeCheck, shop: Workshop) -> tuple[Kernel, Kernel]:
    """The kernels of ``op`` for the autograd key and for the device's key."""

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        check(op, arguments, keywords)
        leaves, structure = pytree.tree_flatten((list(arguments), dict(keywords)))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        index = max(map(Tensor.get_device, tensors))
        call = _Call(op, structure, leaves, shop, index, torch.is_grad_enabled())
        outputs = _apply(call, *map(_autocast(shop.accelerator.name), tensors))
        call.tell(outputs)
        return outputs

    def without_grad(*arguments: Any, **keywords: Any) -> Any:
        with torch.no_grad():
            return kernel(*arguments, **keywords)

    return kernel, without_grad


def _autocast(kind: str) -> Callable[[Tensor], Tensor]:
    """Under autocast these operators work in the lower precision."""
    if not torch.is_autocast_enabled(kind):
        return lambda tensor: tensor
    dtype = torch.get_autocast_dtype(kind)
    return lambda tensor: (
        tensor.to(dtype) if tensor.is_floating_point() and tensor.get_device() >= 0 else tensor
    )


@dataclass(frozen=True)
class _Call:
    """One call of an operator that runs as a whole."""

    op: Op
    structure: Any
    leaves: list[Any]
    """The arguments, tensors among them."""
    shop: Workshop
    index: int
    """The device's."""
    differentiable: bool
    """Whether gradients are on: the CPU's recurrent layers round differently without."""

    def arguments(self, tensors: Sequence[Tensor] | None = None) -> Any:
        """Arguments and keywords, with other tensors in the places of the program's own."""
        leaves = self.leaves if tensors is None else _put_back(self.leaves, tensors)
        return pytree.tree_unflatten(leaves, self.structure)

    def on_the_device(self, tensor: Tensor) -> Tensor:
        """A tensor of the device with a storage of its own; the host's graph keeps its tensor."""
        alias = self.shop.relabel.to_host(tensor.detach())
        return self.shop.relabel.to_device(alias, self.index)

    def tell(self, results: Any) -> None:
        if POST.watcher is not None:
            arguments, keywords = self.arguments()
            device = self.shop.accelerator.devices[self.index]
            POST.watcher.ran(self.op, arguments, keywords, results, device)


def _host_side() -> Any:
    """What the CPU does here is the device's work: neither modes nor the host's autocast see it."""
    keys = torch._C.DispatchKey
    hidden = torch._C.DispatchKeySet(keys.Python)
    for key in (keys.PythonTLSSnapshot, keys.AutocastCPU):
        hidden = hidden | torch._C.DispatchKeySet(key)
    return torch._C._ExcludeDispatchKeyGuard(hidden)


class _Whole(torch.autograd.Function):
    """Runs the operator and its derivative on the host."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: Tensor) -> Any:
        """Keep the host's own graph for the way back."""
        inputs = [_leaf(tensor, call.shop) for tensor in tensors]
        with torch.set_grad_enabled(call.differentiable), _host_side():
            arguments, keywords = call.arguments(inputs)
            results = call.op(*arguments, **keywords)
        several = isinstance(results, (tuple, list))
        ctx.call, ctx.inputs, ctx.outputs = call, inputs, [*results] if several else [results]
        outputs = tuple(map(call.on_the_device, ctx.outputs))
        return outputs if several else outputs[0]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        """Gradients of the tensors; the call in front of them has none.

        A watcher hears of the operator twice: the gradients of data and those of parameters take
        about the work of the forward pass each.
        """
        call: _Call = ctx.call
        used = [
            (output, call.shop.relabel.to_host(grad))
            for output, grad in zip(ctx.outputs, grads, strict=True)
            if grad is not None and output.requires_grad
        ]
        wanted = [tensor for tensor in ctx.inputs if tensor.requires_grad]
        outputs, given = zip(*used, strict=True)
        with _host_side():
            found = torch.autograd.grad(
                outputs, wanted, given, retain_graph=True, allow_unused=True
            )
        results = iter([None if grad is None else call.on_the_device(grad) for grad in found])
        gradients = [next(results) if tensor.requires_grad else None for tensor in ctx.inputs]
        call.tell(gradients)
        call.tell(None)
        return None, *gradients


_apply: Callable[..., Any] = _Whole.apply


def _leaf(tensor: Tensor, shop: Workshop) -> Tensor:
    alias = tensor.detach() if tensor.get_device() < 0 else shop.relabel.to_host(tensor.detach())
    return alias.requires_grad_(tensor.requires_grad)


def _put_back(leaves: list[Any], tensors: Sequence[Tensor]) -> list[Any]:
    remaining = iter(tensors)
    return [next(remaining) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
