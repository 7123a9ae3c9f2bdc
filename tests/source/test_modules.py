"""Which file an import means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devicefix.source import ModuleIndex

FOREIGN = frozenset({"wandb", "timm"})


def index(*files: str) -> ModuleIndex:
    return ModuleIndex(["/p/" + file for file in files], lambda: FOREIGN)


def found(files: str, importer: str, module: str, level: int = 0) -> str | None:
    path = index(*files.split(), importer).find("/p/" + importer, module, level)
    return path and path.removeprefix("/p/")


@pytest.mark.parametrize(
    ("files", "importer", "module", "level", "meant"),
    [
        ("pkg/__init__.py pkg/b.py", "pkg/a.py", "b", 1, "pkg/b.py"),
        ("pkg/__init__.py pkg/b.py", "pkg/a.py", "", 1, "pkg/__init__.py"),
        ("pkg/b.py", "pkg/__init__.py", "b", 1, "pkg/b.py"),
        ("pkg/b/__init__.py", "pkg/__init__.py", "b", 1, "pkg/b/__init__.py"),
        ("pkg/b/c.py", "pkg/a.py", "b.c", 1, "pkg/b/c.py"),
        ("b.py pkg/__init__.py", "pkg/a.py", "b", 2, "b.py"),
        ("pkg/__init__.py pkg/sub/b.py", "pkg/a.py", "b", 1, None),
        ("pkg/b.py", "pkg/a.py", "b", 9, None),
        ("pkg/torch.py", "pkg/a.py", "torch", 1, "pkg/torch.py"),
        ("pkg/logging.py", "pkg/a.py", "logging", 1, "pkg/logging.py"),
    ],
)
def test_relative_imports_go_by_folder(
    files: str, importer: str, module: str, level: int, meant: str | None
) -> None:
    assert found(files, importer, module, level) == meant


@pytest.mark.parametrize(
    ("files", "importer", "module", "meant"),
    [
        ("utils.py", "main.py", "utils", "utils.py"),
        ("utils.py", "main.py", "utils.more", None),
        ("models/__init__.py models/net.py", "main.py", "models", "models/__init__.py"),
        ("models/__init__.py models/net.py", "main.py", "models.net", "models/net.py"),
        ("models/net.py", "main.py", "models.net", "models/net.py"),
        ("models/net.py", "main.py", "models", None),
        ("models.py models/__init__.py", "main.py", "models", "models/__init__.py"),
        ("models.py models/net.py", "main.py", "models", "models.py"),
        ("models.py models/net.py", "main.py", "models.net", None),
        # the script's own folder wins, but for what fails from there (`python -m tools.main`)
        ("utils.py tools/utils.py", "tools/main.py", "utils", "tools/utils.py"),
        ("utils/b.py tools/utils.py", "tools/main.py", "utils.b", "utils/b.py"),
        ("old/net/net.py", "old/net/main.py", "net.net", "old/net/net.py"),
        ("utils/b.py tools/utils/c.py", "tools/main.py", "utils.b", "utils/b.py"),
        ("wandb.py", "main.py", "wandb", "wandb.py"),
        ("queue.py", "main.py", "queue", "queue.py"),
        ("sys.py", "main.py", "sys", None),
        # above the importer, nearest first
        ("pkg/__init__.py", "examples/deep/main.py", "pkg", "pkg/__init__.py"),
        (
            "pkg/__init__.py examples/pkg/__init__.py",
            "examples/a/b.py",
            "pkg",
            "examples/pkg/__init__.py",
        ),
        ("pkg/__init__.py pkg/c.py pkg/sub/__init__.py", "pkg/sub/a.py", "pkg.c", "pkg/c.py"),
        (
            "src/pkg/__init__.py other/pkg/__init__.py",
            "examples/main.py",
            "pkg",
            "src/pkg/__init__.py",
        ),
        # anywhere, if there is only one
        ("third_party/raft/core/net.py", "main.py", "core.net", "third_party/raft/core/net.py"),
        ("third/core/net.py party/core/net.py", "main.py", "core.net", None),
        ("common/helpers.py", "tasks/main.py", "helpers", "common/helpers.py"),
        ("common/__init__.py common/helpers.py", "tasks/main.py", "helpers", None),
        # of several, the nearest; a package is no such folder, but for one of the program's own
        (
            "third/core/net.py tools/core/net.py",
            "tools/old/main.py",
            "core.net",
            "tools/core/net.py",
        ),
        ("other/utils.py", "tasks/main.py", "utils", "other/utils.py"),
        ("other/utils.py tasks/lib/utils.py", "tasks/main.py", "utils", "tasks/lib/utils.py"),
        (
            "other/utils.py tasks/lib/__init__.py tasks/lib/utils.py",
            "tasks/main.py",
            "utils",
            "tasks/lib/utils.py",
        ),
        (
            "common/helpers/data.txt.py other/helpers.py",
            "tasks/main.py",
            "helpers",
            "other/helpers.py",
        ),
        ("common/queue.py", "tasks/main.py", "queue", None),
        ("common/wandb.py", "tasks/main.py", "wandb", None),
        ("common/core.py core/net.py", "tasks/main.py", "nets.net", None),
    ],
)
def test_absolute_imports(files: str, importer: str, module: str, meant: str | None) -> None:
    assert found(files, importer, module) == meant


@pytest.mark.parametrize(
    ("files", "importer", "module", "meant"),
    [
        ("torch.py torch/__init__.py", "main.py", "torch", None),
        ("torch/nn.py", "main.py", "torch.nn", None),
        # in a package, a name alone means the library
        ("pkg/__init__.py pkg/logging.py", "pkg/a.py", "logging", None),
        ("pkg/__init__.py pkg/wandb.py", "pkg/a.py", "wandb", None),
        ("pkg/__init__.py pkg/utils.py", "pkg/a.py", "utils", "pkg/utils.py"),
        ("wandb/__init__.py", "pkg/a.py", "wandb", None),
        # a wrapper that is called like what it wraps
        ("", "loggers/neptune.py", "neptune", None),
        ("other/neptune.py", "loggers/neptune.py", "neptune", None),
        ("mnist/__init__.py", "examples/mnist.py", "mnist", "mnist/__init__.py"),
        # the sources of the library itself
        ("timm/__init__.py timm/data.py", "timm/models/a.py", "timm.data", "timm/data.py"),
        ("timm/__init__.py timm/data.py", "tools/a.py", "timm.data", None),
    ],
)
def test_libraries(files: str, importer: str, module: str, meant: str | None) -> None:
    assert found(files, importer, module) == meant


def test_packages_with_and_without_init() -> None:
    modules = index("main.py", "old/__init__.py", "new/deep/a.py", "plain.py")
    for module, expected in {
        "old": True,
        "new": True,
        "new.deep": True,
        "new.deep.a": False,
        "plain": False,
        "absent": False,
        "": False,
    }.items():
        assert modules.is_package("/p/main.py", module) is expected, module
    assert modules.is_package("/p/new/deep/a.py", "", 1)
    assert modules.is_package("/p/main.py", "old", 1)
    assert not modules.is_package("/p/main.py", "p")


def test_paths_come_back_as_they_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    modules = ModuleIndex(["./a.py", os.path.join("x", "..", "b.py"), str(tmp_path / "c.py")])  # noqa: PTH118
    assert modules.find("a.py", "b") == os.path.join("x", "..", "b.py")  # noqa: PTH118
    assert modules.find(str(tmp_path / "b.py"), "a") == "./a.py"
    assert modules.find("./b.py", "c") == str(tmp_path / "c.py")


def test_no_files_at_all() -> None:
    assert ModuleIndex([]).find("a.py", "b") is None
    assert not ModuleIndex([]).is_package("a.py", "b")
    assert ModuleIndex(["/a.py", "/b.py"]).find("/a.py", "b") == "/b.py"
