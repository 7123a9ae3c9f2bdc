"""A project's own function or name for the device of the accelerator, and how a file uses it."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class DeviceHelper(Struct, frozen=True):
    """A function without required parameters, or a name, that gives the device.

    On a machine without an accelerator that is the CPU, and on one with CUDA it is CUDA.
    """

    path: str
    """The file that defines it at its top level."""
    name: str
    line: int
    called: bool
    """It is a function."""
    typed: bool
    """It gives a ``torch.device``, and no string."""
    elsewhere: tuple[str, ...]
    """What it gives where there is another accelerator, by kind; see `KINDS`."""
    files: frozenset[str]
    """The files of the project that run when its file is imported, with its own."""
    libraries: frozenset[str]
    """The other libraries that are imported then, beside torch."""
    silent: bool
    """Importing its file does nothing but define and import."""

    @property
    def only_cuda(self) -> bool:
        """It gives the CPU where there is any accelerator but CUDA."""
        return all(given == "cpu" for given in self.elsewhere)

    @property
    def where(self) -> str:
        """For the user: ``pick_device`` in ``utils/device.py:4``."""
        return f"`{self.name}` in {self.path}:{self.line}"


KINDS: Final = ("mps", "xpu")
"""The accelerators beside CUDA of which is asked what a helper gives there."""


class HelperUse(Struct, frozen=True):
    """How one file of a program writes the device by a helper."""

    text: str
    """``pick_device()``, ``device.pick()``."""
    typed: bool
    """It is a ``torch.device``, and no string."""
    only_cuda: bool
    module: str = ""
    """Where ``name`` has to be imported from, with leading dots if it is relative; empty if the
    file has it."""
    name: str = ""
    defined: bool = False
    """The file itself defines ``name``, above all that it does."""
    line: int = 0
    """The last line of what brings ``text`` into scope; 0 for a new import, which comes first."""
    beside: int = -1
    """The number of the import at the top of the file that gets the name: one of that module; -1:
    none, the import is a new one."""
    after: int = -1
    """The number of the statement that a new import follows: the last of the project's own imports
    that the file begins with; -1: after all of them."""

    @property
    def at_hand(self) -> bool:
        """The file has it, or imports other names of its module."""
        return not self.module or self.beside >= 0
