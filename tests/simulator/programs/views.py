"""Random programs over views of a few tensors, for any device.

Run as ``python views.py cpu 0 200`` or ``python views.py sim:cuda 0 200``: one line of JSON for
each seed, which says after every step what each tensor holds and how it lies in memory.
`tests/simulator/test_like_the_cpu.py` compares the lines of both.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
Action = Callable[[random.Random, "World"], Any]

_DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64, torch.float16)
_MOST = 500
"""Elements of a tensor that a program keeps."""


class World:
    """The tensors of one program."""

    def __init__(self, seed: int, device: str) -> None:
        self.device = device
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        shapes = [(3, 4), (2, 3, 4), (4,), (), (0, 3), (1, 4), (2, 2, 3, 4)]
        self.tensors = [
            self._fresh(self.random.choice(shapes), self.random.choice(_DTYPES)) for _ in range(3)
        ]
        self.tensors.append(self._fresh((2, 2, 3, 4), torch.float32, torch.channels_last))
        leaf = torch.randn(3, 4).to(device).requires_grad_()
        self.tensors += [leaf, leaf * 2]

    def _fresh(
        self, shape: tuple[int, ...], dtype: torch.dtype, layout: Any = torch.contiguous_format
    ) -> Tensor:
        values = torch.randn(shape) * 3
        if len(shape) == 4:
            values = values.to(memory_format=layout)
        return values.to(dtype).to(self.device)

    def pick(self) -> Tensor:
        return self.random.choice(self.tensors)

    def seen(self) -> list[Any]:
        return [_described(tensor) for tensor in self.tensors]


def _described(tensor: Tensor) -> list[Any]:
    try:
        return describe(tensor)
    except RuntimeError as error:  # a view whose base was changed in a way that autograd forbids
        return [str(error)[:60]]


def describe(tensor: Tensor) -> list[Any]:
    """Everything about a tensor that should not depend on its device."""
    values = tensor.detach().clone().cpu().resolve_conj().resolve_neg()  # NumPy would pin down
    digest = hashlib.sha256(values.numpy().tobytes()).hexdigest()
    return [
        str(tensor.dtype), list(tensor.shape), list(tensor.stride()), tensor.storage_offset(),
        tensor._version, tensor.requires_grad, tensor.is_leaf, tensor._is_view(), tensor.is_conj(),
        tensor.is_neg(), type(tensor.grad_fn).__name__, tensor.untyped_storage().nbytes(),
        digest[:8],
    ]  # fmt: skip


def _dim(rng: random.Random, tensor: Tensor) -> int:
    return rng.randrange(max(tensor.dim(), 1))


def _slice(rng: random.Random, tensor: Tensor) -> Tensor:
    if not tensor.dim():
        return tensor[None]
    dim = _dim(rng, tensor)
    start = rng.randrange(tensor.shape[dim] + 1)
    return tensor[(slice(None),) * dim + (slice(start, None, rng.choice([1, 2])),)]


def _index(rng: random.Random, tensor: Tensor) -> Tensor:
    return rng.choice([
        lambda: tensor[..., None], lambda: tensor[0], lambda: tensor[tensor.real > 0],
        lambda: tensor[torch.tensor([0, 0])], lambda: tensor[..., [0, -1]],
        lambda: tensor[None, ..., torch.tensor(0, device=tensor.device)],
    ])()  # fmt: skip


def _strided(rng: random.Random, tensor: Tensor) -> Tensor:
    size = [rng.randrange(3), rng.randrange(1, 3)]
    return tensor.as_strided(size, [rng.randrange(3), rng.randrange(3)], rng.randrange(3))


VIEWS: dict[str, Callable[[random.Random, Tensor], Tensor]] = {
    "slice": _slice,
    "index": _index,
    "as_strided": _strided,
    "transpose": lambda rng, t: t.transpose(0, -1),
    "permute": lambda rng, t: t.permute(*reversed(range(t.dim()))),
    "reshape": lambda rng, t: t.reshape(-1),
    "view": lambda rng, t: t.view(-1, 1),
    "expand": lambda rng, t: t.unsqueeze(0).expand(2, *t.shape),
    "squeeze": lambda rng, t: t.squeeze(),
    "unfold": lambda rng, t: t.unfold(-1, 2, 1),
    "diagonal": lambda rng, t: t.diagonal(0, 0, -1),
    "conj": lambda rng, t: t.conj(),
    "imag": lambda rng, t: t.imag,
    "conj_imag": lambda rng, t: t.conj().imag,
    "real": lambda rng, t: t.real,
    "view_as_real": lambda rng, t: torch.view_as_real(t),
    "view_dtype": lambda rng, t: t.view(torch.int32),
    "detach": lambda rng, t: t.detach(),
    "data": lambda rng, t: t.data,
    "unbind": lambda rng, t: t.unbind(0)[-1],
    "split": lambda rng, t: t.split(2, -1)[0],
    "chunk": lambda rng, t: t.chunk(2)[-1],
    "movedim": lambda rng, t: t.movedim(0, -1),
    "T": lambda rng, t: t.mT,
    "contiguous": lambda rng, t: t.contiguous(),
    "channels_last": lambda rng, t: t.contiguous(memory_format=torch.channels_last),
}

NEW: dict[str, Callable[[random.Random, Tensor, Tensor], Tensor]] = {
    "add": lambda rng, t, o: t + o,
    "multiply_number": lambda rng, t, o: t * 2.5,
    "subtract_from": lambda rng, t, o: 3 - t,
    "matmul": lambda rng, t, o: _inexact(t) @ _inexact(o),
    "sum": lambda rng, t, o: t.sum(_dim(rng, t), keepdim=True),
    "sum_all": lambda rng, t, o: t.sum(),
    "mean": lambda rng, t, o: t.mean(-1),
    "max": lambda rng, t, o: t.max(-1).values,
    "argsort": lambda rng, t, o: t.argsort(dim=-1, stable=True),
    "sort": lambda rng, t, o: t.sort(dim=0, stable=True)[0],
    "cumsum": lambda rng, t, o: t.cumsum(-1),
    "softmax": lambda rng, t, o: t.softmax(-1),
    "where": lambda rng, t, o: torch.where(t.real > 0, t, o),
    "cat": lambda rng, t, o: torch.cat([t, t.new_zeros(t.shape), o]),
    "stack": lambda rng, t, o: torch.stack([t, t], -1),
    "clone": lambda rng, t, o: t.clone(),
    "clone_packed": lambda rng, t, o: t.clone(memory_format=torch.contiguous_format),
    "double": lambda rng, t, o: t.double(),
    "to_half": lambda rng, t, o: t.to(torch.float16, copy=True),
    "zeros_like": lambda rng, t, o: torch.zeros_like(t),
    "full_like": lambda rng, t, o: torch.full_like(t, 2, dtype=torch.float32),
    "ones_like": lambda rng, t, o: torch.ones_like(t, memory_format=torch.contiguous_format),
    "new_full": lambda rng, t, o: t.new_full((2, 3), 1),
    "arange": lambda rng, t, o: torch.arange(5, device=t.device),
    "randn_like": lambda rng, t, o: torch.randn_like(t),
    "rand": lambda rng, t, o: torch.rand(2, 3, device=t.device),
    "flip": lambda rng, t, o: t.flip(0),
    "roll": lambda rng, t, o: t.roll(1, -1),
    "repeat": lambda rng, t, o: t.repeat(2, *[1] * t.dim()),
    "gather": lambda rng, t, o: t.gather(0, torch.zeros_like(t, dtype=torch.int64)),
    "index_select": lambda rng, t, o: t.index_select(0, torch.tensor([0], device=t.device)),
    "masked_fill": lambda rng, t, o: t.masked_fill(t.real < 0, 1),
    "as_strided_scatter": lambda rng, t, o: t.as_strided_scatter(
        t.new_ones(2), (2,), (1,), t.storage_offset()
    ),
    "as_strided_copy": lambda rng, t, o: torch.as_strided_copy(t, (2,), (1,), 1),
    "conj_physical": lambda rng, t, o: torch.conj_physical(t),
    "resolve": lambda rng, t, o: t.resolve_conj().resolve_neg(),
    "nonzero": lambda rng, t, o: t.nonzero(),
    "unique": lambda rng, t, o: t.unique(),
    "einsum": lambda rng, t, o: torch.einsum("...i,...i->...", _inexact(t), _inexact(t)),
    "relu": lambda rng, t, o: torch.relu(t),
    "linalg_norm": lambda rng, t, o: torch.linalg.vector_norm(t, dim=-1),
    "deepcopy": lambda rng, t, o: t.detach().__deepcopy__({}),
}

IN_PLACE: dict[str, Callable[[random.Random, Tensor, Tensor], Any]] = {
    "add_": lambda rng, t, o: t.add_(1, alpha=2),
    "mul_other_": lambda rng, t, o: t.mul_(o),
    "copy_": lambda rng, t, o: t.copy_(o),
    "copy_host_": lambda rng, t, o: t.copy_(torch.ones(t.shape)),
    "fill_": lambda rng, t, o: t.fill_(3),
    "zero_": lambda rng, t, o: t.zero_(),
    "set_item": lambda rng, t, o: t.__setitem__((..., slice(0, 1)), 5),
    "set_mask": lambda rng, t, o: t.__setitem__(t.real > 0, 0),
    "set_rows": lambda rng, t, o: t.__setitem__(torch.tensor([0]), t[:1] + 1),
    "clamp_": lambda rng, t, o: t.clamp_(min=0),
    "masked_fill_": lambda rng, t, o: t.masked_fill_(t.real > 1, 7),
    "index_add_": lambda rng, t, o: t.index_add_(0, torch.tensor([0], device=t.device), t[:1]),
    "scatter_": lambda rng, t, o: t.scatter_(0, torch.zeros_like(t, dtype=torch.int64), 4),
    "uniform_": lambda rng, t, o: t.uniform_(),
    "t_": lambda rng, t, o: t.t_(),
    "unsqueeze_": lambda rng, t, o: t.unsqueeze_(0),
    "squeeze_": lambda rng, t, o: t.squeeze_(),
    "as_strided_": lambda rng, t, o: t.as_strided_((2,), (1,)),
    "resize_": lambda rng, t, o: _resized(t, (rng.randrange(4), 2)),
    "resize_within_": lambda rng, t, o: _resized(t, (1,)),
    "set_": lambda rng, t, o: t.set_(o),
    "set_storage_": lambda rng, t, o: t.set_(o.untyped_storage(), 0, (0, 2), (2, 1)),
    "data_is": lambda rng, t, o: setattr(t, "data", o.data),
    "requires_grad_": lambda rng, t, o: t.requires_grad_(),
    "detach_": lambda rng, t, o: t.detach_(),
    "zero_data": lambda rng, t, o: t.data.zero_(),
    "add_out": lambda rng, t, o: torch.add(o.clone(), 1, out=_plain(t)),
    "sum_out": lambda rng, t, o: torch.sum(o.clone(), -1, out=_plain(t)),
    "cat_out": lambda rng, t, o: torch.cat([o.clone(), o.clone()], out=_plain(t)),
    "mm_out": lambda rng, t, o: torch.mm(
        _inexact(o.clone()), _inexact(o.clone()).mT, out=_plain(t)
    ),
    "backward": lambda rng, t, o: t.real.sum().backward(retain_graph=True),
    "foreach": lambda rng, t, o: torch._foreach_add_([t, t.detach()], 1),
}


def _resized(tensor: Tensor, size: tuple[int, ...]) -> None:
    """What grows is uninitialised, so the whole memory is filled."""
    tensor.resize_(size)
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    tensor.detach().as_strided((elements,), (1,), 0).fill_(2)


def _inexact(tensor: torch.Tensor) -> torch.Tensor:
    """CUDA has no products of integers."""
    return tensor if tensor.is_floating_point() or tensor.is_complex() else tensor.float()


def _plain(out: Tensor) -> Tensor:
    """Elements that share their memory are refused by some kernels before, by others after they
    have resized ``out``; so are products of booleans.
    """
    if 0 in out.stride() or out.dtype is torch.bool:
        raise ValueError("an output of overlapping elements, or of booleans")
    return out


def step(world: World) -> str:
    """One random action; the error's type if it raised."""
    rng, kind = world.random, world.random.choice(["view", "view", "new", "in_place"])
    table: dict[str, Any] = {"view": VIEWS, "new": NEW, "in_place": IN_PLACE}[kind]
    name, tensor, other = rng.choice(sorted(table)), world.pick(), world.pick()
    place = rng.randrange(len(world.tensors))
    state = rng.getstate()
    try:
        if kind == "in_place":
            if rng.random() < 0.7:
                with torch.no_grad():
                    table[name](rng, tensor, other)
            else:
                table[name](rng, tensor, other)
            return name
        made = table[name](rng, tensor) if kind == "view" else table[name](rng, tensor, other)
        if made.numel() <= _MOST:
            world.tensors[place] = made
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        rng.setstate(state)
        return f"{name} raised {type(error).__name__}"
    return name


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    device, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if device != "cpu":
        from devicefix.simulator import install

        device = install(device).name
    for seed in range(first, end):
        world, steps = World(seed, device), []
        for _ in range(25):
            steps.append([step(world), world.seen()])
        sys.stdout.write(json.dumps([seed, steps]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
