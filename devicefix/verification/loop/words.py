"""Symptoms in plain words, and what a person has to decide."""

from __future__ import annotations

from pathlib import Path

from devicefix.records import Operand, Place
from devicefix.records.placement import HOST
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.symptoms import Broken, Fault, Idle, Symptom


def shown(symptom: Symptom) -> str:
    """What a run has shown, as a sentence without its stop."""
    match symptom:
        case Fault() if symptom.strays:
            stray = symptom.strays[0]
            where = "the CPU" if stray.device == HOST else stray.device
            return f"{called(stray)} is on {where}{_made(stray)}"
        case Fault():
            return symptom.failure.message.partition("\n")[0]
        case Idle():
            return symptom.words
        case Broken():
            return f"the program fails: {symptom.words}"
    return ""


def called(operand: Operand) -> str:
    """What the program calls a tensor, and what the operator does."""
    own = operand.variable or operand.module
    if own:
        return f"`{own}`"
    return "a tensor" if operand.name.startswith("argument ") else f"the operand `{operand.name}`"


def _made(operand: Operand) -> str:
    if operand.created is None:
        return ""
    public = operand.how and not operand.how.startswith("_") and "__" not in operand.how
    how = f"by {operand.how} " if public else ""
    stays = operand.moved is None and operand.device == HOST
    moved = f"{_of(operand)}, never moved" if stays else ""
    return f": created {how}at {_line(operand.created)}{moved}"


def _of(operand: Operand) -> str:
    """The first of the tensors that it was computed of, if another line made that."""
    for one in operand.ancestors:
        if one.created != operand.created:
            return f" from {one.how} at {_line(one.created)}"
    return ""


def _line(place: Place) -> str:
    path, here = Path(place.file), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{place.line}"


def decision(symptom: Symptom, draft: Draft) -> str:
    """What a person has to decide where no repair is left."""
    match symptom:
        case Fault() if symptom.is_mixed or symptom.is_read_by_host:
            return _of_fault(symptom, draft)
        case Fault():
            return symptom.failure.advice
        case Idle() if symptom.roots:
            return _of_idle(symptom, draft)
        case Idle():
            return (
                "whether this arithmetic belongs on the device: no module computes it, and the "
                "runs do not show where its tensors should be"
            )
        case Broken():
            return "how to make the program run to completion"
    return ""


def _of_idle(idle: Idle, draft: Draft) -> str:
    held = [one for root in idle.roots for one in root.holders if draft.holds(one.at.file)]
    if not held:
        names = ", ".join(root.root for root in idle.roots)
        return f"where to move {names} to the device: no variable in your files holds it"
    names = ", ".join(dict.fromkeys(f"`{one.variable}`" for one in held))
    return f"where {names} is moved to the device: none of the possible repairs helps"


def _of_fault(fault: Fault, draft: Draft) -> str:
    stray = fault.strays[0]
    held = (*stray.holders, *stray.owners)
    if not any(draft.holds(one.at.file) for one in held):
        return (
            f"where to move {called(stray)}: no variable in your files holds it. The code that "
            "creates it may have a device option; otherwise change it there"
        )
    return f"where {called(stray)} has to be: the repairs that were tried do not help"
