"""Calls that need CUDA or name it, and what they become on any device."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.rows import words

_EXACT: Final = words(
    """
    torch.load torch.Generator torch.set_default_tensor_type torch.nn.DataParallel
    torch.nn.parallel.DistributedDataParallel torch.amp.autocast torch.amp.GradScaler
    torch.hub.load_state_dict_from_url torch.utils.model_zoo.load_url torch.jit.load
    """
)


def runs_on_cuda(name: str) -> bool:
    """Whether the callable of this canonical name needs CUDA, names it, or may bring it back.

    https://docs.pytorch.org/docs/stable/cuda.html
    """
    return name in _EXACT or name.startswith("torch.cuda.")


AMP: Final[Mapping[str, str]] = MappingProxyType(
    {
        "torch.cuda.amp.autocast": "torch.amp.autocast",
        "torch.cuda.amp.GradScaler": "torch.amp.GradScaler",
        "torch.cuda.amp.custom_fwd": "torch.amp.custom_fwd",
        "torch.cuda.amp.custom_bwd": "torch.amp.custom_bwd",
    }
)
"""Mixed precision for CUDA, and what does the same for the device that it is told.
https://docs.pytorch.org/docs/stable/amp.html
"""

MAP_LOCATION: Final[Mapping[str, int]] = MappingProxyType(
    {
        # https://docs.pytorch.org/docs/stable/generated/torch.load.html
        "torch.load": 1,
        # https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html
        "torch.jit.load": 1,
        # https://docs.pytorch.org/docs/stable/hub.html#torch.hub.load_state_dict_from_url
        "torch.hub.load_state_dict_from_url": 2,
    }
)
"""Functions that put what they load where it was saved, and the position of ``map_location``."""

PUBLISHED: Final = ("https://download.pytorch.org/", "https://s3.amazonaws.com/pytorch/")
"""Where torchvision's weights lie: torchvision itself loads them without ``map_location``.
https://docs.pytorch.org/vision/stable/models.html
"""

SETS_RANDOM_STATE: Final = words(
    """
    torch.set_rng_state torch.random.set_rng_state torch.cuda.set_rng_state
    torch.cuda.set_rng_state_all torch.mps.set_rng_state torch.xpu.set_rng_state
    torch.xpu.set_rng_state_all
    """
)
"""They take a ByteTensor of the host, whichever generator they set: ``RNG state must be a
torch.ByteTensor`` otherwise. https://docs.pytorch.org/docs/stable/random.html
"""
