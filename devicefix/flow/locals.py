"""A device of its own for a function that decides itself to use the accelerator.

Where a library calls ``.cuda()`` and nothing around it names a device, the decision stays where it
is: in the function, or in the object whose methods share it.
"""

from __future__ import annotations

import ast
import sys
from typing import Final

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.candidates import receiver_name
from devicefix.flow.constructors import constructor, runs_first
from devicefix.flow.definitions import enclosing
from devicefix.flow.facts import DeviceName
from devicefix.flow.frame import Frame
from devicefix.flow.functions import is_module
from devicefix.flow.gpu_choice import choices_in, sends_away
from devicefix.flow.graph import Label
from devicefix.flow.passing import Passing, Wanted
from devicefix.flow.scripts import NEW_NAMES
from devicefix.flow.values import Class, ClassRecord, External, Value
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk

_ATTRIBUTE: Final = "device"
_REFUSING: Final = (_ATTRIBUTE, "__slots__", "__setattr__")
"""What a class has that has such an attribute already, or may take no new one."""
_WITHOUT_DEVICE: Final = ("torch.utils.data.", "torch.nn.", "torch.optim.", "torch.autograd.")


def define_locally(wanted: Wanted, *, already: bool) -> DeviceName | None:
    """A name that the function around these places, or its object, defines itself.

    ``already``: the program takes the accelerator there itself.
    """
    frames = [seen.frame.outermost for seen, _ in wanted]
    frame = frames[0]
    if frame is None or any(f is None or f.tree is not frame.tree for f in frames):
        return None
    if not frame.file.owned or any(label is Label.HOST for _, label in wanted):
        return None
    if frame.analysis.processes.why_not(frame.tree, frame.file.source.path):
        return None
    choices = choices_in(frame.tree, frame.file.source)
    if already and choices and _come_too_late(frame, choices, wanted):
        choices = []
    return (
        _behind(frame, choices, wanted) if choices else of_object(frame) or of_function(frame.tree)
    )


def _come_too_late(frame: Frame, choices: list[ast.stmt], wanted: Wanted) -> bool:
    """Whether the function has taken an accelerator on every way to where it says which it wants:
    that decides nothing any more."""
    body, parents = getattr(frame.tree, "body", []), frame.analysis.parents
    taken = [seen.place for seen, _ in wanted if _is_statement_of(body, seen.place, parents)]
    first = min(choice.lineno for choice in choices)
    return any(getattr(place, "end_lineno", first) < first for place in taken)


def _is_statement_of(body: list[ast.stmt], place: ast.AST | None, parents: Parents) -> bool:
    """``net.cuda()`` or ``x = x.cuda()`` in ``body``, below nothing."""
    above = parents.get(place) if isinstance(place, ast.Call) else None
    return isinstance(above, (ast.Assign, ast.Expr)) and above in body


def _behind(frame: Frame, choices: list[ast.stmt], wanted: Wanted) -> DeviceName | None:
    """The same for a function that says which GPUs it wants: asking before would decide that."""
    found, last = of_function(frame.tree), choices[-1]
    body = getattr(frame.tree, "body", [])
    late = all(seen.line > (last.end_lineno or last.lineno) for seen, _ in wanted)
    if found is None or not late or any(choice not in body for choice in choices):
        return None
    return replace(found, anchor=last)


def keep_in_object(wanted: Wanted, passing: Passing, *, spare: bool) -> DeviceName | None:
    """``self.device``, which everybody who makes such an object passes to its ``__init__``."""
    frames = [seen.frame.outermost for seen, _ in wanted]
    frame = frames[0]
    if frame is None or any(f is None or f.tree is not frame.tree for f in frames):
        return None
    if any(label is Label.HOST for _, label in wanted):
        return None
    kept, owner = of_object(frame), frame.owner
    if kept is None or owner is None or kept.anchor is None or kept.anchor is frame.tree:
        return None
    analysis = frame.analysis
    if any(constructor(heir) is not kept.anchor for heir in analysis.heirs(owner)):
        return None
    contexts = [analysis.context_of(r, kept.anchor) for r in analysis.instances.get(owner, ())]
    if not contexts or None in contexts:
        return None
    places = {context: Label.TARGET for context in contexts if context is not None}
    given = passing.into(kept.anchor, owner, places, spare=spare)
    return replace(kept, value=given.text, passed=given.passed) if given is not None else None


def of_object(frame: Frame, keeper: ast.AST | None = None) -> DeviceName | None:
    """``self.device``, set first of all in ``__init__``; modules have parameters to ask instead.

    Where a class derives from another one that moves things as well, that one sets it, if each
    constructor of the family runs its ``__init__`` first. ``keeper``: the class that has to set it.
    """
    receiver, owner = receiver_name(frame), frame.owner
    if not receiver or owner is None or is_module(owner) or sends_away(frame.file.source):
        return None
    if _choose_gpus(frame, owner):
        return None
    for record in _makers(frame, owner):
        init = constructor(record)
        if init is not None and keeper in (None, record.tree) and _is_free(frame, record):
            own, file = init.args.args[0].arg, record.frame.file
            home = None if file is frame.file else file.source
            name = f"{own}.{_ATTRIBUTE}"
            return DeviceName(f"{receiver}.{_ATTRIBUTE}", name, anchor=init, home=home)
    return None


def _choose_gpus(frame: Frame, owner: ClassRecord) -> bool:
    """Whether a method of the family says which GPUs the program wants, or who makes such an object
    says so afterwards: it would be asked for one before that."""
    analysis = frame.analysis
    family = {cls for heir in analysis.heirs(owner) for cls in (heir, *heir.ancestry())}
    if any(choices_in(cls.tree, cls.frame.file.source) for cls in family):
        return True
    made = (
        record.tree for heir in analysis.heirs(owner) for record in analysis.instances.get(heir, ())
    )
    return any(_is_before_choice(analysis, tree) for tree in made)


def _is_before_choice(analysis: Analysis, made: ast.AST) -> bool:
    """Whether the code that makes an object says further down which GPUs the program wants."""
    scope = enclosing(analysis, made)
    choices = choices_in(scope, analysis.home(made).source)
    after = (c for c in choices if c.lineno > getattr(made, "lineno", 0))
    return any(enclosing(analysis, choice) is scope for choice in after)


def _makers(frame: Frame, owner: ClassRecord) -> list[ClassRecord]:
    """The class and its bases: those that move things first, from the base on."""
    family = owner.ancestry()
    if len(family) == 1:
        return [owner]
    functions = {enclosing(frame.analysis, call) for call in frame.analysis.seen.transfers}
    moving = {frame.analysis.parents.get(function) for function in functions}
    movers = [record for record in reversed(family) if record.tree in moving]
    return [*movers, *(record for record in family if record not in movers)]


def _is_free(frame: Frame, record: ClassRecord) -> bool:
    """No class of the family has such an attribute, and all their objects are made by ``record``.

    A base that was not read may have one, or a property of that name that nobody can set.
    """
    heirs = frame.analysis.heirs(record)
    bases = [base for heir in heirs for cls in heir.ancestry() for base in cls.bases]
    if not all(isinstance(base, Class) or _is_plain(base) for base in bases):
        return False
    made = [one for heir in heirs for one in frame.analysis.instances.get(heir, ())]
    if all(one.generic for one in made):
        return False  # who makes such objects was not seen, nor where they work
    held = [cls.attributes for heir in heirs for cls in heir.ancestry()]
    held += [one.attributes for one in made]
    if any(name in attributes for attributes in held for name in _REFUSING):
        return False
    return record.frame.file.owned and all(runs_first(heir, record) for heir in heirs)


def _is_plain(base: Value) -> bool:
    """A class of Python, or one of torch, whose objects have no attribute for their device."""
    name = base.name if isinstance(base, External) else ""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or name.startswith(_WITHOUT_DEVICE)


def of_function(function: ast.AST) -> DeviceName | None:
    """A local name that means nothing in the function yet."""
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    used = {n.id for n in walk(function) if isinstance(n, ast.Name)}
    used |= {n.arg for n in walk(function) if isinstance(n, ast.arg)}
    name = next((name for name in NEW_NAMES if name not in used), "")
    return DeviceName(name, name, anchor=function) if name else None
