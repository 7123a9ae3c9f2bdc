"""What may be written: made-up fixes of one file, and a verification that reads the new text."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from devicefix.engine import AppliedGroup, Change, Choice, FileResult, Report
from devicefix.findings import Applicability, Finding, Fix, Span
from devicefix.records import Ending, Failure, How
from devicefix.records.observations import Kind
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.gate import MOST, accept
from devicefix.verification.request import Candidate
from devicefix.verification.result import (
    Comparison,
    Difference,
    Role,
    RunSummary,
    Verdict,
    Verification,
)

SIM = "sim:cuda"
ADVICE = "somebody should look"


class Fixes:
    """Fix n changes line n of ``train.py`` from ``old`` to ``new``; some are unsafe."""

    def __init__(self, root: Path, count: int, unsafe: Collection[int] = ()) -> None:
        self._path = str(root / "train.py")
        self._count = count
        self._unsafe = frozenset(unsafe)
        self.extra: dict[int, int] = {}
        """Fixes that are found only where another one was left out."""

    def rehearse(self, choice: Choice) -> Report:
        made = [group for group in map(self._group, range(1, self._count + 1)) if group]
        made = [group for group in made if self._is_made(group, choice)]
        numbers = {next(iter(group.identity))[2] for group in made}
        before, after = self._text(()), self._text(numbers)
        change = Change(before, after, "utf-8") if numbers else None
        result = FileResult(self._path, (), (), (), change)
        return Report((result,), (), 1, 0.0, tuple(made))

    def _is_made(self, group: AppliedGroup, choice: Choice) -> bool:
        number = next(iter(group.identity))[2]
        needs = self.extra.get(number)
        if needs is not None and not choice.leaves_out(self._group(needs).identity):
            return False
        if choice.leaves_out(group.identity):
            return False
        return group.applicability is Applicability.SAFE or choice.trusts(group.identity)

    def _group(self, number: int) -> AppliedGroup:
        sure = Applicability.UNSAFE if number in self._unsafe else Applicability.SAFE
        code = f"DFX{number}"
        fix = Fix((), sure, code)
        finding = Finding(code, "rule", "wrong", self._path, Span(0, 1), number, 1, fix)
        identity = frozenset({(self._path, code, number)})
        lines = {self._path: frozenset({number})}
        return AppliedGroup(identity, (finding,), sure, lines, ADVICE)

    def _text(self, numbers: Collection[int]) -> bytes:
        words = ("new" if n in numbers else "old" for n in range(1, self._count + 1))
        return "".join(f"{word}{n}()\n" for n, word in enumerate(words, 1)).encode()


class Judge:
    """A verification: whether it passes with these fixes, on the CPU and on the device."""

    def __init__(
        self,
        on_cpu: Callable[[frozenset[int]], bool] = lambda made: True,
        on_device: Callable[[frozenset[int]], bool | Verdict] = lambda made: True,
        idle: Iterable[int] = (),
        before_crashes: bool = False,
    ) -> None:
        self._on_cpu = on_cpu
        self._on_device = on_device
        self._idle = frozenset(idle)
        self._before_crashes = before_crashes
        self.seen: list[tuple[frozenset[int], tuple[str, ...] | None]] = []

    def verify(self, after: Candidate, devices: Sequence[str] | None) -> Verification:
        made = made_in(after)
        self.seen.append((made, tuple(devices) if devices is not None else None))
        comparisons = [compared("cpu", self._on_cpu(made))]
        if devices is None or SIM in devices:
            comparisons.append(compared(SIM, self._on_device(made)))
        verdicts = [comparison.verdict for comparison in comparisons]
        executed = {path: lines - self._idle for path, lines in after.lines.items()}
        return Verification(
            entry=("train.py",),
            verdict=max(verdicts, key=list(Verdict).index),
            reason="as it is",
            baseline="cpu",
            comparisons=tuple(comparisons),
            runs=(summary(Role.BEFORE, "cpu"), summary(Role.BEFORE, SIM, self._before_crashes)),
            executed=executed,
            changed=("train.py",),
            seconds=0.0,
        )


def made_in(candidate: Candidate) -> frozenset[int]:
    text = candidate.tree.overlay.get("train.py") or b""
    lines = text.decode().splitlines()
    return frozenset(n for n, line in enumerate(lines, 1) if line.startswith("new"))


def compared(device: str, passes: bool | Verdict) -> Comparison:
    if passes is True:
        return Comparison(device, Verdict.PASS, 5, 0, None)
    verdict = passes if isinstance(passes, Verdict) else Verdict.DIFFERS
    first = Difference(Kind.LOSS, "the loss", "1.0", "2.0", None, None)
    return Comparison(device, verdict, 5, 0, first if verdict is Verdict.DIFFERS else None)


def summary(role: Role, device: str, crashed: bool = False) -> RunSummary:
    failure = Failure("RuntimeError", "two devices", True, None, None, (), (), "")
    ending = Ending(How.EXITED, int(crashed), 1.0)
    return RunSummary(role, device, ending, failure if crashed else None, None, "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def codes(groups: Iterable[AppliedGroup]) -> set[int]:
    return {int(code.removeprefix("DFX")) for group in groups for code in group.codes}


def guilty(found: Acceptance) -> set[int]:
    return codes(one.group for one in found.guilty)


def written(found: Acceptance) -> set[int]:
    return codes(found.report.groups)


# -- safe fixes -------------------------------------------------------------------------------


def test_what_passes_is_accepted_after_one_verification(root: Path) -> None:
    judge = Judge()
    found = accept(Fixes(root, 5).rehearse, judge.verify, root)
    assert found.decision is Decision.ACCEPTED
    assert written(found) == {1, 2, 3, 4, 5}
    assert found.trials == len(judge.seen) == 1
    assert found.verification is not None


def test_nothing_to_fix_runs_nothing(root: Path) -> None:
    judge = Judge()
    found = accept(Fixes(root, 0).rehearse, judge.verify, root)
    assert (found.decision, judge.seen) == (Decision.NOTHING, [])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("where", ["cpu", "device"])
def test_the_guilty_are_named_and_the_rest_has_passed(root: Path, seed: int, where: str) -> None:
    chance = random.Random(seed)
    count = chance.randint(1, 24)
    bad = frozenset(chance.sample(range(1, count + 1), chance.randint(1, min(3, count))))
    judge = Judge(**{f"on_{where}": bad.isdisjoint})
    found = accept(Fixes(root, count).rehearse, judge.verify, root)
    assert found.decision is Decision.REJECTED
    assert guilty(found) == bad
    assert written(found) == set(range(1, count + 1)) - bad
    assert len(judge.seen) == found.trials <= MOST
    assert judge.seen[-1] == (written(found), None)  # what may be written was verified as a whole
    assert found.verification is not None
    assert found.verification.verdict is Verdict.PASS
    assert found.refusal is not None
    assert found.refusal.verdict is Verdict.DIFFERS


def test_what_differs_on_the_cpu_is_looked_for_there(root: Path) -> None:
    judge = Judge(on_cpu=lambda made: 3 not in made)
    accept(Fixes(root, 8).rehearse, judge.verify, root)
    assert [devices for _, devices in judge.seen[1:-1]] == [()] * (len(judge.seen) - 2)


def test_a_fault_behind_a_fault_is_found_too(root: Path) -> None:
    judge = Judge(on_cpu=lambda made: 3 not in made, on_device=lambda made: 6 not in made)
    found = accept(Fixes(root, 8).rehearse, judge.verify, root)
    assert guilty(found) == {3, 6}
    assert written(found) == {1, 2, 4, 5, 7, 8}


def test_the_guilty_are_shown_with_what_they_change(root: Path) -> None:
    found = accept(Fixes(root, 3).rehearse, Judge(on_cpu=lambda made: 2 not in made).verify, root)
    (one,) = found.guilty
    ((path, change),) = one.changes
    assert path == str(root / "train.py")
    assert change.after == b"old1()\nnew2()\nold3()\n"


def test_a_program_that_runs_only_with_a_fix(root: Path) -> None:
    """Before the change it crashes on the device; 5 mends that, and 2 breaks it."""
    judge = Judge(on_device=lambda made: 5 in made and 2 not in made, before_crashes=True)
    found = accept(Fixes(root, 6).rehearse, judge.verify, root)
    assert guilty(found) == {2}
    assert written(found) == {1, 3, 4, 5, 6}


def test_nobody_is_blamed_where_it_never_passes(root: Path) -> None:
    judge = Judge(on_device=lambda made: False, before_crashes=True)
    found = accept(Fixes(root, 6).rehearse, judge.verify, root)
    assert (found.decision, found.guilty, found.has_rest) == (Decision.REJECTED, (), False)
    judge = Judge(on_device=lambda made: False)  # nor where the run before the change looked sound
    found = accept(Fixes(root, 6).rehearse, judge.verify, root)
    assert (found.decision, found.guilty, found.has_rest) == (Decision.REJECTED, (), False)


def test_one_that_takes_everything_back_to_the_host(root: Path) -> None:
    def moved(made: frozenset[int]) -> bool | Verdict:
        return True if 1 in made and 4 not in made else Verdict.NOT_MOVED

    found = accept(Fixes(root, 6).rehearse, Judge(on_device=moved).verify, root)
    assert guilty(found) == {4}
    assert written(found) == {1, 2, 3, 5, 6}


def test_nobody_is_blamed_for_what_nothing_moves(root: Path) -> None:
    judge = Judge(on_device=lambda made: Verdict.NOT_MOVED)
    found = accept(Fixes(root, 6).rehearse, judge.verify, root)
    assert (found.decision, found.guilty) == (Decision.REJECTED, ())
    assert found.refusal is not None
    assert found.refusal.verdict is Verdict.NOT_MOVED


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.NO_BASELINE])
def test_what_cannot_be_found_out_is_neither(root: Path, verdict: Verdict) -> None:
    judge = Judge(on_device=lambda made: verdict)
    found = accept(Fixes(root, 6).rehearse, judge.verify, root)
    assert (found.decision, found.verification, found.trials) == (Decision.UNKNOWN, None, 1)
    assert found.refusal is not None


def test_fixes_that_appear_only_without_others_are_on_trial_like_all(root: Path) -> None:
    fixes = Fixes(root, 6)
    fixes.extra = {6: 2}  # found only where 2 is left out
    judge = Judge(on_cpu=lambda made: made.isdisjoint({2, 6}))
    found = accept(fixes.rehearse, judge.verify, root)
    assert guilty(found) == {2, 6}
    assert written(found) == {1, 3, 4, 5}


def test_ends_after_so_many_verifications_and_says_so(root: Path) -> None:
    bad = {3, 9, 15, 20, 22, 30}
    judge = Judge(on_cpu=bad.isdisjoint)
    for most in (1, 2, 7, 20):
        found = accept(Fixes(root, 32).rehearse, Judge(on_cpu=bad.isdisjoint).verify, root, most)
        assert found.exhausted
        assert found.trials == most
        assert guilty(found) <= bad
        assert not found.has_rest
    assert not accept(Fixes(root, 32).rehearse, judge.verify, root, 100).exhausted


# -- unsafe ones ------------------------------------------------------------------------------


def reasons(found: Acceptance) -> dict[int, str]:
    return {next(iter(codes([one.group]))): one.reason for one in found.unproven}


def test_unsafe_fixes_that_the_run_proves_are_kept(root: Path) -> None:
    judge = Judge()
    found = accept(Fixes(root, 4, unsafe={2, 4}).rehearse, judge.verify, root)
    assert found.decision is Decision.ACCEPTED
    assert written(found) == {1, 2, 3, 4}
    assert codes(found.proven) == {2, 4}
    assert found.unproven == ()
    assert found.trials == 2


def test_a_line_that_never_ran_proves_nothing(root: Path) -> None:
    judge = Judge(idle={4})
    found = accept(Fixes(root, 4, unsafe={2, 4}).rehearse, judge.verify, root)
    assert written(found) == {1, 2, 3}
    assert codes(found.proven) == {2}
    assert reasons(found) == {4: "its line 4 (after the fix) never ran"}
    assert judge.seen[-1] == ({1, 2, 3}, None)


def test_safe_fixes_that_never_ran_are_kept_and_named(root: Path) -> None:
    found = accept(Fixes(root, 4).rehearse, Judge(idle={3}).verify, root)
    assert written(found) == {1, 2, 3, 4}
    assert codes(one.group for one in found.idle) == {3}


@pytest.mark.parametrize("seed", range(20))
def test_exactly_the_unsafe_fixes_that_pass_and_ran_are_kept(root: Path, seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(1, 24)
    numbers = range(1, count + 1)
    unsafe = frozenset(chance.sample(numbers, chance.randint(1, count)))
    bad = frozenset(chance.sample(sorted(unsafe), chance.randint(0, min(2, len(unsafe)))))
    idle = frozenset(chance.sample(numbers, chance.randint(0, count // 3)))
    judge = Judge(on_device=bad.isdisjoint, idle=idle)
    found = accept(Fixes(root, count, unsafe).rehearse, judge.verify, root)
    proven = unsafe - bad - idle
    assert codes(found.proven) == proven
    assert written(found) == (set(numbers) - unsafe) | proven
    assert set(reasons(found)) == unsafe - proven
    assert found.trials <= MOST
    if found.decision is Decision.ACCEPTED:
        assert (written(found), None) in judge.seen


def test_an_unsafe_fix_that_differs_says_how(root: Path) -> None:
    judge = Judge(on_device=lambda made: 2 not in made)
    found = accept(Fixes(root, 3, unsafe={2, 3}).rehearse, judge.verify, root)
    assert written(found) == {1, 3}
    assert reasons(found) == {2: "with it as it is (the loss: 1.0 before, 2.0 after)"}


def test_without_safe_fixes_the_unsafe_ones_are_tried(root: Path) -> None:
    found = accept(Fixes(root, 2, unsafe={1, 2}).rehearse, Judge(idle={1}).verify, root)
    assert (found.decision, written(found)) == (Decision.ACCEPTED, {2})
    found = accept(Fixes(root, 2, unsafe={1, 2}).rehearse, Judge(idle={1, 2}).verify, root)
    assert (found.decision, written(found)) == (Decision.NOTHING, set())
    assert set(reasons(found)) == {1, 2}


def test_what_was_not_tried_is_not_kept(root: Path) -> None:
    bad = {2, 9, 17, 25}
    fixes = Fixes(root, 30, unsafe=range(2, 31))
    found = accept(fixes.rehearse, Judge(on_device=bad.isdisjoint).verify, root, 8)
    assert found.decision is Decision.ACCEPTED
    assert found.exhausted
    assert written(found).isdisjoint(bad)
    assert found.trials == 8


def test_unsafe_fixes_without_which_it_does_not_run(root: Path) -> None:
    judge = Judge(on_device=lambda made: 2 in made, before_crashes=True, idle={3})
    found = accept(Fixes(root, 3, unsafe={2, 3}).rehearse, judge.verify, root)
    assert (found.decision, written(found)) == (Decision.ACCEPTED, {1, 2})
    assert codes(found.proven) == {2}
    assert set(reasons(found)) == {3}
    judge = Judge(on_device=lambda made: 2 in made, before_crashes=True, idle={2})
    found = accept(Fixes(root, 3, unsafe={2, 3}).rehearse, judge.verify, root)
    assert (found.decision, found.guilty) == (Decision.REJECTED, ())


def test_a_rejected_whole_upgrades_nothing(root: Path) -> None:
    judge = Judge(on_cpu=lambda made: 1 not in made)
    found = accept(Fixes(root, 3, unsafe={3}).rehearse, judge.verify, root)
    assert (found.decision, written(found)) == (Decision.REJECTED, {2})


def test_unsafe_fixes_that_were_asked_for_need_no_proof(root: Path) -> None:
    fixes = Fixes(root, 3, unsafe={2})

    def rehearse(choice: Choice) -> Report:
        return fixes.rehearse(replace(choice, trusts_all=True))

    found = accept(rehearse, Judge(idle={2}).verify, root)
    assert (written(found), found.proven) == ({1, 2, 3}, ())
    assert codes(one.group for one in found.idle) == {2}
