"""What a failure says of the tensors that were in the wrong place."""

from __future__ import annotations

from devicefix.simulator.messages import Mismatch


def provenance(error: BaseException) -> str | None:
    """Which operands ``error`` is about and where they were; None if it is not about placement."""
    mismatch = getattr(error, "placement", None)
    if not isinstance(mismatch, Mismatch):
        return None
    lines = [f"{mismatch.op.removeprefix('aten::')} got tensors of different devices:"]
    lines += [
        f"  {operand.name}  {operand.tensor.device}  {list(operand.tensor.shape)}"
        for operand in mismatch.operands
    ]
    return "\n".join(lines)
