"""Tokenizers and processors of transformers: what they make of texts, images and sounds, on the
CPU.

Source: https://huggingface.co/docs/transformers/main_classes/tokenizer and
https://huggingface.co/docs/transformers/main_classes/processors
"""

from __future__ import annotations

from typing import Final

from devicefix.torch_api.rows import words

TOKENIZER: Final = "transformers.PreTrainedTokenizerBase"
"""What stands for all tokenizers that `makes_tokenizer` tells."""
PROCESSOR: Final = "transformers.ProcessorMixin"
"""What stands for all that `makes_processor` tells."""
_CLASSES: Final = ("Tokenizer", "TokenizerFast")
_PROCESSORS: Final = ("Processor", "ProcessorFast", "FeatureExtractor")
NO_TENSORS: Final = ("annotations", "device", "segmentation_maps")
"""Arguments of processors with which not all that they make is a tensor of the CPU."""
_PARTS: Final = {
    f"{PROCESSOR}.tokenizer": TOKENIZER,
    f"{PROCESSOR}.feature_extractor": PROCESSOR,
    f"{PROCESSOR}.image_processor": PROCESSOR,
    f"{PROCESSOR}.video_processor": PROCESSOR,
}
"""What a processor is made of."""
_TEXTS: Final = words(
    "add_special_tokens add_tokens batch_decode build_inputs_with_special_tokens "
    "convert_ids_to_tokens convert_tokens_to_ids convert_tokens_to_string decode get_vocab "
    "num_special_tokens_to_add save_pretrained save_vocabulary tokenize"
)
"""Methods that make or read texts and numbers; tensors among these are read wherever they are."""

_ENCODING: Final = words("apply_chat_template batch_encode_plus encode encode_plus")
"""Methods that make tensors of them."""

FIELDS: Final = words(
    "attention_mask decoder_attention_mask decoder_input_ids input_ids labels offset_mapping "
    "special_tokens_mask token_type_ids "
    "image_grid_thw image_sizes input_boxes input_features input_labels input_points input_values "
    "original_sizes pixel_mask pixel_values pixel_values_videos reshaped_input_sizes video_grid_thw"
)
"""What an encoding has as items and as attributes alike."""
OF_DICTS: Final = words("get items keys pop to update values")
"""Its methods that are those of a dict, and the one that moves it."""


def makes_tokenizer(name: str) -> bool:
    """Say whether a call of this dotted name loads a tokenizer."""
    owner, _, method = name.rpartition(".")
    return (
        owner.startswith("transformers.")
        and method == "from_pretrained"
        and owner.endswith(_CLASSES)
    )


def makes_processor(name: str) -> bool:
    """Say whether a call of this dotted name loads what prepares images, sounds or several kinds of
    data for a model."""
    owner, _, method = name.rpartition(".")
    return (
        owner.startswith("transformers.")
        and method == "from_pretrained"
        and owner.endswith(_PROCESSORS)
    )


def of_part(name: str) -> str:
    """``name`` as of what it is a part of: a processor has a tokenizer of its own."""
    for part, whole in _PARTS.items():
        if name == part or name.startswith(f"{part}."):
            return whole + name.removeprefix(part)
    return name


def encodes(name: str) -> bool:
    """Say whether this turns texts into the numbers of their words, as a tokenizer itself does."""
    owner, _, method = name.rpartition(".")
    return name == TOKENIZER or (owner == TOKENIZER and method in _ENCODING)


def makes_texts(name: str) -> bool:
    """Say whether this is a method of a tokenizer that gives no tensors."""
    owner, _, method = name.rpartition(".")
    return owner in (TOKENIZER, PROCESSOR) and method in _TEXTS


def is_of_processor(name: str) -> bool:
    """Say whether this is a method of a processor."""
    return name.startswith(f"{PROCESSOR}.")
