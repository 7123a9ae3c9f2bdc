"""`devicefix review` where there is no page to show."""

from __future__ import annotations

import queue
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devicefix.cli import main
from devicefix.review import serving
from tests.review.conftest import PATIENCE


def test_nothing_to_review(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "a.py").write_text("import torch\n")
    assert main(["review", "."]) == 0
    out, err = capsys.readouterr()
    assert out == "Nothing to review in 1 file.\n"
    assert err == "Analysing 1 file …\n"


def test_a_path_that_is_not_there(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "missing\x1b[2J.py"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "missing\\x1b[2J.py: error: no such file" in err


def test_without_the_extra_it_says_what_to_install(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "devicefix.review.serving")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["review", "."]) == 2
    assert "pip install 'devicefix[review]'" in capsys.readouterr().err


def test_what_cannot_be_verified_is_said_before_the_page(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
    status = main(["review", ".", "--verify", "python gone.py", "--device", "cpu"])
    assert status == 2
    assert "gone.py" in capsys.readouterr().err


def test_an_interrupt_ends_it(tree: Path) -> None:
    (tree / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
    command = [sys.executable, "-m", "devicefix", "review", "--no-browser", "."]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as run:  # type: ignore[call-overload]
        assert re.search(r"http://127\.0\.0\.1:\d+/#[\w-]{43}\n", run.stdout.readline())
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert "Nothing was written. To continue: devicefix review ." in err
    assert "Traceback" not in err


def test_a_browser_gets_the_address_from_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users see the command lines of all processes."""
    seen: queue.Queue[tuple[str, int, str]] = queue.Queue()

    def opened(address: str) -> bool:
        file = Path(address.removeprefix("file://"))
        seen.put((address, file.stat().st_mode & 0o777, file.read_text()))
        return True

    monkeypatch.setattr(serving.webbrowser, "open", opened)
    with serving._opened("http://127.0.0.1:1/#secret"):
        pass
    address, mode, text = seen.get()
    assert "secret" not in address
    assert mode == 0o600
    assert 'url=http://127.0.0.1:1/#secret"' in text
    assert not Path(address.removeprefix("file://")).exists()
