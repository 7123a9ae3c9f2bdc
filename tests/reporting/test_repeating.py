"""The commands that repeat a verification."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from devicefix.reporting.repeating import repetition
from devicefix.verification.result import Comparison, Verdict, Verification


def found(*entry: str, devices: tuple[str, ...] = ("sim:cuda", "sim:mps")) -> Verification:
    comparisons = tuple(Comparison(d, Verdict.PASS, 1, 0, None) for d in ("cpu", *devices))
    return Verification(entry, Verdict.PASS, "same", "cpu", comparisons, (), {}, (), 1.0)


def commands(text: str) -> list[str]:
    return text.partition("```sh\n")[2].partition("\n```")[0].splitlines()


def test_what_is_typed_at_the_top() -> None:
    assert commands(repetition(found("train.py", "--epochs", "1"), "main")) == [
        'git worktree add --detach ../before "$(git merge-base HEAD origin/main)"',
        "devicefix verify --before ../before --device sim:cuda,sim:mps train.py --epochs 1",
    ]


def test_what_is_typed_in_a_folder() -> None:
    lines = commands(repetition(found("-m", "pytest", "-q"), "main", PurePosixPath("a/b c")))
    assert lines[1:] == [
        "cd 'a/b c'",
        "devicefix verify --before '../../../before/a/b c' --device sim:cuda,sim:mps -m pytest -q",
    ]


def test_the_cpu_alone() -> None:
    (_, line) = commands(repetition(found("a.py", devices=()), "main"))
    assert line == "devicefix verify --before ../before --device cpu a.py"


@pytest.mark.parametrize("name", ["$(touch x)", "a`b`", "a;b", "a'b", "-x"])
def test_names_are_no_commands(name: str) -> None:
    first, last = commands(repetition(found("a.py", name), name))
    if name != "-x":
        quoted = name.replace("'", "'\"'\"'")
        assert last.endswith(f"a.py '{quoted}'")
        assert f"HEAD 'origin/{quoted}'" in first


def test_a_fence_is_longer_than_what_it_holds() -> None:
    text = repetition(found("a.py", "```\n"), "main")
    assert text == ""
    assert "````sh\n" in repetition(found("a.py", "```"), "main")


def test_what_nobody_can_type() -> None:
    assert repetition(found("a.py", "x" * 5000), "main") == ""
    assert repetition(found("a.py", "\x1b[31m"), "main") == ""
