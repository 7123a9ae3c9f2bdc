"""Why there is no simulated accelerator, and what it does not do."""

from __future__ import annotations


class Refused(RuntimeError):  # noqa: N818 - not a mistake of the caller's
    """The simulator cannot or should not work here; the message says why, and what to do."""


class NotSimulated(NotImplementedError):  # noqa: N818 - a GPU would do it
    """The program asks for something that is not simulated; of the program this says nothing.

    The message begins with ``devicefix does not simulate``, also where torch or another process
    passes it on inside a message of its own.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"devicefix does not simulate {what}")
