"""What to change, in plain words: first what was where, then what puts it right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import PurePath
from typing import Final

from devicefix.observe.explanation import Operand, Place
from devicefix.observe.placement_errors import About

FACTORIES: Final = frozenset(
    {
        "torch.arange",
        "torch.as_tensor",
        "torch.asarray",
        "torch.empty",
        "torch.empty_like",
        "torch.eye",
        "torch.full",
        "torch.full_like",
        "torch.hamming_window",
        "torch.hann_window",
        "torch.linspace",
        "torch.logspace",
        "torch.normal",
        "torch.ones",
        "torch.ones_like",
        "torch.rand",
        "torch.rand_like",
        "torch.randint",
        "torch.randn",
        "torch.randn_like",
        "torch.randperm",
        "torch.scalar_tensor",
        "torch.tensor",
        "torch.tril_indices",
        "torch.triu_indices",
        "torch.zeros",
        "torch.zeros_like",
    }
)
"""What takes ``device=``."""


Spell = Callable[["Place | None", str], str]
"""An expression for a device, given as torch prints it, that has a meaning at a place."""


def advise(subject: About, operands: Sequence[Operand], at: Place | None, spell: Spell) -> str:
    """Advice for an error about ``subject``; empty where there is none to give."""
    if subject in (About.MIXED, About.INDEX, About.HOST_ONLY):
        return _mixed(operands, at, spell)
    first = next((operand for operand in operands if operand.device != "cpu"), None)
    return _REMEDIES[subject](_called(first))


def _mixed(operands: Sequence[Operand], at: Place | None, spell: Spell) -> str:
    host = [operand for operand in operands if operand.device == "cpu"]
    there = [operand for operand in operands if operand.device != "cpu"]
    if not there:
        return ""
    anchor = _telling(there)
    strays = host or [operand for operand in there if operand.device != anchor.device]
    if not strays:
        return ""
    stray = _telling(strays)
    facts = f"{_described(stray)} is on {_on(stray)}; {_described(anchor)} is on {_on(anchor)}."
    remedy = _remedy(stray, at, lambda place: spell(place, anchor.device))
    return f"{facts[0].upper()}{facts[1:]} {remedy}"


def _telling(operands: Sequence[Operand]) -> Operand:
    """The one that says most: the largest parameter or buffer, or else the first."""
    registered = [operand for operand in operands if operand.registered]
    return max(registered, key=lambda operand: prod(operand.shape), default=operands[0])


def _remedy(stray: Operand, at: Place | None, there: Callable[[Place | None], str]) -> str:
    """What to do with ``stray``; ``there`` spells the device where it should be."""
    if stray.registered:
        return _whole_module(stray, there)
    if stray.module is not None:
        name = stray.module.rpartition(".")[2]
        return (
            "It is a plain attribute, and `Module.to` moves parameters and buffers only: use "
            f'`self.register_buffer("{name}", …)` where it is created{_made_at(stray)}.'
        )
    move = _move(stray, at, there)
    if stray.origin.moved is not None and stray.device == "cpu":
        back = f"`{stray.origin.moved_by}` at {_line(stray.origin.moved)}"
        return f"It was moved to the CPU by {back}: remove that, or {move}."
    if stray.origin.how in FACTORIES:
        device = there(stray.origin.created)
        create = f"Create it there: `{stray.origin.how}(…, device={device})`{_made_at(stray)}"
        named = stray.held is not None and stray.held.variable.isidentifier()
        return f"{create}, or {move}." if named else f"{create}."
    return f"Move it: {move}."


def _whole_module(stray: Operand, there: Callable[[Place | None], str]) -> str:
    model = stray.held.variable if stray.held is not None else "model"
    return (
        f"Move the whole module there once, after it is created{_made_at(stray)} and before the "
        f"optimizer: `{model}.to({there(None)})`."
    )


def _move(stray: Operand, at: Place | None, there: Callable[[Place | None], str]) -> str:
    """The transfer, in the outermost line that has the tensor in hand."""
    if stray.held is None:
        behind = f"`.to({there(at)})` after it"
        return f"{behind} at {_line(at)}" if at is not None else behind
    name, where = stray.held.variable, stray.held.at
    if name.isidentifier():
        return f"`{name} = {name}.to({there(where)})` before {_line(where)}"
    return f"`{name}.to({there(where)})` at {_line(where)}"


def _described(operand: Operand) -> str:
    """The operand as the program calls it, and what made it."""
    if operand.registered:
        return _called(operand)
    made = _made(operand)
    if operand.variable is None:
        return made or "the other operand"
    return f"{_called(operand)} ({made})" if made else _called(operand)


def _made(operand: Operand) -> str:
    """What created it: "the result of torch.randn at train.py:12"; empty where nobody knows."""
    how, created = operand.origin.how, operand.origin.created
    if created is None or how is None:
        return ""
    where = f"at {_line(created)}"
    named = operand.variable is not None
    if how.endswith(".forward"):
        made = how.removesuffix(".forward")
        return f"returned by {made} {where}" if named else f"the output of {made} {where}"
    if _is_source(how):
        return f"created by {how} {where}" if named else f"the result of {how} {where}"
    return f"computed {where}" if named else f"the value computed {where}"


def _is_source(how: str) -> bool:
    """Whether a name says where data came from, and not what was computed of it."""
    return not how.startswith(".") and not how.startswith("torch.nn.functional.")


def _called(operand: Operand | None) -> str:
    if operand is None:
        return "it"
    if operand.registered and operand.module is not None:
        return _parameter(operand.module)
    return f"`{operand.variable or operand.name}`"


def _parameter(qualified: str) -> str:
    """``fc1.weight`` is "the weight of fc1"; numbers in a Sequential read badly that way."""
    owner, _, name = qualified.rpartition(".")
    if not owner:
        return f"the module's {name}"
    return f"the {name} of {owner}" if not owner.rpartition(".")[2].isdigit() else f"`{qualified}`"


def _on(operand: Operand) -> str:
    return "the CPU" if operand.device == "cpu" else operand.device


def _made_at(operand: Operand) -> str:
    created = operand.origin.created
    return f" at {_line(created)}" if created is not None else ""


def _line(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.line}"


_Remedy = Callable[[str], str]

_REMEDIES: Final[Mapping[About, _Remedy]] = {
    About.NUMPY: lambda name: (
        f"NumPy reads CPU memory, but {name} is on the device: copy it to the CPU for NumPy, "
        "`.detach().cpu().numpy()`."
    ),
    About.LENGTHS: lambda name: (
        "The lengths of a packed sequence must be on the CPU, whatever the device of the "
        "sequence: pass `lengths.cpu()`."
    ),
    About.GENERATOR: lambda name: (
        "A generator works on one device only: create it with `torch.Generator(device=device)`, "
        "or draw on its own device and move the result."
    ),
    About.REPLICAS: lambda name: (
        "DataParallel replicates the module from its first device: move it there first, "
        "`model.to(device)`, then wrap it."
    ),
    About.GRADIENT: lambda name: (
        "A gradient must be on the device of its tensor: move the gradient, or move the tensor "
        "before the forward pass, not between forward and backward."
    ),
    About.PINNING: lambda name: (
        f"Only CPU memory can be pinned, but {name} is on the device: pin it before it is moved, "
        "or remove `pin_memory`."
    ),
    About.FLOAT64: lambda name: (
        "This device has no float64: cast first, `.float().to(device)`, or create the tensor as "
        "float32."
    ),
    About.FORK: lambda name: (
        "A forked process cannot use the device: keep the Dataset and the collate function on "
        'the CPU, or start processes with `torch.multiprocessing.set_start_method("spawn")`.'
    ),
    About.CONSTRUCTOR: lambda name: (
        "Legacy constructors such as `torch.FloatTensor` create tensors on one device only: use "
        "`torch.tensor(…, device=device)`."
    ),
}
