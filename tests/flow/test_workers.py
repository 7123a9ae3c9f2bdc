"""Functions that other processes run are left on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

WORK: Final = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def work(x, scale=1.0):
    return torch.cat([torch.zeros(1), x]) * scale
x = torch.ones(3)
"""


@pytest.mark.parametrize(
    "start",
    [
        "mp.Process(target=work, args=(x,)).start()",
        "mp.Process(None, work, 'name', (x,), {'scale': 2.0}).start()",
        "mp.get_context('fork').Process(target=work, kwargs={'x': x}).start()",
        "torch.multiprocessing.Process(target=work, args=[x]).start()",
        "print(mp.Pool(2).map(work, [x, x]))",
        "with mp.Pool(2) as pool:\n    print(pool.apply_async(work, (x,), {'scale': 2.0}).get())",
        "with mp.Pool(2) as pool:\n    print(pool.starmap(work, [(x, 1.0)]))",
        "with ProcessPoolExecutor(2) as pool:\n    print(pool.submit(work, x).result())",
        "with ProcessPoolExecutor(2) as pool:\n    print(list(pool.map(work, [x])))",
    ],
)
def test_what_a_process_runs_stays_on_the_host(beside_model: Moves, start: str) -> None:
    program = f"{WORK}{start}\nprint(model(torch.ones(3)))\n"
    assert beside_model(program) == ["FACTORY torch.ones(3) => device"]


def test_a_thread_shares_the_device(beside_model: Moves) -> None:
    start = "x = x.to(device)\nwith ThreadPoolExecutor() as pool:\n    pool.submit(work, x)\n"
    program = WORK + start
    assert beside_model(program) == ["FACTORY torch.zeros(1) => x.device"]


def test_what_comes_back_from_a_pool_is_on_the_host(beside_model: Moves) -> None:
    program = f"{WORK}for y in mp.Pool(2).map(work, [x, x]):\n    print(model(y[:3]))\n"
    (line,) = beside_model(program)
    assert line.startswith("BATCH y in for y in mp.Pool(2)")
