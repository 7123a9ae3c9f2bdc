"""The program needs CUDA, whatever is rewritten in it.

## What it does
Says once why a program is left as it is: it raises or ends without CUDA (``assert
torch.cuda.is_available()``), talks over NCCL, or runs code that is compiled for CUDA: a kernel of
its own, also one that the nearest ``setup.py`` builds, Triton, CuPy, FlashAttention, Apex, a model
that ``device_map`` puts on a GPU. What names CUDA in its files stays, and so does what only such
files import. Placements that would need a new device are not made; all other rules go on.

A need that a condition decides about is none: ``if args.distributed:`` around NCCL, an import that
may fail, a kernel with another way beside it.

Where only a part of the program needs CUDA, by these or by what no rule can rewrite, fixes that ask
whether there is some are unsafe in that part: every path there comes by the need.

## Why
Half a program that has given up CUDA still does not run without it, and is harder to read.

## Example
```python
assert torch.cuda.is_available()
model = Net().cuda()
```
is left unchanged.

## Fix safety
There is no fix: decide what takes the place of what needs CUDA. If it goes below a condition, the
other rules do the rest.

## References
- https://docs.pytorch.org/docs/stable/distributed.html#backends
- https://docs.pytorch.org/docs/stable/cpp_extension.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding


class CudaNeeded(Codemod):
    """``assert torch.cuda.is_available()``."""

    code = "DFX212"
    name = "cuda-needed"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for need in context.facts.needs:
            message = f"the program needs CUDA: {need.reason}"
            advice = "its uses of CUDA are left unchanged"
            yield context.finding(self, need.tree, message, None, advice)
