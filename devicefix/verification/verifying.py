"""Before and after: which runs a verification takes, and what is held against what."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Final

from devicefix.records import Placement, placement_of
from devicefix.verification.baseline import Baseline, baseline_of
from devicefix.verification.changes import changed
from devicefix.verification.comparing import compare
from devicefix.verification.devices import CPU, is_real
from devicefix.verification.endings import is_cut_short, is_sound, last_words, obstacle
from devicefix.verification.equality import Standard
from devicefix.verification.execution import Execution, Order, execute
from devicefix.verification.items import rounded_in
from devicefix.verification.original import LOOKS, Original
from devicefix.verification.request import Candidate, Request
from devicefix.verification.result import Comparison, Role, RunSummary, Verdict, Verification
from devicefix.verification.scratch import Scratch
from devicefix.verification.steadiness import unlike
from devicefix.verification.tolerance import EXACT, Tolerance, tolerances
from devicefix.verification.touched import Touched, touched
from devicefix.verification.trees import Tree
from devicefix.verification.verdicts import ended_so, judged, placed, sentence, worst
from devicefix.verification.warming import ForkServer

Progress = Callable[[str], None]
"""Told what is run next."""

Runner = Callable[[Request, Scratch, Path, Order], Execution]
"""Runs the program from a scratch copy of the tree at a path."""

_DOUBTS: Final = 3
"""How often before and after are run again if they differ where two runs before do so, too: what
comes in another order now and then does not come so in each of a few runs.
"""
_ENDED: Final = (Verdict.DIFFERS, Verdict.STILL_FAILS)
_OTHERWISE: Final = "before the change, the program already behaved differently there"


def silent(step: str) -> None:
    """Show nothing."""


def verify(
    request: Request, before: Tree, after: Candidate, progress: Progress = silent
) -> Verification:
    """Run the program before and after a change, and compare. Raises `LaunchError`."""
    with Verifier(request, before, progress) as verifier:
        return verifier.verify(after)


@dataclass(frozen=True, slots=True)
class StandIn:
    """A program that runs, in the place of one that does not."""

    original: Original
    codes: tuple[str, ...]
    """The rules by which the one became the other."""


class Verifier:
    """Holds changes against one state of a program, which is run only once for all of them.

    A context manager: it has a scratch copy of the tree as long as it is entered.
    """

    def __init__(
        self,
        request: Request,
        before: Tree,
        progress: Progress = silent,
        run: Runner | None = None,
    ) -> None:
        self._request = request
        self._fork_server = ForkServer(request.python)
        self._execute: Runner = run or partial(execute, fork_server=self._fork_server)
        self._before = before
        self._progress = progress
        self._scratch = Scratch(before)
        self._outputs = ExitStack()
        """What runs have printed, on the disk."""
        self.original = Original(before, self.ran)

    def __enter__(self) -> Verifier:
        self._scratch.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._outputs.close()
        self._fork_server.__exit__(kind, error, trace)
        self._scratch.__exit__(kind, error, trace)

    def verify(self, after: Candidate, devices: Sequence[str] | None = None) -> Verification:
        """Hold ``after`` against the program before the change. Raises `LaunchError`.

        ``devices``: those of the request unless they are given; none for the CPU alone.
        """
        started = time.monotonic()
        wanted = tuple(self._request.devices if devices is None else devices)
        others = tuple(device for device in wanted if device != CPU)
        trial = _Trial(self, after, others)
        found = trial.made()
        return replace(found, seconds=time.monotonic() - started)

    # What `_Trial` asks for ------------------------------------------------------------------

    @property
    def request(self) -> Request:
        """What is to be verified."""
        return self._request

    @cached_property
    def stand_in(self) -> StandIn | None:
        """What a change is held against where the program before it runs nowhere."""
        from devicefix.verification.modernising import modernised  # few programs need the rules

        self._progress("it fails on every device: trying it without the legacy code")
        self._scratch.restore(self._before)
        found = modernised(self._before, self._scratch.root)
        if found is None:
            return None
        return StandIn(Original(found.tree, self.ran, Role.MODERNISED), found.codes)

    def changed(self, tree: Tree) -> tuple[str, ...]:
        """The files in which ``tree`` differs from the one before the change."""
        return changed(self._before, tree)

    def ran(self, tree: Tree, order: Order, words: str) -> Execution:
        """Run the program from ``tree``."""
        self._progress(words)
        self._scratch.restore(tree)
        execution = self._execute(self._request, self._scratch, tree.root, order)
        if execution.rest is not None:
            self._outputs.callback(execution.rest.file.close)
        return execution


class _Trial:
    """One change under verification."""

    def __init__(self, verifier: Verifier, after: Candidate, devices: Sequence[str]) -> None:
        self._verifier = verifier
        self._original = verifier.original
        self._after = after
        self._devices = devices
        self._runs: list[Execution] = []
        self._changed = verifier.changed(after.tree)
        self._stand_in: StandIn | None = None

    @cached_property
    def _touched(self) -> Touched:
        return touched(self._original.tree, self._after.tree, self._changed)

    def made(self) -> Verification:
        baseline = self._original.baseline(self._devices) or self._stood_in()
        for device in self._devices:
            self._original.on(device)
        if baseline is None:
            return self._without_baseline()
        comparisons = [self._on(device, baseline) for device in (CPU, *self._devices)]
        return self._verified(worst(comparisons), comparisons, baseline.device)

    def _stood_in(self) -> Baseline | None:
        """The program before the change as it runs after what is legacy in it is mended."""
        found = self._verifier.stand_in
        baseline = found.original.baseline(self._devices) if found is not None else None
        if found is not None and baseline is not None:
            self._original, self._stand_in = found.original, found
        return baseline

    def _run(self, device: str) -> Execution:
        order = Order(Role.AFTER, device, lines=self._after.lines)
        run = self._verifier.ran(self._after.tree, order, f"after the change, on {device}")
        self._runs.append(run)
        return run

    # Against the baseline ----------------------------------------------------------------------

    def _on(self, device: str, baseline: Baseline) -> Comparison:
        run = self._run(device)
        why = obstacle(run)
        if why is not None:
            return _failed(device, why)
        comparison = self._held(device, baseline, run)
        if comparison.verdict is not Verdict.PASS or comparison.partial or is_real(device):
            self._repeat(baseline)
            if baseline.unlike is not None:
                return _failed(baseline.device, baseline.unlike)
            comparison = self._held(device, baseline, run)
        if comparison.verdict is Verdict.DIFFERS:
            comparison = self._as_before_there(device, baseline, run, comparison)
        if comparison.verdict is Verdict.DIFFERS and not _crashed(comparison):
            comparison = self._doubted(device, baseline, run, comparison)
        if comparison.verdict is Verdict.DIFFERS and _crashed(comparison):
            roots = self._verifier.original.tree.root, self._after.tree.root
            comparison = ended_so(comparison, self._original.on(device), run, roots)
        if comparison.verdict in _ENDED and _crashed(comparison):
            fails = comparison.verdict is Verdict.STILL_FAILS
            why = self._ends_otherwise(device, baseline, run, device if fails else baseline.device)
            comparison = comparison if why is None else _failed(device, why)
        if comparison.compared <= 1 and comparison.verdict is Verdict.PASS:
            return _failed(device, "nothing was observed that could be compared")
        if baseline.doubt is not None and comparison.verdict is Verdict.PASS:
            notes = (baseline.doubt, *comparison.notes)
            return replace(comparison, verdict=Verdict.FAILED, notes=notes)
        return self._placed(device, run, comparison)

    def _repeat(self, baseline: Baseline) -> None:
        """Learn what of the baseline is not the same twice."""
        if baseline.execution.role is not Role.AFTER:
            self._original.repeat(baseline)

    def _as_before_there(
        self, device: str, baseline: Baseline, run: Execution, comparison: Comparison
    ) -> Comparison:
        """A program may decide to do otherwise on an accelerator: then as it did there before."""
        if device == baseline.device:
            return comparison
        own = self._original.baseline_there(device)
        if own is None:
            return comparison
        self._repeat(own)
        there = self._held(device, own, run)
        if there.verdict is not Verdict.PASS:
            return comparison
        return replace(there, notes=(*there.notes, f"{_OTHERWISE}: it is compared with that"))

    def _doubted(
        self, device: str, baseline: Baseline, run: Execution, comparison: Comparison
    ) -> Comparison:
        """Look again whether it is the change that makes the difference, or chance."""
        for _ in range(_DOUBTS if baseline.varies else 1):
            self._doubt(baseline)
            comparison = self._held(device, baseline, run)
            if comparison.verdict is not Verdict.DIFFERS:
                return comparison
            again = self._held(device, baseline, self._run(device))
            if again.verdict is Verdict.PASS:
                note = "runs after the change differ from one another"
                return replace(again, notes=(*again.notes, note))
        return comparison

    def _ends_otherwise(
        self, device: str, baseline: Baseline, run: Execution, before: str
    ) -> str | None:
        """Whether it is chance that ends the program so, after the change or before it, on the
        device ``before``. Where a tensor lies is no matter of chance.
        """
        if run.failure is not None and run.failure.placement:
            return None
        for _ in range(LOOKS - 1):
            why = unlike(run, self._run(device), "after")
            if why is not None:
                return why
        if baseline.execution.role is Role.AFTER:
            return None
        return self._original.ends_otherwise(before)

    def _doubt(self, baseline: Baseline) -> None:
        """Learn what varies only now and then."""
        if baseline.execution.role is Role.AFTER:
            baseline.learn(self._run(baseline.device))
        else:
            self._original.doubt(baseline)

    def _held(self, device: str, baseline: Baseline, run: Execution) -> Comparison:
        real = is_real(device)
        across = device != baseline.device
        if real:
            self._original.widen(baseline)
        there = self._original.on(device) if across and device != CPU else None
        for tolerance in self._tolerances(baseline, run, real):
            limited = self._verifier.request.tolerance is None and not real
            standard = Standard(tolerance, across, limited)
            found = compare(baseline, run, standard, there, self._touched)
            if found.first is None:
                break
        short = is_cut_short(run) or is_cut_short(baseline.execution)
        return judged(device, found, tolerance, short, real)

    def _tolerances(self, baseline: Baseline, run: Execution, real: bool) -> tuple[Tolerance, ...]:
        if run.device == baseline.device:
            return (EXACT,)
        precisions = _precisions(baseline.execution) | _precisions(run)
        rounded = (*rounded_in(baseline.execution), *rounded_in(run))
        return tolerances(self._verifier.request.tolerance, real, precisions, rounded)

    def _placed(self, device: str, run: Execution, comparison: Comparison) -> Comparison:
        elsewhere = not self._concerns(run)
        if elsewhere:
            note = "the program loads none of the changed files"
            comparison = replace(comparison, notes=(*comparison.notes, note))
        if device == CPU or (elsewhere and not self._verifier.request.coverage):
            return comparison
        before = self._original.on(device)
        then = placement_of(before.records) if is_sound(before) else None
        now = placement_of(run.records)
        return placed(comparison, now, then, self._verifier.request.coverage)

    def _concerns(self, run: Execution) -> bool:
        """Whether the change touches a file that the program consists of, or none at all."""
        if not self._changed:
            return True  # then it is the program as it is of which somebody asks
        whole = all(events.whole for events in run.observed)
        request = self._verifier.request
        entry = os.path.normpath(request.folder / request.name)  # a notebook is no module
        loaded = frozenset({entry}).union(*(events.loaded for events in run.observed))
        return not loaded.isdisjoint(self._changed) or not whole

    # Without one -------------------------------------------------------------------------------

    def _without_baseline(self) -> Verification:
        """Before the change it runs nowhere: the CPU after the change is held against the rest."""
        first = self._run(CPU)
        comparisons: list[Comparison] = []
        why = obstacle(first)
        if why is None and not is_sound(first):
            why = self._fails_in_both(first)
        if why is not None:
            comparisons.append(_failed(CPU, why))
        else:
            baseline = baseline_of(first)
            baseline.learn(self._run(CPU))
            if baseline.unlike is not None:
                comparisons.append(_failed(CPU, baseline.unlike))
            else:
                comparisons += (self._on(device, baseline) for device in self._devices)
        verdict = worst(comparisons) if comparisons else Verdict.PASS
        if verdict is Verdict.PASS or verdict.lacks_moving:
            verdict = Verdict.NO_BASELINE
        return self._verified(verdict, comparisons, None)

    def _fails_in_both(self, after: Execution) -> str:
        """What is said where the program comes to no sound end, neither before nor after."""
        then, now = _because(self._original.on(CPU)), _because(after)
        if not self._changed:
            return f"nothing was changed, and the program fails{now}"
        if then == now:
            return f"the program fails both before and after the change{now}"
        return f"the program fails before the change{then} and after it{now}"

    # The finding -------------------------------------------------------------------------------

    def _verified(
        self, verdict: Verdict, comparisons: Sequence[Comparison], baseline: str | None
    ) -> Verification:
        request = self._verifier.request
        before = dict.fromkeys((self._verifier.original, self._original))
        runs = (*(run for original in before for run in original.runs()), *self._runs)
        return Verification(
            entry=(*(("-m",) if request.is_module else ()), request.name, *request.arguments),
            verdict=verdict,
            reason=self._reason(verdict, comparisons),
            baseline=baseline,
            comparisons=tuple(comparisons),
            runs=tuple(map(_summary, runs)),
            executed=self._executed(),
            changed=self._changed,
            seconds=0.0,
            modernised=self._stand_in.codes if self._stand_in is not None else (),
        )

    def _reason(self, verdict: Verdict, comparisons: Sequence[Comparison]) -> str:
        if verdict is Verdict.FAILED:
            guilty = next(c for c in comparisons if c.verdict is verdict)
            return f"{guilty.device}: {guilty.notes[0]}"
        if verdict is Verdict.NO_BASELINE:
            return f"before the change, it fails on every device{_because(self._original.on(CPU))}"
        return sentence(verdict, comparisons)

    def _executed(self) -> Mapping[str, frozenset[int]]:
        """The lines that ran in every run after the change."""
        ran = [_lines_run(run) for run in self._runs]
        files = ran[0].keys() if ran else ()
        none: frozenset[int] = frozenset()
        return {
            file: frozenset.intersection(*(lines.get(file, none) for lines in ran))
            for file in files
        }


def _because(run: Execution) -> str:
    words = last_words(run)
    return f" ({words})" if words else ""


def _lines_run(run: Execution) -> dict[str, frozenset[int]]:
    """In any process of one run."""
    found: dict[str, frozenset[int]] = {}
    for events in run.observed:
        for file, lines in events.executed.items():
            found[file] = found.get(file, frozenset()) | lines
    return found


def _failed(device: str, why: str) -> Comparison:
    return Comparison(device, Verdict.FAILED, 0, 0, None, notes=(why,))


def _crashed(comparison: Comparison) -> bool:
    return comparison.difference is not None and comparison.difference.kind is None


def _precisions(run: Execution) -> frozenset[str]:
    return frozenset[str]().union(*(events.precisions for events in run.observed))


def _summary(run: Execution) -> RunSummary:
    placement: Placement | None = placement_of(run.records) if run.device != CPU else None
    return RunSummary(
        role=run.role,
        device=run.device,
        ending=run.ending,
        failure=run.failure,
        placement=placement,
        errors=run.errors,
        notes=run.notes,
    )
