"""A GPU that is not there: genuine device tensors, real numbers, CUDA's own errors, on any machine.

Standard library and torch only: this package is put into the user's own interpreter. What it does
not simulate is said in docs/simulator.
"""

from __future__ import annotations

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.devices import Simulated, parse
from devicefix.simulator.errors import Refused
from devicefix.simulator.installation import install, installed

__all__ = ["Accelerator", "Refused", "Simulated", "install", "installed", "parse"]
