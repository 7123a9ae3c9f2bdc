"""What calls of models give whose classes nobody has to see: tensors, or objects that hold some.

An object of a library has no ``.cpu()`` and no ``.device``: nothing is written behind it.
Source: https://huggingface.co/docs/transformers/main_classes/output and
https://huggingface.co/docs/transformers/internal/generation_utils
"""

from __future__ import annotations

from typing import Final

from devicefix.torch_api.library_modules import is_library_module
from devicefix.torch_api.rows import words

_OBJECTS: Final = (
    "torch.hub.load",
    "torchvision.models.detection",
    "torchvision.models.get_model",
    "torchvision.models.googlenet",
    "torchvision.models.inception",
    "torchvision.models.optical_flow",
    "torchvision.models.segmentation",
    "transformers.",
)
"""How the names begin of what makes models whose calls may give dicts, lists, named tuples:
https://docs.pytorch.org/vision/stable/models.html."""

TENSORS: Final = words(
    "encoder_last_hidden_state end_logits image_embeds last_hidden_state logits logits_per_image "
    "logits_per_text loss pooler_output start_logits text_embeds"
)
"""What an output of a model of transformers has, each a tensor, or None."""
TUPLES: Final = words(
    "attentions cross_attentions decoder_attentions decoder_hidden_states encoder_attentions "
    "encoder_hidden_states hidden_states"
)
"""Tuples of tensors, or None."""
SEQUENCES: Final = words("beam_indices sequences sequences_scores")
"""The tensors of what ``generate`` gives where it is to give an object."""
STEPS: Final = words("logits scores")
"""Its tuples, of a tensor for each token."""
OPTIONAL: Final = words("beam_indices loss pooler_output sequences_scores")
"""Those of the tensors that a model may leave out."""


def may_give_object(name: str) -> bool:
    """Say whether a call of the module that ``name`` makes may give something that is no tensor."""
    return is_library_module(name) or name.startswith(_OBJECTS)


def gives_output(name: str) -> bool:
    """Say whether it is a model of transformers."""
    return name.startswith("transformers.")
