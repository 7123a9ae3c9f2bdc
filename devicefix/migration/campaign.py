"""The loop of a campaign: what is due is handed out, what has ended is written down.

What is to happen is in the ledger before it happens, and what was found before it is used. So a
campaign may be killed at any instant: another one finds out what is there, and goes on.
"""

from __future__ import annotations

import heapq
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from devicefix.migration.executors import Executor
from devicefix.migration.ledger import Ledger, Row
from devicefix.migration.orders import Ending, Result, Stage
from devicefix.migration.plan import Plan
from devicefix.migration.publisher import Published, Publisher
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
    """``begun``, ``ended``, ``put off``."""
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
        self._ready: list[tuple[int, int, str, Stage]] = []
        self._later: list[tuple[float, str]] = []
        self._to_publish: deque[str] = deque()
        self._running = 0
        self._may_publish = 0.0

    def run(self) -> None:
        """Until nothing is left to do, or somebody interrupts it; in either case all is kept."""
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

    @property
    def _is_on(self) -> bool:
        waiting = self._ready or self._later or self._to_publish
        return bool(waiting or self._running or self._publisher.is_busy)

    # ---- what is due -----------------------------------------------------------------------------

    def _consider(self, row: Row) -> bool:
        """Queue what is next for a repository; whether there is anything."""
        stage = self._next(row)
        if stage is None:
            return False
        if row.next_try > time.time():
            heapq.heappush(self._later, (row.next_try, row.key))
        elif stage is Stage.PUBLISH:
            self._to_publish.append(row.key)
        else:
            heapq.heappush(self._ready, (_FIRST[stage], self._places[row.key], row.key, stage))
        return True

    def _next(self, row: Row) -> Stage | None:
        proves = bool(self._entries[row.key].order.verify)
        publishes = self._proposer is not None
        if publishes and row.state is State.NOTHING and _is_open(row):
            return Stage.PUBLISH  # to close it
        return next_stage(row.state, proves, publishes)

    def _wake(self) -> None:
        while self._later and self._later[0][0] <= time.time():
            _, key = heapq.heappop(self._later)
            self._consider(self._ledger.row(key))

    def _begin(self) -> None:
        while self._ready and self._executor.room > 0:
            _, _, key, stage = heapq.heappop(self._ready)
            order, before = self._entries[key].order, None
            if stage is Stage.PROVE:
                before = self._ledger.result(key, Stage.REWRITE)
                assert before is not None, key
                order = replace(order, base=before.base, commit=before.commit)
            self._ledger.begin(key, stage)
            self._told("begun", stage, key)
            self._executor.submit(key, stage, order, before)
            self._running += 1

    # ---- pull requests ---------------------------------------------------------------------------

    def _publish(self) -> None:
        """Begin one, if the last has ended and the server's limits let us."""
        proposer = self._proposer
        if proposer is None or self._publisher.is_busy or not self._to_publish:
            return
        if time.time() < self._may_publish or self._is_over_the_limit():
            return
        key = self._to_publish.popleft()
        entry, row = self._entries[key], self._ledger.row(key)
        self._ledger.begin(key, Stage.PUBLISH)
        self._told("begun", Stage.PUBLISH, key)
        found = self._ledger.proposed(key)
        assert found is not None, key
        act = proposer.withdraw if row.state is State.NOTHING else proposer.propose
        self._publisher.submit(key, lambda: act(entry, found))

    def _is_over_the_limit(self) -> bool:
        made = self._ledger.requests_since(_HOUR)
        if len(made) < self._plan.github.per_hour:
            return False
        self._may_publish = made[-self._plan.github.per_hour] + _HOUR
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
        wait = min(times, default=0.0) - time.time() if not self._ready else 0.0
        return min(max(wait, 0.0), _MOMENT)

    def _ended(self, key: str, stage: Stage, result: Result) -> None:
        if result.ending is Ending.FAILED:
            self._failed(key, stage, result.reason, result.transient, result.seconds)
            return
        self._ledger.end(key, stage, result, bool(self._entries[key].order.verify))
        self._told("ended", stage, key)

    def _publication(self, done: Published) -> None:
        if done.outcome is None:
            self._failed(done.key, Stage.PUBLISH, done.reason, done.transient, done.seconds)
            return
        if self._ledger.row(done.key).state is State.NOTHING:
            self._ledger.withdrawn(done.key, done.outcome, done.seconds)
        else:
            self._ledger.published(done.key, done.outcome, done.seconds)
        self._told("ended", Stage.PUBLISH, done.key)

    def _failed(self, key: str, stage: Stage, reason: str, passing: bool, seconds: float) -> None:
        work, tried = self._plan.work, self._ledger.row(key).attempts
        if not passing or tried >= work.attempts:
            self._ledger.fail(key, stage, reason, seconds)
            self._told("ended", stage, key)
            return
        wait = min(work.retry_after * 2 ** (tried - 1), _LONGEST)
        until = time.time() + wait * random.uniform(0.5, 1.0)  # not all of them at once
        self._ledger.put_off(key, stage, reason, seconds, until)
        self._told("put off", stage, key)

    def _told(self, kind: str, stage: Stage, key: str) -> None:
        row = self._ledger.row(key)
        is_last = kind != "begun" and not self._consider(row)
        self._tell(Happening(kind, stage, row, is_last))


def _is_open(row: Row) -> bool:
    """Whether a pull request of ours is there that has nothing to propose any more."""
    from devicefix.pull_requests import Operation

    closed = (Operation.CLOSED.value, Operation.NOTHING.value, Operation.DECLINED.value)
    return row.number is not None and row.operation not in (*closed, Operation.KEPT.value)
