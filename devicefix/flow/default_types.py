"""Default tensor types of CUDA: which of them can go, once all that they carry says where it is."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import asks
from devicefix.flow.facts import DefaultType, FileFacts, Transfer
from devicefix.flow.placement import Decision
from devicefix.flow.scripts import is_unconditional
from devicefix.flow.values import FileRecord

_GROUP = "default-type"


def default_types(analysis: Analysis, file: FileRecord) -> tuple[DefaultType, ...]:
    """The calls of ``torch.set_default_tensor_type`` of a file that choose CUDA."""
    return tuple(
        DefaultType(call, name, asks(analysis, call), is_unconditional(analysis.parents, call))
        for call, name in analysis.seen.default_types.items()
        if analysis.home(call) is file
    )


def could_go(analysis: Analysis) -> bool:
    """Whether there is a default of CUDA, and nothing but the program itself decides about it."""
    found = [d for file in analysis.owned for d in default_types(analysis, file)]
    return bool(found) and all(d.unconditional and not d.guarded for d in found)


def can_go(facts: Mapping[str, FileFacts], decision: Decision) -> bool:
    """Whether each default goes by one decision: all that it carries is seen, and has a place.

    A part that no placement satisfies may have no transfers to tell of that.
    """
    if not decision.is_consistent:
        return False
    transfers = [transfer for file in facts.values() for transfer in file.transfers]
    return bool(transfers) and not any(t.blocked or t.unsafe for t in transfers)


def as_one_decision(facts: FileFacts) -> FileFacts:
    """Half of it, such as a default that is gone and a factory on the host, is worse than none."""
    return replace(
        facts,
        defaults=tuple(replace(default, group=_GROUP) for default in facts.defaults),
        transfers=tuple(_in_group(transfer) for transfer in facts.transfers),
    )


def _in_group(transfer: Transfer) -> Transfer:
    return replace(transfer, group=_GROUP)
