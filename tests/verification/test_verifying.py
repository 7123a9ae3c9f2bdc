"""Which runs a verification takes, and what it makes of them; nothing is really run here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from devicefix.records import Failure, How, Place, Record
from devicefix.records.observations import Event, Kind
from devicefix.records.record import LineWork
from devicefix.verification.execution import Execution, Order
from devicefix.verification.request import Candidate, Request
from devicefix.verification.result import Role, Verdict, Verification
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree
from devicefix.verification.verifying import Verifier
from tests.verification.observed import execution, failure, loss, number, read, wrote

SIM = "sim:cuda"
GOOD = (loss(1.0, 3), loss(0.5, 3), wrote("loss 0.5\n", 4))
UNPARSED = '  File "train.py", line 3\nSyntaxError: print\n'
CRASH = failure("RuntimeError", "two devices", 7)

Script = Callable[[str, Order], Execution]
"""What the program does: by its text, and what was ordered."""


class Stage:
    """Runs a script in the place of a program, and remembers what was run."""

    def __init__(self, tmp_path: Path, script: Script) -> None:
        self._folder = tmp_path / "project"
        self._folder.mkdir()
        (self._folder / "train.py").write_text("before")
        self._script = script
        self.orders: list[tuple[str, Order]] = []

    def run(self, request: Request, scratch: Scratch, original: Path, order: Order) -> Execution:
        assert original == self._folder
        text = (scratch.root / "train.py").read_text()
        self.orders.append((text, order))
        run = self._script(text, order)
        return replace(run, role=order.role, device=order.device)

    @property
    def ran(self) -> list[tuple[str, str]]:
        return [(text, order.device) for text, order in self.orders]

    def verifier(self, devices: Iterable[str] = (SIM,), coverage: float | None = None) -> Verifier:
        request = Request("train.py", (), "python", devices=tuple(devices), coverage=coverage)
        return Verifier(request, Tree(self._folder), run=self.run)

    def candidate(self, text: str = "after", **lines: Iterable[int]) -> Candidate:
        asked = {f"{name}.py": frozenset(wanted) for name, wanted in lines.items()}
        return Candidate(Tree(self._folder, {"train.py": text.encode()}), asked)

    def verified(
        self, devices: Iterable[str] = (SIM,), coverage: float | None = None
    ) -> Verification:
        with self.verifier(devices, coverage) as verifier:
            return verifier.verify(self.candidate())


def computed(run: Execution, **work: int) -> Execution:
    """``run`` with a record of arithmetic: ``cpu`` and ``cuda``."""
    amounts = {("cpu" if name == "cpu" else "cuda:0"): amount for name, amount in work.items()}
    record = Record(
        1,
        0,
        (),
        "3.12",
        "2.13",
        SIM,
        True,
        "finished",
        None,
        None,
        lines=(LineWork(Place("train.py", 1, "f", "x"), amounts),),
        work=amounts,
    )
    return replace(run, records=(record,))


def there(order: Order, *events: Event, cuda: int = 99, cpu: int = 1) -> Execution:
    run = execution(*events, device=order.device)
    return run if order.device == "cpu" else computed(run, cuda=cuda, cpu=cpu)


def test_where_nothing_differs_nobody_asks_what_varies(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda text, order: there(order, *GOOD))
    found = stage.verified(devices=(SIM, "sim:mps"))
    assert found.verdict is Verdict.PASS
    assert found.baseline == "cpu"
    assert stage.ran == [
        ("before", "cpu"),
        ("before", SIM),
        ("before", "sim:mps"),
        ("after", "cpu"),
        ("after", SIM),
        ("after", "sim:mps"),
    ]
    assert [c.device for c in found.comparisons] == ["cpu", SIM, "sim:mps"]
    assert found.changed == ("train.py",)


def test_before_runs_again_with_another_clock_where_something_differs(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        return there(order, *GOOD, wrote(f"took {order.clock or text} s\n"))

    stage = Stage(tmp_path, script)
    assert stage.verified().verdict is Verdict.PASS
    assert stage.ran == [
        ("before", "cpu"),
        ("before", SIM),
        ("after", "cpu"),
        ("before", "cpu"),
        ("after", SIM),
    ]
    assert [order.clock for _, order in stage.orders] == [0, 0, 0, 1, 0]


def test_a_second_candidate_costs_no_run_before(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda text, order: there(order, *GOOD))
    with stage.verifier() as verifier:
        verifier.verify(stage.candidate())
        count = len(stage.ran)
        verifier.verify(stage.candidate("other"))
        verifier.verify(stage.candidate("third"), devices=())
    assert stage.ran[count:] == [("other", "cpu"), ("other", SIM), ("third", "cpu")]


def test_a_difference_is_told_with_its_device(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        wrong = text == "after" and order.device == SIM
        return there(order, *GOOD[:1], loss(0.7 if wrong else 0.5, 3), GOOD[2])

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.DIFFERS
    assert [c.verdict for c in found.comparisons] == [Verdict.PASS, Verdict.DIFFERS]
    difference = found.comparisons[1].difference
    assert difference is not None
    assert (difference.kind, difference.before, difference.after) == (
        Kind.LOSS,
        "0.5",
        "0.7",
    )
    assert SIM in found.reason


@pytest.mark.parametrize(
    ("share", "after", "verdict"),
    [(99, 0.7, Verdict.PASS), (99, 0.8, Verdict.DIFFERS), (0, 0.7, Verdict.DIFFERS)],
)
def test_a_program_may_do_otherwise_on_a_device_if_it_did_so_before(
    tmp_path: Path, share: int, after: float, verdict: Verdict
) -> None:
    """One that shuffles its data on an accelerator only, say."""

    def script(text: str, order: Order) -> Execution:
        there_now = after if text == "after" else 0.7
        value = 0.5 if order.device == "cpu" else there_now
        return there(order, loss(1.0), loss(value), cuda=share, cpu=100 - share)

    found = Stage(tmp_path, script).verified()
    assert found.comparisons[1].verdict is verdict
    told = any("already behaved differently there" in note for note in found.comparisons[1].notes)
    assert told is (verdict is Verdict.PASS)


def test_what_varies_only_now_and_then_is_found_out(tmp_path: Path) -> None:
    """A program prints a time that happens to be the same in the first two runs."""
    times = iter(("0 s", "0 s", "0 s", "1 s", "2 s", "1 s", "3 s", "1 s", "1 s"))
    stage = Stage(tmp_path, lambda text, order: there(order, *GOOD, wrote(f"took {next(times)}\n")))
    assert stage.verified().verdict is Verdict.PASS


@pytest.mark.parametrize(("value", "verdict"), [(4, Verdict.PASS), (5, Verdict.DIFFERS)])
def test_lines_in_any_order_are_compared_without_it(
    tmp_path: Path, value: int, verdict: Verdict
) -> None:
    """After the change they come in an order that no run before it had."""

    def script(text: str, order: Order) -> Execution:
        last = 4 if text == "before" else value
        rows = [1, 2, 3, 4] if order.role is Role.BEFORE else [2, 1, 3, 4]
        rows = rows if text == "before" else [1, last, 2, 3]
        lines = (wrote(f"row {row} done, {row * 0.5}\n") for row in rows)
        return there(order, *GOOD, *lines, wrote("all done\n"))

    assert Stage(tmp_path, script).verified().verdict is verdict


def test_a_program_that_differs_once_after_the_change_is_told_so(tmp_path: Path) -> None:
    values = iter((5.0, 1.0))

    def script(text: str, order: Order) -> Execution:
        odd = text == "after" and order.device == "cpu"
        return there(order, *GOOD, read(number(next(values) if odd else 1.0)))

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.PASS
    assert "differ from one another" in found.comparisons[0].notes[-1]


def test_a_program_that_seeds_by_the_clock_gets_the_same_clock_twice(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        value = 0.5 + order.clock
        seeded = Event(Kind.SEEDED, None, "torch.manual_seed", (number(order.clock),))
        return there(order, seeded, loss(value, 3), wrote(f"loss {value}\n"))

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.PASS
    assert [c.masked for c in found.comparisons] == [0, 0]


@pytest.mark.parametrize(("clocks", "verdict"), [({1}, Verdict.DIFFERS), ({0, 1}, Verdict.FAILED)])
def test_a_repeated_run_that_ends_otherwise_says_nothing_of_what_varies(
    tmp_path: Path, clocks: set[int], verdict: Verdict
) -> None:
    """It is taken again, with the same clock; what crashes again leaves nothing to hold on to."""

    def script(text: str, order: Order) -> Execution:
        if order.role is Role.BEFORE_AGAIN and order.clock in clocks:
            return execution(*GOOD[:1], status=1, failure=CRASH)
        return there(order, *GOOD[:1], loss(0.5 if text == "before" else 0.7), GOOD[2])

    found = Stage(tmp_path, script).verified()
    assert found.verdict is verdict
    assert all(comparison.masked == 0 for comparison in found.comparisons)
    assert ("two runs end differently" in found.reason) is (verdict is Verdict.FAILED)


def test_the_shorter_of_two_runs_that_ran_out_of_time_hides_nothing(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        steps = 3 if order.role is Role.BEFORE_AGAIN else 9
        wrong = text == "after" and order.device == SIM
        losses = (loss(n + 0.5 + (wrong and n == 2)) for n in range(steps))
        run = execution(*losses, how=How.TIMEOUT, status=124)
        return run if order.device == "cpu" else computed(run, cuda=9, cpu=1)

    found = Stage(tmp_path, script).verified()
    assert [c.verdict for c in found.comparisons] == [Verdict.PASS, Verdict.DIFFERS]
    assert [c.masked for c in found.comparisons] == [0, 0]


VARIES = "from run to run"


@pytest.mark.parametrize(
    ("steady", "varying", "says"),
    [
        ([read(number(1.0))] * 9, [loss(0.0)], f"every loss varies {VARIES}"),
        (
            [read(number(1.0))] * 9,
            [wrote("loss {}\n")],
            f"everything that it prints varies {VARIES}",
        ),
        ([loss(1.0)], [read(number(0.0))] * 2, f"2 of 3 values vary {VARIES}"),
        ([loss(1.0)] * 2, [read(number(0.0))] * 2, ""),
        ([loss(1.0)], [wrote("loss {}\n"), wrote("saved\n")], ""),
    ],
)
def test_where_too_much_varies_nothing_can_be_said(
    tmp_path: Path, steady: list[Event], varying: list[Event], says: str
) -> None:
    runs = iter(range(1, 99))

    def script(text: str, order: Order) -> Execution:
        run = next(runs)
        changed = (_with(event, run / 7) for event in varying)
        return there(order, *steady, *changed)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is (Verdict.FAILED if says else Verdict.PASS)
    assert says in found.reason


def _with(event: Event, value: float) -> Event:
    if event.text:
        return replace(event, text=event.text.format(value))
    return replace(event, leaves=(number(value),))


def test_what_follows_from_the_clock_is_compared_with_the_same_clock(tmp_path: Path) -> None:
    """A generator of its own is seeded by the time, and so all of it varies with that."""

    def script(text: str, order: Order) -> Execution:
        wrong = 0.1 if text == "after" else 0.0
        return there(order, *(loss(step + order.clock + wrong) for step in range(5)))

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.DIFFERS
    assert found.comparisons[0].masked == 0


def test_hard_coded_cuda_has_its_baseline_on_the_simulator(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        if text == "before" and order.device == "cpu":
            return execution(status=1, failure=CRASH)
        return there(order, *GOOD)

    found = Stage(tmp_path, script).verified()
    assert (found.verdict, found.baseline) == (Verdict.PASS, SIM)


def test_where_it_ran_nowhere_before_there_is_no_baseline(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        if text == "before":
            return replace(execution(status=1), errors=UNPARSED)
        return there(order, *GOOD)

    found = Stage(tmp_path, script).verified()
    assert (found.verdict, found.baseline) == (Verdict.NO_BASELINE, None)
    assert [(c.device, c.verdict) for c in found.comparisons] == [(SIM, Verdict.PASS)]
    assert "SyntaxError: print" in found.reason


def test_without_a_baseline_a_difference_between_the_devices_is_one(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        if text == "before":
            return execution(status=1, failure=CRASH)
        return there(order, loss(0.5 if order.device == "cpu" else 0.9))

    found = Stage(tmp_path, script).verified()
    assert found.comparisons[0].verdict is Verdict.DIFFERS


def test_a_crash_after_the_change_is_a_difference_and_needs_no_second_look(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        if text == "after" and order.device == SIM:
            return execution(*GOOD[:1], status=1, failure=CRASH)
        return there(order, *GOOD)

    stage = Stage(tmp_path, script)
    found = stage.verified()
    assert found.verdict is Verdict.DIFFERS
    assert "ends differently" in found.reason
    assert stage.ran.count(("after", SIM)) == 1


BY_CHANCE = replace(CRASH, message="by chance", placement=False)


def test_a_crash_by_chance_after_the_change_cannot_be_held_against_it(tmp_path: Path) -> None:
    """The runs before the change happened to end well, and one after it did not."""
    ends = iter([execution(*GOOD, status=1, failure=BY_CHANCE), execution(*GOOD)])

    def script(text: str, order: Order) -> Execution:
        return next(ends) if text == "after" else there(order, *GOOD)

    found = Stage(tmp_path, script).verified(devices=())
    assert found.verdict is Verdict.FAILED
    assert found.reason == (
        "cpu: after the change two runs end differently: exit status 1, then exit status 0"
    )


def test_a_program_that_crashes_by_chance_before_the_change_is_looked_at_again(
    tmp_path: Path,
) -> None:
    """Every run after the change crashes, and one of those before it that are made to find out."""
    ends = [0, 0, 0, 1]

    def script(text: str, order: Order) -> Execution:
        status = ends.pop(0) if text == "before" else 1
        return execution(*GOOD, status=status, failure=BY_CHANCE if status else None)

    found = Stage(tmp_path, script).verified(devices=())
    assert found.verdict is Verdict.FAILED
    assert "before the change two runs end differently" in found.reason


def test_a_crash_by_chance_on_the_device_is_not_said_to_be_that_of_before(tmp_path: Path) -> None:
    ends = iter([1, 0])

    def script(text: str, order: Order) -> Execution:
        if order.device != SIM:
            return execution(*GOOD)
        status = next(ends) if text == "after" else 1
        return execution(*GOOD, status=status, failure=BY_CHANCE if status else None)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.FAILED
    assert found.reason == (
        f"{SIM}: after the change two runs end differently: exit status 1, then exit status 0"
    )


def test_a_crash_that_comes_each_time_is_a_difference(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        status = int(text == "after")
        return execution(*GOOD, status=status, failure=BY_CHANCE if status else None)

    stage = Stage(tmp_path, script)
    with stage.verifier(devices=()) as verifier:
        assert verifier.verify(stage.candidate()).verdict is Verdict.DIFFERS
        runs = stage.ran.count(("before", "cpu"))
        assert verifier.verify(stage.candidate()).verdict is Verdict.DIFFERS
    assert stage.ran.count(("before", "cpu")) == runs  # once for all that is held against it


def test_a_crash_on_the_device_before_is_not_held_against_the_change(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        if text == "before" and order.device == SIM:
            return execution(*GOOD[:1], status=1, failure=CRASH)
        return there(order, *GOOD)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.PASS
    run = found.run(Role.BEFORE, SIM)
    assert run is not None
    assert run.failure == CRASH


@pytest.mark.parametrize(
    ("after", "verdict", "said"),
    [
        (
            CRASH,
            Verdict.STILL_FAILS,
            "still fails, as before the change: RuntimeError at train.py:7",
        ),
        (failure("RuntimeError", "two devices", 9), Verdict.DIFFERS, "ends differently"),
        (replace(CRASH, type="TypeError"), Verdict.DIFFERS, "ends differently"),
    ],
)
def test_what_fails_on_the_device_as_before_is_told_so(
    tmp_path: Path, after: Failure, verdict: Verdict, said: str
) -> None:
    def script(text: str, order: Order) -> Execution:
        if order.device == SIM:
            return execution(status=1, failure=CRASH if text == "before" else after)
        return there(order, *GOOD)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is verdict
    assert said in found.reason
    (difference,) = (c.difference for c in found.comparisons if c.difference is not None)
    assert difference.before == "RuntimeError: two devices"  # and not the status on the CPU


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("backend='inductor' raised:\nNotSimulated: devicefix does not simulate X\n\n", " X"),
        ("Distributed package doesn't have NCCL built in", " NCCL, which connects real GPUs"),
    ],
)
def test_what_is_not_simulated_cannot_be_verified(tmp_path: Path, message: str, says: str) -> None:
    def script(text: str, order: Order) -> Execution:
        if order.device == SIM:
            return execution(status=1, failure=replace(CRASH, message=message))
        return there(order, *GOOD)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.FAILED
    assert found.reason == f"{SIM}: devicefix does not simulate{says}"


# Placement -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "coverage", "verdict"),
    [
        (0, 99, None, Verdict.PASS),
        (0, 0, None, Verdict.NOT_MOVED),
        (0, 1, None, Verdict.PARTLY_MOVED),
        (0, 60, None, Verdict.PASS),
        (99, 40, None, Verdict.PARTLY_MOVED),
        (99, 97, None, Verdict.PASS),
        (0, 40, 0.5, Verdict.PARTLY_MOVED),
        (99, 60, 0.5, Verdict.PASS),
        (0, 0, 0.0, Verdict.PASS),
    ],
)
def test_what_is_not_moved_is_exposed(
    tmp_path: Path, before: int, after: int, coverage: float | None, verdict: Verdict
) -> None:
    def script(text: str, order: Order) -> Execution:
        share = before if text == "before" else after
        return there(order, *GOOD, cuda=share, cpu=100 - share)

    assert Stage(tmp_path, script).verified(coverage=coverage).verdict is verdict


def test_a_change_elsewhere_need_not_move_anything(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda text, order: there(order, *GOOD, cuda=0, cpu=100))
    with stage.verifier() as verifier:
        elsewhere = replace(stage.candidate().tree, overlay={"other.py": b"x"})
        found = verifier.verify(Candidate(elsewhere))
    assert found.verdict is Verdict.PASS
    assert all("none of the changed files" in c.notes[-1] for c in found.comparisons)


@pytest.mark.parametrize(
    ("cuda", "verdict"), [(0, Verdict.NOT_MOVED), (40, Verdict.PASS), (100, Verdict.PASS)]
)
def test_a_change_that_changes_nothing_moves_nothing(
    tmp_path: Path, cuda: int, verdict: Verdict
) -> None:
    stage = Stage(tmp_path, lambda text, order: there(order, *GOOD, cuda=cuda, cpu=100 - cuda))
    with stage.verifier() as verifier:
        assert verifier.verify(stage.candidate("before")).verdict is verdict


# Bounds and bad ends -------------------------------------------------------------------------


def test_of_a_long_program_the_beginning_is_compared_and_told(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        count = 3 if order.device == "cpu" else 2
        run = execution(*(loss(float(n)) for n in range(count)), how=How.TIMEOUT, status=124)
        return run if order.device == "cpu" else computed(run, cuda=9, cpu=1)

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.PASS
    assert found.partial
    assert "stopped the run" in found.reason


def test_nothing_observed_proves_nothing(tmp_path: Path) -> None:
    assert Stage(tmp_path, lambda text, order: there(order)).verified().verdict is Verdict.FAILED


def test_files_of_the_tree_itself_spoil_a_run(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        run = there(order, *GOOD)
        if text == "before":
            return run
        return replace(
            run, observed=tuple(replace(e, strangers=("/a/model.py",)) for e in run.observed)
        )

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.FAILED
    assert "/a/model.py" in found.reason


# Lines ---------------------------------------------------------------------------------------


def test_a_line_counts_as_run_if_it_ran_everywhere(tmp_path: Path) -> None:
    def script(text: str, order: Order) -> Execution:
        lines = {"train.py": frozenset({3, 4} if order.device == "cpu" else {3})}
        run = there(order, *GOOD)
        return replace(run, observed=tuple(replace(e, executed=lines) for e in run.observed))

    stage = Stage(tmp_path, script)
    with stage.verifier() as verifier:
        found = verifier.verify(stage.candidate(train=(3, 4, 9)))
    assert found.executed == {"train.py": frozenset({3})}
    assert stage.orders[-1][1].lines == {"train.py": frozenset({3, 4, 9})}


# Precision and real devices ------------------------------------------------------------------


def test_half_precision_on_the_device_has_its_tolerance_and_is_told(
    tmp_path: Path,
) -> None:
    def script(text: str, order: Order) -> Execution:
        value, precision = (1.0, "float32") if order.device == "cpu" else (1.01, "float16")
        half = [Event(Kind.ROUNDED, None, precision)] * (order.device == SIM)
        run = there(order, *half, loss(value))
        return replace(
            run, observed=tuple(replace(e, precisions=frozenset({precision})) for e in run.observed)
        )

    found = Stage(tmp_path, script).verified()
    assert found.verdict is Verdict.PASS
    assert "float16" in found.comparisons[1].tolerance


@pytest.mark.parametrize(("last", "verdict"), [(0.5002, Verdict.PASS), (0.9, Verdict.DIVERGED)])
def test_on_a_real_device_the_spread_of_perturbed_runs_decides(
    tmp_path: Path, last: float, verdict: Verdict
) -> None:
    def script(text: str, order: Order) -> Execution:
        final = {"cpu": 0.5, "cuda": last}[order.device]
        if order.perturb is not None:
            final += 0.0001
        return there(order, loss(1.0), loss(final))

    stage = Stage(tmp_path, script)
    assert stage.verified(devices=("cuda",)).verdict is verdict
    assert sum(order.role is Role.PERTURBED for _, order in stage.orders) == 3


OLD = "import torch\nprint 'loss'\n"
MODERN = "import torch\nprint('loss')\n"


def _of_python_2(modernised_on: str, value: float = 0.5) -> Script:
    """It runs after the change, and before it as far as it is brought to Python 3, on a device."""

    def script(text: str, order: Order) -> Execution:
        if text == OLD or (text == MODERN and order.device not in modernised_on.split()):
            return replace(execution(status=1), errors=UNPARSED)
        return there(order, loss(1.0, 3), loss(0.5 if text == "after" else value, 3), GOOD[2])

    return script


def _old(tmp_path: Path, script: Script) -> Stage:
    stage = Stage(tmp_path, script)
    (tmp_path / "project" / "train.py").write_text(OLD)
    return stage


@pytest.mark.parametrize("device", ["cpu", SIM])
def test_what_is_too_old_to_run_is_modernised_and_stands_in(tmp_path: Path, device: str) -> None:
    stage = _old(tmp_path, _of_python_2(f"{device} {SIM}"))
    found = stage.verified()
    assert (found.verdict, found.baseline) == (Verdict.PASS, device)
    assert found.modernised == ("DFX606",)
    roles = [(run.role, run.device) for run in found.runs if run.device == device]
    assert roles[0] == (Role.BEFORE, device)
    assert (Role.MODERNISED, device) in roles
    assert found.changed == ("train.py",)
    assert (tmp_path / "project" / "train.py").read_text() == OLD


def test_a_difference_to_the_stand_in_is_one(tmp_path: Path) -> None:
    found = _old(tmp_path, _of_python_2(f"cpu {SIM}", value=0.7)).verified()
    assert (found.verdict, found.modernised) == (Verdict.DIFFERS, ("DFX606",))


def test_a_stand_in_that_runs_nowhere_is_no_baseline(tmp_path: Path) -> None:
    found = _old(tmp_path, _of_python_2("")).verified()
    assert (found.verdict, found.baseline, found.modernised) == (Verdict.NO_BASELINE, None, ())
    assert "SyntaxError" in found.reason


def test_what_runs_is_not_modernised(tmp_path: Path) -> None:
    stage = _old(tmp_path, lambda text, order: there(order, *GOOD))
    assert stage.verified().modernised == ()
    assert MODERN not in [text for text, _ in stage.ran]


def test_a_second_candidate_has_the_same_stand_in(tmp_path: Path) -> None:
    stage = _old(tmp_path, _of_python_2(f"cpu {SIM}"))
    with stage.verifier() as verifier:
        verifier.verify(stage.candidate())
        count = len(stage.ran)
        assert verifier.verify(stage.candidate()).modernised == ("DFX606",)
    assert stage.ran[count:] == [("after", "cpu"), ("after", SIM)]
