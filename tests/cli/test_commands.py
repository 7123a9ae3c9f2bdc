from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devicefix.cli.options import Selection, make_settings

Devicefix = Callable[..., Any]
OLD = "import torch\r\nold = risky = torch\r\n"
NEW = "import torch\r\nnew = risky = torch\r\n"


def write(text: str, name: str = "a.py") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_check_says_what_is_wrong_and_exits_1(devicefix: Devicefix) -> None:
    path = write(OLD)
    run = devicefix("check", ".")
    assert (run.status, run.err) == (1, "")
    assert run.out.startswith(
        "Needs your decision:\n"
        "  a.py:2:7 TST202 risky is used [unsafe]\n"
        "    old = risky = torch\n"
        "          ^^^^^\n"
        "    the fix is unsafe (--unsafe-fixes applies it): look twice\n"
        "\n"
        "a.py:2:1 TST101 old is used [safe]\n"
    )
    assert path.read_bytes() == OLD.encode()


def test_check_exits_0_where_nothing_is_wrong(devicefix: Devicefix) -> None:
    write("import torch\n")
    write("old = 1\n", "no_torch.py")
    run = devicefix("check", ".")
    assert run == (0, "Nothing found in 2 files.\n", "")


def test_errors_outrank_findings_and_go_to_stderr(devicefix: Devicefix) -> None:
    write(OLD)
    write("import torch\nprint 'x'\n", "b.py")
    for command in ("check", "apply"):
        run = devicefix(command, ".", "missing")
        assert run.status == 2
        first, second = run.err.splitlines()
        assert first.startswith("b.py:2: error: ")
        assert "Python 2" in first
        assert second == "missing: error: no such file or directory"
        assert "TST101" in run.out


def test_json_is_alone_on_stdout(devicefix: Devicefix) -> None:
    write(OLD)
    write("import torch\nx = (\n", "b.py")
    run = devicefix("check", "a.py", "b.py", "--output-format", "json")
    content = json.loads(run.out)
    assert (run.status, content["version"], len(content["findings"])) == (2, 1, 2)
    assert [error["path"] for error in content["errors"]] == ["b.py"]
    run = devicefix("apply", "a.py", "--output-format", "json")
    assert run.status == 0
    assert json.loads(run.out)["summary"]["files_changed"] == 1


def test_apply_writes_and_undo_restores_every_byte(devicefix: Devicefix) -> None:
    path = write(OLD)
    run = devicefix("apply", ".")
    assert (run.status, run.err) == (0, "")
    assert path.read_bytes() == NEW.encode()
    assert (
        "Fixed 1 finding in 1 file (1 checked); 1 needs your decision. `devicefix undo`" in run.out
    )
    again = devicefix("apply", "--check", ".")
    assert again.status == 0
    assert "Would fix nothing (1 checked); 1 needs your decision.\n" in again.out
    run = devicefix("undo")
    assert run == (0, "restored a.py\n", "")
    assert path.read_bytes() == OLD.encode()
    assert devicefix("undo") == (2, "", "Error: nothing to undo\n")


def test_redo_applies_again_what_undo_reverted(devicefix: Devicefix) -> None:
    path = write(OLD)
    devicefix("apply", ".")
    assert devicefix("redo") == (2, "", "Error: nothing to redo\n")
    devicefix("undo")
    assert devicefix("redo", "--list").out.endswith("  1 file  TST101  a.py\n")
    assert devicefix("redo") == (0, "applied again: a.py\n", "")
    assert path.read_bytes() == NEW.encode()
    assert devicefix("undo").out == "restored a.py\n"
    path.write_bytes(b"mine\n")
    run = devicefix("redo", ".")
    assert (run.status, run.out) == (2, "")
    assert run.err == f"{path.resolve()}: error: not applied again: it was changed after undo\n"
    assert path.read_bytes() == b"mine\n"
    assert devicefix("redo", "--list", "elsewhere").out == "nothing to redo\n"


def test_undo_with_a_path_and_a_file_changed_since(devicefix: Devicefix) -> None:
    a, b = write(OLD), write(OLD, "sub/b.py")
    devicefix("apply", ".")
    a.write_bytes(b"mine\n")
    run = devicefix("undo")
    assert run.status == 2
    assert run.out == f"restored {b}\n"
    assert run.err == f"{a.resolve()}: error: not restored: it was changed in the meantime\n"
    assert a.read_bytes() == b"mine\n"
    assert devicefix("undo", "sub").err == "Error: nothing to undo for sub\n"


def test_dry_run_prints_a_patch_and_writes_nothing(devicefix: Devicefix) -> None:
    path = write(OLD, "sub dir/a.py")
    run = devicefix("apply", "--dry-run", ".")
    assert run.status == 0
    assert path.read_bytes() == OLD.encode()
    assert run.out.startswith("--- a/sub dir/a.py\t\n+++ b/sub dir/a.py\t\n")
    assert run.out.endswith("-old = risky = torch\r\n+new = risky = torch\r\n")
    assert "Would fix 1 finding in 1 file (1 checked); 1 needs your decision." in run.err
    subprocess.run(["git", "apply", "-"], input=run.out.encode(), check=True)
    assert path.read_bytes() == NEW.encode()


def test_apply_check_exits_1_if_anything_would_change(devicefix: Devicefix) -> None:
    path = write(OLD)
    assert devicefix("apply", "--check", ".").status == 1
    assert path.read_bytes() == OLD.encode()
    write("import torch\nx = (\n", "b.py")
    assert devicefix("apply", "--check", ".").status == 2
    assert devicefix("apply", "--check", "--select", "TST202", "a.py").status == 0


def test_selection_and_unsafe_fixes(devicefix: Devicefix) -> None:
    path = write(OLD)
    assert "TST101" not in devicefix("check", "--ignore", "old-name", ".").out
    assert devicefix("check", "--select", "tst1,TST2", "--ignore", "TST", ".").status == 0
    assert devicefix("apply", "--select", "TST202", "--unsafe-fixes", ".").status == 0
    assert path.read_bytes() == OLD.replace("risky", "bold").encode()


@pytest.mark.parametrize(
    "arguments", [("check", ".", "--select"), ("apply", ".", "--ignore"), ("explain",)]
)
def test_unknown_rules_exit_2_with_the_nearest(
    devicefix: Devicefix, arguments: tuple[str, ...]
) -> None:
    run = devicefix(*arguments, "TST102")
    assert (run.status, run.out) == (2, "")
    assert run.err == "Error: unknown rule 'TST102'; did you mean TST101?\n"


def test_settings_of_the_project_and_a_broken_one(devicefix: Devicefix) -> None:
    write(OLD, "p/a.py")
    write('[tool.devicefix]\nselect = ["TST202"]\nunsafe-fixes = true\n', "p/pyproject.toml")
    run = devicefix("check", "p")
    assert "TST101" not in run.out
    assert "1 fixable with `devicefix apply`" in run.out
    write("[tool.devicefix\n", "p/pyproject.toml")
    run = devicefix("check", "p")
    assert (run.status, run.out) == (2, "")
    assert "pyproject.toml" in run.err
    assert devicefix("check", "p", "--config", "gone.toml").status == 2


def test_rules_and_explain(devicefix: Devicefix) -> None:
    run = devicefix("rules")
    assert run.status == 0
    assert "TST101   old-name     The name `old` is used." in run.out
    content = json.loads(devicefix("rules", "--output-format", "json").out)
    assert [rule["code"] for rule in content["rules"]] == ["TST101", "TST202"]
    for name in ("tst101", "TST101", "old-name"):
        run = devicefix("explain", name)
        assert run.status == 0
        assert run.out.startswith(
            "# TST101: old-name\n\nThe name `old` is used.\n\n## What it does"
        )


def test_usage_errors_exit_2(devicefix: Devicefix) -> None:
    assert devicefix("explain").status == 2
    assert devicefix("check", "--no-such-option", ".").status == 2
    assert devicefix("no-such-command").status == 2
    assert devicefix("--help").status == 0


def test_names_and_messages_in_any_encoding(devicefix: Devicefix) -> None:
    Path(os.fsdecode(b"\xff\x1b.py")).write_bytes(OLD.encode())
    run = devicefix("check", ".")
    assert "\\udcff\\x1b.py:2:1 TST101" in run.out
    assert json.loads(devicefix("check", ".", "--output-format", "json").out)["findings"]
    assert devicefix("apply", ".").status == 0
    assert devicefix("undo").status == 0


def test_an_interrupt_is_no_finding(devicefix: Devicefix, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("devicefix.cli.check.check", interrupted)
    write(OLD)
    assert devicefix("check", ".").status == 130


def test_the_oldest_torch(devicefix: Devicefix, tmp_path: Path) -> None:
    write(OLD)
    assert devicefix("check", "--min-torch", "2.0", "--select", "TST202", ".").status == 1
    run = devicefix("apply", "--min-torch", "0.3", ".")
    assert (run.status, run.out) == (2, "")
    assert "Invalid value for '--min-torch': must be 0.4 or newer, not 0.3" in run.err
    assert make_settings([tmp_path], Selection(min_torch="2.6")).oldest_torch().version == (2, 6)
    assert make_settings([tmp_path], Selection()).oldest_torch().version == (2, 4)


def test_a_style_that_the_torch_of_the_project_has_not(devicefix: Devicefix) -> None:
    write(OLD)
    run = devicefix("check", "--style", "accelerator", "--min-torch", "2.5", ".")
    assert run.status == 2
    assert 'style "accelerator" needs torch 2.6, and min-torch is 2.5' in run.err
    Path("pyproject.toml").write_text('[tool.devicefix]\nmin-torch = "2.4"\n')
    run = devicefix("check", "--style", "accelerator", ".")
    assert (run.status, "pyproject.toml:2: style " in run.err) == (2, True)
    Path("pyproject.toml").write_text('[tool.devicefix]\nstyle = "accelerator"\n')
    run = devicefix("check", "--min-torch", "2.5", ".")
    assert (run.status, "pyproject.toml:2: style " in run.err) == (2, True)
    assert devicefix("check", "--style", "cuda", "--min-torch", "2.5", ".").status == 1
    assert devicefix("check", ".").status == 1


def test_what_is_excluded_is_passed_over_on_demand_where_it_is_named(devicefix: Devicefix) -> None:
    Path("pyproject.toml").write_text('[tool.devicefix]\nexclude = ["gen_*", "/old/"]\n')
    passed_over = ["gen_a.py", "old/b.py", "sub/gen_x/c.py", "build/d.py", "old"]
    for name in ("x.py", "sub/old/y.py", *passed_over[:-1]):
        write(OLD, name)
    named = ["x.py", "sub/old/y.py", str(Path("gen_a.py").absolute()), *passed_over[1:]]
    assert len(places(devicefix("check", *named).out)) > 2
    run = devicefix("check", "--force-exclude", *named)
    assert places(run.out) == ["x.py", "sub/old/y.py"]
    assert devicefix("check", "--force-exclude", *passed_over).status == 0
    assert devicefix("apply", "--force-exclude", *named).status == 0
    assert Path("old/b.py").read_bytes() == OLD.encode()
    assert Path("x.py").read_bytes() == NEW.encode()


def places(output: str) -> list[str]:
    """The files of the findings, each once."""
    return sorted(set(re.findall(r"^(\S+):\d+:\d+ TST101 ", output, re.MULTILINE)), reverse=True)


def test_what_is_wrong_with_the_command_line_cannot_steer_a_terminal(devicefix: Devicefix) -> None:
    steering = "\x1b[31m\n.py"
    for arguments in (
        ("rules", steering),
        ("run", steering),
        ("check", "--output-file", steering, "."),
        ("apply", "--verify", "\x1b[31m.x", "."),
        ("verify", "--before", steering, "--after", ".", "x.py"),
    ):
        run = devicefix(*arguments)
        assert run.status == 2
        assert "\\x1b[31m" in run.err
        assert "\x1b" not in run.err + run.out
