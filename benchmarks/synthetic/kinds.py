"""The kinds of synthetic repositories, how many there are of each, and how they have to end."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from benchmarks.synthetic import makers, programs
from benchmarks.synthetic.makers import Make, beside, proven, scripts, single
from benchmarks.synthetic.shapes import (
    CREATED,
    LINK,
    NOTHING,
    SUBMODULE,
    SUBMODULE_COMMIT,
    End,
    Item,
    Synthetic,
)

_POINTER: Final = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4" * 64 + b"\nsize 12345\n"
)
_PROTECTED: Final = """\
echo "error: GH006: Protected branch update failed for refs/heads/devicefix/main." >&2
exit 1
"""
_REFUSED: Final = """\
echo "error: GH013: Repository rule violations found for refs/heads/devicefix/main." >&2
echo "- Commits must have verified signatures." >&2
exit 1
"""
_BROKEN_ONCE: Final = """\
test -e was-broken && exit 0
touch was-broken
echo "Internal Server Error" >&2
exit 1
"""
_STANDS: Final = replace(CREATED, operation="unchanged", pushes=0, tried=0)
_KEPT: Final = End("left", "somebody else has worked on", "kept", pulls=1, open_pulls=1)
_DECLINED: Final = End("left", "the same changes was closed", "declined", pulls=1)

KINDS: Final[Mapping[str, tuple[Make, int]]] = MappingProxyType(
    {
        "script": (single(programs.SCRIPT), 24),
        "training": (single(programs.TRAINING), 10),
        "some-scripts": (scripts(5, 20), 12),
        "many-scripts": (scripts(30, 60), 5),
        "large": (scripts(300, 300), 2),
        "package": (makers.package, 10),
        "notebook": (makers.study, 8),
        "right": (single(programs.RIGHT), 14),
        "plain": (single(programs.PLAIN), 8),
        "cuda": (single(programs.CUDA), 12),
        "parallel": (single(programs.PARALLEL), 4),
        "legacy": (single(programs.LEGACY), 6),
        "python2": (single(programs.PYTHON2), 5),
        "broken": (makers.broken, 6),
        "huge": (makers.huge, 2),
        "too-large": (makers.too_large, 2),
        "empty": (makers.empty, 4),
        "other-branch": (makers.other_branch, 6),
        "no-first-branch": (makers.no_first_branch, 4),
        "submodule": (beside({"third_party/lib": Item(SUBMODULE_COMMIT, SUBMODULE)}), 3),
        "lfs": (beside({"model.pt": Item(_POINTER)}), 3),
        "link": (beside({"secrets": Item(b"../../../../etc/passwd", LINK)}), 3),
        "strange-name": (makers.strange_name, 10),
        "strange-files": (makers.strange_files, 2),
        "missing": (makers.missing, 3),
        "protected": (
            single(programs.SCRIPT, End("failed", "branch is protected", tried=1), hook=_PROTECTED),
            3,
        ),
        "refused": (
            single(programs.SCRIPT, End("failed", "verified signatures", tried=1), hook=_REFUSED),
            3,
        ),
        "broken-once": (single(programs.SCRIPT, replace(CREATED, tried=2), hook=_BROKEN_ONCE), 2),
        "open": (single(programs.SCRIPT, _STANDS, before="open"), 2),
        "moved-on": (makers.moved_on, 2),
        "person": (single(programs.SCRIPT, _KEPT, before="person"), 2),
        "declined": (single(programs.SCRIPT, _DECLINED, before="declined"), 2),
        "merged": (single(programs.SCRIPT, replace(NOTHING, pulls=1), before="merged"), 1),
        "proof-passes": (proven(programs.SCRIPT, CREATED), 4),
        "proof-of-cuda": (proven(programs.CUDA, CREATED), 2),
        "proof-fails": (proven(programs.LOOKS_AT_ITSELF, End("rejected")), 2),
        "proof-hangs": (
            proven(programs.HANGS, End("unproven", "it was ended for its bounds"), timeout=100),
            1,
        ),
        "proof-endless": (proven(programs.ENDLESS, CREATED, timeout=100), 1),
        "proof-too-long": (
            proven(programs.HANGS, End("failed", "it took more than 4 s"), timeout=4),
            1,
        ),
        "proof-needs-data": (proven(programs.NEEDS_DATA, End("unproven", "data/train.bin")), 2),
        "proof-runs-none": (
            proven(programs.RUNS_NONE_OF_IT, End("unproven", "runs none of the lines")),
            2,
        ),
    }
)
"""By name: how one is made, and how many of 200 there are."""
NOT_EXECUTED: Final = tuple(name for name in KINDS if not name.startswith("proof"))
"""Without a command in the plan."""


def drawn(count: int, seed: int, kinds: Collection[str] = tuple(KINDS)) -> list[Synthetic]:
    """``count`` repositories, of each kind as many as are due, in any order.

    Few of them are of as many kinds as there can be.
    """
    due = [name for name, (_, often) in KINDS.items() for _ in range(often) if name in kinds]
    chance = random.Random(seed)
    chance.shuffle(due)
    chosen = (due if count >= len(due) else list(dict.fromkeys(due)) + due)[:count]
    chosen += [due[place % len(due)] for place in range(count - len(chosen))]
    numbers: dict[str, int] = {}
    made = []
    for place, name in enumerate(chosen):
        numbers[name] = numbers.get(name, -1) + 1
        made.append(KINDS[name][0](name, random.Random(f"{seed} {place}"), numbers[name]))
    chance.shuffle(made)
    return made
