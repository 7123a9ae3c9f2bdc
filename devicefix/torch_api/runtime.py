"""Calls that need CUDA or name it, and what they become on any device."""

from __future__ import annotations

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
