"""How the time of ``devicefix check`` grows with the size of a file.

    python benchmarks/scaling.py CORPUS [--files N]

Each of N files of the corpus, small and large ones, is checked alone in one process, after a first
one that loads what is loaded once. Prints JSON: the exponent of the best power law, the worst file,
and all points.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import math
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from corpus import files

FIXED: Final = 4_000
"""Bytes; smaller files mostly take what every file takes."""
TRIED: Final = 3


def points(folder: Path, count: int) -> list[dict[str, Any]]:
    """What each of ``count`` files took, from the smallest to the largest."""
    from devicefix.engine import check
    from devicefix.settings import Settings

    settings = Settings()
    every = [path for path in files(folder) if b"torch" in path.read_bytes()]
    every.sort(key=lambda path: (path.stat().st_size, path))
    last = len(every) - 1
    chosen = [every[round(at * last / (count - 1))] for at in range(count)]
    found = []
    with tempfile.TemporaryDirectory() as working:
        for path in [chosen[0], *chosen]:
            alone = Path(working, path.name)
            data = path.read_bytes()
            alone.write_bytes(data)
            found.append(
                {
                    "file": str(path.relative_to(folder)),
                    "bytes": len(data),
                    "lines": data.count(b"\n"),
                    "check": _seconds(lambda alone=alone: check([alone], settings)),  # type: ignore[misc]
                    "parse": _seconds(lambda data=data: ast.parse(data)),  # type: ignore[misc]
                }
            )
            alone.unlink()
    return found[1:]


def _seconds(act: Callable[[], object]) -> float:
    """The least of a few tries, in seconds of the processor; one try where that takes long."""
    best = math.inf
    for _ in range(TRIED):
        gc.collect()
        started = time.process_time()
        act()
        best = min(best, time.process_time() - started)
        if best > 1:
            break
    return best


def exponent(found: Sequence[dict[str, Any]]) -> float:
    """Of the power law that fits best, in lines, for files of some size."""
    large = _of_some_size(found)
    sizes = [math.log(one["lines"]) for one in large]
    return statistics.linear_regression(sizes, [math.log(o["check"]) for o in large]).slope


def _of_some_size(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is done once for any file is most of the time of small ones."""
    return [one for one in found if one["bytes"] > FIXED]


def summary(folder: Path, count: int) -> dict[str, Any]:
    """All that is to be told."""
    found = points(folder, count)
    worst = max(_of_some_size(found), key=lambda one: one["check"] / one["parse"])
    longest = max(found, key=lambda one: one["check"])
    return {"exponent": exponent(found), "worst": worst, "longest": longest, "points": found}


def main() -> None:
    """Print it."""
    warnings.simplefilter("ignore", SyntaxWarning)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--files", type=int, default=100)
    given = parser.parse_args()
    print(json.dumps(summary(given.corpus, given.files)))


if __name__ == "__main__":
    main()
