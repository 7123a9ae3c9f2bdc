"""Tokenizers of transformers: what they make of texts, on the CPU.

Source: https://huggingface.co/docs/transformers/main_classes/tokenizer
"""

from __future__ import annotations

from typing import Final

from devicefix.torch_api.rows import words

TOKENIZER: Final = "transformers.PreTrainedTokenizerBase"
"""What stands for all tokenizers that `makes_tokenizer` tells."""
_CLASSES: Final = ("Tokenizer", "TokenizerFast")
_TEXTS: Final = words(
    "add_special_tokens add_tokens batch_decode build_inputs_with_special_tokens "
    "convert_ids_to_tokens convert_tokens_to_ids convert_tokens_to_string decode get_vocab "
    "num_special_tokens_to_add save_pretrained save_vocabulary tokenize"
)
"""Methods that make or read texts and numbers; tensors among these are read wherever they are."""

FIELDS: Final = words(
    "attention_mask decoder_attention_mask decoder_input_ids input_ids labels offset_mapping "
    "special_tokens_mask token_type_ids"
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


def makes_texts(name: str) -> bool:
    """Say whether this is a method of a tokenizer that gives no tensors."""
    owner, _, method = name.rpartition(".")
    return owner == TOKENIZER and method in _TEXTS
