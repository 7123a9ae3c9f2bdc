"""Random numbers are the same in every run, and what the program seeds by itself is noted."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.where import in_torch, line_of
from devicefix.simulator.importing import after_import

SEED: Final = 0


def force_seeds(log: EventLog) -> None:
    """Seed each random generator as soon as it is there, before the program uses it.

    What is seeded from the machine's entropy later, such as ``random.Random()``, gets the next of a
    series of numbers instead.
    """
    series = itertools.count(1)
    after_import("random", lambda: _python(log, series))
    after_import("numpy.random", lambda: _numpy(log, series))


def seed_torch(log: EventLog) -> None:
    """Seed torch, and note what the program seeds it with."""
    import torch

    torch.manual_seed(SEED)
    torch.seed = torch.random.seed = _from_series(torch.random.manual_seed)
    torch.manual_seed = torch.random.manual_seed = _noting(
        log, torch.random.manual_seed, "torch.manual_seed"
    )


def _from_series(seed: Callable[[int], Any]) -> Callable[[], int]:
    """In the place of a seed that the machine's entropy would give."""
    series = itertools.count(1)

    def seeded() -> int:
        number = next(series)
        seed(number)
        return number

    return seeded


def _python(log: EventLog, series: itertools.count[int]) -> None:
    random: Any = sys.modules["random"]
    kind: Any = random.Random
    original = kind.seed

    @functools.wraps(original)
    def seed(self: Any, a: Any = None, *args: Any, **kwargs: Any) -> None:
        if a is None and not _names_files(sys._getframe().f_back):
            a = next(series)
        original(self, a, *args, **kwargs)

    kind.seed = seed
    random.seed(SEED)
    random.seed = _noting(log, random._inst.seed, "random.seed")


def _names_files(frame: FrameType | None) -> bool:
    """Whether a `Random` is being made for `tempfile`: its names must not meet those of others."""
    caller = None if frame is None else frame.f_back
    return caller is not None and caller.f_globals.get("__name__") == "tempfile"


def _numpy(log: EventLog, series: itertools.count[int]) -> None:
    random: Any = sys.modules["numpy.random"]
    random.seed(SEED)
    random.seed = _noting(log, random.seed, "numpy.random.seed")
    entropy: Any = sys.modules.get("numpy.random.bit_generator")
    if hasattr(entropy, "randbits"):
        entropy.randbits = lambda bits: next(series)


def _noting(log: EventLog, original: Callable[..., Any], how: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def seed(*args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe().f_back
        if not in_torch(frame):
            given = [*args, *kwargs.values()][:1]
            log.saw("seeded", how, line_of(frame), [_leaf(*given)])
        return original(*args, **kwargs)

    return seed


def _leaf(value: Any = None) -> dict[str, Any]:
    from devicefix.observe.witness.numbers import number_leaf

    return number_leaf("", value) or {"path": "", "type": type(value).__name__, "text": str(value)}
