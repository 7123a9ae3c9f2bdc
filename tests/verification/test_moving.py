"""How much has to be on the accelerator follows from what the program computes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from devicefix.records import ModuleWork, Placement
from devicefix.verification.moving import shortage
from devicefix.verification.result import Verdict

PARTLY = Verdict.PARTLY_MOVED


def placement(modules: Mapping[str, tuple[int, int]], cpu: int = 0, cuda: int = 0) -> Placement:
    """Where a program computes: modules by their work on the host and on the device, and more."""
    placed = tuple(
        ModuleWork(name, "Linear", "cpu", 8, 32, _work(*work)) for name, work in modules.items()
    )
    total = [sum(work[at] for work in modules.values()) for at in (0, 1)]
    return Placement(_work(total[0] + cpu, total[1] + cuda), (), (), placed, (), (), ())


def _work(cpu: int, cuda: int) -> dict[str, int]:
    return {name: amount for name, amount in (("cpu", cpu), ("cuda:0", cuda)) if amount}


@pytest.mark.parametrize(
    ("now", "verdict", "says"),
    [
        (placement({"fc": (0, 40)}, cuda=60), None, ""),
        (placement({"fc": (50, 0)}, cpu=50), Verdict.NOT_MOVED, "nothing is computed"),
        (
            placement({"fc": (5000, 0)}, cpu=5000, cuda=1),
            PARTLY,
            "fc, 100% of what the modules compute, never computes on the accelerator",
        ),
        (
            placement({"encoder": (0, 40), "a": (20, 0), "b": (20, 0), "c": (10, 0), "d": (10, 0)}),
            PARTLY,
            "a, b, c and 1 more, 60% of what the modules compute, never compute",
        ),
        # What ran there and is brought back was brought back by the program itself.
        (placement({"fc": (10, 40)}, cuda=60), None, ""),
        (
            placement({"fc": (90, 5)}, cpu=155, cuda=5),
            PARTLY,
            "only 3.9% of the arithmetic is on the accelerator, although the modules alone do 37",
        ),
        # Data are prepared on the host, and there may be much of them.
        (placement({"fc": (0, 10)}, cpu=80, cuda=10), None, ""),
        # Two modules of one name, of which one was left.
        (placement({"Linear": (45, 55)}), PARTLY, "only 55% of the arithmetic"),
        # A scaler beside a model.
        (placement({"fc": (0, 97), "scale": (3, 0)}), None, ""),
        (placement({}, cpu=40, cuda=60), None, ""),
        (placement({}, cpu=60, cuda=40), PARTLY, "only 40% of the arithmetic"),
        (placement({}, cpu=9999, cuda=1), PARTLY, "only less than 0.1% of the arithmetic"),
        (placement({}), None, ""),
    ],
)
def test_what_the_program_computes_says_how_much(
    now: Placement, verdict: Verdict | None, says: str
) -> None:
    found = shortage(now, None, None)
    assert (found.verdict if found is not None else None) is verdict
    assert says in (found.words if found is not None else "")


def test_what_ran_there_before_is_the_measure() -> None:
    half = placement({"fc": (60, 0), "other": (0, 40)})
    less = placement({"fc": (80, 0), "other": (0, 20)})
    assert shortage(half, half, None) is None
    found = shortage(less, half, None)
    assert found is not None
    assert found.words == "only 20% of the arithmetic is on the accelerator, 40% before"
