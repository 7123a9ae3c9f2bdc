"""Values on their way into a container: the last place where they have an expression of their own.

What is collected for the host (``losses.append(loss)``, then ``np.mean(losses)``) is brought back
here; that costs less than anywhere before, where it would take work off the device.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence

from msgspec.structs import replace

from devicefix.flow.construction import EARLY
from devicefix.flow.costs import STORE_COST, USE_COST
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HARD
from devicefix.flow.memory import rename
from devicefix.flow.operands import Operand
from devicefix.flow.values import ObjectRecord, Tensor, Tuple, TupleClass, Unknown, Value


def stored(frame: Frame, operand: Operand, *, moves: bool = True) -> Value:
    """``operand`` as the container holds it; of ``(x, y)`` each part.

    ``moves``: it may be moved to the device here, too, and not only be brought back.
    """
    expr, value = operand
    if isinstance(value, Tuple) and isinstance(expr, (ast.Tuple, ast.List)):
        return Tuple(stored_parts(frame, expr.elts, value.items, moves=moves))
    if not isinstance(value, Tensor) or not value.nodes or frame.host or expr is None:
        return value
    if (moved := _where_its_module_goes(frame, value)) is not None:
        return moved
    node = frame.node("stored", expr)
    frame.use(expr, value, node, to_target=USE_COST if moves else HARD, to_host=STORE_COST)
    frame.analysis.arrivals.pass_on(value, node)
    return rename(frame, value, node)


def _where_its_module_goes(frame: Frame, value: Tensor) -> Tensor | None:
    """A parameter that is kept before its module is moved: that moves the very tensor, in place.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
    """
    nodes = {node: _later(frame.graph.key(node), node) for node in value.nodes}
    changed = any(node != later for node, later in nodes.items())
    return replace(value, nodes=frozenset(nodes.values())) if changed else None


def _later(key: Hashable, node: int) -> int:
    """The node of the same parameter once its module has been moved; else ``node``."""
    match key:
        case (str() as kind, ObjectRecord(node=later)) if kind == EARLY:
            return later
    return node


def stored_parts(
    frame: Frame, written: Sequence[ast.expr], values: Sequence[Value], *, moves: bool
) -> tuple[Value, ...]:
    """The same for the elements of a literal."""
    if len(written) != len(values):
        return tuple(values)
    pairs = zip(written, values, strict=True)
    return tuple(stored(frame, operand, moves=moves) for operand in pairs)


_KEEPERS = (ast.Return, ast.Yield, ast.Lambda)
"""What holds a literal that is not used at once."""


def literal_items(
    frame: Frame, tree: ast.List | ast.Tuple | ast.Set, values: tuple[Value, ...]
) -> tuple[Value, ...]:
    """The items of a literal that is kept; one that is used at once needs no place of its own."""
    parent = frame.analysis.parents.get(tree)
    kept = isinstance(parent, _KEEPERS)
    if isinstance(parent, ast.Assign):
        kept = all(isinstance(t, (ast.Name, ast.Attribute, ast.Subscript)) for t in parent.targets)
    return stored_parts(frame, tree.elts, values, moves=False) if kept else values


def named_tuple(frame: Frame, cls: TupleClass, args: Arguments) -> Value:
    """``Step(state, action)``, or ``Step(*fields)`` of a sequence of unknown length."""
    given: dict[str, Operand] = dict(zip(cls.names, args.positional, strict=False))
    given |= {key: operand for key, operand in args.keywords if key is not None}
    if len(args.positional) == 1 < len(cls.names) and args.positional[0][0] is None:
        given = dict.fromkeys(cls.names, args.positional[0])
    unknown = (None, Unknown("a field of a named tuple"))
    items = [stored(frame, given.get(name, unknown), moves=False) for name in cls.names]
    return Tuple(tuple(items), cls.names)
