"""What evaluation makes of every expression; kept only for those who ask what is believed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame
    from devicefix.flow.values import Value


class Noted(Struct, frozen=True, eq=False):
    """The value of an expression, and the frame that has evaluated it."""

    frame: Frame
    value: Value


class Trace(Struct):
    """The values of one pass over the program; where a loop is evaluated again, the last ones."""

    values: dict[ast.AST, dict[int, Value]] = field(default_factory=dict)
    """By expression, target or parameter, and context."""

    def clear(self) -> None:
        """Forget a pass that will be repeated."""
        self.values = {}

    def note(self, frame: Frame, tree: ast.AST, value: Value) -> None:
        """``tree`` evaluates to ``value``, or is given it."""
        contexts = self.values.get(tree)
        if contexts is None:
            self.values[tree] = {frame.context: value}
        else:
            contexts[frame.context] = value

    def note_binding(self, frame: Frame, name: str, target: ast.AST, value: Value) -> None:
        """``target`` binds ``name`` in the scope of ``frame``."""
        self.note(frame, target, value)

    def note_store(self, frame: Frame, target: ast.Attribute, value: Value) -> None:
        """``target`` is an attribute that gets ``value``."""
        self.note(frame, target, value)


class FullTrace(Trace):
    """The same for those who tell a user by which way a value came: who has evaluated what, and
    where each name was bound. It takes time and memory."""

    noted: dict[ast.AST, dict[int, Noted]] = field(default_factory=dict)
    """What is in ``values``, with who has evaluated it."""
    bound: dict[tuple[int, ast.AST, str], dict[ast.AST, Value]] = field(default_factory=dict)
    """By context, scope and name: where it is bound, and to what."""
    stored: dict[str, dict[tuple[int, ast.Attribute], Value]] = field(default_factory=dict)
    """By name of the attribute: context and target (``self.mask``), and what is stored there."""

    def clear(self) -> None:
        """Forget a pass that will be repeated."""
        super().clear()
        self.noted, self.bound, self.stored = {}, {}, {}

    def note(self, frame: Frame, tree: ast.AST, value: Value) -> None:
        """``tree`` evaluates to ``value``, or is given it."""
        super().note(frame, tree, value)
        self.noted.setdefault(tree, {})[frame.context] = Noted(frame, value)

    def note_binding(self, frame: Frame, name: str, target: ast.AST, value: Value) -> None:
        """``target`` binds ``name`` in the scope of ``frame``."""
        super().note_binding(frame, name, target, value)
        self.bound.setdefault((frame.context, frame.tree, name), {})[target] = value

    def note_store(self, frame: Frame, target: ast.Attribute, value: Value) -> None:
        """``target`` is an attribute that gets ``value``."""
        super().note_store(frame, target, value)
        self.stored.setdefault(target.attr, {})[frame.context, target] = value
