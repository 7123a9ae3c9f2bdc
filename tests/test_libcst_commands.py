"""Local codemods as libcst commands, and once under libcst's own command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Final

import libcst
import pytest
from libcst.codemod import CodemodContext

from devicefix import libcst_commands
from devicefix.engine.registry import load_codemods

COMMAND: Final = (sys.executable, "-m", "libcst.tool", "codemod", "--external", "--no-format")

MIXED: Final = """\
import torch

model = torch.nn.Linear(3, 1)
if torch.cuda.is_available():
    model.cuda()
x = torch.ones(2, 3).cuda()  # left of  y
print(model(x.to("cuda")).sum().item())
"""

PREAMBLE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'

FIXED: Final = MappingProxyType(
    {
        "DFX201": MIXED.replace("3).cuda()", "3, device=device)"),
        "DFX203": MIXED.replace('x.to("cuda")', "x.to(device)"),
        "DFX204": MIXED.replace(
            "if torch.cuda.is_available():\n    model.cuda()", "model.to(device)"
        ),
    }
)
"""What each command makes of MIXED, but for the device."""


def run(code: str, *paths: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command from ``folder``, as a user would."""
    return subprocess.run(
        [*COMMAND, f"devicefix.libcst_commands.{code}", *map(str, paths)],
        cwd=folder,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def transformed(code: str, data: bytes) -> tuple[bytes, list[str]]:
    """What a command makes of a file, and its warnings, without a process."""
    context = CodemodContext()
    command = getattr(libcst_commands, code)(context)
    return command.transform_module(libcst.parse_module(data)).bytes, context.warnings


def expected(code: str) -> str:
    return FIXED[code].replace("import torch\n\n", f"import torch\n\n{PREAMBLE}", 1)


@pytest.mark.parametrize("code", sorted(FIXED))
def test_a_command_makes_the_fixes_of_its_codemod_alone(code: str) -> None:
    assert transformed(code, MIXED.encode())[0].decode() == expected(code)


def test_a_command_rewrites_files_from_anywhere(tmp_path: Path) -> None:
    programs = [tmp_path / "one.py", tmp_path / "two.py"]
    for program in programs:
        program.write_text(MIXED)
    (tmp_path / "elsewhere").mkdir()
    result = run("DFX204", *programs, folder=tmp_path / "elsewhere")
    assert result.returncode == 0, result.stderr
    assert [program.read_text() for program in programs] == [expected("DFX204")] * 2


def test_a_rule_that_has_no_command(tmp_path: Path) -> None:
    result = run("DFX101", tmp_path, folder=tmp_path)
    assert result.returncode != 0
    assert "no command 'DFX101'" in result.stderr
    assert "DFX201" in result.stderr


def test_every_local_codemod_has_a_command_and_no_other() -> None:
    local = {codemod.code for codemod in load_codemods() if codemod.local}
    assert local == {name for name in dir(libcst_commands) if name.startswith("DFX")}
    assert set(FIXED) <= local


def test_a_command_says_what_it_does() -> None:
    command = libcst_commands.DFX201
    assert command.DESCRIPTION.startswith("DFX201 cuda-method: ")
    assert command is libcst_commands.DFX201


@pytest.mark.parametrize(
    "data",
    [
        MIXED.replace("\n", "\r\n").encode(),
        MIXED.replace("    ", "\t").encode(),
        MIXED.removesuffix("\n").encode(),
        b"\xef\xbb\xbf" + MIXED.encode(),
        b"# coding: latin-1\n" + MIXED.replace("of  y", "of \u00fc").encode("latin-1"),
    ],
    ids=["dos", "tabs", "no-last-line-end", "byte-order-mark", "latin-1"],
)
def test_all_other_bytes_stay(data: bytes) -> None:
    after, warnings = transformed("DFX201", data)
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    preamble = PREAMBLE.encode().replace(b"\n", newline)
    assert after.replace(b", device=device)", b").cuda()").replace(preamble, b"") == data
    assert after != data
    assert not warnings


def test_what_is_left_is_a_warning() -> None:
    data = b"import torch\n\n\ndef put(x: torch.Tensor, gpu):\n    return x.cuda(gpu)\n"
    after, warnings = transformed("DFX201", data)
    assert after == data
    (warning,) = warnings
    assert warning.startswith("<stdin>:5: DFX201 ")
    assert "index" in warning


def test_a_file_without_torch_is_left_alone() -> None:
    assert transformed("DFX201", b"x = car.cuda()\n") == (b"x = car.cuda()\n", [])
