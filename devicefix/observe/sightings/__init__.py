"""What each expression of the user's sources was in a run: `devicefix run --record`.

A module of the program is compiled with a call around each expression that may be a tensor or a
module (`instrument`); that call looks at the value and gives it back (`table`). `loading` does so
for what is imported, `starting` for the script that Python was started with. Standard library only;
nothing here imports torch.
"""

from __future__ import annotations
