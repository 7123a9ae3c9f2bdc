"""Modules that move, and optimizers that were made before."""

from __future__ import annotations

import copy

import torch
from expectations import HOST, placed, same
from torch import nn


def a_move_keeps_the_parameters(device: torch.device) -> None:
    """``module.to(device)`` is the module itself, and its parameters stay the same objects.

    Source: torch/nn/modules/module.py, `_apply`: ``param.data = param_applied``;
    `torch.__future__.set_overwrite_module_params_on_conversion`.
    """
    layer = nn.Linear(2, 2)
    weight = layer.weight
    assert layer.to(device) is layer
    assert layer.weight is weight
    placed(device, weight)
    assert layer.cpu().weight is weight
    placed(HOST, weight)
    assert layer.cuda().weight is weight


def buffers_move_and_plain_tensors_stay(device: torch.device) -> None:
    """``module.to(device)`` moves parameters and buffers, in submodules and lists as well, but
    not a tensor that is a plain attribute.

    Source: torch/nn/modules/module.py, `_apply` (``self._parameters``, ``self._buffers``).
    """
    module = nn.Module()
    module.plain = torch.ones(1)
    module.register_buffer("mask", torch.ones(1))
    module.register_buffer("passing", torch.ones(1), persistent=False)
    module.layers = nn.ModuleList([nn.Linear(1, 1)])
    module.kept = [nn.Linear(1, 1)]
    module.to(device)
    placed(device, module.mask, module.passing, module.layers[0].weight)
    placed(HOST, module.plain, module.kept[0].weight)


def a_gradient_moves_with_its_parameter(device: torch.device) -> None:
    """``module.to(device)`` moves gradients that are there already.

    Source: torch/nn/modules/module.py, `_apply`: ``param.grad.data = grad_applied``.
    """
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    layer.to(device)
    assert layer.weight.grad is not None
    placed(device, layer.weight.grad)
    same(layer.weight.grad, [[1.0, 1.0]])


def modules_are_made_on_the_device(device: torch.device) -> None:
    """``nn.Linear(..., device=device)`` and friends, a meta module given storage by `to_empty`.

    Source: torch docs, "Skipping Module Parameter Initialization".
    """
    layer = nn.Linear(2, 2, device=device)
    placed(device, layer.weight, layer.bias, nn.BatchNorm1d(2, device=device).running_mean)
    empty = nn.Linear(2, 2, device="meta").to_empty(device=device)
    placed(device, empty.weight)
    nn.init.ones_(empty.weight)
    same(empty.weight, [[1.0, 1.0], [1.0, 1.0]])


def tied_parameters_stay_tied(device: torch.device) -> None:
    """Two modules that share a parameter share it after the move.

    Source: torch/nn/modules/module.py, `_apply` (the parameter keeps its identity).
    """
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    nn.Sequential(first, second).to(device)
    assert second.weight is first.weight
    placed(device, second.weight)


def tied_storages_come_apart(device: torch.device) -> None:
    """Two parameters that only share memory are copied one by one and share no longer.

    Source: torch docs, `Tensor.to`: the result is a copy.
    """
    base = torch.zeros(2)
    module = nn.ParameterList([nn.Parameter(base), nn.Parameter(base)]).to(device)
    with torch.no_grad():
        module[0].add_(1)
    same(module[1], [0.0, 0.0])


def a_deep_copy_of_a_module_stays(device: torch.device) -> None:
    """`deepcopy` of a module on the device is there, with parameters of its own.

    Source: torch/nn/parameter.py, `Parameter.__deepcopy__`.
    """
    layer = nn.Linear(2, 2).to(device)
    twin = copy.deepcopy(layer)
    placed(device, twin.weight)
    with torch.no_grad():
        twin.weight.zero_()
    assert layer.weight.abs().sum().item() > 0


def parametrizations_move(device: torch.device) -> None:
    """Weight norm and spectral norm are made of parameters and buffers, and move.

    Source: torch/nn/utils/parametrizations.py.
    """
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).to(device)
    placed(device, layer.weight, layer(torch.ones(1, 2, device=device)))
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2)).to(device)
    placed(device, layer(torch.ones(1, 2, device=device)))


def a_transformer_runs_on_the_device(device: torch.device) -> None:
    """A transformer encoder trains and evaluates on the device; its result is there.

    Source: torch/nn/modules/transformer.py (the fast path of evaluation included).
    """
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 1, enable_nested_tensor=False
    ).to(device)
    batch = torch.ones(1, 3, 4, device=device)
    encoder(batch).sum().backward()
    encoder.eval()
    with torch.no_grad():
        placed(device, encoder(batch))
    mask = nn.Transformer.generate_square_subsequent_mask(3, device=device)
    placed(device, mask, encoder(batch, mask=mask))
