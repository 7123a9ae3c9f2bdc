"""A stranger's program that is run: what it gets to see, what it leaves behind, how it is ended."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from devicefix.migration.local import Local
from devicefix.migration.orders import Ending, Limits, Result, Stage
from devicefix.migration.surroundings import harmless
from devicefix.verification.process_tree import descendants
from tests.migration.conftest import CAMPAIGN, FIXED, PROGRAM, Author, order, strays

SECRET: Final = "ghp_0123456789abcdef"
SPY: Final = """
import json, os, subprocess, sys
from pathlib import Path

place = Path(os.environ["OMP_PLACE"])
parents, pid = [], os.getppid()
while pid > 1:
    try:
        parents.append(Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace"))
    except OSError as error:
        parents.append(str(error))
    pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
daemon = "import os, time; os.setsid(); time.sleep(600)"
subprocess.Popen([sys.executable, "-S", "-c", f"import os\\nif not os.fork():\\n {daemon}"]).wait()
found = {
    "environment": dict(os.environ),
    "home": os.listdir(Path.home()),
    "cwd": os.getcwd(),
    "terminal": os.isatty(0),
    "parents": parents,
}
place.write_text(json.dumps(found))
"""


@pytest.fixture
def work(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(state))
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    monkeypatch.setenv("SSH_AUTH_SOCK", SECRET)
    monkeypatch.setenv("OMP_PLACE", str(tmp_path / "seen"))
    before = set(descendants(os.getpid()))
    yield tmp_path / "work"
    assert list((tmp_path / "work").iterdir()) == []
    assert strays(before) == {}


def proven(author: Author, work: Path, command: str, **changes: object) -> Result:
    wanted = order(author.folder, verify=command, **changes)
    with Local(1, work) as local:
        local.submit("x", Stage.REWRITE, wanted)
        first = next(result for _, _, result in local.finished(60))
        assert first.worth_proving
        local.submit("x", Stage.PROVE, wanted, first)
        return next(result for _, _, result in local.finished(120))


def test_a_program_that_looks_around(author: Author, work: Path, tmp_path: Path) -> None:
    author.write("a.py", PROGRAM + SPY)
    author.write("weights.pt", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    commit = author.commit()
    result = proven(author, work, "python a.py", devices=("cpu",))
    assert (result.ending, result.commit) == (Ending.CHANGED, commit), result.reason
    assert [file.after.decode() for file in result.files] == [FIXED + SPY]
    assert json.loads(result.evidence)["verdict"] == "pass"
    assert "### devicefix verify: pass" in result.body
    assert "devicefix verify --before ../before --device cpu a.py" in result.body
    assert result.notes == ("1 file is stored in Git LFS: only the pointers were cloned",)
    assert str(work) not in repr(result)
    seen = json.loads((tmp_path / "seen").read_text())
    assert SECRET not in json.dumps(seen["environment"])
    assert (seen["home"], seen["terminal"]) == ([], False)
    assert str(work) in seen["cwd"]  # of a copy that is gone by now
    if not may_read_everything():
        assert SECRET not in json.dumps(seen["parents"])


def test_a_proof_that_cannot_be_had(author: Author, work: Path) -> None:
    author.write("a.py", PROGRAM)
    author.write("data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    author.commit()
    result = proven(author, work, "python nothing.py")
    assert (result.ending, result.files) == (Ending.UNPROVEN, ())
    assert "nothing.py" in result.reason
    assert "only the pointers were cloned" in result.reason


def test_a_program_that_never_comes_to_the_fixes(author: Author, work: Path) -> None:
    author.write("a.py", PROGRAM)
    author.write("b.py", "print(1)\n")
    author.commit()
    result = proven(author, work, "python b.py", devices=("cpu",))
    assert (result.ending, result.files) == (Ending.UNPROVEN, ())
    assert "none of the lines" in result.reason


def may_read_everything() -> bool:
    """Whether we have ``CAP_SYS_PTRACE``, as root does (capabilities(7))."""
    status = Path("/proc/self/status").read_text()
    (effective,) = (x.split()[1] for x in status.splitlines() if x.startswith("CapEff:"))
    return bool(int(effective, 16) >> 19 & 1)


@pytest.mark.slow
@CAMPAIGN
@pytest.mark.parametrize(
    ("harm", "limits"),
    [
        ("x = bytearray(1_500_000_000)\n", Limits(120, 1 << 30)),
        ("import time; time.sleep(600)\n", Limits(16)),
    ],
)
def test_a_program_that_takes_too_much(
    harm: str, limits: Limits, author: Author, work: Path
) -> None:
    author.write("a.py", harm + PROGRAM)
    author.commit()
    result = proven(author, work, "python a.py", limits=limits)
    assert result.ending in (Ending.UNPROVEN, Ending.FAILED)
    assert not result.transient
    assert not result.files


def test_what_is_passed_on() -> None:
    given = {
        "PATH": "/bin",
        "HOME": "/home/a",
        "LC_ALL": "C",
        "OMP_NUM_THREADS": "1",
        "AWS_SECRET_ACCESS_KEY": "x",
        "HF_TOKEN": "x",
        "GITHUB_TOKEN": "x",
        "HTTPS_PROXY": "http://name:password@proxy",
        "LD_PRELOAD": "x.so",
    }
    assert harmless(given) == {
        "PATH": "/bin",
        "LC_ALL": "C",
        "OMP_NUM_THREADS": "1",
        "PYTHONUSERBASE": "/home/a/.local",
        "XDG_CACHE_HOME": "/home/a/.cache",
    }
