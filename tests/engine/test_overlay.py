"""Texts of an editor, or of standard input, that are read in place of files."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine import Asked, Report, check, commit, explain, processes, rehearsal
from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.projects import plans
from devicefix.engine.reading import scan
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]
FIXED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))
"""
BROKEN = FIXED.replace(", device=device", "")
PARTS = "import torch\n\n\ndef batch():\n    return torch.ones(2, 3)\n"
ON_CUDA = PARTS.replace("2, 3", '2, 3, device="cuda"')
USER = """\
import torch
from parts import batch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(batch()))
"""


def found(report: Report) -> list[tuple[str, int]]:
    return [(Path(f.path).name, f.line) for result in report.files for f in result.findings]


def rehearsed(root: Path, overlay: dict[Path, bytes]) -> Report:
    return rehearsal([root], Settings(), dry_run=True, overlay=overlay).report()


def test_what_is_held_is_looked_at_in_place_of_the_file(tree: Tree) -> None:
    root = tree({"a.py": FIXED, "b.py": BROKEN})
    overlay = {root / "a.py": BROKEN.encode(), root / "b.py": FIXED.encode()}
    assert found(check([root], Settings())) == [("b.py", 5)]
    assert found(check([root], Settings(), overlay=overlay)) == [("a.py", 5)]
    ((result, change),) = rehearsed(root, overlay).changes
    assert (Path(result.path).name, change.before, change.after) == (
        "a.py",
        BROKEN.encode(),
        FIXED.encode(),
    )


def test_it_keeps_its_bytes(tree: Tree) -> None:
    root = tree({"a.py": FIXED})
    latin = "# coding: latin-1\r\n# é\r\n".encode("latin-1")
    text = latin + BROKEN.replace("\n", "\r\n").encode()
    ((_, change),) = rehearsed(root, {root / "a.py": text}).changes
    assert change.before == text
    assert change.after == latin + FIXED.replace("\n", "\r\n").encode()


def test_a_file_that_is_not_on_the_disk_counts_where_it_is_named(tree: Tree) -> None:
    root = tree({"main.py": USER})
    overlay = {root / "parts.py": ON_CUDA.encode(), root / "other.py": BROKEN.encode()}
    named = [root, root / "parts.py"]
    report = check(named, Settings(), overlay=overlay)
    assert (found(report), report.errors) == ([("parts.py", 5)], ())
    assert not (root / "parts.py").exists()


def test_it_decides_what_belongs_to_a_program(tree: Tree) -> None:
    """What a file imports, and whether it mentions torch, is asked of the text that is held."""
    root = tree({"main.py": "print('nothing')\n", "parts.py": PARTS})
    assert found(check([root], Settings())) == []
    held = {root / "main.py": USER.encode()}
    assert found(check([root], Settings(), overlay=held)) == [("main.py", 6)]


def test_neighbours_are_read_from_it(tree: Tree) -> None:
    """A neighbour is not among the paths, but what it says decides."""
    root = tree({"main.py": USER, "parts.py": PARTS})
    before = check([root / "main.py"], Settings())
    assert found(before) == [("main.py", 6)]
    held = {root / "parts.py": ON_CUDA.encode()}
    assert found(check([root / "main.py"], Settings(), overlay=held)) == []


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_it_is_the_same_file_by_whatever_name(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"a.py": FIXED})
    (root / "link.py").symlink_to(root / "a.py")
    held = BROKEN.encode()
    assert found(check([root / "link.py"], Settings(), overlay={root / "a.py": held}))
    monkeypatch.chdir(root)
    assert found(check([Path("a.py")], Settings(), overlay={root / "link.py": held}))
    assert found(check([root], Settings(), overlay={Path("a.py"): held}))


def test_other_processes_read_it_too(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "WORTH", 1)
    root = tree({f"{name}.py": FIXED for name in "abc"})
    overlay = {root / "b.py": BROKEN.encode()}
    assert found(check([root], Settings(), jobs=2, overlay=overlay)) == [("b.py", 5)]


def test_plans_travel_with_it(tree: Tree) -> None:
    """Where processes do not fork, they are sent what they need; neighbours included."""
    root = tree({"main.py": USER, "parts.py": PARTS})
    main, parts = root / "main.py", root / "parts.py"
    overlay = Overlay.of({parts: b"held = 1\n", main: USER.encode() + b"held = 2\n"})
    (plan,) = plans([main], [scan(main, overlay)], (), overlay)
    there = pickle.loads(pickle.dumps(plan))
    neighbour = there.neighbour(str(parts))
    assert neighbour is not None
    assert neighbour.text == "held = 1\n"
    assert there.overlay.text(main) == USER.encode() + b"held = 2\n"


def test_a_plan_holds_other_texts(tree: Tree) -> None:
    """Neighbours that stay the same are not parsed again."""
    root = tree({"main.py": USER, "parts.py": PARTS})
    main, parts = root / "main.py", root / "parts.py"
    (plan,) = plans([main], [scan(main)], ())
    first = plan.neighbour(str(parts))
    held = plan.holding(Overlay.of({main: b"import torch\n"}))
    assert held.overlay.text(main) == b"import torch\n"
    assert held.neighbour(str(parts)) is first
    over = held.holding(Overlay.of({parts: b"held = 1\n"}))
    parts.write_text("saved = 1\n")
    for one, text in ((over, "held = 1\n"), (over.holding(NOTHING), "saved = 1\n")):
        neighbour = one.neighbour(str(parts))
        assert neighbour is not None
        assert neighbour.text == text


def test_notebooks_are_held_as_files(tree: Tree) -> None:
    root = tree({"a.ipynb": "{}"})
    cell: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    book = {
        "cells": [{**cell, "source": BROKEN.splitlines(keepends=True)}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    overlay = {root / "a.ipynb": json.dumps(book).encode()}
    ((result, change),) = rehearsed(root, overlay).changes
    assert [(f.cell, f.line) for f in result.findings] == [(1, 5)]
    assert "".join(json.loads(change.after)["cells"][0]["source"]) == FIXED


def test_nothing_is_written_over_a_file_that_holds_something_else(tree: Tree, state: Path) -> None:
    root = tree({"a.py": "# of the disk\n"})
    rehearsed_once = rehearsal([root], Settings(), overlay={root / "a.py": BROKEN.encode()})
    report = commit(rehearsed_once.report())
    assert ["was changed in the meantime" in error.reason for error in report.errors] == [True]
    assert (root / "a.py").read_text() == "# of the disk\n"


def test_a_line_is_explained_as_it_is_held(tree: Tree) -> None:
    root = tree({"a.py": "x = 1\n"})
    overlay = {root / "a.py": BROKEN.encode(), root / "new.py": BROKEN.encode()}
    for name in ("a.py", "new.py"):
        explained = explain(root / name, Asked(5), (), Settings(), overlay)
        assert explained.explanation is not None
        kinds = {belief.text: belief.today for belief in explained.explanation.beliefs}
        assert kinds["torch.ones(2, 3)"] == "CPU"
    assert not (root / "new.py").exists()
