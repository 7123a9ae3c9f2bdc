"""Optimizers that were made for a module as it was before it moved, or before a part was exchanged.

``Module.to`` keeps the identity of the parameters, so an optimizer may be built before it; but
state that it has by then stays where the parameters were. ``Adagrad`` makes its state in the
constructor; ``load_state_dict`` sends state to where the parameters are at that time
(https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html).
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from devicefix.flow.dicts import put_item, put_rest
from devicefix.flow.facts import Staleness, StaleOptimizer
from devicefix.flow.joins import join_all, tensors_in
from devicefix.flow.observations import Steered
from devicefix.flow.values import (
    PLAIN,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Optimizer,
    Tensor,
    Unknown,
    Value,
)
from devicefix.torch_api import EAGER_OPTIMIZERS, JOINING_OPTIMIZERS, is_optimizer

if TYPE_CHECKING:
    from devicefix.flow.frame import Arguments, Frame

_BASE = "torch.optim.Optimizer"
STEP_HOOKS = frozenset({"register_step_post_hook", "register_step_pre_hook"})
"""Methods that take a function which each step calls with the optimizer."""
_PARAMETERS = frozenset({"early", "object", "returned", "unfinished"})
"""What the nodes of a module's parameters were made for (``construction``)."""


def make_optimizer(frame: Frame, tree: ast.expr, name: str, nodes: frozenset[int]) -> Value:
    """An optimizer of the parameters at ``nodes``."""
    first, *others = sorted(nodes) or [0]
    for node in others if name in JOINING_OPTIMIZERS else ():
        frame.graph.tie(first, node)
    if not isinstance(tree, ast.Call):
        return Optimizer(nodes)
    steered = frame.seen.optimizers.setdefault(tree, Steered())
    steered.modules |= _modules_of(frame, nodes)
    steered.replaced = None
    if _is_of_one(tree):
        for record in steered.modules:
            record.weights = True
    eager = name in EAGER_OPTIMIZERS and not _have_moved(frame, steered.modules)
    steered.state = tree if eager else None
    return Optimizer(nodes, frozenset((tree,)))


def _is_of_one(tree: ast.Call) -> bool:
    """``Adam(net.parameters())``: torch takes no empty list, so the module has some."""
    given = [k.value for k in tree.keywords if k.arg == "params"] or tree.args[:1]
    called = [g.func for g in given if isinstance(g, ast.Call)]
    return any(isinstance(f, ast.Attribute) and f.attr == "parameters" for f in called)


def hold_parameters(frame: Frame, record: ObjectRecord, args: Arguments) -> None:
    """``super().__init__(params, defaults)`` in an optimizer of the program.

    ``self.param_groups`` shows its methods the parameters, and ``self.state`` holds, for each, what
    they keep from step to step.
    """
    bases = record.cls.library_bases() if record.cls is not None else ()
    if not any(base == _BASE or is_optimizer(base) for base in bases):
        return
    key = (frame.context, record)
    state, kept = (frame.analysis.dict_record((*key, name)) for name in ("state", "kept"))
    found = [t for _, value in args.all() for t in tensors_in(value)]
    put_rest(frame, state, Mapping(frozenset((kept,))), making=True)
    groups = _groups(frame, key, join_all(found) if found else None)
    frame.store(record, "param_groups", groups)
    frame.store(record, "state", Mapping(frozenset((state,))))


def groups_of(frame: Frame, optimizer: Optimizer) -> Listing:
    """``optimizer.param_groups``: whoever walks through them meets the parameters themselves."""
    own = Tensor(optimizer.nodes, parameter=True) if optimizer.nodes else Unknown("a parameter")
    return _groups(frame, (optimizer,), own)


def state_of(frame: Frame, optimizer: Optimizer) -> Mapping:
    """``optimizer.state``: by parameter, a dict of tensors beside it, and a number of steps."""
    each = frame.analysis.dict_record((optimizer, "state of one"))
    whole = frame.analysis.dict_record((optimizer, "state"))
    own = Tensor(optimizer.nodes, raw=False, constant=True, computed=True)
    if optimizer.nodes and each.element is None:
        put_item(frame, each, "step", PLAIN, making=True)
        put_rest(frame, each, own, making=True)
    if whole.element is None:
        put_rest(frame, whole, Mapping(frozenset((each,))), making=True)
    return Mapping(frozenset((whole,)))


def meet_state(frame: Frame, optimizer: Optimizer) -> None:
    """A step computes with what the program has put into the state: it has to be where the
    parameters are."""
    each = frame.analysis.dict_record((optimizer, "state of one"))
    for key, value in each.items.items():
        for node in sorted(optimizer.nodes) if key != "step" else ():
            frame.use(None, value, node)


def _groups(frame: Frame, key: tuple[Hashable, ...], parameter: Value | None) -> Listing:
    """A list of dicts, each of which has a list of parameters and numbers."""
    parameters = frame.analysis.list_record((*key, "params"))
    groups = frame.analysis.list_record((*key, "param_groups"))
    group = frame.analysis.dict_record((*key, "group"))
    if groups.element is None or parameter != parameters.element:
        put_rest(frame, parameters, parameter, making=True)
        put_item(frame, group, "params", Listing(frozenset((parameters,))), making=True)
        put_rest(frame, group, PLAIN, making=True)
        put_rest(frame, groups, Mapping(frozenset((group,))), making=True)
    return Listing(frozenset((groups,)))


def _modules_of(frame: Frame, nodes: Iterable[int]) -> set[ObjectRecord]:
    found = set()
    for node in nodes:
        key = frame.graph.key(node)
        if isinstance(key, tuple) and key[0] in _PARAMETERS and isinstance(key[1], ObjectRecord):
            found.add(key[1])
    return found


def _have_moved(frame: Frame, modules: Iterable[ObjectRecord]) -> bool:
    stays = frame.analysis.stays
    return any(record in stays or record.root in stays for record in modules)


def note_call(frame: Frame, tree: ast.expr, optimizer: Optimizer, name: str) -> None:
    """``optimizer.name(...)``."""
    if name == "load_state_dict":
        frame.seen.optimizer_states.add(tree)
    for made in optimizer.made:
        steered = frame.seen.optimizers.get(made)
        if steered is None:
            continue
        if name == "load_state_dict" and not _have_moved(frame, steered.modules):
            steered.state = tree
        elif name == "add_param_group":
            steered.replaced = None
        elif name == "step" and steered.replaced is not None:
            found = StaleOptimizer(made, made, steered.replaced, Staleness.REPLACED)
            frame.seen.stale_optimizers.setdefault(made, found)


def note_first_move(frame: Frame, tree: ast.expr, records: Iterable[ObjectRecord]) -> None:
    """``tree`` moves these modules, which nobody has moved before."""
    moved = set(records)
    for made, steered in frame.seen.optimizers.items():
        if steered.state is not None and steered.modules & moved:
            how = Staleness.BUILT if steered.state is made else Staleness.LOADED
            found = StaleOptimizer(made, steered.state, tree, how)
            frame.seen.stale_optimizers.setdefault(made, found)


def note_replacement(
    frame: Frame, target: ast.Attribute, holder: ObjectRecord, value: Value
) -> None:
    """``model.head = nn.Linear(...)``: optimizers of the model do not know the new parameters."""
    if not isinstance(value, Instance) or not value.modules:
        return
    held = frame.seen.held.setdefault((holder, target.attr), set())
    new = held and held.isdisjoint(value.modules) and any(r.stateful for r in value.modules)
    held.update(value.modules)
    for steered in frame.seen.optimizers.values() if new else ():
        if {holder, holder.root} & steered.modules:
            steered.replaced = target
