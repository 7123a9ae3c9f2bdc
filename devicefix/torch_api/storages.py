"""What makes storages: the memory below tensors, which are no tensors themselves.

``storage.cuda()`` moves one, as it does a tensor, but ``storage.to(device)`` is a TypeError: the
device goes by name only, and old versions of torch have no such method at all
(https://docs.pytorch.org/docs/stable/storage.html).
"""

from __future__ import annotations

from typing import Final

from devicefix.torch_api.rows import words

_KINDS: Final = words(
    "BFloat16 Bool Byte Char ComplexDouble ComplexFloat Double Float Half Int Long QInt32 QInt8 "
    "QUInt2x4 QUInt4x2 QUInt8 Short Typed Untyped"
)
STORAGES: Final = frozenset(
    f"{module}.{kind}Storage"
    for module in ("torch", "torch.cuda", "torch.storage")
    for kind in ("", *_KINDS)
)
"""Classes of storages, by canonical name."""
STORAGE_METHODS: Final = frozenset(("storage", "typed_storage", "untyped_storage"))
"""Methods of a tensor that give its storage."""
