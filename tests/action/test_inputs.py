"""The inputs: what is understood, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from devicefix.action.inputs import InputError, Mode, read_inputs

GIVEN = {
    "INPUT_MODE": "fix",
    "INPUT_VERIFY_DEVICES": "sim:cuda",
    "INPUT_VERIFY_TIMEOUT": "600",
    "INPUT_COMMIT_AUTHOR": "A <a@b.c>",
}


def test_words_lists_and_lines(tmp_path: Path) -> None:
    for name in ("src", "a b", "tests"):
        (tmp_path / name).mkdir()
    given = {
        **GIVEN,
        "INPUT_PATHS": "src 'a b'\ntests\n",
        "INPUT_SELECT": "DFX1, DFX2\nDFX3",
        "INPUT_UNSAFE_FIXES": "true",
        "INPUT_VERIFY_DEVICES": "sim:cuda:2, cpu\nmps",
    }
    inputs = read_inputs(given, tmp_path)
    assert inputs.paths == (Path("src"), Path("a b"), Path("tests"))
    assert inputs.select == ("DFX1", "DFX2", "DFX3")
    assert (inputs.mode, inputs.unsafe_fixes) == (Mode.FIX, True)
    assert inputs.devices == ("sim:cuda:2", "cpu", "mps")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MODE", "repair", "input mode: no mode 'repair'; use check, fix, propose or publish"),
        ("PATHS", "scr", "input paths: 'scr' does not exist; paths are relative to working-dir"),
        ("WORKING_DIRECTORY", "scr", "input working-directory: 'scr' does not exist"),
        ("WORKING_DIRECTORY", "file", "input working-directory: 'file' is not a folder"),
        ("FAIL_ON_FINDINGS", "maybe", "input fail-on-findings: neither true nor false: 'maybe'"),
        ("UPLOAD_SARIF", "yes", "input upload-sarif: neither true nor false: 'yes'"),
        ("PATHS", "'src", "input paths: No closing quotation"),
        ("UNSAFE_FIXES", "yes", "input unsafe-fixes: neither true nor false: 'yes'"),
        ("VERIFY_TIMEOUT", "soon", "input verify-timeout: not a number of seconds: 'soon'"),
        ("VERIFY_TIMEOUT", "inf", "input verify-timeout: not a number of seconds"),
        ("VERIFY_DEVICES", "sim:tpu", "input verify-devices: unknown simulated device"),
        ("COMMIT_AUTHOR", "me", "input commit-author: not of the form"),
        ("PATHS", "../other", "is outside the workspace"),
        ("PATHS", "/etc/passwd", "is outside the workspace"),
        ("WORKING_DIRECTORY", "..", "is outside the workspace"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, value: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as refused:
        read_inputs({**GIVEN, f"INPUT_{name}": value}, tmp_path)
    assert said in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_does_not_lead_out_of_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "out").symlink_to(tmp_path)
    with pytest.raises(InputError, match="is outside"):
        read_inputs({**GIVEN, "INPUT_PATHS": "out"}, workspace)


@pytest.mark.parametrize("mode", ["check", "publish"])
def test_these_modes_run_no_program(mode: str, tmp_path: Path) -> None:
    given = {**GIVEN, "INPUT_MODE": mode, "INPUT_VERIFY": "python train.py"}
    with pytest.raises(InputError, match="works with mode fix or propose only; mode"):
        read_inputs(given, tmp_path)
