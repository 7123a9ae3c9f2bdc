"""Since which torch there is what rewrites write: none may need a newer one than the program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.factories import EXACT
from devicefix.torch_api.generic import ACCELERATOR_NAMES, BACKEND_OF, CHOSEN, GENERIC
from devicefix.torch_api.renamed import REDUCTIONS

SINCE: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        # https://github.com/pytorch/pytorch/releases/tag/v0.4.1
        # https://github.com/pytorch/pytorch/pull/7339, which 0.4.0 lacks; texts are older
        "torch.load(map_location=torch.device)": (0, 4, 1),
        "torch.nn.functional.interpolate": (0, 4, 1),
        "torch.nn.Module.to(non_blocking=)": (0, 4, 1),  # and that of tensors
        # 0.4.1 has `reduction`, but calls the mean "elementwise_mean"
        # https://github.com/pytorch/pytorch/releases/tag/v1.0.0
        **{f"{loss}(reduction=)": (1, 0) for loss in REDUCTIONS},
        # https://github.com/pytorch/pytorch/pull/18952, which 1.2 surely has
        **{f"{name}(pin_memory=)": (1, 2) for name in sorted(EXACT)},
        # https://github.com/pytorch/pytorch/releases/tag/v1.6.0
        "torch.nn.Module.register_buffer(persistent=)": (1, 6),
        # https://github.com/pytorch/pytorch/releases/tag/v1.12.0 (torch.autocast is older)
        "torch.amp.autocast": (1, 12),
        "torch.backends.mps.is_available": (1, 12),
        # https://github.com/pytorch/pytorch/releases/tag/v2.3.0
        "torch.amp.GradScaler": (2, 3),
        "torch.xpu.is_available": (2, 3),
        # https://github.com/pytorch/pytorch/releases/tag/v2.4.0
        "torch.amp.custom_bwd": (2, 4),
        "torch.amp.custom_fwd": (2, 4),
        **{row.form: row.since for row in GENERIC.values() if row.form},
        **{f"torch.accelerator.{name}": since for name, since in ACCELERATOR_NAMES.items()},
        # https://docs.pytorch.org/docs/2.7/accelerator.html
        BACKEND_OF: (2, 9),
        f"{CHOSEN}(check_available=)": (2, 7),
    }
)
"""Functions and classes by name; of an argument, the name of its function and ``(argument=)``, or
what is given for it.

All else that is written is as old as ``torch.device``: 0.4. The judge looks every name up that a
rewrite has put in, so a rule that writes something newer needs a row here, and nothing else.
"""


TENSOR_SINCE: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        # https://github.com/pytorch/pytorch/releases/tag/v1.5.0, before it a float
        "torch.nn.utils.clip_grad_norm_": (1, 5),
        "torch.nn.utils.clip_grad_norm": (1, 5),
    }
)
"""Functions that return a tensor since then, and returned a number before."""


def is_there(name: str, torch: tuple[int, ...]) -> bool:
    """Whether that version of torch has ``name``."""
    return SINCE.get(name, ()) <= torch


def needs_newer(name: str, said: str) -> str:
    """Why ``name`` cannot be written; ``said`` names the version that is too old for it."""
    return f"`{name}` needs torch {'.'.join(map(str, SINCE[name]))}, and {said}"
