"""What TorchScript compiles: it sees neither the globals of the program nor most of Python."""

from __future__ import annotations

from typing import Final

from devicefix.flow.frame import Frame
from devicefix.flow.joins import options
from devicefix.flow.values import Bound, Class, Function, Instance, Value

SCRIPTING: Final = frozenset({
    "torch.jit.export", "torch.jit.script", "torch.jit.script_if_tracing",
    "torch.jit.script_method",
})  # fmt: skip
"""https://docs.pytorch.org/docs/stable/jit.html"""


def note_scripted(frame: Frame, value: Value) -> None:
    """``value`` is given to ``torch.jit.script``."""
    for option in options(value):
        match option:
            case Function(tree=tree) | Bound(function=Function(tree=tree)):
                frame.seen.scripted.add(tree)
            case Class(record=record):
                frame.seen.scripted.update(r.tree for r in record.ancestry())
            case Instance(records=records):
                for made in records:
                    if made.cls is not None:
                        frame.seen.scripted.update(r.tree for r in made.cls.ancestry())
                    for child in (*made.children, *made.attributes.values()):
                        if isinstance(child, Instance) and child.modules:
                            note_scripted(frame, child)
