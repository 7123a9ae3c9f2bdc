"""What a run leaves of files and programs for the next one: never anything that is not so."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devicefix.engine import cache, check, known_files, known_projects, programs, reading
from devicefix.engine.cache_files import CacheFiles
from devicefix.engine.discovery import discover
from devicefix.engine.dividing import division
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import scan
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

TORCH = "import torch\n"
FILES = {
    "pkg/__init__.py": "",
    "pkg/net.py": TORCH + "from pkg import layers\n",
    "pkg/layers.py": TORCH,
    "train.py": TORCH + "import helper\nfrom pkg.net import Net\nprint(Net)\n",
    "helper.py": "x = 1\n",
    "other.py": TORCH,
}


@pytest.fixture
def project(tree: Tree) -> Path:
    return tree(FILES)


@pytest.fixture
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as touched long before they are read, though they were not."""
    monkeypatch.setattr(known_files, "_MOMENT", -(10**18))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that are read, by name."""
    names: list[str] = []

    def noting(path: Path) -> tuple[bytes, reading.Stamp]:
        names.append(path.name)
        return reading.read_from_disk(path)

    monkeypatch.setattr(known_files, "read_from_disk", noting)
    return names


def run(root: Path, exclude: tuple[str, ...] = (), code: str = "") -> list[list[str]]:
    """The programs that a run finds, which are those that one finds that knows nothing."""
    files = discover([root], exclude).files
    known = known_projects.known_projects([root], exclude, code)
    scans, errors = known.scan(files)
    found = [list(p.paths) for p in plans([root], scans, exclude, divided=known.divided)]
    known.keep()
    fresh = [scan(path) for path in files]
    assert not errors
    assert [*scans] == fresh
    assert [s.signature for s in scans] == [s.signature for s in fresh]
    assert found == [list(p.paths) for p in plans([root], fresh, exclude, divided=division)]
    return [[Path(path).name for path in program] for program in found]


def rewrite(path: Path, text: str) -> None:
    """Other bytes, with the size and the time that a person sees as they were."""
    before = path.stat()
    assert len(text) == before.st_size
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


WHOLE = [["other.py"], ["helper.py", "layers.py", "net.py", "train.py"]]


@pytest.mark.usefixtures("long_ago")
def test_what_stays_as_it_is_is_not_read(project: Path, read: list[str]) -> None:
    assert sorted(run(project)) == sorted(WHOLE)
    assert len(read) == len(FILES)
    read.clear()
    assert sorted(run(project)) == sorted(WHOLE)
    assert read == []
    (project / "other.py").write_text(TORCH + "import helper\n")
    assert len(run(project)) == 1
    assert read == ["other.py"]


def test_what_was_touched_just_now_is_read_again(project: Path, read: list[str]) -> None:
    run(project)
    read.clear()
    rewrite(project / "other.py", "import zorch\n")
    run(project)
    assert len(read) == len(FILES)


@pytest.mark.usefixtures("long_ago")
def test_a_time_that_was_set_back_hides_nothing(project: Path, read: list[str]) -> None:
    run(project)
    read.clear()
    rewrite(project / "other.py", "import zorch\n")
    assert run(project) == [WHOLE[1]]
    assert read == ["other.py"]


@pytest.mark.usefixtures("long_ago")
def test_a_file_in_the_place_of_another(project: Path, read: list[str]) -> None:
    new = project / "other.txt"
    new.write_text("import zorch\n")
    before = (project / "other.py").stat()
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    run(project)
    read.clear()
    new.replace(project / "other.py")
    assert run(project) == [WHOLE[1]]
    assert read == ["other.py"]


@pytest.mark.usefixtures("long_ago")
def test_a_link_to_another_file(project: Path, tmp_path: Path) -> None:
    (project / "old.txt").write_text(TORCH)
    (project / "new.txt").write_text("import zorch\n")
    (project / "link.py").symlink_to("old.txt")
    assert ["link.py"] in run(project)
    (project / "link.py").unlink()
    (project / "link.py").symlink_to("new.txt")
    assert ["link.py"] not in run(project)
    folder, other = tmp_path / "one", tmp_path / "two"
    for place, text in ((folder, TORCH), (other, "import zorch\n")):
        place.mkdir()
        (place / "a.py").write_text(text)
    (tmp_path / "root").symlink_to(folder)
    assert run(tmp_path / "root") == [["a.py"]]
    (tmp_path / "root").unlink()
    (tmp_path / "root").symlink_to(other)
    assert run(tmp_path / "root") == []


@pytest.mark.usefixtures("long_ago")
def test_files_that_come_and_go_change_what_imports_mean(project: Path) -> None:
    run(project)
    (project / "pkg/helper.py").write_text(TORCH)  # nobody means it
    assert ["helper.py"] in run(project)
    (project / "helper").mkdir()
    (project / "helper/__init__.py").write_text(TORCH)  # comes before helper.py
    assert ["__init__.py", "layers.py", "net.py", "train.py"] in run(project)
    (project / "helper/__init__.py").unlink()
    assert WHOLE[1] in run(project)
    (project / "pkg/layers.py").unlink()
    assert ["helper.py", "net.py", "train.py"] in run(project)
    (project / "pkg/layers.py").write_text("import torch # and nobody imports it\n")
    (project / "pkg/net.py").write_text("import torch\n")
    assert ["layers.py"] in run(project)


@pytest.mark.usefixtures("long_ago")
def test_a_repository_inside_divides_it(project: Path) -> None:
    assert len(run(project)) == 2
    (project / "pkg/.git").mkdir()
    assert len(run(project)) == 3


@pytest.mark.usefixtures("long_ago")
def test_what_else_it_depends_on(project: Path, read: list[str]) -> None:
    run(project)
    assert run(project, exclude=("pkg",)) == [["helper.py", "train.py"], ["other.py"]]
    read.clear()
    run(project, code="another")
    assert len(read) == len(FILES)


@pytest.mark.usefixtures("long_ago")
def test_a_clock_that_goes_back(
    project: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_files, "_MOMENT", 3 * 10**9)
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + 10**11)
    run(project)
    read.clear()
    monkeypatch.setattr(time, "time_ns", lambda: now - 10**11)
    rewrite(project / "other.py", "import zorch\n")
    assert run(project) == [WHOLE[1]]
    assert read == ["other.py"]
    read.clear()
    assert run(project) == [WHOLE[1]]
    assert read == ["other.py"]  # its time is still to come
    monkeypatch.setattr(time, "time_ns", lambda: now + 10**11)
    run(project)
    read.clear()
    run(project)
    assert read == []


def kept() -> Path:
    (path,) = Path(os.environ["DEVICEFIX_CACHE_DIR"], "projects").rglob("*.json")
    return path


@pytest.mark.parametrize("broken", [0, 1, 40, -1, "null", "[]", "[1,2,3,4]", '[[],[],"",5]'])
@pytest.mark.usefixtures("long_ago")
def test_what_is_broken_is_not_there(project: Path, read: list[str], broken: int | str) -> None:
    run(project)
    path = kept()
    data = bytearray(path.read_bytes())
    if isinstance(broken, str):
        CacheFiles(path.parent.parent).put(path.stem, json.loads(broken))
    elif broken:
        data[broken] ^= 4
        path.write_bytes(data)
    else:
        path.write_bytes(data[: len(data) // 2])
    read.clear()
    run(project)
    assert len(read) == len(FILES)
    read.clear()
    run(project)
    assert read == []


@pytest.mark.usefixtures("long_ago")
def test_two_runs_at_once(project: Path, read: list[str]) -> None:
    """One ends in the middle of the other, which has seen the files before they changed."""
    slow = known_projects.known_projects([project], (), "")
    slow.scan(discover([project]).files)
    rewrite(project / "other.py", "import zorch\n")
    assert run(project) == [WHOLE[1]]
    slow.keep()
    assert run(project) == [WHOLE[1]]
    read.clear()
    run(project)
    assert read == []


def test_nowhere_to_keep_it(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DEVICEFIX_CACHE_DIR", str(tmp_path / "file"))
    assert run(project) == run(project)


@pytest.mark.usefixtures("long_ago")
def test_an_edit_is_worked_on_with_what_depends_on_it_and_nothing_else(
    project: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[list[str]] = []
    loaded = cache.loaded

    def noting(plan: Plan) -> object:
        worked.append([Path(path).name for path in plan.paths])
        return loaded(plan)

    monkeypatch.setattr(cache, "loaded", noting)
    monkeypatch.setattr(programs, "MOST_FILES", 2)  # they read each other as neighbours
    check([project], Settings(), cached=True)
    assert len(worked) == 3
    y, net = "y = torch.ones(2)\n", "class Net(torch.nn.Linear): pass\n"
    for edited, line, concerned in (
        ("other.py", y, [["other.py"]]),
        ("train.py", y, [["helper.py", "train.py"]]),
        ("pkg/layers.py", y, [["layers.py", "net.py"]]),
        ("pkg/net.py", y, [["layers.py", "net.py"]]),  # nobody has looked for it
        ("pkg/net.py", net, [["layers.py", "net.py"], ["helper.py", "train.py"]]),
        ("pkg/net.py", "\n", [["layers.py", "net.py"]]),
    ):
        worked.clear()
        read.clear()
        with (project / edited).open("a") as file:
            file.write(line)
        report = check([project], Settings(), cached=True)
        assert sorted(worked) == sorted(concerned)
        assert read == [Path(edited).name]
        assert report.files == check([project], Settings()).files
