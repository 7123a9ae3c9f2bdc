"""The program needs CUDA, and no rewrite changes that.

## What it does
Reports, once, why a program is left unchanged: it raises or exits without CUDA (``assert
torch.cuda.is_available()``), uses NCCL, or runs code that is compiled for CUDA: its own kernel,
also one that the nearest ``setup.py`` builds, Triton, CuPy, FlashAttention, Apex, or a model that
``device_map`` puts on a GPU. Uses of CUDA in its files are left unchanged, and so are those in
files that only such files import. No fix defines a new device; all other rules apply.

A conditional use does not count: NCCL under ``if args.distributed:``, an import that may fail, a
kernel with an alternative.

If only a part of the program needs CUDA, for one of these reasons or because of code that no rule
can rewrite, fixes that check for CUDA are unsafe in that part, because it cannot run without CUDA
anyway.

## Why
A program that is only partly ported still does not run without CUDA, and is harder to read.

## Example
```python
assert torch.cuda.is_available()
model = Net().cuda()
```
is left unchanged.

## Fix safety
There is no fix: decide what replaces the part that needs CUDA. If you put it under a condition, the
other rules can fix the rest.

## References
- https://docs.pytorch.org/docs/stable/distributed.html#backends
- https://docs.pytorch.org/docs/stable/cpp_extension.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.flow import Need, checked_sites, is_left


class CudaNeeded(Codemod):
    """``assert torch.cuda.is_available()``."""

    code = "DFX212"
    name = "cuda-needed"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for need in _needs(context):
            message = f"the program needs CUDA: {need.reason}"
            advice = "its uses of CUDA are left unchanged"
            yield context.finding(self, need.tree, message, None, advice)


def _needs(context: Context) -> Sequence[Need]:
    """Those for which something stays: in the style of any accelerator, also what asks for CUDA, or
    rests on that."""
    source, facts = context.source, context.facts
    if facts.needs or facts.own_need is None or context.settings.style != "accelerator":
        return facts.needs
    left = any(not is_left(site, source, facts) for site in source.once(checked_sites))
    return (facts.own_need,) if left else ()
