"""The process that atheris runs in: ``python -m fuzz.session TARGET FOLDER SECONDS``.

libFuzzer never comes back, and ends the process in its own ways, so the command starts one.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Final, NoReturn

from fuzz.budget import TooSlow, limited
from fuzz.findings import Findings
from fuzz.target import Target

_HANG_S: Final = 120
"""Seconds after which libFuzzer kills what not even a signal gets out of."""
_MEMORY_MB: Final = 2_000
_STRUCTURED: Final = 0.8
"""Of the inputs of a target that makes some itself; bytes of the others just change."""
DONE: Final = "fuzz.session: "
"""Begins the line with the figures."""


class Session:
    """Runs one target until the time is over."""

    def __init__(self, target: Target, folder: Path, seconds: float) -> None:
        self._target = target
        self._findings = Findings(folder / "findings")
        self._seconds = seconds
        self._inputs = 0
        self._slowest = 0.0

    def one(self, data: bytes) -> None:
        """Look at one input."""
        began = time.process_time()
        try:
            with limited():
                self._target.check(data)
        except (Exception, TooSlow) as error:
            if self._findings.note(error, data):
                print(f"finding: {type(error).__name__}: {error}"[:300], file=sys.stderr)
        now = time.process_time()
        self._inputs += 1
        self._slowest = max(self._slowest, now - began)
        if now > self._seconds:
            self._end(now)

    def _end(self, now: float) -> NoReturn:
        told = {"inputs": self._inputs, "cpu": round(now, 1), "slowest": round(self._slowest, 2)}
        print(f"{DONE}{json.dumps(told)}", file=sys.stderr, flush=True)
        os._exit(0)

    def mutated(self, data: bytes, longest: int, seed: int) -> bytes:
        """Another input, mostly as the target makes it, else as libFuzzer does."""
        import atheris

        chance = random.Random(seed)
        if self._target.mutate is not None and chance.random() < _STRUCTURED:
            return self._target.mutate(data, chance)[:longest]
        return bytes(atheris.Mutate(data, longest))


def main(name: str, folder: Path, seconds: float) -> None:
    """Fuzz until ``seconds`` of the processor are over."""
    import atheris

    with atheris.instrument_imports(include=["devicefix", "codemods"]):
        from fuzz import targets

        target = targets.load(name)
        for seed in target.seeds():
            target.check(seed)  # what is imported late is imported now
            break
        session = Session(target, folder, seconds + time.process_time())
        options = [
            f"-max_len={target.longest}",
            f"-timeout={_HANG_S}",
            f"-rss_limit_mb={_MEMORY_MB}",
            f"-artifact_prefix={folder / 'findings'}/",
            "-print_funcs=0",
        ]
        arguments = [sys.argv[0], *options, str(folder / "corpus"), str(folder / "seeds")]
        custom = {"custom_mutator": session.mutated} if target.mutate is not None else {}
        atheris.Setup(arguments, session.one, **custom)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
