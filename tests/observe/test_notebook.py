"""Notebooks as programs: order, IPython's syntax, tracebacks that name cell and line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.observe import notebook

RUNNER = notebook.__file__
Write = Callable[..., Path]
Ran = subprocess.CompletedProcess


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*cells: str | list[str], version: int = 4) -> Path:
        file = tmp_path / "folder" / "lesson.ipynb"
        file.parent.mkdir()
        source = "input" if version == 3 else "source"
        entries = [{"cell_type": "code", source: cell} for cell in cells]
        entries.insert(0, {"cell_type": "markdown", "source": "%% not code"})
        content = {"worksheets": [{"cells": entries}]} if version == 3 else {"cells": entries}
        file.write_text(json.dumps(content), encoding="utf-8")
        return file

    return write


def ran(file: Path, *arguments: str) -> Ran[str]:
    command = [sys.executable, RUNNER, str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_cells_run_in_order_in_one_namespace(write: Write) -> None:
    done = ran(write("x = 1\n", ["x += 1\n", "print(x)"]))
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_the_third_format_is_read_too(write: Write) -> None:
    assert ran(write("print(5)", version=3)).stdout == "5\n"


def test_it_stands_in_its_folder_and_has_its_arguments(write: Write) -> None:
    text = "import os, sys, helper\nprint(os.path.basename(os.getcwd()), sys.argv[1:], __name__)"
    file = write(text)
    (file.parent / "helper.py").write_text("")
    assert ran(file, "-x", "1").stdout == "folder ['-x', '1'] __main__\n"


def test_classes_of_a_notebook_can_be_pickled(write: Write) -> None:
    text = "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)"
    assert ran(write(text)).stdout == "A\n"


def test_what_is_ipythons_is_passed_over_and_told_once(write: Write) -> None:
    done = ran(
        write("%matplotlib inline\n!pip install 'x\nprint(1)", "%%bash\nrm -r x", "x = !ls\n")
    )
    assert (done.returncode, done.stdout) == (0, "1\n")
    said = "devicefix: not run, because they are IPython commands: cell 2: %matplotlib"
    assert done.stderr.startswith(said)
    assert done.stderr.endswith(" and 1 more\n")


def test_statements_behind_timing_magics_run(write: Write) -> None:
    assert ran(write("%%time\nprint(1)", "%time print(2)")).stdout == "1\n2\n"


def test_python_that_looks_like_a_magic_stays(write: Write) -> None:
    done = ran(write('x = ("%d"\n% 3)\nprint(x, """\n!no\n""")'))
    assert (done.stdout, done.stderr) == ("3 \n!no\n\n", "")


def test_a_magic_alone_in_a_block_leaves_a_block(write: Write) -> None:
    assert ran(write("if True:\n    !ls\nprint(1)")).stdout == "1\n"


def test_a_traceback_names_cell_and_line_and_nothing_of_ours(write: Write) -> None:
    done = ran(write("def f(n):\n    return 1 / n", "# here\nf(0)"))
    assert done.returncode == 1
    assert "notebook.py" not in done.stderr
    assert 'lesson.ipynb:cell 3", line 2, in <module>\n    f(0)' in done.stderr
    assert 'lesson.ipynb:cell 2", line 2, in f\n    return 1 / n' in done.stderr


def test_a_cell_that_is_no_python_is_named(write: Write) -> None:
    done = ran(write("print(1)", "x = = 2"))
    assert (done.returncode, done.stdout) == (1, "")
    assert 'lesson.ipynb:cell 3", line 1' in done.stderr
    assert "SyntaxError" in done.stderr


def test_its_exit_status_is_its_own(write: Write) -> None:
    assert ran(write("import sys\nsys.exit(7)", "print(1)")).returncode == 7


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": [3]}'])
def test_what_is_no_notebook_is_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.ipynb"
    file.write_text(text)
    done = ran(file)
    assert done.returncode == 1
    assert done.stderr.startswith("devicefix: ")
    assert "Traceback" not in done.stderr
