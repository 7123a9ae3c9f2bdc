"""An argument that must be on the CPU is on the device.

## What it does
Finds device tensors where torch accepts only CPU tensors: the lengths of ``pack_padded_sequence``,
the state of a random number generator (also one from a checkpoint that is loaded to the device),
the split points of ``tensor_split``, the input of ``torch.histogram``, and tensors that a CPU
generator samples from or fills. The fix adds ``.cpu()``; if a CPU generator is used to create a
tensor on the device (``torch.randn(3, generator=g, device=device)``) it moves the result instead.

## Why
On the CPU all of this works. On a device it raises: ``'lengths' argument should be a 1D CPU int64
tensor``, ``RNG state must be a torch.ByteTensor``, ``tensor_split expected
tensor_indices_or_sections to be on cpu``, ``Expected a 'cuda' device type for generator but found
'cpu'``, ``cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned``.

## Example
```python
packed = pack_padded_sequence(x, mask.sum(1), batch_first=True)
```
becomes
```python
packed = pack_padded_sequence(x, mask.sum(1).cpu(), batch_first=True)
```

## Fix safety
Safe: on the CPU ``.cpu()`` returns the tensor itself, and a tensor that was drawn on the CPU holds
the same numbers after its transfer. A device tensor that a CPU generator fills in place, and a
loader that pins memory of a dataset on the device, are only reported.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
- https://docs.pytorch.org/docs/stable/generated/torch.set_rng_state.html
- https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
- https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    append_call,
    remove_keyword,
    transfer_advice,
    transfer_edits,
    transfer_fix,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Crossing, Offence, Transfer

_MESSAGES: Final = {
    "factory": "a CPU generator is used for random numbers on the device",
    "generator": "a CPU generator is used to fill a tensor on the device",
    "pinned": "the DataLoader pins memory, but its data is on the device",
    "written": "this method modifies CPU tensors only",
}
_ADVICE: Final = {
    "generator": "fill a CPU tensor and move it, or use a generator on the device",
    "written": "use operations that run on the device, or modify a CPU copy and copy it back",
    "pinned": "keep the dataset on the CPU and move its batches, or leave out `pin_memory`",
}


class CpuOnlyArgument(Codemod):
    """``pack_padded_sequence(x, device_lengths)``."""

    code = "DFX403"
    name = "cpu-only-argument"

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.of(Offence.HOST_ARGUMENT):
            yield self._argument(context, transfer)
        for crossing in context.facts.crossings:
            if crossing.how in _MESSAGES:
                yield self._crossing(context, crossing)

    def _argument(self, context: Context, transfer: Transfer) -> Finding:
        edits = transfer_edits(context.source, context.facts, context.settings, transfer)
        message = f"`{ast.unparse(transfer.tree)}` is on the device but must be on the CPU here"
        fix = transfer_fix(edits, transfer)
        return context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))

    def _crossing(self, context: Context, crossing: Crossing) -> Finding:
        edits = _moved_later(context, crossing) if crossing.how == "factory" else ()
        applicability = Applicability.SAFE if edits else Applicability.DISPLAY
        group = f"{self.code}-{context.source.span(crossing.tree).start}"
        fix = Fix(edits, applicability, group)
        advice = "" if edits else _ADVICE.get(crossing.how, _ADVICE["generator"])
        return context.finding(self, crossing.tree, _MESSAGES[crossing.how], fix, advice)


def _moved_later(context: Context, crossing: Crossing) -> tuple[Edit, ...]:
    """``torch.randn(3, generator=g).to(device)``; none where that cannot be written."""
    call = crossing.tree
    assert isinstance(call, ast.Call)
    device = next((k.value for k in call.keywords if k.arg == "device"), None)
    segment = context.source.segment(device) if device is not None else ""
    if device is None or "\n" in segment:
        return ()
    try:
        behind = append_call(context.source, call, f".to({segment})")
        return (remove_keyword(context.source, call, "device"), *behind)
    except EditError:
        return ()
