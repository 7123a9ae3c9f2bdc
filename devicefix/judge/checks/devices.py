"""Does every inserted expression that names a device name one, in each context, at that moment?

``self.device`` where no class has it, ``cam.data_device`` beside the device that computes, a string
where the code asks for ``.type``: none of these is the device of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from devicefix.flow.definitions import setters_by_name
from devicefix.flow.gpu_choice import choices_in
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.parallel import DATA_PARALLEL
from devicefix.flow.queries.settled import Settled
from devicefix.flow.scripts import bound_at_top, bound_names
from devicefix.flow.values import (
    Const,
    Device,
    Instance,
    ObjectRecord,
    Plain,
    Tensor,
    Value,
    as_device,
    is_none,
    is_text,
)
from devicefix.judge.at_home import surely_meets
from devicefix.judge.comparison import SCOPES, Comparison, Move, Objection, enclosing
from devicefix.source import Source
from devicefix.source.walking import once, walk
from devicefix.time_limit import check_time

NAME: Final = "device"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each place that the edits name, and each ``.type`` that they ask of a device."""
    for move in (*comparison.moves, *_loads(comparison)):
        reason = _why_no_device(comparison, move)
        if reason:
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)
    for path in comparison.maps:
        yield from _main_names(comparison, path)
        for tree in comparison.source(path).of_type(ast.Attribute):
            if not comparison.is_new(path, tree):
                continue
            if tree.attr == "type":
                yield from _typed(comparison, path, tree)
            if _is_set_later(comparison, tree):
                reason = f"`{ast.unparse(tree)}` is set by its name further down"
                yield comparison.objection(NAME, path, tree, reason)


def _loads(comparison: Comparison) -> Iterator[Move]:
    """``torch.load(path, map_location=device)``, where the edits say so."""
    for path in comparison.maps:
        for call in comparison.source(path).of_type(ast.Call):
            given = (k.value for k in call.keywords if k.arg == "map_location")
            yield from (Move(path, call, g, None) for g in given if comparison.is_new(path, g))


def _why_no_device(comparison: Comparison, move: Move) -> str:
    """Why the device of ``move`` is none; empty where it is one."""
    text = ast.unparse(move.device)
    bound = _bound_first(comparison, move)
    if bound:
        return f"`{text}` uses `{bound}` before it is assigned"
    if (module := _module_in(comparison, move.device)) is not None:
        return f"`{ast.unparse(module)}` is called, so it may be a module, which has no `.device`"
    values = comparison.after.values(move.device)
    if not values:
        return ""  # nothing reaches it: the check of uses speaks about that
    if _may_be_hidden(comparison, values):
        return f"`{text}` may be a GPU that CUDA_VISIBLE_DEVICES hides"
    if any(isinstance(v, Device) and v.nodes for v in values) and _is_spread(comparison, move):
        other = f"`{text}` may be a different device"
        return f"`DataParallel` expects the module on its first GPU, but {other}"
    if all(is_device(comparison, value, move.device) for value in values):
        return ""
    if surely_meets(comparison, move):
        return ""  # wherever that is
    return f"`{text}` may not be a device there"


def _may_be_hidden(comparison: Comparison, values: Iterable[Value]) -> bool:
    """Whether the program says which GPUs it sees, by which it counts them anew, and does not move
    anything itself to the one that it has a name for: ``torch.device(f"cuda:{gpu_ids[0]}")``."""
    origins = {o for v in values if isinstance(v, Device) for o in v.origins}
    named = [origin for origin in origins if isinstance(origin, ast.Call)]
    before = comparison.before
    if not named or not any(_chooses_gpus(s) for s in before.program.sources.values()):
        return False
    used = {o for origins in before.analysis.seen.placed_by.values() for o in origins}
    return any(used.isdisjoint(_as_it_was(comparison, origin)) for origin in named)


def _as_it_was(comparison: Comparison, tree: ast.expr) -> Sequence[ast.expr]:
    """An expression of the new program, in the original; nothing if it is new."""
    path = comparison.after.analysis.home(tree).path
    if path not in comparison.maps:
        return (tree,)  # a file that was not edited is the same in both programs
    key = comparison.key(path, tree)
    return comparison.old_nodes.get(key, ()) if key is not None else ()


def _chooses_gpus(source: Source) -> bool:
    return bool(choices_in(source.tree, source))


def _is_spread(comparison: Comparison, move: Move) -> bool:
    """Whether it moves a ``DataParallel`` that takes all GPUs, from the first one on.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html: the parameters have
    to be on ``device_ids[0]``.
    """
    moved = move.call.func.value if isinstance(move.call.func, ast.Attribute) else move.call
    held = [v for v in comparison.after.values(moved) if isinstance(v, Instance)]
    return any(_takes_all(record) for value in held for record in value.records)


def _takes_all(record: ObjectRecord) -> bool:
    made = record.tree
    if record.layer != DATA_PARALLEL or not isinstance(made, ast.Call):
        return False
    return len(made.args) == 1 and not any(k.arg in ("device_ids", None) for k in made.keywords)


def _module_in(comparison: Comparison, device: ast.expr) -> ast.expr | None:
    """The ``x`` of ``x.device`` that was taken for a tensor, and is called elsewhere."""
    called = comparison.after.analysis.seen.called
    for tree in walk(device):
        if isinstance(tree, ast.Attribute) and tree.attr == "device":
            values = comparison.after.values(tree.value)
            if any(isinstance(v, Tensor) and v.nodes & called for v in values):
                return tree.value
    return None


def _bound_first(comparison: Comparison, move: Move) -> str:
    """What the device reads that some way to it does not bind, or only the statement of the move
    itself."""
    body = comparison.source(move.path).once(Bodies).around(move.device)
    for node in (n for n in walk(move.device) if isinstance(n, ast.Name)):
        if any(op.kind is Kind.LOAD and not _is_bound(body, op) for op in body.of(node)):
            return node.id
    around = list(enclosing(comparison.after, move.call))
    statement = next((n for n in around if isinstance(n, ast.stmt)), None)
    function = next((n for n in around if isinstance(n, SCOPES)), around[-1])
    if not isinstance(statement, ast.Assign):
        return ""
    read = {ast.unparse(n) for n in walk(move.device) if isinstance(n, ast.expr)}
    kept = (t for t in statement.targets if not isinstance(t, ast.Name))
    targets = {ast.unparse(t) for t in kept} & read
    if not targets:
        return ""  # before the whole function is read, once for each move
    lines = once(function, _stored_lines)
    stored = {t for t in targets if lines.get(t, statement.lineno) < statement.lineno}
    attribute = function is not around[-1] and getattr(function, "name", "") != "__init__"
    empty = {ast.unparse(n) for n in walk(move.device) if _may_be_none(comparison, n)}
    set_before = {t for t in targets if attribute and "." in t and t not in empty}
    return next(iter(sorted(targets - stored - set_before)), "")


def _is_set_later(comparison: Comparison, tree: ast.Attribute) -> bool:
    """Whether the constructor reads ``self.cuda`` above ``self.__dict__.update(defaults)``, and
    nothing that is seen sets it before."""
    function, owner = (*_scopes_around(comparison, tree), None, None)[:2]
    if not isinstance(function, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    own = function.args.args[0].arg if function.args.args else ""
    if function.name != "__init__" or not isinstance(tree.value, ast.Name) or tree.value.id != own:
        return False
    lines = [getattr(n, "lineno", 0) for n in setters_by_name(function, own, tree.attr)]
    known = any(tree.attr in bound_at_top(statement) for statement in owner.body)
    stored = once(function, _stored_lines).get(ast.unparse(tree), tree.lineno) < tree.lineno
    return bool(lines) and min(lines) > tree.lineno and not (known or stored)


def _scopes_around(comparison: Comparison, tree: ast.AST) -> list[ast.AST]:
    """The functions and classes around ``tree``, the innermost first."""
    scopes = (*SCOPES, ast.ClassDef)
    return [above for above in enclosing(comparison.after, tree) if isinstance(above, scopes)]


def _may_be_none(comparison: Comparison, tree: ast.AST) -> bool:
    """Whether an attribute is None until somebody sets it."""
    values = comparison.after.values(tree) if isinstance(tree, ast.Attribute) else ()
    return any(value.beside.none or is_none(value) for value in values)


def _is_bound(body: Body, load: Op) -> bool:
    given = any(op.kind is Kind.ARGUMENT and op.name == load.name for op in body.blocks[0].ops)
    return Settled((load.name,)).before(body, (load.block, load.at), given=given)


def _stored_lines(function: ast.AST) -> Mapping[str, int]:
    """The line by which what a function stores has its first value, 0 for parameters."""
    found: dict[str, int] = {}
    for node in walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] = 0
        if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        check_time()
        line = node.end_lineno or node.lineno
        for name in (ast.unparse(n) for n in walk(node) if _is_stored(n)):
            found[name] = min(line, found.get(name, line))
    return found


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def is_device(comparison: Comparison, value: Value, tree: ast.expr) -> bool:
    """Whether ``value`` says where something is."""
    match value:
        case Device():
            return value.label is not None or bool(value.nodes)
        case Const():
            return value.value is None or (is_text(value) and as_device(value) is not None)
        case Plain():
            seen = comparison.before.analysis.seen  # the edits themselves use it as a device
            known = seen.device_options.keys() - seen.unfit_options
            return value.choice and ast.unparse(tree) in known
    return False


def _main_names(comparison: Comparison, path: str) -> Iterator[Objection]:
    """Names that the edits read in a function, and that only a run as a script binds; and the
    question who runs the file."""
    source = comparison.source(path)
    for name in source.of_type(ast.Name) if "__main__" in source.text else ():
        if not isinstance(name.ctx, ast.Load) or not comparison.is_new(path, name):
            continue
        if name.id == "__name__":
            yield comparison.objection(
                NAME, path, name, ("a program that imports this file would get a different device")
            )
            continue
        around = list(enclosing(comparison.after, name))
        if any(isinstance(n, SCOPES) for n in around) and _is_main_only(comparison, path, name):
            reason = f"`{name.id}` is assigned below `if __name__ == '__main__'` only"
            yield comparison.objection(NAME, path, name, reason)


def _is_main_only(comparison: Comparison, path: str, name: ast.Name) -> bool:
    """Whether only a run as a script binds the name, and code that others may import reads it."""
    around = [n for n in enclosing(comparison.after, name) if not isinstance(n, ast.Module)]
    if any(isinstance(n, ast.If) and _asks_for_main(n) for n in around):
        return False
    own = bound_names([n for n in around if isinstance(n, SCOPES)][-1])
    missing = comparison.source(path).once(_bound_below_main) - own
    others = missing - {name.id}
    return name.id in missing and not any(_is_needed(comparison, path, n, name) for n in others)


def _bound_below_main(source: Source) -> frozenset[str]:
    """The names of a file that it binds below a question for ``__main__`` only."""
    found: set[str] = set()
    others = {name for n in source.of_type(ast.Global) for name in n.names}
    for statement in source.tree.body:
        guard = isinstance(statement, ast.If) and _asks_for_main(statement)
        (found if guard else others).update(bound_at_top(statement))
    return frozenset(found - others)


def _asks_for_main(tree: ast.If) -> bool:
    return "__main__" in ast.unparse(tree.test)


def _is_needed(comparison: Comparison, path: str, name: str, place: ast.AST) -> bool:
    """Whether the function of a place cannot do without a name, and that not for the edits."""
    source = comparison.source(path)
    reads = (node for node in source.of_type(ast.Name) if node.id == name)
    if any(comparison.is_new(path, node) for node in reads):
        return False
    body, points = source.once(Bodies).moments(place)
    settled = Settled((name,))
    return bool(points) and all(settled.needed(body, point) for point in points)


def _typed(comparison: Comparison, path: str, tree: ast.Attribute) -> Iterator[Objection]:
    """``device.type``: a string has none."""
    if (module := _module_in(comparison, tree.value)) is not None:
        reason = f"`{ast.unparse(module)}` is called, so it may be a module, which has no `.device`"
        yield comparison.objection(NAME, path, tree, reason)
    asked = comparison.after.values(tree.value)
    if any(not (isinstance(v, Device) and v.typed) for v in asked if not _is_torch_name(v)):
        text = ast.unparse(tree.value)
        reason = f"`{text}` may be a string, which has no `.type`"
        yield comparison.objection(NAME, path, tree, reason)


def _is_torch_name(value: Value) -> bool:
    return type(value).__name__ == "External"
