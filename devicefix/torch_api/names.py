"""One spelling for every torch name, whatever module path a program reaches it by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.rows import words
from devicefix.torch_api.star_imports import STAR_IMPORTS

_PACKAGES: Final = (
    "torch.utils.data",
    "torch.nn.parallel",
    "torch.nn.utils",
    "torch.nn",
    "torch.optim",
    "torch.distributions",
    "torch.autograd",
)
"""Packages that re-export what their files define (longer names first)."""

_TORCH_FILES: Final = words(
    """
    torch.random torch.serialization torch._tensor torch._VF
    torch._C._VariableFunctions torch._C._VariableFunctionsClass
    """
)
"""Modules whose public names are names of ``torch`` itself."""

_PUBLIC: Final = words(
    """
    torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.prune
    torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.stateless
    torch.nn.parallel torch.nn.parallel.comm torch.nn.quantized torch.nn.qat torch.nn.intrinsic
    torch.nn.quantizable torch.nn.attention torch.optim.lr_scheduler torch.optim.swa_utils
    torch.autograd.functional torch.autograd.forward_ad torch.autograd.profiler torch.autograd.graph
    torch.distributions.constraints
    """
)
"""Modules below the packages that are public themselves: what is in them stays."""

_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "torch.functional": "torch",
        "torch.cuda.memory": "torch.cuda",
        "torch.cuda.random": "torch.cuda",
        "torch.cuda.streams": "torch.cuda",
        "torch.autocast": "torch.amp.autocast",
        "torch.GradScaler": "torch.amp.GradScaler",
        "torch.amp.autocast_mode.autocast": "torch.amp.autocast",
        "torch.amp.grad_scaler.GradScaler": "torch.amp.GradScaler",
        "torch.cuda.amp.autocast_mode.autocast": "torch.cuda.amp.autocast",
        "torch.cuda.amp.grad_scaler.GradScaler": "torch.cuda.amp.GradScaler",
        "torch.autograd.no_grad": "torch.no_grad",
        "torch.autograd.enable_grad": "torch.enable_grad",
        "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
        "torch.autograd.inference_mode": "torch.inference_mode",
        "torch.nn.functional.torch": "torch",
        "torch.nn.functional.Tensor": "torch.Tensor",
        "torch.nn.functional.math": "math",
        "torch.nn.functional.np": "numpy",
        "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
        "torch.optim.lr_scheduler._LRScheduler": "torch.optim.lr_scheduler.LRScheduler",
        "torch.utils.model_zoo.load_url": "torch.hub.load_state_dict_from_url",
        "torch.utils.tensorboard.writer.SummaryWriter": "torch.utils.tensorboard.SummaryWriter",
        "torch._C.TensorBase": "torch.Tensor",
        "torch._C._TensorBase": "torch.Tensor",
        "torch._C._nn": "torch.nn.functional",
        "torch.utils.data._utils.collate.default_collate": "torch.utils.data.default_collate",
    }
)
"""A name, and the one spelling for the same object; what is below it comes along."""


@lru_cache(maxsize=4096)
def canonical(dotted: str) -> str:
    """Return the one spelling of a dotted name: ``torch.nn.modules.linear.Linear`` is
    ``torch.nn.Linear``. Names from elsewhere, unheard-of ones and submodules come back as they are.
    """
    if not dotted.startswith("torch."):
        return dotted
    inner = dotted.rpartition(".torch.")[2]  # modules of torch import it: `torch.sparse.torch.eye`
    dotted = f"torch.{inner}" if inner != dotted else dotted
    home = next((name for name in _PACKAGES if dotted.startswith(f"{name}.")), "")
    dotted = _without_files(home, dotted) if home else _without_torch_file(dotted)
    return _renamed(dotted)


def star_names(module: str) -> frozenset[str]:
    """Return what ``from module import *`` binds; nothing for a module that the table lacks."""
    return STAR_IMPORTS.get(module, frozenset())


def _without_files(home: str, dotted: str) -> str:
    """Drop the files between a package and the first of its public names."""
    parts = dotted.removeprefix(f"{home}.").split(".")
    public = STAR_IMPORTS[home]
    path = home
    for position, part in enumerate(parts):
        if position and part in public and f"{home}.{part}" not in _PUBLIC:
            return ".".join((home, *parts[position:]))
        path = f"{path}.{part}"
        if not part.islower() or path in _PUBLIC:
            break
    return dotted


def _without_torch_file(dotted: str) -> str:
    for file in _TORCH_FILES:
        rest = dotted.removeprefix(f"{file}.")
        if rest != dotted and rest.partition(".")[0] in STAR_IMPORTS["torch"]:
            return f"torch.{rest}"
    return dotted


def _renamed(name: str) -> str:
    """Replace the longest leading part that has another spelling."""
    head, rest = name, ""
    while head:
        if head in _NAMES:
            return _NAMES[head] + rest
        head, _, piece = head.rpartition(".")
        rest = f".{piece}{rest}"
    return name
