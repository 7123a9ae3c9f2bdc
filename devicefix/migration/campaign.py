"""The loop of a campaign: what is due is handed out, what has ended is written down.

What is to happen is in the ledger before it happens, and what was found before it is used. So a
campaign may be killed at any instant: another one finds out what is there, and goes on.
"""

from __future__ import annotations

import heapq
import random
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from devicefix.migration.executors import Executor
from devicefix.migration.failures import Failure, Kind, of_result
from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import Ending, Result, Stage
from devicefix.migration.plan import Entry, Plan
from devicefix.migration.publisher import Published, Publisher
from devicefix.migration.refusals import CampaignError
from devicefix.migration.rows import Row
from devicefix.migration.states import State, next_stage

if TYPE_CHECKING:
    from devicefix.migration.proposing import Proposer

_MOMENT: Final = 0.2
"""Seconds between two looks at what has ended elsewhere."""
_LONGEST: Final = 3600.0
"""Seconds for which a repository is put off at most."""
_HOUR: Final = 3600.0
_FIRST: Final = {Stage.PROVE: 0, Stage.REWRITE: 1}
"""What is begun is brought to its end first."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that was written down."""

    kind: str
    """``begun``, ``ended``, ``postponed``."""
    stage: Stage
    row: Row
    is_last: bool
    """Whether nothing more is done with it in this run."""


Tell = Callable[[Happening], None]


class Campaign:
    """Brings the repositories of a plan as far as they get."""

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        executor: Executor,
        proposer: Proposer | None,
        tell: Tell = lambda happening: None,
    ) -> None:
        """Without a ``proposer`` nothing leaves this machine."""
        self._plan = plan
        self._ledger = ledger
        self._executor = executor
        self._proposer = proposer
        self._publisher = Publisher()
        self._tell = tell
        self._entries = {entry.key: entry for entry in plan.entries}
        self._places = {entry.key: place for place, entry in enumerate(plan.entries)}
        self._of_name = defaultdict[str, list[Entry]](list)
        for entry in plan.entries:
            self._of_name[entry.forge_name].append(entry)
        self._ready: list[tuple[int, int, str, Stage]] = []
        self._later: list[tuple[float, str]] = []
        self._to_publish: deque[str] = deque()
        self._running = 0
        self._may_publish = 0.0
        self._refusal = ""
        self._limited = 0
        """How often the server has refused in a row."""

    def run(self) -> None:
        """Until nothing is left to do, or somebody interrupts it; in either case all is kept.

        Raises `CampaignError` where nothing could be published.
        """
        for row in self._ledger.rows():
            self._consider(row)
        try:
            while self._is_on:
                self._wake()
                self._begin()
                self._publish()
                self._collect()
        finally:
            self._executor.close()
            self._ledger.interrupted()
        if self._refusal:
            raise CampaignError(self._refusal)

    @property
    def _is_on(self) -> bool:
        waiting = self._ready or self._later or self._to_publish
        return bool(waiting or self._running or self._publisher.is_busy)

    # ---- what is due -----------------------------------------------------------------------------

    def _consider(self, row: Row) -> bool:
        """Queue what is next for a repository; whether there is anything."""
        stage = due(self._entries[row.key], row, self._proposer is not None)
        if stage is None:
            return False
        if (wait := row.next_try - time.time()) > 0:
            # No longer than anything is put off: the clock may have been set back
            heapq.heappush(self._later, (time.monotonic() + min(wait, _LONGEST), row.key))
        elif stage is Stage.PUBLISH:
            self._to_publish.append(row.key)
        else:
            heapq.heappush(self._ready, (_FIRST[stage], self._places[row.key], row.key, stage))
        return True

    def _wake(self) -> None:
        while self._later and self._later[0][0] <= time.monotonic():
            _, key = heapq.heappop(self._later)
            self._consider(replace(self._ledger.row(key), next_try=0.0))

    def _begin(self) -> None:
        while self._ready and self._executor.room > 0:
            _, _, key, stage = heapq.heappop(self._ready)
            order, before = self._entries[key].order, None
            if stage is Stage.PROVE:
                before = self._ledger.result(key, Stage.REWRITE)
                assert before is not None, key
                order = replace(order, base=before.base, commit=before.commit)
            self._ledger.begin(key, stage)
            self._announce("begun", stage, key)
            self._executor.submit(key, stage, order, before)
            self._running += 1

    # ---- pull requests ---------------------------------------------------------------------------

    def _publish(self) -> None:
        """Begin one, if the last has ended and the server's limits let us."""
        proposer = self._proposer
        if proposer is None or self._publisher.is_busy or not self._to_publish:
            return
        if time.monotonic() < self._may_publish or self._is_over_the_limit():
            return
        key = self._to_publish.popleft()
        entry, row = self._entries[key], self._ledger.row(key)
        self._ledger.begin(key, Stage.PUBLISH)
        self._announce("begun", Stage.PUBLISH, key)
        if twin := self._twin(entry, row):
            reason = f"it has the same branch as {twin}: remove one of the two from the plan"
            self._failed(key, Stage.PUBLISH, Failure(reason), 0.0)
            return
        found = self._ledger.proposed(key)
        assert found is not None, key
        act = proposer.withdraw if row.state is State.NOTHING else proposer.propose
        self._publisher.submit(key, lambda: act(entry, found), entry.order.limits.seconds)

    def _twin(self, entry: Entry, row: Row) -> str:
        """Another entry for the same branch: it names the base that this one turned out to have."""
        for other in self._of_name[entry.forge_name]:
            known = self._ledger.row(other.key)
            first = self._places[other.key] < self._places[entry.key] or known.number is not None
            if other.key != entry.key and known.base == row.base and first:
                return other.name
        return ""

    def _is_over_the_limit(self) -> bool:
        made = self._ledger.requests_since(_HOUR)
        if len(made) < self._plan.github.per_hour:
            return False
        free = made[-self._plan.github.per_hour] + _HOUR - time.time()
        self._may_publish = time.monotonic() + min(max(free, 0.0), _HOUR)
        return True

    # ---- what has ended --------------------------------------------------------------------------

    def _collect(self) -> None:
        if self._running:
            for key, stage, result in self._executor.finished(_MOMENT):
                self._running -= 1
                self._ended(key, stage, result)
        published = self._publisher.finished(0.0 if self._running else _MOMENT)
        if published is not None:
            self._publication(published)
        elif not self._running and not self._publisher.is_busy:
            time.sleep(self._rest())

    def _rest(self) -> float:
        """How long nothing is to be done."""
        times = [when for when, _ in self._later[:1]]
        if self._to_publish:
            times.append(self._may_publish)
        wait = min(times, default=0.0) - time.monotonic() if not self._ready else 0.0
        return min(max(wait, 0.0), _MOMENT)

    def _ended(self, key: str, stage: Stage, result: Result) -> None:
        if result.ending is Ending.FAILED:
            self._failed(key, stage, of_result(result), result.seconds)
            return
        self._ledger.end(key, stage, result, bool(self._entries[key].order.verify))
        self._announce("ended", stage, key)

    def _publication(self, done: Published) -> None:
        if done.outcome is None:
            assert done.failure is not None
            self._failed(done.key, Stage.PUBLISH, done.failure, done.seconds)
            return
        self._limited = 0
        if self._ledger.row(done.key).state is State.NOTHING:
            self._ledger.withdrawn(done.key, done.outcome, done.seconds)
        else:
            self._ledger.published(done.key, done.outcome, done.seconds)
        self._announce("ended", Stage.PUBLISH, done.key)

    def _failed(self, key: str, stage: Stage, failure: Failure, seconds: float) -> None:
        match failure.kind:
            case Kind.UNAUTHORIZED:
                self._stop_publishing(key, failure.reason)
            case Kind.LIMITED:
                self._wait_for_server(key, failure, seconds)
            case Kind.OUTDATED if self._ledger.times_outdated(key) < self._plan.work.attempts:
                self._ledger.outdated(key, stage, failure.reason, seconds)
                self._announce("postponed", stage, key)
            case Kind.PASSING if self._ledger.row(key).attempts < self._plan.work.attempts:
                self._again_later(key, stage, failure.reason, seconds)
            case _:
                self._ledger.fail(key, stage, failure.reason, seconds)
                self._announce("ended", stage, key)

    def _again_later(self, key: str, stage: Stage, reason: str, seconds: float) -> None:
        work, tried = self._plan.work, self._ledger.row(key).attempts
        wait = min(work.retry_after * 2 ** (tried - 1), _LONGEST)
        until = time.time() + wait * random.uniform(0.5, 1.0)  # not all of them at once
        self._ledger.put_off(key, stage, reason, seconds, until)
        self._announce("postponed", stage, key)

    def _wait_for_server(self, key: str, failure: Failure, seconds: float) -> None:
        """Nothing is published meanwhile; that a limit was reached does not count as an attempt."""
        wait = min(max(failure.wait, _MOMENT * 2**self._limited), _LONGEST)
        self._limited += 1
        self._may_publish = time.monotonic() + wait
        until = time.time() + wait
        self._ledger.put_off(key, Stage.PUBLISH, failure.reason, seconds, until, counts=False)
        self._announce("postponed", Stage.PUBLISH, key)

    def _stop_publishing(self, key: str, reason: str) -> None:
        """The rest of the work goes on, and what is found is kept."""
        self._proposer, self._refusal = None, f"{reason}; nothing more was published"
        self._to_publish.clear()
        self._ledger.put_back(key, Stage.PUBLISH, reason)
        self._announce("postponed", Stage.PUBLISH, key)

    def _announce(self, kind: str, stage: Stage, key: str) -> None:
        row = self._ledger.row(key)
        is_last = kind != "begun" and not self._consider(row)
        self._tell(Happening(kind, stage, row, is_last))


def due(entry: Entry, row: Row, publishes: bool) -> Stage | None:
    """What is to be done next with a repository; None where nothing is."""
    publishes = publishes and bool(entry.forge_name)
    if publishes and row.state is State.NOTHING and _is_open(row):
        return Stage.PUBLISH  # to close it
    return next_stage(row.state, bool(entry.order.verify), publishes)


def _is_open(row: Row) -> bool:
    """Whether a pull request of ours is there that has nothing to propose any more."""
    from devicefix.pull_requests import Operation

    closed = (Operation.CLOSED.value, Operation.NOTHING.value, Operation.DECLINED.value)
    return row.number is not None and row.operation not in (*closed, Operation.KEPT.value)
