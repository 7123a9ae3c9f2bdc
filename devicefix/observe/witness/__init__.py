"""What the verified program does that one can see: its events, written down as they happen.

Beside the record of where tensors lived (`devicefix.observe.observation`). Everything that two runs
are compared by is in here, and what makes them comparable: the same seeds, a clock that both share,
the same modules out of the same tree. Importing this package does not import torch.
"""

from __future__ import annotations

from devicefix.observe.witness.witness import current, testify

__all__ = ["current", "testify"]
