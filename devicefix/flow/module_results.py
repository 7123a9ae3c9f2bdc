"""What calls of modules give that the program has no ``forward`` of."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from devicefix.flow.operands import Operand, promote
from devicefix.flow.values import NONE, Beside, ObjectRecord, Tensor, Tuple, Value
from devicefix.torch_api import layer
from devicefix.torch_api.model_outputs import may_give_object


def given_by(record: ObjectRecord, operands: Sequence[Operand], result: Tensor) -> Value:
    """What a call gives whose tensors live where ``result`` does.

    Classes of other libraries may give an object that holds tensors: that has no ``.device``.
    """
    if may_give_object(record.layer):
        return replace(result, dtype=None, beside=Beside(vague=True))
    result = replace(result, dtype=_dtype(record, operands))
    return _with_state(result, record, operands[0][1] if operands else NONE)


def has_state(record: ObjectRecord) -> bool:
    """Whether it is a recurrent layer."""
    row = layer(record.layer) if record.layer else None
    return row is not None and row.returns == "tensor and state"


def _with_state(result: Tensor, record: ObjectRecord, given: Value) -> Value:
    """What a recurrent layer gives: the state of an LSTM is a pair, which has no ``.to``, and of a
    packed sequence it makes another one, which has no ``.device``.
    """
    if not has_state(record):
        return result
    packed = isinstance(given, Tensor) and not given.certain
    pair = record.layer.rpartition(".")[2] == "LSTM"
    first = replace(result, beside=Beside(vague=packed))
    return Tuple((first, Tuple((result, result)) if pair else result))


def _dtype(record: ObjectRecord, operands: Sequence[Operand]) -> str | None:
    """That of the parameters, or of the operands; what is inside a container nobody knows."""
    row = layer(record.layer) if record.layer else None
    if row is None or row.parameters:
        return record.dtype
    if row.kind in ("container", "wrapper"):
        return None
    return promote([v for _, v in operands if isinstance(v, Tensor)])
