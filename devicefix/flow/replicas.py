"""Code that the copies run which ``DataParallel`` makes of what is inside it."""

from __future__ import annotations

from functools import cached_property

from devicefix.flow.analysis import Analysis
from devicefix.flow.frame import Frame
from devicefix.flow.functions import is_module
from devicefix.flow.modules import tree_of
from devicefix.flow.parallel import DATA_PARALLEL, is_closed
from devicefix.flow.values import ClassRecord, Instance


class Replicas:
    """Which frames are those of such a copy."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    def may_run(self, frame: Frame) -> bool:
        """In ``forward``, or in what that calls, of a module that nobody is seen to make."""
        return self._may_run(frame, set())

    def _may_run(self, frame: Frame, known: set[int]) -> bool:
        if not frame.root_context or frame.context in known:
            return False
        if _is_forward(frame) and isinstance(frame.receiver, Instance):
            return any(record.generic for record in frame.receiver.records)
        known.add(frame.context)
        calls = frame.seen.entries.get(frame.context, {}).values()
        return any(self._may_run(call.frame, known) for call in calls)

    def run(self, frame: Frame | None) -> bool:
        """In ``forward``, or in what that calls, of what is inside a ``DataParallel``."""
        while frame is not None and self._replicated:
            if _is_forward(frame) and frame.owner in self._replicated:
                return True
            frame = frame.caller
        return False

    @cached_property
    def _replicated(self) -> set[ClassRecord]:
        """The classes of all modules that may be inside a ``DataParallel``."""
        wrappers = [record for record in self._analysis.modules if record.layer == DATA_PARALLEL]
        inside = [below for wrapper in wrappers for below in tree_of(wrapper)]
        if any(map(is_closed, inside)):
            inside = self._analysis.modules
        return {cls for record in inside if record.cls for cls in record.cls.ancestry()}


def is_method(frame: Frame) -> bool:
    """A method of a module: it works wherever its module is."""
    return frame.owner is not None and is_module(frame.owner)


def _is_forward(frame: Frame) -> bool:
    """``forward`` of a module."""
    return getattr(frame.function, "name", "") == "forward" and is_method(frame)
