"""Operators of other libraries (such as ``torchvision::nms``): those with kernels of their own for
the device, which would look for a driver.

They come when a library is loaded, before or after the simulator; without such a kernel they reach
the fallback, where this torch has one. What a library with code for GPUs brings under no key is
taken for such code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import torch

from devicefix.simulator import extensions
from devicefix.simulator.checks import check_of
from devicefix.simulator.kernels import Workshop, computing, refusing
from devicefix.simulator.signatures import find

_library: Callable[..., Any] = torch.library.Library
_FALLS_BACK: Final = hasattr(_library, "fallback")
"""Since torch 2.5."""


class Foreign:
    """Gives operators of other libraries kernels of ours."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._key = shop.accelerator.kind.key
        self._seen: set[str] = set()
        self._libraries: dict[str, Any] = {}

    def adopt(self, compiled: bool = False) -> None:
        """Give kernels to the operators that came since the last time, from a library that was
        ``compiled`` for GPUs or another.
        """
        for qualified in self._newcomers():
            namespace, _, name = qualified.partition("::")
            on_host = _has(qualified, "CPU")
            native = _has(qualified, self._key) or (compiled and not on_host)
            if native or (on_host and not _FALLS_BACK):
                self._give(namespace, name, on_host)

    def _newcomers(self) -> Iterable[str]:
        names = {name for name in torch._C._dispatch_get_all_op_names() if name[:6] != "aten::"}
        new = names - self._seen
        self._seen = names
        return sorted(new)

    def _give(self, namespace: str, name: str, on_host: bool) -> None:
        op = find(name, namespace)
        if op is None:
            return
        if on_host:
            kernel = computing(op, check_of(op, None, self._key), self._shop)
        else:
            kernel = refusing(f"the operator {namespace}::{name}")
        if namespace not in self._libraries:
            self._libraries[namespace] = _library(namespace, "IMPL")
        self._libraries[namespace].m.impl(name, self._key, kernel)


def install(shop: Workshop, quietly: Callable[[], Any]) -> None:
    """Adopt what is there, and what `torch.ops.load_library` and modules in C++ bring.

    ``quietly`` is a context in which torch may warn of overriding.
    """
    foreign = Foreign(shop)
    foreign.adopt()
    native: Callable[[Any], None] = torch.ops.load_library

    def adopt(compiled: bool) -> None:
        with quietly():
            foreign.adopt(compiled)

    def load_library(path: Any) -> None:
        native(path)
        adopt(extensions.has_gpu_code(Path(path)))

    torch.ops.load_library = load_library  # type: ignore[method-assign]
    extensions.watch(lambda: adopt(compiled=True))


def _has(name: str, key: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
