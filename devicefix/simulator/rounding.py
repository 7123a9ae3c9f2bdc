"""Operators whose numbers here are not those of the CPU to the last digit.

All others are: 2,376 samples of torch's own table of operators (``op_db``, torch 2.13, float32,
forward and backward) were computed on both, and these two alone differed, in their last digits.
"""

from __future__ import annotations

from typing import Final

ROUND_OTHERWISE: Final = frozenset({"aten::renorm", "aten::linalg_lstsq"})
"""Names of schemas. The derivative of the first is put together from others; the second works on
buffers that are laid out in another way.
"""

SECOND_ORDER: Final = "create_graph"
"""A gradient that is to be differentiated itself: its own gradients are added up in another order.

The engine runs later operations first, and numbers them by thread (``c10``'s ``sequence_number.h``,
``CompareNodeTaskTime`` in ``engine.cpp``): on the CPU it works on the thread that asks for a
gradient, on a device on one of its own, so what it records there has other numbers. The engine here
is torch's own, and does as it does on a GPU.
"""

SPLIT: Final = "DataParallel"
"""A batch that is split over several devices: sums over it, such as those of gradients, are added
up in parts (https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html).
"""
