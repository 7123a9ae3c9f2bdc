"""`torch.randperm`: of all that draws on the host it alone words the refusal of the device's
generators in its own way, which a GPU never says.

A generator takes part in the choice of the kernel
(aten/src/ATen/core/dispatch/DispatchKeyExtractor.h), so that with one of CUDA the kernel of CUDA
makes the permutation also on the host, and draws the numbers for it there: that is refused as
every draw is. To the dispatcher our generators are the host's, which suits all other operators.
"""

from __future__ import annotations

from typing import Any, Final

import torch

from devicefix.simulator.kernels import Kernel, Workshop
from devicefix.simulator.messages import wrong_generator
from devicefix.simulator.signatures import Op

OPERATOR: Final = "randperm.generator"
KEY: Final = "BackendSelect"
"""Where factories are handed to the device that they are for."""


def permuting(op: Op, shop: Workshop) -> Kernel:
    """The kernel of ``randperm.generator``, which looks at the generator first."""
    core: Any = torch._C
    name = shop.accelerator.name

    def kernel(count: Any, *, generator: Any, device: Any = None, **keywords: Any) -> Any:
        asked = "cpu" if device is None else device.type
        if asked == "cpu" and generator is not None and generator.device.type == name:
            if count:
                raise RuntimeError(wrong_generator("cpu", name))
            generator = None  # nothing is drawn
        key = getattr(core.DispatchKey, core._dispatch_key_for_device(asked))
        keys = core.DispatchKeySet(key)
        return op.redispatch(keys, count, generator=generator, device=device, **keywords)

    return kernel
