"""Fuzz one target, or all: ``python -m fuzz [TARGET…] [--minutes N] [--folder FOLDER]``.

Minutes are those of the processor, for each target. What was found before is kept, so that a second
run goes on; ``--input FILE`` looks at one input and shows what it leads to. Ends with one line of
figures for each target, and with status 1 where something was found, 2 where it could not be done.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import platformdirs

from fuzz import targets
from fuzz.budget import TooSlow, limited
from fuzz.fuzzing import Figures, FuzzingError, fuzz

_MINUTE_S: Final = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = _parser().parse_args(arguments)
    if options.input is not None:
        return _looked_at(options.targets, options.input)
    if importlib.util.find_spec("atheris") is None:
        print("atheris is missing: pip install 'devicefix[fuzz]'", file=sys.stderr)
        return 2
    figures = []
    for name in options.targets or targets.names():
        folder = options.folder / name
        prepare(name, folder)
        figures.append(fuzz(name, folder, options.minutes * _MINUTE_S))
        print(figures[-1], flush=True)
    return _status(figures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    known = targets.names()
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(known)}")
    parser.add_argument("--minutes", type=float, default=20.0, help="of the processor, for each")
    folder = platformdirs.user_cache_path("devicefix-fuzz", appauthor=False)
    parser.add_argument("--folder", type=Path, default=folder, help=f"for what grows: {folder}")
    parser.add_argument("--input", type=Path, help="look at this one with one TARGET")
    return parser


def _looked_at(names: Sequence[str], file: Path) -> int:
    """Look at one input, with a traceback where something does not hold."""
    if len(names) != 1:
        print("--input needs one TARGET", file=sys.stderr)
        return 2
    with limited():
        targets.load(names[0]).check(file.read_bytes())
    print("all holds")
    return 0


def prepare(name: str, folder: Path) -> None:
    """Write the seeds of a target where libFuzzer looks for them."""
    for part in ("seeds", "corpus", "findings"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for seed in targets.load(name).seeds():
        place = folder / "seeds" / hashlib.blake2b(seed, digest_size=10).hexdigest()
        place.write_bytes(seed)


def _status(figures: Sequence[Figures]) -> int:
    return 1 if any(figure.findings for figure in figures) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except (FuzzingError, TooSlow) as error:
        print(error, file=sys.stderr)
        sys.exit(2 if isinstance(error, FuzzingError) else 1)
