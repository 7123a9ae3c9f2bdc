"""The hooks of .pre-commit-hooks.yaml, run by pre-commit itself as it would on somebody's machine.

Its environment is made without a network: what devicefix depends on is lent by this one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.notebooks import code, notebook, sources
from tests.repository import commit_all, git, needs_git

ROOT: Final = Path(__file__).resolve().parents[2]
_PARTS: Final = (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE")
_MISSING: Final = [
    name for name in ("pre_commit", "hatchling") if importlib.util.find_spec(name) is None
]
pytestmark = [
    needs_git,
    pytest.mark.slow,
    pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}"),
    pytest.mark.skipif(sys.platform == "win32", reason="links need rights there"),
]
MODEL: Final = """\
import torch

model = torch.nn.Linear(3, 1).cuda()
print(model(torch.ones(2, 3)))
# and
# so
# on
# to the end
"""
FIXED: Final = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))
# and
# so
# on
# to the end
"""
CONFIG: Final = """\
repos:
-   repo: {hooks}
    rev: {rev}
    hooks:
    -   id: devicefix-check
    -   id: devicefix-apply
"""


class Project:
    """Somebody's repository that uses the hooks."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self._environment = environment

    def run(self, *command: str) -> tuple[int, str]:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout.decode()

    def pre_commit(self, *arguments: str) -> tuple[int, str]:
        return self.run(sys.executable, "-m", "pre_commit", *arguments)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    root = tmp_path_factory.mktemp("pre-commit")
    hooks = root / "hooks"
    for name in ("devicefix", "codemods"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, hooks / name, ignore=ignored)
    for name in _PARTS:
        shutil.copy(ROOT / name, hooks / name)
    folder = root / "work"
    folder.mkdir()
    (folder / ".pre-commit-config.yaml").write_text(
        CONFIG.format(hooks=hooks.as_posix(), rev=commit_all(hooks))
    )
    return Project(folder, _environment(root))


def _environment(root: Path) -> dict[str, str]:
    """Where pip finds all that devicefix needs, but not devicefix itself."""
    lent = root / "lent"
    lent.mkdir()
    for found in Path(sysconfig.get_path("purelib")).iterdir():
        if not found.name.lstrip("_").startswith(("devicefix", "codemods", "editable")):
            (lent / found.name).symlink_to(found)
    ours = {
        "PYTHONPATH": str(lent),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # which switches it off (pip.pypa.io, "boolean options")
        "PRE_COMMIT_HOME": str(root / "home"),
        "DEVICEFIX_STATE_DIR": str(root / "state"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for who in ("AUTHOR", "COMMITTER"):
        ours |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.org"}
    return {**os.environ, **ours}


def test_from_a_finding_to_a_commit(project: Project) -> None:
    here = project.folder
    (here / "old").mkdir()
    for name in ("a.py", "old/b.py"):
        (here / name).write_text(MODEL)
    (here / "n.ipynb").write_bytes(notebook(code(MODEL.rstrip())))
    (here / "stub.pyi").write_text("import torch\n")
    (here / "pyproject.toml").write_text('[tool.devicefix]\nexclude = ["old/"]\n')
    git(here, "init", "-q", "-b", "main")
    git(here, "add", ".")
    (here / "a.py").write_text(MODEL + "# not staged\n")
    assert project.pre_commit("install")[0] == 0

    status, said = project.run("git", "commit", "-m", "first")
    assert status == 1, said
    assert "a.py:3:9 DFX201" in said  # devicefix check
    assert "n.ipynb:cell 1:3:9 DFX201" in said
    assert "files were modified by this hook" in said  # devicefix apply
    assert "old/b.py" not in said
    assert (here / "old/b.py").read_text() == MODEL
    assert sources((here / "n.ipynb").read_bytes()) == [FIXED.rstrip()]
    # what was not staged came back on top of it
    assert (here / "a.py").read_text() == FIXED + "# not staged\n"

    git(here, "add", ".")
    status, said = project.run("git", "commit", "-m", "second")
    assert status == 0, said
    assert said.count("Passed") == 2
