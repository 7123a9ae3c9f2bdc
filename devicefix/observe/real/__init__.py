"""What makes a run on a real accelerator comparable with one on the host, and how far two may part.

The random numbers are the host's in all runs, kernels that draw inside themselves are not used, and
what is computed in less than float32 by default is not. The rest is rounding: how much that can
matter is found out by runs on the host whose results are nudged.
"""

from __future__ import annotations
