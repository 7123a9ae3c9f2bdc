from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine.discovery import Discovery, discover

Tree = Callable[[dict[str, str]], Path]


def names(discovery: Discovery, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in discovery.files]


def test_walks_folders_in_a_stable_order(tree: Tree) -> None:
    root = tree({"b.py": "", "a.py": "", "c/d.py": "", "c/e.txt": "", "f.pyi": ""})
    found = discover([root])
    assert names(found, root) == ["a.py", "b.py", "c/d.py"]
    assert found.errors == ()


def test_takes_a_file_as_it_is_given(tree: Tree) -> None:
    root = tree({".gitignore": "*.py\n", "build/x.py": "", "script": ""})
    given = [root / "build/x.py", root / "script"]
    assert list(discover(given, ["x.py"]).files) == given


@pytest.mark.parametrize(
    "folder",
    [".git", ".venv", "venv", "__pycache__", "node_modules", "build", "dist", ".tox", "p.egg-info"],
)
def test_does_not_walk_into_what_others_made(tree: Tree, folder: str) -> None:
    root = tree({f"{folder}/x.py": "", "sub/" + folder + "/x.py": "", "a.py": ""})
    assert names(discover([root]), root) == ["a.py"]
    assert names(discover([root / folder]), root) == [f"{folder}/x.py"]


def test_knows_a_virtual_environment_of_any_name(tree: Tree) -> None:
    root = tree({"py311/pyvenv.cfg": "", "py311/lib/x.py": "", "a.py": ""})
    assert names(discover([root]), root) == ["a.py"]


def test_honours_gitignore_files_at_every_level(tree: Tree) -> None:
    root = tree(
        {
            ".gitignore": "\ufeff# made by a tool\n/top.py\ngenerated/\n*_pb2.py\n",
            "top.py": "",
            "sub/top.py": "",
            "generated/x.py": "",
            "a_pb2.py": "",
            "sub/.gitignore": "!b_pb2.py\nlocal.py\n",
            "sub/b_pb2.py": "",
            "sub/local.py": "",
            "local.py": "",
        }
    )
    assert names(discover([root]), root) == ["local.py", "sub/b_pb2.py", "sub/top.py"]


def test_honours_the_gitignore_of_the_repository_around(tree: Tree) -> None:
    root = tree({".git/HEAD": "", ".gitignore": "src/x.py\n", "src/x.py": "", "src/y.py": ""})
    assert names(discover([root / "src"]), root) == ["src/y.py"]


def test_a_gitignore_outside_any_repository_does_not_reach_below_its_folder(tree: Tree) -> None:
    root = tree({".gitignore": "x.py\n", "src/x.py": ""})
    assert names(discover([root / "src"]), root) == ["src/x.py"]


def test_an_ignored_folder_asked_for_by_name_is_walked(tree: Tree) -> None:
    root = tree({".git/HEAD": "", ".gitignore": "out/\n", "out/x.py": "", "out/sub/y.py": ""})
    assert names(discover([root / "out"]), root) == ["out/x.py", "out/sub/y.py"]


def test_passes_over_patterns_that_mean_nothing(tree: Tree) -> None:
    root = tree({".gitignore": "!\nx.py\n", "x.py": "", "y.py": ""})
    assert names(discover([root]), root) == ["y.py"]


def test_what_is_no_file_has_no_patterns(tree: Tree) -> None:
    root = tree({"patterns": "x.py\n", "x.py": "", "sub/y.py": ""})
    (root / ".gitignore").symlink_to("patterns")  # git does not follow it either
    os.mkfifo(root / "sub" / ".gitignore")  # reading it would wait for ever
    assert names(discover([root]), root) == ["x.py", "sub/y.py"]


def test_excludes_are_final(tree: Tree) -> None:
    root = tree({".gitignore": "!old/x.py\n", "old/x.py": "", "a/old.py": "", "a/b.py": ""})
    found = discover([root], ["old", "a/old.py"])
    assert names(found, root) == ["a/b.py"]


def test_excludes_hold_from_the_working_directory_too(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({"src/vendor/x.py": "", "src/y.py": ""})
    monkeypatch.chdir(root)
    assert discover([Path("src")], ["src/vendor"]).files == (Path("src/y.py"),)


def test_gives_each_file_once_under_its_own_name(tree: Tree) -> None:
    root = tree({"z.py": "", "sub/x.py": ""})
    (root / "a.py").symlink_to("z.py")
    found = discover([root, root / "z.py", root / "sub"])
    assert names(found, root) == ["z.py", "sub/x.py"]


def test_follows_a_link_to_a_file_inside_only(tree: Tree, tmp_path: Path) -> None:
    root = tree({"bin/tool": ""})
    (root / "tool.py").symlink_to("bin/tool")
    (tmp_path / "outside.py").write_text("")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    assert names(discover([root]), root) == ["tool.py"]


def test_does_not_follow_links_to_folders(tree: Tree) -> None:
    root = tree({"sub/x.py": ""})
    (root / "sub/up").symlink_to(root, target_is_directory=True)
    assert names(discover([root]), root) == ["sub/x.py"]


def test_names_broken_links_and_loops(tree: Tree) -> None:
    root = tree({"good.py": ""})
    (root / "loop.py").symlink_to("loop.py")
    (root / "gone.py").symlink_to("nowhere.py")
    (root / ".#good.py").symlink_to("someone@host.1234")
    found = discover([root, root / "loop.py"])
    assert names(found, root) == ["good.py"]
    reasons = sorted(str(error) for error in found.errors)
    assert [Path(reason.partition(": ")[0]).name for reason in reasons] == [
        "gone.py",
        "loop.py",
        "loop.py",
    ]
    assert "no such file" in reasons[0]
    assert "symbolic links" in reasons[1]


def test_names_what_is_missing_and_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    found = discover([tmp_path / "gone.py", tmp_path / "pipe.py", tmp_path / "nul\0.py"])
    assert found.files == ()
    assert [error.reason for error in found.errors] == [
        "no such file or directory",
        "neither a file nor a folder",
        "embedded null byte",
    ]
    assert discover([tmp_path]).files == ()


def test_names_a_folder_that_cannot_be_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"a/x.py": "", "b/y.py": ""})
    scandir = os.scandir

    def refuse(folder: Path) -> object:
        if folder.name == "a":
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover([root])
    assert names(found, root) == ["b/y.py"]
    assert [str(error) for error in found.errors] == [f"{root}/a: error: permission denied"]


@pytest.mark.parametrize(
    "pattern", ["a*" * 30 + "b", "?*" * 30 + "b", "**/" + "a/**/" * 30 + "b", "[!b]*" * 30 + "b"]
)
def test_a_pattern_with_many_stars_comes_to_an_end(tree: Tree, pattern: str) -> None:
    name = "a" * 90 + ".py"
    folder = "a/" * 40
    root = tree({".gitignore": f"{pattern}\n", name: "", f"{folder}c.py": ""})
    assert names(discover([root], [pattern]), root) == [name, f"{folder}c.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("a*b*c.py", ["a/x/abd.py", "acb.py"]),
        ("**/a/**/x/**/a*d.py", ["a/x/abc.py", "abbc.py", "acb.py"]),
        ("a/**/*b*d*", ["a/x/abc.py", "abbc.py", "acb.py"]),
        ("a*[!b]*b*.py", ["a/x/abc.py", "a/x/abd.py", "abbc.py"]),
        ("*a*/*x*", ["abbc.py", "acb.py"]),
    ],
)
def test_stars_mean_what_they_mean_to_git(tree: Tree, pattern: str, left: list[str]) -> None:
    root = tree(dict.fromkeys(("a/x/abc.py", "a/x/abd.py", "abbc.py", "acb.py"), ""))
    assert sorted(names(discover([root], [pattern]), root)) == left
