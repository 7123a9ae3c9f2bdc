"""What the probes share: how an expectation is written down.

Only torch and the standard library, so that the probes also run where nothing else is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import torch

RELEASE: Final = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
"""Major and minor number of the torch that runs."""
HOST: Final = torch.device("cpu")


class Skipped(Exception):  # noqa: N818
    """The probe says nothing on this machine; the message says why."""


def needs(release: tuple[int, int], what: str) -> None:
    """Skip the probe in a torch older than ``release``, the first that has ``what``."""
    if release > RELEASE:
        raise Skipped(f"{what} came with torch {release[0]}.{release[1]}")


def another(device: torch.device) -> torch.device:
    """A second device of the same kind; skips the probe where there is only one."""
    if torch.cuda.device_count() < 2:
        raise Skipped("needs two devices")
    return torch.device(device.type, 1 - (device.index or 0))


def afresh(program: str) -> str:
    """What ``program`` prints in a process of its own, which has not used the device."""
    simulator = sys.modules.get("devicefix.simulator")
    if simulator is not None:
        root = str(simulator.__file__).rpartition("/devicefix/")[0]
        name = str(simulator.installed().simulated)
        begin = f"import sys; sys.path.insert(0, {root!r}); import devicefix.simulator as simulator"
        program = f"{begin}; simulator.install({name!r})\n{program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def raises(kind: type[BaseException], *alternatives: str) -> Iterator[None]:
    """The block raises ``kind`` and its message contains one of ``alternatives``."""
    try:
        yield
    except kind as error:
        said = str(error)
        if not any(text in said for text in alternatives):
            raise AssertionError(f"said {said!r}, not {' or '.join(alternatives)!r}") from error
        return
    raise AssertionError(f"raised no {kind.__name__}: {' or '.join(alternatives)!r}")


def pointwise_mismatch(device: torch.device, other: torch.device = HOST) -> str:
    """What TensorIterator says of operands on ``device`` and on ``other``.

    The first operand that is not on the CPU, outputs before inputs, gives the common device
    (aten/src/ATen/TensorIterator.cpp, `compute_types`), so that the CPU is always named second.
    """
    found = f"found at least two devices, {device} and {other}!"
    return f"Expected all tensors to be on the same device, but {found}"


def mismatch(
    name: str, its: torch.device, first: torch.device, method: str, key: str = "CUDA"
) -> tuple[str, ...]:
    """What the check in front of a CUDA kernel says, in the words of the torch that runs.

    ``name`` is the first argument that is not where the first tensor argument lives (``first``);
    ``method`` names the generated wrapper, ``key`` the dispatch key that it is for.
    aten/src/ATen/core/op_registration/adaption.cpp, `common_device_check_failure`; the words of 2.4
    to 2.6 and of 2.8 to 2.15 were read in the wheels. Where 2.7 stands is not known: either is
    taken.
    """
    where = f"in method wrapper_{key}_{method})"
    old = (
        f"found at least two devices, {first} and {its}! (when checking argument for argument "
        f"{name} {where}"
    )
    new = (
        f"got {name} is on {its}, different from other tensors on {first} "
        f"(when checking argument {where}"
    )
    words = {True: (old,), False: (new,)}[RELEASE < (2, 8)] if RELEASE != (2, 7) else (old, new)
    return tuple(f"Expected all tensors to be on the same device, but {text}" for text in words)


def placed(device: torch.device, *tensors: torch.Tensor) -> None:
    """All ``tensors`` live on ``device``."""
    for tensor in tensors:
        assert tensor.device == device, f"on {tensor.device}, not on {device}"


def same(actual: torch.Tensor, expected: Any, tolerance: float = 1e-5) -> None:
    """The values of ``actual``, wherever it lives, are those of ``expected``."""
    wanted = torch.as_tensor(expected).detach().cpu()
    found = actual.detach().cpu()
    assert found.shape == wanted.shape, f"of shape {tuple(found.shape)}, not {tuple(wanted.shape)}"
    wide = torch.complex128 if found.is_complex() or wanted.is_complex() else torch.float64
    found, wanted = found.to(wide), wanted.to(wide)
    # `torch.testing.assert_close` says more, but takes two seconds to import.
    near = (found - wanted).abs() <= tolerance * (1 + wanted.abs())
    assert bool(near.all()), f"{found.tolist()}, not {wanted.tolist()}"
