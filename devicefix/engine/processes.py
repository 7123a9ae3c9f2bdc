"""Several programs at the same time, each in one of a few processes.

The results come in the order of the programs, whoever is ready first, so that a run says the same
with any number of processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Final

from devicefix.engine.interpreter import nothing_from_here, stay_at_work
from devicefix.engine.work import Orders

if TYPE_CHECKING:
    from devicefix.engine.projects import Plan
    from devicefix.engine.report import Outcome
    from devicefix.engine.workbench import Workbench

WORTH: Final = 200_000
"""Bytes of programs, some two seconds of work, for which another process is worth its start."""
MOST: Final = 8
"""Processes; each takes some 150 MB."""


def how_many(plans: Sequence[Plan], jobs: int) -> int:
    """The processes that ``plans`` are worth, no more than ``jobs``; 0 for as many as it may be.

    One, where a process would start with what the current folder calls ``multiprocessing``.
    """
    if sys.version_info < (3, 11) and multiprocessing.get_start_method() != "fork":
        return 1
    most = jobs or min(_processors(), MOST)
    return max(1, min(most, len(plans), sum(plan.size for plan in plans) // WORTH))


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))  # a container may have fewer than the machine
    return os.cpu_count() or 1


def outcomes(plans: Sequence[Plan], orders: Orders, processes: int) -> Iterator[Outcome]:
    """What becomes of each program, in their order; the largest are begun first, and at once.

    Where processes cannot be had, or one dies, the rest is done in this one.
    """
    try:
        with nothing_from_here():
            # forked from a process that has no other threads yet
            pool = ProcessPoolExecutor(processes, None, _start, (tuple(plans), orders))
            begun = _submitted(pool, plans)
    except (BrokenProcessPool, OSError):
        return _done_here(plans, orders)
    return _gathered(pool, begun, plans, orders)


def _gathered(
    pool: ProcessPoolExecutor,
    begun: Sequence[Future[Outcome]],
    plans: Sequence[Plan],
    orders: Orders,
) -> Iterator[Outcome]:
    ready = 0
    try:
        for future in begun:
            outcome = future.result()
            ready += 1
            yield outcome
    except BrokenProcessPool:
        yield from _done_here(plans[ready:], orders)
    finally:
        # else Python may write, as it exits, to a pipe that a thread of the pool is closing
        pool.shutdown(wait=ready == len(plans), cancel_futures=True)


def _done_here(plans: Sequence[Plan], orders: Orders) -> Iterator[Outcome]:
    bench = _open(orders)
    return (orders.carried_out(plan, bench) for plan in plans)


def _submitted(pool: ProcessPoolExecutor, plans: Sequence[Plan]) -> list[Future[Outcome]]:
    order = sorted(range(len(plans)), key=lambda at: -plans[at].size)
    begun = {at: pool.submit(_one, at) for at in order}
    return [begun[at] for at in range(len(plans))]


# -- in the processes ------------------------------------------------------------------------------


class _WorkerState:
    """What one process works with: the start of a process can leave it nowhere else."""

    plans: Sequence[Plan]
    bench: Workbench
    orders: Orders


def _start(plans: Sequence[Plan], orders: Orders) -> None:
    signal.signal(signal.SIGINT, _leave)  # the user is told once, by the first process
    _WorkerState.plans, _WorkerState.bench, _WorkerState.orders = plans, _open(orders), orders
    stay_at_work()


def _leave(*_: object) -> None:
    os._exit(1)


def _one(number: int) -> Outcome:
    return _WorkerState.orders.carried_out(_WorkerState.plans[number], _WorkerState.bench)


def _open(orders: Orders) -> Workbench:
    from devicefix.engine.workbench import open_workbench

    return open_workbench(
        orders.settings, None, None, orders.choice, orders.scope, counting=orders.counting
    )
