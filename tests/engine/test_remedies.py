"""What `apply` would do about an error that a program ran into."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from devicefix.engine import files_of, remedy
from devicefix.records import Failure, Place, Run
from devicefix.settings import Settings
from tests.notebooks import notebook


@pytest.fixture
def failure(run: Run) -> Failure:
    assert run.failure is not None
    return run.failure


def at(file: Path, line: int) -> Place:
    return Place(str(file), line, "<module>", "")


def test_it_names_the_rule_and_the_lines(failure: Failure, failing: Path) -> None:
    before = failing.read_bytes()
    found = remedy(failure, Settings())
    assert found is not None
    assert (found.codes, found.paths, found.left) == (("DFX103",), (str(failing),), None)
    (change,) = found.changes
    assert (change.line, change.after) == (6, ("inputs = torch.randn(64, 8, device=device)",))
    assert failing.read_bytes() == before


def test_what_is_found_elsewhere_is_none_of_this_error(failure: Failure, failing: Path) -> None:
    other = replace(failure, operands=(), at=at(failing, 5), traceback=())
    assert remedy(other, Settings()) is None


def test_a_line_that_goes_in_before_the_error_counts(failure: Failure, failing: Path) -> None:
    failing.write_text(
        "import torch\n"
        "from torch.utils.data import DataLoader\n"
        'device = "cuda" if torch.cuda.is_available() else "cpu"\n'
        "model = torch.nn.Linear(4, 2).to(device)\n"
        "for x in DataLoader(torch.randn(8, 4)):\n"
        "    print(model(x).sum().item())\n"
    )
    # a worker made the tensor, so nobody saw where
    unseen = replace(failure.operands[0], created=None)
    found = remedy(replace(failure, operands=(unseen,), at=at(failing, 6)), Settings())
    assert found is not None
    assert found.codes == ("DFX102",)
    assert [change.after for change in found.changes] == [("    x = x.to(device)",)]


def test_of_several_changed_lines_only_those_that_matter_are_told(
    failure: Failure, failing: Path
) -> None:
    failing.write_text(
        "import torch\n"
        "index = torch.tensor([1, 2]).cuda()\n"
        "table = torch.randn(10, 3)\n"
        "print(torch.nn.functional.linear(table, table[index].cuda()))\n"
    )
    operand = replace(failure.operands[0], created=at(failing, 3))
    found = remedy(replace(failure, operands=(operand,), at=at(failing, 4)), Settings())
    assert found is not None
    (change,) = found.changes
    assert (change.line, change.before) == (3, ("table = torch.randn(10, 3)",))
    assert change.after == ("table = torch.randn(10, 3, device=device)",)


def test_what_only_makes_a_line_portable_is_no_remedy(failure: Failure, failing: Path) -> None:
    failing.write_text("import torch\nprint(torch.randn(3).cuda() + torch.randn(3))\n")
    operand = replace(failure.operands[0], created=at(failing, 2))
    here = replace(failure, operands=(operand,), at=at(failing, 2))
    assert remedy(here, Settings(select=("DFX201",))) is None
    assert remedy(here, Settings()) is not None


def test_a_finding_that_is_left_says_why(failure: Failure, failing: Path) -> None:
    found = remedy(failure, Settings(ignore=("DFX103",)))
    assert found is None
    failing.write_text(
        "import torch\nimport unseen\n"
        'device = "cuda" if torch.cuda.is_available() else "cpu"\n'
        "model = torch.nn.Linear(4, 2).to(device)\n"
        "x = torch.randn(8, 4)\n"
        "unseen.look(x)\n"
        "print(model(x))\n"
    )
    operand = replace(failure.operands[0], created=at(failing, 5))
    found = remedy(replace(failure, operands=(operand,), at=at(failing, 7)), Settings())
    assert found is not None
    assert found.codes == ("DFX103",)
    assert found.left is not None
    assert "unseen" in found.left


def test_only_files_of_the_user_are_looked_at(failure: Failure, tmp_path: Path) -> None:
    library = tmp_path / "lib" / "site-packages" / "library.py"
    library.parent.mkdir(parents=True)
    library.write_text("import torch\n")
    frames = [*failure.traceback, at(library, 1), at(tmp_path / "gone.py", 1)]
    frames += [Place("<string>", 1, "f", ""), Place(os.__file__, 1, "f", "")]
    assert files_of(replace(failure, traceback=tuple(frames))) == files_of(failure)  # type: ignore[arg-type]


def test_a_file_that_is_no_python_has_no_remedy(failure: Failure, failing: Path) -> None:
    failing.write_text("import torch (\n")
    assert remedy(failure, Settings()) is None
    failing.unlink()
    assert remedy(failure, Settings()) is None


def test_a_line_of_a_cell(failure: Failure, tmp_path: Path) -> None:
    head = 'import torch\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    file = tmp_path / "lesson.ipynb"
    calls = "model = torch.nn.Linear(8, 2).to(device)\n%time y = model(x)"
    file.write_bytes(notebook("#md", head, "x = torch.randn(4, 8)", calls))
    cells = [Path(f"{file}:cell {number}") for number in (3, 4)]
    made = replace(failure.operands[0], created=at(cells[0], 1), moved=None)
    found = remedy(replace(failure, operands=(made,), at=at(cells[1], 2), traceback=()), Settings())
    assert found is not None
    assert (found.codes, found.paths) == (("DFX103",), (str(file),))
    (change,) = found.changes
    assert (change.cell, change.line, change.before) == (3, 1, ("x = torch.randn(4, 8)",))
    assert change.after == ("x = torch.randn(4, 8, device=device)",)
