"""Training: optimizers, gradient scaling and checkpoints."""

from __future__ import annotations

import copy
import io

import torch
from expectations import HOST, placed, pointwise_mismatch, raises, same
from torch import nn
from torch.utils.checkpoint import checkpoint


def _stepped(optimizer: torch.optim.Optimizer, layer: nn.Linear) -> None:
    layer(torch.ones(1, 2, device=layer.weight.device)).sum().backward()
    optimizer.step()


def optimizers_survive_the_move(device: torch.device) -> None:
    """SGD and Adam made before ``module.to(device)`` hold the same parameters and make their
    state at the first step: they work.

    Source: torch/optim/sgd.py, adam.py, `_init_group` (state is made in the step).
    """
    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop, torch.optim.AdamW):
        layer = nn.Linear(2, 1)
        optimizer = kind(layer.parameters(), lr=0.1)
        layer.to(device)
        before = layer.weight.detach().clone()
        _stepped(optimizer, layer)
        placed(device, layer.weight)
        assert not torch.equal(layer.weight, before)


def adagrad_does_not_survive_the_move(device: torch.device) -> None:
    """Adagrad makes its state in the constructor: made before ``module.to(device)`` its step
    raises, with ``_foreach`` functions and without.

    CPU float32 passes for a step count when tensors are grouped, so that the error is that
    of the multiplication, not "Tensors of the same index must be on the same device".
    Source: torch/optim/adagrad.py, `__init__`; aten/src/ATen/native/ForeachUtils.h,
    `_group_tensors_by_first_tensors_device_and_dtype`; native_functions.yaml: "foreach kernels
    fall back to slow path when tensor are on different devices".
    """
    for foreach in (None, True, False):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.Adagrad(layer.parameters(), foreach=foreach)
        layer.to(device)
        with raises(RuntimeError, pointwise_mismatch(device)):
            _stepped(optimizer, layer)
        _stepped(torch.optim.Adagrad(layer.parameters(), foreach=foreach), layer)


def momentum_left_behind_is_refused(device: torch.device) -> None:
    """State that was made by a step on the CPU does not follow ``module.to(device)``.

    Source: torch/optim/sgd.py, `_multi_tensor_sgd`: ``torch._foreach_add_(bufs, grads)``.
    """
    for foreach in (None, False):
        layer = nn.Linear(2, 1)
        options = {"lr": 0.1, "momentum": 0.9, "foreach": foreach}
        optimizer = torch.optim.SGD(layer.parameters(), **options)
        _stepped(optimizer, layer)
        layer.to(device)
        with raises(RuntimeError, pointwise_mismatch(device)):
            _stepped(optimizer, layer)


def half_state_left_behind_is_named(device: torch.device) -> None:
    """State on the CPU that cannot pass for a step count is refused when tensors are
    grouped.

    Source: aten/src/ATen/native/ForeachUtils.h, `_group_tensors_by_first_tensors_device_and_dtype`.
    """
    parameter = nn.Parameter(torch.ones(2, dtype=torch.float16))
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    parameter.grad = None
    parameter.data = parameter.data.to(device)
    parameter.grad = torch.ones_like(parameter)
    with raises(RuntimeError, "Tensors of the same index must be on the same device and the same"):
        optimizer.step()


def loading_state_moves_it(device: torch.device) -> None:
    """``optimizer.load_state_dict(optimizer.state_dict())`` after the move brings the state
    over.

    Source: torch/optim/optimizer.py, `_process_value_according_to_param_policy`.
    """
    layer = nn.Linear(2, 1)
    optimizer = torch.optim.Adagrad(layer.parameters())
    layer.to(device)
    optimizer.load_state_dict(optimizer.state_dict())
    placed(device, optimizer.state[layer.weight]["sum"])
    _stepped(optimizer, layer)


def the_step_count_stays_on_the_host(device: torch.device) -> None:
    """Adam on the device keeps ``step`` on the CPU and its averages on the device.

    Source: torch/optim/adam.py, `_init_group`: "note(crcrpar): [special device hosting for step]".
    """
    layer = nn.Linear(2, 1).to(device)
    optimizer = torch.optim.Adam(layer.parameters())
    _stepped(optimizer, layer)
    state = optimizer.state[layer.weight]
    placed(HOST, state["step"])
    placed(device, state["exp_avg"], state["exp_avg_sq"])


def a_fused_optimizer_works_on_the_device(device: torch.device) -> None:
    """``Adam(fused=True)`` runs on the device and gives what the plain one gives.

    Source: torch/optim/adam.py, `_fused_adam`; test/test_optim.py.
    """
    torch.manual_seed(0)
    plain = nn.Linear(2, 1).to(device)
    fused = copy.deepcopy(plain)
    for layer, options in ((plain, {"foreach": False}), (fused, {"fused": True})):
        _stepped(torch.optim.Adam(layer.parameters(), lr=0.1, **options), layer)
    same(fused.weight, plain.weight)


def averaged_and_vectorised_parameters(device: torch.device) -> None:
    """`AveragedModel` copies a module where it is; `parameters_to_vector` refuses two devices.

    Source: torch/optim/swa_utils.py; torch/nn/utils/convert_parameters.py, `_check_param_device`.
    """
    layer = nn.Linear(2, 1).to(device)
    averaged = torch.optim.swa_utils.AveragedModel(layer)
    averaged.update_parameters(layer)
    placed(device, averaged(torch.ones(1, 2, device=device)))
    placed(device, nn.utils.parameters_to_vector(layer.parameters()))
    with raises(TypeError, "Found two parameters on different devices"):
        nn.utils.parameters_to_vector([layer.weight, nn.Parameter(torch.ones(1))])


def an_optimizer_state_returns_to_the_device(device: torch.device) -> None:
    """`Optimizer.load_state_dict` moves loaded state to the device of its parameters, the number
    of steps excepted.

    Source: torch/optim/optimizer.py, `_process_value_according_to_param_policy`.
    """
    layer = nn.Linear(2, 1).to(device)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2, device=device)).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")
    placed(HOST, loaded["state"][0]["exp_avg"])
    twin = torch.optim.Adam(layer.parameters())
    twin.load_state_dict(loaded)
    state = twin.state[layer.weight]
    placed(device, state["exp_avg"], state["exp_avg_sq"])
    placed(HOST, state["step"])
    twin.step()


def a_scaler_scales_on_the_device(device: torch.device) -> None:
    """`GradScaler` keeps its scale on the device, unscales gradients, steps and updates.

    Source: torch/amp/grad_scaler.py; test/test_cuda.py, `test_grad_scaling_autocast`.
    """
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    layer = nn.Linear(2, 1, bias=False).to(device)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.0)
    assert scaler.is_enabled()
    loss = scaler.scale(layer(torch.ones(1, 2, device=device)).sum())
    placed(device, loss)
    loss.backward()
    same(layer.weight.grad, [[4.0, 4.0]])
    scaler.unscale_(optimizer)
    same(layer.weight.grad, [[1.0, 1.0]])
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 4.0


def a_scaler_skips_infinite_steps(device: torch.device) -> None:
    """A step with infinite gradients is left out and the scale halved.

    Source: torch docs, `torch.amp.GradScaler`; aten/src/ATen/native/cuda/AmpKernels.cu.
    """
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    parameter = nn.Parameter(torch.ones(2, device=device))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler.scale((parameter * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    same(parameter, [1.0, 1.0])
    assert scaler.get_scale() == 2.0


def a_scaler_multiplies_lists_of_losses(device: torch.device) -> None:
    """`GradScaler.scale` takes losses in lists and scales each where it is; switched off it
    leaves CPU losses alone.

    Source: torch/amp/grad_scaler.py, `scale`, `_MultiDeviceReplicator`.
    """
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    scaled = scaler.scale([torch.ones((), device=device), torch.ones((), device=device)])
    assert [float(loss) for loss in scaled] == [4.0, 4.0]
    placed(device, *scaled)
    placed(HOST, torch.amp.GradScaler("cuda", enabled=False).scale(torch.ones(())))


def checkpoints_recompute_on_the_device(device: torch.device) -> None:
    """Checkpointing runs forward again in backward and keeps the device's random numbers.

    Source: torch/utils/checkpoint.py, `get_device_states`, `preserve_rng_state`.
    """
    layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).to(device)
    batch = torch.ones(2, 4, device=device, requires_grad=True)
    for reentrant in (True, False):
        output = checkpoint(layer, batch, use_reentrant=reentrant)
        placed(device, output)
        output.sum().backward()
    placed(device, batch.grad, layer[0].weight.grad)
