"""Stamps of storages as lines with their text."""

from __future__ import annotations

import torch

from devicefix.observe.explanation import Origin, Place, place
from devicefix.simulator.provenance import Step, stamp_of


def origin_of(tensor: torch.Tensor) -> Origin:
    """Where ``tensor`` comes from; all None if nobody saw it."""
    stamp = stamp_of(tensor)
    if stamp is None:
        return Origin()
    created, moved = stamp.created, stamp.moved
    if moved is None:
        return Origin(created.how, _place(created))
    return Origin(created.how, _place(created), _place(moved), moved.how)


def _place(step: Step) -> Place:
    return place(step.code.co_filename, step.line, step.code.co_name)
