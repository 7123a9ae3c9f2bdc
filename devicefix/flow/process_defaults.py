"""Where factories make their tensors by default: a setting of the process, not of the file.

``torch.set_default_device`` and ``torch.set_default_tensor_type`` hold for all that runs in the
same process. Two scripts of a program share code, but run in processes of their own.
"""

from __future__ import annotations

from msgspec import Struct

from devicefix.flow.values import FileRecord, Value


class Default(Struct, frozen=True):
    """What one call has set."""

    value: Value | None = None
    """The device; None where it is the CPU again."""
    typed: bool = False
    """A default tensor type says so: ``torch.Tensor(...)`` obeys it, too."""
    lifted: bool = False
    """It would be such a type, but all that it carries is to say where it is made."""


class ProcessDefaults:
    """The defaults by the files that have set them, the latest last."""

    def __init__(self) -> None:
        self._set: dict[FileRecord, tuple[Default, frozenset[str]]] = {}

    def restart(self) -> None:
        """Nothing has been set."""
        self._set.clear()

    def set(self, file: FileRecord, default: Default, reach: frozenset[str]) -> None:
        """A call in ``file``; ``reach``: the files that run in a process with it."""
        self._set.pop(file, None)
        self._set[file] = default, reach

    def of(self, file: FileRecord) -> Default:
        """What holds in the processes that run ``file``."""
        for default, reach in reversed(self._set.values()):
            if file.path in reach:
                return default
        return Default()

    @property
    def typed(self) -> bool:
        """Whether a tensor type is the default in some process."""
        return any(default.typed for default, _ in self._set.values())
