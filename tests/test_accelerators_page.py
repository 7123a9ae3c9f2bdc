"""What the page on a migration to any accelerator says of its repository is what `verify` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from devicefix.cli import main
from devicefix.verification import verifying
from tests.forking import Borrowed

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "accelerators.md"
_FILE: Final = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_SECONDS: Final = re.compile(r"\d+\.\d s")
DEVICES: Final = "sim:cuda,sim:mps,sim:xpu"

pytest.importorskip("torch", reason="the program runs with torch")


def lines_of(text: str) -> list[str]:
    """Without empty lines, and without times."""
    return [_SECONDS.sub("", line).rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_the_proof_is_what_the_tool_says(
    tmp_path: Path,
    own_state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(own_state))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)
    page = PAGE.read_text(encoding="utf-8")
    files = dict(_FILE.findall(page))
    assert files.keys() == {"model.py", "data.py", "train.py", "pyproject.toml"}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(["apply", "."]) == 0
    capfd.readouterr()
    command = ["verify", "--device", DEVICES, "--output-format", "markdown", "train.py"]
    assert main(command) == 0
    said = lines_of(capfd.readouterr().out)
    quoted = "\n".join(re.findall(r"^> ?(.*)$", page, re.MULTILINE))
    assert said[0] == "### devicefix verify: pass"
    assert said[1 : 1 + len(lines_of(quoted))] == lines_of(quoted)
