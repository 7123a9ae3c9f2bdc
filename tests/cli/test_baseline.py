"""A baseline: findings that somebody has decided to live with for now."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import code, notebook

Devicefix = Callable[..., Any]
OLD = "import torch\nold = torch\n"
BASELINE = "devicefix-baseline.json"


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def entries(name: str = BASELINE) -> dict[str, list[dict[str, Any]]]:
    files: dict[str, list[dict[str, Any]]] = json.loads(Path(name).read_text())["files"]
    return files


def known(*arguments: str) -> tuple[str, ...]:
    return (*arguments, "--baseline", BASELINE)


def test_what_is_in_it_is_neither_reported_nor_changed(devicefix: Devicefix) -> None:
    write("a.py", OLD)
    write("sub/b.py", OLD + "print(old)\n")
    run = devicefix("baseline", ".")
    assert (run.status, run.err) == (0, "")
    assert run.out == (
        f"{BASELINE}: 3 findings (3 added, 0 removed).\n"
        f'To use it, set baseline = "{BASELINE}" in [tool.devicefix].\n'
    )
    assert entries() == {
        "a.py": [{"code": "TST101", "line": "old = torch"}],
        "sub/b.py": [
            {"code": "TST101", "line": "old = torch"},
            {"code": "TST101", "line": "print(old)"},
        ],
    }
    check = devicefix(*known("check", "."))
    assert (check.status, check.out) == (0, "Nothing found in 2 files.\n")
    assert check.err == f"3 findings in {BASELINE} not reported.\n"
    assert devicefix(*known("apply", "--check", ".")).status == 0
    assert devicefix(*known("apply", ".")).status == 0
    assert Path("a.py").read_text() == OLD
    assert devicefix("check", ".").status == 1


def test_the_settings_name_it_from_their_own_place(devicefix: Devicefix) -> None:
    write("pyproject.toml", '[tool.devicefix]\nbaseline = "ci/known.json"\n')
    write("sub/b.py", OLD)
    Path("ci").mkdir()
    assert devicefix("check", "sub").status == 2  # it is not there yet
    assert "[tool.devicefix]" not in devicefix("baseline", "sub").out
    assert list(entries("ci/known.json")) == ["../sub/b.py"]
    assert devicefix("check", "sub").status == 0
    assert devicefix("check", "--no-baseline", "sub").status == 1
    assert devicefix("check", "--no-baseline", "--baseline", "x", "sub").status == 2


def test_lines_may_move_and_functions_get_other_names(devicefix: Devicefix) -> None:
    text = "import torch\n\ndef f():\n    old = 1\n    return old\n"
    write("a.py", text)
    devicefix("baseline", ".")
    write("a.py", "import torch\n\n# more\n\n\ndef g(a):\n  if a:\n    old  =  1\n  return old\n")
    run = devicefix(*known("check", "."))
    assert (run.status, run.err) == (0, f"2 findings in {BASELINE} not reported.\n")


def test_the_same_line_again_is_new(devicefix: Devicefix) -> None:
    first = "def f():\n    print(old)\n\n"
    write("a.py", "import torch\n\n" + first)
    devicefix("baseline", ".")
    assert entries() == {"a.py": [{"code": "TST101", "line": "print(old)", "within": "f"}]}
    write("a.py", "import torch\n\n" + first.replace("f()", "g()") + first)
    run = devicefix(*known("check", "."))
    assert run.status == 1
    assert "a.py:4:11 TST101" in run.out  # that of g: the one of f was there
    assert "1 finding in 1 file" in run.out
    devicefix("baseline", ".")
    write("a.py", "import torch\n\nprint(old)\nprint(old)\n")  # the functions are gone
    assert devicefix(*known("check", ".")).status == 0


def test_a_line_that_changes_is_new_and_its_entry_stale(devicefix: Devicefix) -> None:
    write("a.py", OLD)
    write("b.py", OLD)
    devicefix("baseline", ".")
    write("a.py", "import torch\nold = torch.nn\n")
    Path("b.py").unlink()
    run = devicefix(*known("check", "."))
    assert run.status == 1
    assert "a.py:2:1 TST101" in run.out
    assert run.err == (
        f"{BASELINE}: no longer found; devicefix baseline --prune removes it:\n"
        "  a.py: TST101 old = torch\n"
        "  b.py: TST101 old = torch\n"
    )
    assert "no longer" not in devicefix(*known("check", "--ignore", "TST101", ".")).err
    pruned = devicefix("baseline", "--prune", ".")
    assert f"{BASELINE}: 0 findings (0 added, 2 removed).\n" in pruned.out
    assert entries() == {}


def test_one_of_two_lines_that_are_the_same_goes(devicefix: Devicefix) -> None:
    write("a.py", "import torch\nprint(old)\nprint(old)\n")
    devicefix("baseline", ".")
    assert entries() == {"a.py": [{"code": "TST101", "line": "print(old)", "count": 2}]}
    write("a.py", "import torch\nprint(old)\n")
    run = devicefix(*known("check", "."))
    assert run.status == 0
    assert run.err.count("a.py: TST101 print(old)") == 1
    devicefix("baseline", "--prune", ".")
    assert entries() == {"a.py": [{"code": "TST101", "line": "print(old)"}]}


def test_what_was_not_looked_at_stays(devicefix: Devicefix) -> None:
    write("a.py", OLD + "risky = old\n")
    write("b.py", OLD)
    write("broken.py", "import torch\nold = torch\n")
    devicefix("baseline", ".")
    write("broken.py", "import torch\nold = (\n")
    write("a.py", "import torch\n")
    run = devicefix("baseline", "--select", "TST101", "a.py", "broken.py")
    assert run.status == 2
    assert "broken.py:2: error" in run.err
    assert [(file, item["code"]) for file, items in entries().items() for item in items] == [
        ("a.py", "TST202"),
        ("b.py", "TST101"),
        ("broken.py", "TST101"),
    ]


def test_pruning_adds_nothing(devicefix: Devicefix) -> None:
    write("a.py", OLD)
    assert devicefix("baseline", "--prune", ".").status == 2  # there is none
    devicefix("baseline", ".")
    before = Path(BASELINE).read_bytes()
    write("a.py", OLD + "print(old)\n")
    assert "0 added, 0 removed" in devicefix("baseline", "--prune", ".").out
    assert Path(BASELINE).read_bytes() == before


def test_suppressed_findings_are_none_of_it(devicefix: Devicefix) -> None:
    write("a.py", "import torch\nold = torch  # devicefix: ignore[TST101]\n")
    devicefix("baseline", ".")
    assert entries() == {}


def test_cells_of_a_notebook_may_move(devicefix: Devicefix) -> None:
    cells = "import torch", "old = torch\nprint(old)"
    Path("n.ipynb").write_bytes(notebook(*map(code, cells)))
    devicefix("baseline", ".")
    Path("n.ipynb").write_bytes(notebook(*map(code, (cells[0], "1", "2", *cells[1:]))))
    run = devicefix(*known("check", "."))
    assert (run.status, run.err) == (0, f"2 findings in {BASELINE} not reported.\n")


BROKEN = {
    "no JSON": ('{"tool":\n}', f"{BASELINE}:2: invalid JSON: Expecting value"),
    "not ours": ('{"version": 1, "files": {}}', "is not a devicefix baseline"),
    "a list": ("[]", "is not a devicefix baseline"),
    "numbers": (
        '{"tool": "devicefix", "version": 1, "files": {"a": [0]}}',
        "is not a devicefix baseline",
    ),
    "a program": ("import torch\n", ":1: invalid JSON"),
    "bytes": ("\udcff", "is not a devicefix baseline"),
    "newer": ('{"tool": "devicefix", "version": 2, "files": {}}', "version 2 is not supported"),
    "unknown key": (
        '{"tool": "devicefix", "version": 1, "files": {"a": [{"code": "A", "line": "", "x": 1}]}}',
        "is not a devicefix baseline",
    ),
    "none of it": (
        '{"tool": "devicefix", "version": 1, "files": {"": [{"code": "", "line": "", "count":0}]}}',
        "is not a devicefix baseline",
    ),
}


@pytest.mark.parametrize(("content", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_no_baseline_is_named_and_kept(
    devicefix: Devicefix, content: str, reason: str
) -> None:
    write("a.py", OLD)
    data = content.encode("utf-8", "surrogateescape")
    Path(BASELINE).write_bytes(data)
    for command in ("check", "apply"):
        run = devicefix(*known(command, "."))
        assert (run.status, run.out) == (2, "")
        assert f"Error: {BASELINE}" in run.err
        assert reason in run.err
    assert devicefix("baseline", ".").status == 2
    assert Path(BASELINE).read_bytes() == data
    assert Path("a.py").read_text() == OLD


def test_names_and_lines_cannot_steer_a_terminal(devicefix: Devicefix) -> None:
    write("a\x1b[31m.py", "import torch\nprint(old, '\x1b[32m')\n")
    devicefix("baseline", ".")
    write("a\x1b[31m.py", "import torch\n")
    run = devicefix(*known("check", "."))
    assert "\\x1b[31m.py: TST101 print(old, '\\x1b[32m')" in run.err
    assert "\x1b" not in run.err + run.out
    assert b"\x1b" not in Path(BASELINE).read_bytes()


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5_000, "/etc/passwd", "../" * 99 + "x"])
def test_names_that_no_file_of_ours_can_have(devicefix: Devicefix, name: str) -> None:
    write("a.py", OLD)
    files = {name: [{"code": "TST101", "line": "old = torch"}]}
    Path(BASELINE).write_text(json.dumps({"tool": "devicefix", "version": 1, "files": files}))
    run = devicefix(*known("check", "."))
    assert (run.status == 2) == ("is not a devicefix baseline" in run.err)


def test_a_count_asks_for_no_memory(devicefix: Devicefix) -> None:
    write("a.py", OLD)
    files = {"a.py": [{"code": "TST101", "line": "x", "count": 10**12}]}
    Path(BASELINE).write_text(json.dumps({"tool": "devicefix", "version": 1, "files": files}))
    run = devicefix(*known("check", "."))
    assert (run.status, run.out) == (2, "")
    assert "no more than 200000 are read" in run.err


def test_a_pipe_is_no_baseline(devicefix: Devicefix) -> None:
    write("a.py", OLD)
    os.mkfifo(BASELINE)  # reading it would wait for ever
    run = devicefix(*known("check", "."))
    assert (run.status, run.err) == (2, f"Error: {BASELINE}: is not a regular file\n")
