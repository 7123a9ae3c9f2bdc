"""Libraries whose callables take the name of a device by keyword."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.worlds import World, world

TAKES_DEVICE: Final[Mapping[str, str]] = MappingProxyType({
    "bert_score": "https://github.com/Tiiiger/bert_score (score(device=))",
    "d3rlpy": "https://d3rlpy.readthedocs.io/en/stable/ (create(device=))",
    "facenet_pytorch": "https://github.com/timesler/facenet-pytorch (MTCNN(device=))",
    "groundingdino": "https://github.com/IDEA-Research/GroundingDINO (load_model(device=))",
    "ignite": "https://pytorch.org/ignite/generated/ignite.engine.create_supervised_trainer.html",
    "mace": "https://mace-docs.readthedocs.io/en/latest/guide/foundation_models.html",
    "monai": "https://docs.monai.io/en/stable/engines.html",
    "sentence_transformers": "https://sbert.net/docs/package_reference/sentence_transformer/",
    "skorch": "https://skorch.readthedocs.io/en/stable/user/neuralnet.html#device",
    "stable_baselines3": "https://stable-baselines3.readthedocs.io/en/master/modules/base.html",
    "tianshou": "https://tianshou.org/en/stable/",
    "torchrl": "https://docs.pytorch.org/rl/stable/",
    "ultralytics": "https://docs.ultralytics.com/usage/cfg/ (device)",
    "whisper": "https://github.com/openai/whisper (load_model(device=))",
})  # fmt: skip
"""Modules in whose calls ``device=`` is a device as torch names it; strings are taken by all.

Those of the torch world take one as well.
"""
_KEYWORDS: Final = frozenset({"device", "map_location"})


def takes_device(name: str, keyword: str | None) -> bool:
    """Say whether the library callable ``name`` takes the name of a device by this keyword."""
    if keyword not in _KEYWORDS:
        return False
    return name.partition(".")[0] in TAKES_DEVICE or world(name) is World.TORCH
