"""Programs that are nested as deeply as Python compiles them."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import Asked, check, explain, interpreter
from devicefix.settings import Settings

HEAD: Final = "import sys\nimport torch\n\nn = len(sys.argv)\n"
TAIL: Final = "model = torch.nn.Linear(2, 2).cuda()\n"
BRANCHES: Final = "if n == 0:\n    x = 0\n" + "".join(
    f"elif n == {number}:\n    x = {number}\n" for number in range(1, 1000)
)
DEEP: Final = {
    "a thousand elif": HEAD + BRANCHES + TAIL,
    "800 chained calls": HEAD + "x = torch.ones(2)" + ".abs()" * 800 + "\n" + TAIL,
    "1,500 summands": HEAD + "x = 1" + " + n" * 1_500 + "\n" + TAIL,
    "80 blocks": HEAD + "".join(f"{' ' * i}if n:\n" for i in range(80)) + f"{' ' * 80}{TAIL}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=list(DEEP))
def test_what_python_compiles_is_analysed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    compile(text, "a.py", "exec")
    limits = sys.getrecursionlimit(), threading.stack_size()
    report = check([path], Settings())
    assert report.errors == ()
    assert [finding.code for file in report.files for finding in file.findings] == ["DFX201"]
    assert (sys.getrecursionlimit(), threading.stack_size()) == limits


def test_explain_does_so_too(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(DEEP["800 chained calls"])
    explained = explain(path, Asked(6), (), Settings())
    assert [concern.finding.code for concern in explained.concerns] == ["DFX201"]


def test_what_goes_wrong_on_the_large_stack_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        interpreter.on_large_stack(lambda: 1 // 0)


def test_without_such_a_thread_it_is_nested_too_deeply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    path = tmp_path / "a.py"
    path.write_text(DEEP["a thousand elif"])
    (error,) = check([path], Settings()).errors
    assert error.reason == "nested too deeply to be analysed"


def test_what_pythons_parser_refuses_is_not_read_as_python_2(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"import torch\nx = {'-' * 20_000}1\n")
    (error,) = check([path], Settings()).errors
    assert error.reason == "is nested too deeply for Python's parser"
