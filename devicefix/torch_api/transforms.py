"""Transforms of torchvision that make tensors of images.

Source: https://docs.pytorch.org/vision/stable/transforms.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_V1: Final = "torchvision.transforms"
_V2: Final = "torchvision.transforms.v2"

READERS: Final[Mapping[str, str]] = {
    f"{_V1}.ToTensor": f"{_V1}.functional.to_tensor",
    f"{_V1}.PILToTensor": f"{_V1}.functional.pil_to_tensor",
    f"{_V2}.ToTensor": f"{_V1}.functional.to_tensor",
    f"{_V2}.PILToTensor": f"{_V1}.functional.pil_to_tensor",
    f"{_V2}.ToImage": f"{_V2}.functional.to_image",
}
"""Classes whose objects make a tensor of an image, on the CPU, and the functions that do the same.
"""
FUNCTIONS: Final = frozenset(READERS.values())
WRITERS: Final[Mapping[str, str]] = {
    f"{_V1}.ToPILImage": f"{_V1}.functional.to_pil_image",
    f"{_V2}.ToPILImage": f"{_V1}.functional.to_pil_image",
    f"{_V2}.functional.to_pil_image": f"{_V1}.functional.to_pil_image",
}
"""Classes whose objects make an image of a tensor on the CPU, and the function that does the same:
https://github.com/pytorch/vision/blob/v0.2.0/torchvision/transforms/functional.py
"""
COMPOSE: Final = frozenset({f"{_V1}.Compose", f"{_V2}.Compose"})
"""Classes whose objects call others, one after the other."""
_CALLS_BACK: Final = frozenset({f"{_V1}.Lambda", f"{_V2}.Lambda"})


def keeps_place(name: str) -> bool:
    """Say whether this transform of torchvision gives a tensor where the one it is given lives."""
    return name.startswith(f"{_V1}.") and name not in _CALLS_BACK


def is_applied_to_samples(name: str) -> bool:
    """Say whether what this class of torchvision is given works on samples, one at a time.

    Datasets call their transforms in ``__getitem__``, and a list of transforms calls its steps.
    """
    return name in COMPOSE or name.startswith("torchvision.datasets.")
