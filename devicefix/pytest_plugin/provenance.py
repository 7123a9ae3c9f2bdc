"""What a failure says of the tensors that were in the wrong place."""

from __future__ import annotations

from devicefix.records import Failure, Operand
from devicefix.reporting.placement_error import describe_placement_error
from devicefix.simulator import messages


def provenance(error: BaseException) -> str | None:
    """Which operands ``error`` is about and where they were; None if it is not about placement."""
    mismatch = getattr(error, "placement", None)
    if not isinstance(mismatch, messages.Mismatch):
        return None
    operands = tuple(map(_operand, mismatch.operands))
    failure = Failure(
        type(error).__name__, str(error), True, mismatch.op, None, (), operands, advice=""
    )
    return describe_placement_error(failure)


def _operand(operand: messages.Operand) -> Operand:
    tensor = operand.tensor
    dtype = str(tensor.dtype).removeprefix("torch.")
    shape, device = tuple(tensor.shape), str(tensor.device)
    return Operand(operand.name, device, shape, dtype, "", None, None, None)
