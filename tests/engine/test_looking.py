"""One look for editors: what is offered, and what all safe fixes of one file make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine.looking import Look, differences, look, mended
from devicefix.engine.projects import plans
from devicefix.engine.reading import scan
from devicefix.engine.workbench import open_workbench
from devicefix.findings import Applicability, Edit
from devicefix.settings import Settings
from devicefix.source import Source, SourceError

Tree = Callable[[dict[str, str]], Path]
ONE = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3)))
"""
TWO = """\
import torch
from one import device

other = torch.nn.Linear(3, 1).to(device)
print(other(torch.ones(4, 3)))
"""
OLD = "import torch\nprint torch.ones(3)\n"


def looked(root: Path, settings: Settings | None = None) -> Look:
    settings = settings or Settings()
    scans = [scan(path) for path in sorted(root.glob("*.py"))]
    (plan,) = plans([root], scans, ())
    return look(plan, open_workbench(settings, None, None))


def test_each_group_is_offered_with_edits_of_the_text_as_it_is(tree: Tree) -> None:
    root = tree({"one.py": ONE, "two.py": TWO})
    seen = looked(root)
    offered = {Path(f.path).name for offer in seen.offers for f in offer.findings}
    assert offered == {"one.py", "two.py"}
    offer = next(o for o in seen.offers if str(root / "one.py") in o.edits)
    new = seen.with_edits(str(root / "one.py"), offer.edits[str(root / "one.py")])
    assert new.text == ONE.replace("(2, 3)", "(2, 3, device=device)")
    assert offer.applicability is Applicability.SAFE


def test_a_group_that_takes_all_of_a_block_leaves_a_pass(tree: Tree) -> None:
    types = "    FT = torch.cuda.FloatTensor\n    ST = FT\n"
    root = tree({"one.py": f"import torch\nif len('a'):\n{types}print(FT([1.0]) + ST([2.0]))\n"})
    path = str(root / "one.py")
    (offer,) = looked(root).offers
    assert "if len('a'):\n    pass\nprint" in looked(root).with_edits(path, offer.edits[path]).text


def test_edits_that_break_a_file_are_refused(tree: Tree) -> None:
    root = tree({"one.py": ONE})
    seen = looked(root)
    path = str(root / "one.py")
    for edit, reason in (
        (Edit(0, 0, 0, "("), "syntax"),
        (Edit(0, 0, 0, "return\n"), "outside function"),
        (Edit(0, 0, 0, "missing\n"), "leaves a name undefined"),
    ):
        for _ in range(2):  # the second answer is remembered
            with pytest.raises(SourceError, match=reason):
                seen.with_edits(path, [edit])


def test_what_is_left_out_is_not_offered(tree: Tree) -> None:
    root = tree({"one.py": ONE.replace("3)))", "3)))  # devicefix: ignore")})
    assert (looked(root).findings, looked(root).offers) == ((), ())
    other = tree({"one.py": ONE})
    assert looked(other, Settings(ignore=("DFX103",))).offers == ()


def test_a_file_of_python_2_is_offered_as_a_whole(tree: Tree) -> None:
    root = tree({"old.py": OLD})
    (offer,) = looked(root).offers
    source = Source.from_text(OLD)
    assert source.apply(offer.edits[str(root / "old.py")]) == OLD.replace(
        "print torch.ones(3)", "print(torch.ones(3))"
    )


def test_what_concerns_other_files_only_is_left(tree: Tree) -> None:
    root = tree({"one.py": ONE, "two.py": TWO})
    scans = [scan(path) for path in sorted(root.glob("*.py"))]
    (plan,) = plans([root], scans, ())
    outcome = mended(plan, open_workbench(Settings(), None, None), str(root / "one.py"))
    changed = {Path(r.path).name for r in outcome.results if r.change is not None}
    assert changed == {"one.py"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\nd"),
        ("", "x"),
        ("x\r\ny\r\n", ""),
        ("a\f\nb", "a\f\nb"),
        ("a", "b\n"),
    ],
)
def test_differences_make_one_text_of_the_other(old: str, new: str) -> None:
    assert Source.from_text(old).apply(differences(old, new)) == new
