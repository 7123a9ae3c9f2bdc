"""The self-test, in the process that may crash: small computations on the device, each beside the
CPU's.

Run by `devicefix.simulator.selftest`. Before each step its name is printed, so that the parent
knows where a crash happened; then one line with what came out.
"""

from __future__ import annotations

import ctypes
import io
import sys
from collections.abc import Callable
from typing import Any, Final

import torch

from devicefix.simulator import guard
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import Refused
from devicefix.simulator.installation import install
from devicefix.simulator.protocol import FAILED, HOLDS, REFUSED, STEP, say

Tensor = torch.Tensor
Step = Callable[[Accelerator], None]


class Wrong(Exception):  # noqa: N818
    """Something came out that should not; the message ends the sentence "It found that ..."."""


def main() -> None:
    """Try the device that the command line names."""
    say(STEP, "install")
    try:
        accelerator = install(sys.argv[1])
        for step in STEPS:
            say(STEP, step.__name__)
            step(accelerator)
    except Refused as refused:
        say(REFUSED, str(refused))
    except Exception as error:
        say(FAILED, f"{type(error).__name__}: {error}" if type(error) is not Wrong else str(error))
    else:
        say(HOLDS, "")


def slots(accelerator: Accelerator) -> None:
    """The order of virtual functions in the headers is that of the library: two that any guard
    answers are called on the CPU's.
    """
    address, names = guard.model()
    table = ctypes.c_void_p.from_address(address).value or 0
    for name, expected in (("type", 0), ("deviceCount", 1)):
        place = table + names.index(name) * ctypes.sizeof(ctypes.c_void_p)
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        answer = function(ctypes.c_void_p.from_address(place).value or 0)(address)
        _expect(answer & 0xFF == expected, f"the device guard's {name} is elsewhere")


def transfers(accelerator: Accelerator) -> None:
    """There and back; views share memory."""
    device = accelerator.devices[0]
    host = torch.arange(6.0).reshape(2, 3)
    there = host.to(device)
    _expect(there.device == device and type(there) is Tensor, f"a tensor is on {there.device}")
    there[0].mul_(2)
    host[0].mul_(2)
    _same(there, host)
    _same(there.t()[1:].contiguous(), host.t()[1:])


def arithmetic(accelerator: Accelerator) -> None:
    """Numbers, broadcasting, reductions, ``out=``."""
    device = accelerator.devices[0]
    left, right = torch.arange(6.0).reshape(2, 3), torch.full((3,), 0.5)
    out = torch.empty(0, device=device)
    torch.add(left.to(device), right.to(device), out=out)
    _same(out, left + right)
    _same((left.to(device) * 2 + right.to(device)).exp().sum(0), (left * 2 + right).exp().sum(0))
    _expect(left.to(device).sum().item() == left.sum().item(), "a number was read wrongly")


def mismatches(accelerator: Accelerator) -> None:
    """An error of the device's, and none for a number."""
    there = torch.ones(2, 2, device=accelerator.devices[0])
    for mix in (torch.add, torch.mm):
        try:
            mix(there, torch.ones(2, 2))
        except RuntimeError as error:
            _expect("device" in str(error), f"mixing devices says {error}")
        else:
            raise Wrong("devices can be mixed")
    _same(there + torch.tensor(1.0), torch.full((2, 2), 2.0))


def gradients(accelerator: Accelerator) -> None:
    """Backward, on the thread of the device."""

    def gradient(device: Any) -> Tensor:
        weight = torch.linspace(-1, 1, 6, device="cpu").reshape(2, 3).to(device).requires_grad_()
        loss = (torch.tanh(weight) @ torch.ones(3, 2, device=device)).pow(2).sum()
        return torch.autograd.grad(loss, weight)[0]

    _same(gradient(accelerator.devices[0]), gradient("cpu"))


class _Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        """The tensor."""
        return tensor.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Raises."""
        raise ValueError("raised in backward")


def errors_in_backward(accelerator: Accelerator) -> None:
    """They come from the thread of the device to the program."""
    tensor = torch.ones(2, device=accelerator.devices[0], requires_grad=True)
    raising: Callable[[Tensor], Tensor] = _Raising.apply
    try:
        torch.autograd.grad(raising(tensor * 2).sum(), tensor)
    except ValueError as error:
        _expect(str(error) == "raised in backward", f"an error became {error}")
    else:
        raise Wrong("an error in backward is lost")


def recurrent_layers(accelerator: Accelerator) -> None:
    """A packed LSTM, forward and backward."""
    torch.manual_seed(0)
    layer, data = torch.nn.LSTM(3, 4, bidirectional=True), torch.rand(5, 2, 3)

    def run(device: Any) -> tuple[Tensor, ...]:
        there = layer.to(device)
        pack = torch.nn.utils.rnn.pack_padded_sequence(data.to(device), torch.tensor([5, 3]))
        result, _ = torch.nn.utils.rnn.pad_packed_sequence(there(pack)[0])
        return result, *torch.autograd.grad(result.sum(), list(there.parameters()))

    expected, found = run("cpu"), run(accelerator.devices[0])
    for left, right in zip(found, expected, strict=True):
        _same(left, right)


def attention(accelerator: Accelerator) -> None:
    """Of one piece on a GPU."""
    torch.manual_seed(0)
    query, key, value = torch.rand(3, 2, 4, 8)
    attend = torch.nn.functional.scaled_dot_product_attention
    there = accelerator.devices[0]
    _same(attend(query.to(there), key.to(there), value.to(there)), attend(query, key, value))


def convolutions(accelerator: Accelerator) -> None:
    """Forward and backward; they pick a backend by device."""
    torch.manual_seed(0)
    layer, data = torch.nn.Conv2d(2, 3, 3, padding=1), torch.rand(1, 2, 5, 5)

    def run(device: Any) -> tuple[Tensor, ...]:
        there = layer.to(device)
        result = there(data.to(device))
        return result, *torch.autograd.grad(result.pow(2).sum(), list(there.parameters()))

    expected, found = run("cpu"), run(accelerator.devices[0])
    for left, right in zip(found, expected, strict=True):
        _same(left, right)


def sparse_tensors(accelerator: Accelerator) -> None:
    """Layout COO."""
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    there = dense.to(accelerator.devices[0]).to_sparse()
    _same(there.to_dense(), dense)
    _same(torch.sparse.mm(there, torch.eye(2, device=accelerator.devices[0])), dense)


def conjugates(accelerator: Accelerator) -> None:
    """The inverse Fourier transform gives a view that is conjugated when it is read."""
    signal = torch.arange(8.0)
    there = signal.to(accelerator.devices[0])
    _same(torch.fft.ifft(there).conj(), torch.fft.ifft(signal).conj())
    _same(torch.fft.irfft(torch.fft.rfft(there)), torch.fft.irfft(torch.fft.rfft(signal)))


def random_numbers(accelerator: Accelerator) -> None:
    """Generators of the device, and the refusal of those of the host."""
    device = accelerator.devices[0]
    generator = torch.Generator(device)
    _expect(generator.device.type == accelerator.name, f"a generator is on {generator.device}")
    draws = [torch.rand(3, generator=generator.manual_seed(5), device=device) for _ in range(2)]
    _same(draws[0], draws[1].cpu())
    try:
        torch.rand(3, generator=torch.Generator("cpu"), device=device)
    except RuntimeError as error:
        _expect("generator" in str(error), f"the CPU generator says {error}")
    else:
        raise Wrong("the CPU generator works on the device")


def serialization(accelerator: Accelerator) -> None:
    """Files say the device."""
    buffer = io.BytesIO()
    torch.save(torch.arange(3.0, device=accelerator.devices[0]), buffer)
    for target in (None, "cpu"):
        buffer.seek(0)
        loaded = torch.load(buffer, map_location=target, weights_only=True)
        expected = accelerator.name if target is None else "cpu"
        _expect(loaded.device.type == expected, f"a loaded tensor is on {loaded.device}")
        _same(loaded, torch.arange(3.0))


def several_devices(accelerator: Accelerator) -> None:
    """The current device is a thread's own matter."""
    last = accelerator.devices[-1]
    before = accelerator.current.get()
    accelerator.current.set(accelerator.count - 1)
    try:
        made = torch.ones(2, device=accelerator.name)
    finally:
        accelerator.current.set(before)
    _expect(made.device == last, f"a tensor of the current device {last} is on {made.device}")
    _same(
        made.to(accelerator.devices[0]) + torch.ones(2, device=accelerator.devices[0]),
        made.cpu() * 2,
    )


STEPS: Final[tuple[Step, ...]] = (
    slots,
    transfers,
    arithmetic,
    mismatches,
    gradients,
    errors_in_backward,
    recurrent_layers,
    attention,
    convolutions,
    sparse_tensors,
    conjugates,
    random_numbers,
    serialization,
    several_devices,
)


def _same(found: Tensor, expected: Tensor) -> None:
    here = found.detach().cpu()
    if not torch.allclose(here, expected.detach().cpu(), rtol=1e-5, atol=1e-6):
        raise Wrong("the values are not the CPU's")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)
