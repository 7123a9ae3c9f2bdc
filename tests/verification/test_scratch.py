"""The copy of a tree: what goes into it, and that each restoring brings all of it back."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devicefix.verification import LaunchError
from devicefix.verification.listing import list_tree
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    for name, text in {
        "train.py": "print(1)\n",
        "run.sh": "#!/bin/sh\n",
        "data/a.csv": "1,2\n",
        "pkg/__init__.py": "",
        "pkg/deep/model.py": "x = 1\n",
        "pkg/.git": "gitdir: ../.git/modules/pkg\n",
        ".git/config": "[core]\n",
        "env/pyvenv.cfg": "",
        "env/bin/python": "",
        "pkg/__pycache__/model.pyc": "",
        "node_modules/x.js": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "run.sh").chmod(0o755)
    (root / "empty").mkdir()
    return root


@pytest.fixture
def scratch(root: Path) -> Iterator[Scratch]:
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(root))
        yield scratch


def content(folder: Path) -> dict[str, tuple[str, int]]:
    """All that is below ``folder``: what it holds, or where it leads, and its permissions."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        mode = path.lstat().st_mode & 0o777
        if path.is_symlink():
            found[name] = (f"-> {os.readlink(path)}", 0)  # noqa: PTH115
        else:
            found[name] = ("folder" if path.is_dir() else path.read_text("latin-1"), mode)
    return found


def test_a_tree_is_copied_without_what_belongs_to_tools(scratch: Scratch) -> None:
    copied = content(scratch.root)
    assert sorted(copied) == [
        "data",
        "data/a.csv",
        "empty",
        "pkg",
        "pkg/__init__.py",
        "pkg/deep",
        "pkg/deep/model.py",
        "run.sh",
        "train.py",
    ]
    assert copied["run.sh"] == ("#!/bin/sh\n", 0o755)
    assert scratch.root.name == "project"


def test_times_of_files_are_kept(root: Path) -> None:
    os.utime(root / "train.py", ns=(1, 10**18 + 5))
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(root))
        assert (scratch.root / "train.py").stat().st_mtime_ns == 10**18 + 5


def created(root: Path) -> None:
    (root / "runs/1").mkdir(parents=True)
    (root / "runs/1/model.pt").write_text("weights")
    (root / "runs").chmod(0o500)
    (root.parent / "beside").mkdir()


def deleted(root: Path) -> None:
    (root / "data/a.csv").unlink()
    (root / "data").rmdir()


def changed(root: Path) -> None:
    (root / "train.py").write_text("print(2)\nprint(3)\n")


def changed_within_its_size_and_time(root: Path) -> None:
    path = root / "train.py"
    known = path.stat()
    path.write_text("print(2)\n")
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


def replaced(root: Path) -> None:
    (root / "new").write_text("print(2)\n")
    (root / "new").replace(root / "train.py")


def other_permissions(root: Path) -> None:
    (root / "run.sh").chmod(0)
    (root / "pkg").chmod(0o500)
    (root / "empty").chmod(0o700)


def other_kinds(root: Path) -> None:
    (root / "train.py").unlink()
    (root / "train.py").mkdir()
    (root / "train.py/x").write_text("")
    (root / "empty").rmdir()
    (root / "empty").symlink_to("/")
    os.mkfifo(root / "fifo")


def root_removed(root: Path) -> None:
    root.rename(root.parent / "elsewhere")


def root_linked(root: Path) -> None:
    root.rename(root.parent / "elsewhere")
    root.symlink_to("elsewhere")


@pytest.mark.parametrize(
    "damage",
    [
        created,
        deleted,
        changed,
        changed_within_its_size_and_time,
        replaced,
        other_permissions,
        other_kinds,
        root_removed,
        root_linked,
    ],
)
def test_whatever_a_run_does_is_undone(
    root: Path, scratch: Scratch, damage: Callable[[Path], None]
) -> None:
    original, before = content(root), content(scratch.root)
    damage(scratch.root)
    scratch.restore(Tree(root))
    assert content(scratch.root) == before
    assert [path.name for path in scratch.root.parent.iterdir()] == ["project"]
    assert content(root) == original


def test_links_that_a_run_makes_do_not_lead_into_the_tree(root: Path, scratch: Scratch) -> None:
    original, before = content(root), content(scratch.root)
    (scratch.root / "train.py").unlink()
    (scratch.root / "train.py").symlink_to(root / "train.py")
    (scratch.root / "run.sh").unlink()
    (scratch.root / "run.sh").hardlink_to(root / "run.sh")
    (scratch.root / "pkg/deep").rename(scratch.root / "gone")
    (scratch.root / "pkg/deep").symlink_to(root / "pkg/deep")
    scratch.restore(Tree(root))
    assert content(scratch.root) == before
    assert content(root) == original


def test_what_nobody_touched_is_not_copied_again(root: Path, scratch: Scratch) -> None:
    path = scratch.root / "train.py"
    before = path.stat()
    scratch.restore(Tree(root, {"pkg/deep/model.py": b"x = 2\n"}))
    scratch.restore(Tree(root))
    assert (path.stat().st_ino, path.stat().st_ctime_ns) == (before.st_ino, before.st_ctime_ns)


def test_files_of_the_overlay_stand_in_for_those_of_the_tree(root: Path, scratch: Scratch) -> None:
    overlay = {"run.sh": b"new\n", "a/b/c.py": b"c\n", "train.py": None, "data/gone": None}
    scratch.restore(Tree(root, overlay))
    copied = content(scratch.root)
    assert copied["run.sh"] == ("new\n", 0o755)
    assert copied["a/b/c.py"] == ("c\n", 0o644)
    assert "train.py" not in copied
    scratch.restore(Tree(root))
    assert "a" not in content(scratch.root)
    assert content(scratch.root)["train.py"][0] == "print(1)\n"


def test_an_overlay_does_not_write_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    with (
        Scratch(Tree(root)) as scratch,
        pytest.raises(LaunchError, match="leads through link, which is not a folder"),
    ):
        scratch.restore(Tree(root, {"link/x.py": b""}))
    assert not list((tmp_path / "outside").iterdir())


def test_another_tree_takes_the_same_place(root: Path, scratch: Scratch, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "train.py").write_text("print(2)\n")
    place = scratch.root
    scratch.restore(Tree(other))
    assert scratch.root == place
    assert content(place) == {"train.py": ("print(2)\n", 0o644)}


def test_links_lead_to_where_they_led(root: Path, tmp_path: Path) -> None:
    (tmp_path / "shared").write_text("outside")
    (tmp_path / "alias").symlink_to(root)
    links = {
        "inner": "data/a.csv",
        "absolute": str(root / "data/a.csv"),
        "pkg/roundabout": str(tmp_path / "alias/data/a.csv"),
        "outer": "../shared",
        "dangling": "nowhere",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(root))
        for name in ("inner", "absolute", "pkg/roundabout"):
            assert (scratch.root / name).resolve() == scratch.root / "data/a.csv"
        assert (scratch.root / "outer").resolve() == tmp_path / "shared"
        assert (scratch.root / "dangling").is_symlink()


def test_what_cannot_be_copied_is_left_out(root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(root / "socket"))
        with Scratch(Tree(root)) as scratch:
            scratch.restore(Tree(root))
            assert not {"fifo", "socket"} & set(content(scratch.root))
            assert scratch.notes == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named(root: Path) -> None:
    (root / "secret").touch(mode=0)
    (root / "empty").chmod(0)
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(root))
        assert "secret" not in content(scratch.root)
        (note,) = scratch.notes
        assert "secret" in note
        assert "empty" in note


def test_too_much_is_refused_before_it_is_copied(root: Path) -> None:
    (root / "data/big").write_bytes(b"x" * 5000)
    with Scratch(Tree(root), most=1000) as scratch:
        with pytest.raises(LaunchError, match=r"most is in data \(0\.0 GB\)"):
            scratch.restore(Tree(root))
        assert not scratch.root.exists()


def test_a_tree_that_is_not_there() -> None:
    with (
        Scratch(Tree(Path("/gone/tree"))) as scratch,
        pytest.raises(LaunchError, match="/gone/tree cannot be read"),
    ):
        scratch.restore(Tree(Path("/gone/tree")))


def test_a_file_that_changes_under_our_hands(root: Path, scratch: Scratch) -> None:
    (root / "train.py").write_text("print(22)\n")
    scratch.restore(Tree(root))  # as it was
    assert (scratch.root / "train.py").read_text() == "print(1)\n"
    (scratch.root / "train.py").write_text("by a run")
    with pytest.raises(LaunchError, match="has changed while it was being verified"):
        scratch.restore(Tree(root))


def test_the_folder_goes_with_everything_in_it(root: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Scratch(Tree(root)) as scratch:  # noqa: PT012
        scratch.restore(Tree(root))
        folder = scratch.root.parent.parent
        created(scratch.root)
        (scratch.root / "runs/1").chmod(0)
        raise KeyboardInterrupt
    assert not folder.exists()


def test_our_own_folder_is_not_part_of_the_tree(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(root))
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(root))
        assert not any("devicefix-" in name for name in content(scratch.root))


def test_conda_environments_are_left_out(root: Path) -> None:
    (root / "conda/conda-meta").mkdir(parents=True)
    assert "conda" not in list_tree(root).members


def test_what_a_run_has_written_is_known(tmp_path: Path) -> None:
    tree = tmp_path / "project"
    (tree / "logs").mkdir(parents=True)
    (tree / "train.py").write_text("x = 1")
    (tree / "logs" / "old.txt").write_text("old")
    with Scratch(Tree(tree)) as scratch:
        scratch.restore(Tree(tree))
        assert list(scratch.written()) == []
        (scratch.root / "logs" / "old.txt").write_text("new")
        (scratch.root / "result.csv").write_text("1")
        assert [path for path, _ in scratch.written()] == ["logs/old.txt", "result.csv"]
        scratch.restore(Tree(tree))
        assert list(scratch.written()) == []


def test_what_a_run_has_removed_is_known(tmp_path: Path) -> None:
    tree = tmp_path / "project"
    (tree / "logs").mkdir(parents=True)
    (tree / "logs" / "old.txt").write_text("old")
    with Scratch(Tree(tree)) as scratch:
        scratch.restore(Tree(tree))
        (scratch.root / "logs" / "old.txt").unlink()
        (scratch.root / "logs").rmdir()
        assert scratch.removed() == ["logs/old.txt"]
        scratch.restore(Tree(tree))
        assert scratch.removed() == []
