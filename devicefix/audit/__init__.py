"""How ready a repository is for another accelerator.

`targets` says what each target lacks, `obstacles` finds it in the syntax trees, `auditing` puts it
together with what `check` finds, and `result` holds the outcome and the formula of the effort.
"""

from __future__ import annotations

from typing import Final

TARGETS: Final = ("mps", "xpu", "npu", "rocm")
