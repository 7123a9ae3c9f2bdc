"""Settings of torch under which a real accelerator computes what the host computes, but for
rounding.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, Final

import torch

from devicefix.simulator.importing import after_import

_INDUCTOR: Final = "torch._inductor.config"


def compute_as_the_host_does() -> None:
    """No TF32, no sums in half precision, no kernel that draws random numbers inside, the same
    algorithm every time.

    The program may set otherwise afterwards.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    products: Any = torch.backends.cuda.matmul
    products.allow_tf32 = False
    products.allow_fp16_reduced_precision_reduction = False
    products.allow_bf16_reduced_precision_reduction = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    for kernel in ("flash", "mem_efficient", "cudnn"):
        switch = getattr(torch.backends.cuda, f"enable_{kernel}_sdp", None)
        if switch is not None:
            switch(False)
    after_import(_INDUCTOR, lambda: setattr(sys.modules[_INDUCTOR], "fallback_random", True))
    for layer in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
        layer.forward = _off_kernel(layer.forward)  # type: ignore[method-assign]


def _off_kernel(original: Callable[..., Any]) -> Callable[..., Any]:
    """Without cuDNN where it would draw a dropout: each layer for itself, as on the host."""

    @functools.wraps(original)
    def forward(layer: Any, *args: Any, **kwargs: Any) -> Any:
        if not (layer.training and layer.dropout):
            return original(layer, *args, **kwargs)
        with torch.backends.cudnn.flags(enabled=False):
            return original(layer, *args, **kwargs)

    return forward


def hide_accelerators() -> None:
    """Let the program see no accelerator that no variable of the environment hides."""
    for module in (torch.backends.mps, torch.xpu):
        if module.is_available():
            _empty(module, torch.mps if module is torch.backends.mps else module)
            _empty(getattr(torch, "accelerator", None))


def _empty(*modules: Any) -> None:
    """Have them say that there is nothing."""
    answers = {"is_available": False, "device_count": 0, "current_accelerator": None}
    for module in modules:
        for name, answer in answers.items():
            if hasattr(module, name):
                setattr(module, name, lambda *args, _answer=answer, **kwargs: _answer)
