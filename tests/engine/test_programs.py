"""Which files are looked at together, and what lies around them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine import nearby, programs, projects
from devicefix.engine.discovery import discover
from devicefix.engine.dividing import division
from devicefix.engine.projects import Plan, Shelf, plans
from devicefix.engine.reading import Scan, scan
from devicefix.source import ModuleIndex

Tree = Callable[[dict[str, str]], Path]
TORCH = "import torch\n"


def scans(files: dict[str, str]) -> list[Scan]:
    found = []
    for path, text in files.items():
        lines = tuple(line for line in text.split("\n") if "import" in line)
        found.append(Scan(path, len(text), "torch" in text, lines))
    return found


def parts(files: dict[str, str]) -> list[str]:
    return [" ".join(found) for found in division(scans(files), ModuleIndex(files)).programs]


def test_files_that_import_each_other_are_a_program() -> None:
    files = {
        "main.py": TORCH + "import helper\n",
        "helper.py": TORCH,
        "other.py": TORCH,
        "unrelated.py": "import os\n",
    }
    assert parts(files) == ["helper.py main.py", "other.py"]


@pytest.mark.parametrize(
    "statement",
    [
        "from pkg.net import Net",
        "from pkg import net",
        "import pkg.net",
        "import os, pkg.net as n",
        "from pkg import *",
        "from.pkg.net import Net",
        "from pkg import (\n    helpers as h,\n    Net,\n)",
        "if 1: from pkg import Net",
        "x = 1; import pkg",
        "from pkg \\\n    import Net",
        "def f():\n\tfrom pkg import net",
    ],
)
def test_all_ways_to_import(tree: Tree, statement: str) -> None:
    init = "from .net import Net\r\n"
    root = tree({"main.py": statement + "\n", "pkg/__init__.py": init, "pkg/net.py": TORCH})
    assert planned(root) == ["main.py pkg/__init__.py pkg/net.py"]


def test_files_without_torch_belong_to_those_they_run_or_help() -> None:
    files = {
        "main.py": "import runner\n",
        "runner.py": "import train\n",
        "train.py": TORCH + "import config\n",
        "config.py": "import constants\n",
        "constants.py": "X = 1\n",
        "report.py": "import config\n",
    }
    assert parts(files) == ["config.py main.py runner.py train.py"]


def test_an_empty_init_ties_nothing_together() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": TORCH,
        "pkg/b.py": TORCH,
        "one.py": "from pkg import a\n",
        "two.py": "from pkg import b\n",
    }
    assert parts(files) == ["one.py pkg/a.py", "pkg/b.py two.py"]


def test_without_torch_there_is_no_program() -> None:
    assert parts({"a.py": "import b\n", "b.py": "x = 1\n"}) == []


def test_what_is_too_large_is_split_by_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 3)
    files = {
        **{f"models/{name}.py": TORCH + "from . import a\n" for name in "abc"},
        "data/x.py": TORCH,
        "data/y.py": TORCH + "from . import x\n",
        "main.py": TORCH + "import models.a, models.b, data.x, data.y\n",
    }
    expected = ["data/x.py data/y.py main.py", "models/a.py models/b.py models/c.py"]
    assert parts(files) == expected
    assert parts(dict(reversed(files.items()))) == expected


def test_parts_of_a_large_library_are_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 3)
    monkeypatch.setattr(programs, "LARGE_FILES", 4)
    monkeypatch.setattr(programs, "PART_FILES", 2)
    files = {f"{name}.py": TORCH + "import a\n" for name in "abcd"}
    assert parts(files) == ["a.py b.py c.py", "d.py"]
    assert parts({**files, "e.py": TORCH + "import a\n"}) == ["a.py b.py", "c.py d.py", "e.py"]


def test_folders_of_a_large_library_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 3)
    files = {f"{folder}/m.py": TORCH + "import a.m\n" for folder in "abcd"}
    assert parts(files) == ["a/m.py b/m.py c/m.py", "d/m.py"]
    monkeypatch.setattr(programs, "LARGE_FILES", 3)
    monkeypatch.setattr(programs, "PART_FILES", 3)
    assert parts(files) == ["a/m.py", "b/m.py", "c/m.py", "d/m.py"]


def test_a_folder_that_is_too_large_is_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_BYTES", 50)
    files = {f"{name}.py": TORCH + "import a\n" for name in "abcde"}
    assert parts(files) == ["a.py b.py", "c.py d.py", "e.py"]
    files["a.py"] += "x = 1\n" * 10
    assert parts(files) == ["a.py", "b.py c.py", "d.py e.py"]


def test_pieces_are_put_together_by_how_much_they_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 2)
    files = {
        "a/a.py": TORCH + "import b.b\n",
        "b/b.py": TORCH + "import c.c, d.d\n",
        "c/c.py": TORCH + "import b.b\n",
        "d/d.py": TORCH + "import a.a\n",
    }
    # twice between b and c; then a and d, as both that b would join are full
    assert parts(files) == ["a/a.py d/d.py", "b/b.py c/c.py"]


def test_what_only_imports_an_importer_is_left_out_of_a_large_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 2)
    files = {"far.py": "import near\n", "near.py": "import net\n", "net.py": TORCH}
    assert parts(files) == ["near.py net.py"]


# -- on the disk -----------------------------------------------------------------------------------


def found(*paths: Path, exclude: tuple[str, ...] = ()) -> list[Plan]:
    files = discover(paths, exclude).files
    return list(plans(paths, [scan(path) for path in files], exclude))


def planned(root: Path, *given: str) -> list[str]:
    plans_ = found(*(root / path for path in given or ("",)))
    return [" ".join(os.path.relpath(p, root) for p in plan.paths) for plan in plans_]


def test_the_neighbours_of_a_file_are_those_of_its_project(tree: Tree) -> None:
    root = tree(
        {
            "pkg/__init__.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/a.py": TORCH + "from ..b import f\nimport script\n",
            "pkg/b.py": TORCH,
            "script.py": TORCH,
            "broken.py": "x = = 1\n",
            ".venv/lib.py": TORCH,
        }
    )
    (plan,) = found(root / "pkg/sub/a.py")
    assert plan.paths == (str(root / "pkg/sub/a.py"),)
    b = plan.modules.find(plan.paths[0], "b", 2)
    assert b == str(root / "pkg/b.py")
    source = plan.neighbour(b)
    assert source is not None
    assert source.text == TORCH
    assert plan.neighbour(b) is source
    assert plan.neighbour(str(root / "script.py")) is not None
    assert plan.neighbour(str(root / "broken.py")) is None
    assert plan.neighbour(str(root / ".venv/lib.py")) is None
    assert plan.neighbour(str(root / "absent.py")) is None


def test_relative_paths_find_their_neighbours(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"a.py": TORCH + "import b\n", "b.py": TORCH})
    monkeypatch.chdir(root)
    (plan,) = found(Path("a.py"))
    b = plan.modules.find("a.py", "b")
    assert b is not None
    assert plan.neighbour(b) is not None


def test_the_project_of_a_file_ends_at_its_top(tree: Tree) -> None:
    files = {"repo/__init__.py": "", "repo/a.py": TORCH + "import b, c\n", "b.py": TORCH}
    root = tree({**files, "repo/c.py": TORCH})
    (plan,) = found(root / "repo/a.py")
    assert plan.modules.find(plan.paths[0], "b") == str(root / "b.py")
    (root / "repo/setup.py").touch()
    (plan,) = found(root / "repo/a.py")
    assert plan.modules.find(plan.paths[0], "b") is None
    assert plan.modules.find(plan.paths[0], "c") == str(root / "repo/c.py")


def test_the_project_of_a_folder_is_its_package(tree: Tree) -> None:
    sub = {"pkg/sub/__init__.py": "", "pkg/sub/a.py": TORCH + "from ..b import f\nimport c\n"}
    root = tree({"pkg/__init__.py": "", "pkg/b.py": TORCH, "c.py": TORCH, **sub})
    (plan,) = found(root / "pkg/sub")
    assert plan.modules.find(plan.paths[0], "b", 2) == str(root / "pkg/b.py")
    assert plan.modules.find(plan.paths[0], "c") is None


def test_excluded_files_are_no_neighbours(tree: Tree) -> None:
    root = tree({"a.py": TORCH + "import b, c\n", "b.py": TORCH, "c.py": "", ".gitignore": "c.py"})
    (root / ".git").mkdir()
    (plan,) = found(root / "a.py", exclude=("b.py",))
    assert plan.modules.find(plan.paths[0], "b") is None
    assert plan.modules.find(plan.paths[0], "c") is None


def test_nobody_looks_around_for_what_is_a_library(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("walked")

    monkeypatch.setattr(projects, "files_around", fail)
    root = tree({"a.py": TORCH + "import os, numpy\nfrom torchvision import models\n"})
    assert planned(root, "a.py") == ["a.py"]
    root = tree({"pkg/__init__.py": "", "pkg/a.py": TORCH + "from . import b\n", "pkg/b.py": ""})
    assert planned(root, "pkg/a.py", "pkg/b.py", "pkg/__init__.py") == ["pkg/a.py"]
    root = tree({"lone.py": TORCH + "import helper\n"})
    with pytest.raises(AssertionError, match="walked"):
        planned(root, "lone.py")


def test_the_walk_around_is_bounded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearby, "MOST_ENTRIES", 10)
    files = {f"data/{i}.txt": "" for i in range(20)}
    root = tree({"a.py": TORCH + "import b, models.c\n", "b.py": "", "models/c.py": "", **files})
    (plan,) = found(root / "a.py")
    assert plan.modules.find(plan.paths[0], "models.c") == str(root / "models/c.py")


def test_repositories_know_nothing_of_each_other(tree: Tree) -> None:
    root = tree(
        {"one/main.py": TORCH + "from lib.net import Net\n", "two/lib/net.py": TORCH, "x.py": TORCH}
    )
    assert planned(root) == ["one/main.py two/lib/net.py", "x.py"]
    (root / "two/.git").mkdir()
    assert sorted(planned(root)) == ["one/main.py", "two/lib/net.py", "x.py"]


def test_the_shelf_is_bounded_and_gives_back_what_is_still_held(tree: Tree) -> None:
    root = tree({f"{name}.py": TORCH * 10 for name in "abc"})
    paths = [str(root / f"{name}.py") for name in "abc"]
    shelf = Shelf(paths, room=200)
    first = shelf.take(paths[0])
    assert first is not None
    ids = [id(shelf.take(path)) for path in paths[1:]]
    assert len(ids) == 2
    assert shelf.take(paths[0]) is first
    assert len(shelf._recent) == 1
