"""What a transfer costs, in edits: differences below one only break ties.

For example, host data with a second reader: ``x = torch.zeros(8, 3); print(x.numpy())``, then
``model(x)``. ``device=`` on the factory costs 1.0, and 1.0 for the ``.cpu()`` before ``.numpy()``;
one ``.to(device)`` at ``model(x)`` costs 1.1 and is chosen. With two calls of the model and no
``.numpy()`` it is 2.2 against 1.0, and ``device=`` is. ``tests/flow/test_costs.py`` has more.
"""

from __future__ import annotations

LOOP_COST = 0.8
"""What one more enclosing loop adds to a transfer: it would run once per iteration."""
STATE_COST = 0.5
"""More than a plain transfer: the pair of an LSTM is moved by a generator."""
USE_COST, BIND_COST, ORIGIN_COST, CREATE_COST = 1.1, 1.05, 1.02, 1.0
BUFFER_COST = 1.0
"""``register_buffer`` in the place of an assignment, for all that the attribute is used for."""
STRAY_COST = 50.0
"""A buffer on the target whose module is not there: never chosen while there is another way."""
READ_COST = 1.0
"""``.cpu()`` where the host reads a value."""
STORE_COST = 3.0
"""``.cpu()`` where a value goes into a container that the host reads."""
RETREAT_COST = 10.0
"""``.cpu()`` anywhere else: taking work off the device is the last resort."""
GATHER_COST = 1.0
"""What it adds to move all of a tensor where a device index picks some of it."""
CALL_COST = 0.05
"""What every call between the program's entry and a use adds."""
WIDE_COST = 0.04
"""What it costs to send float64 over where a cast follows."""
INSIDE_COST = 1.0
"""What a transfer inside a module's own methods adds: its work belongs where the module is."""
PASSING_COST = 0.6
"""What a parameter for the device adds to the transfers of its function, all of them together."""
HEAVY = 40.0
"""What it is worth to have heavy arithmetic of a program without modules on the device."""
