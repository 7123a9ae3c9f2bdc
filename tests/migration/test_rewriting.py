"""What is made of a repository: its own settings, the plan over them, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from devicefix.migration.orders import Ending, Options
from devicefix.migration.rewriting import rewrite
from tests.migration.conftest import FIXED, PROGRAM, Author, order

UNSAFE: Final = f"""\
{FIXED}

def read(path):
    return torch.load(path)


print(globals()["read"]("model.pt")["bias"].tolist())
"""


def test_what_is_handed_back(author: Author) -> None:
    author.write("src/a.py", PROGRAM)
    author.write("src/broken.py", "import torch\nx = (\n")
    author.write("other/b.py", PROGRAM)
    commit = author.commit()
    result = rewrite(order(author.folder, paths=("src",)))
    assert (result.ending, result.reason) == (Ending.CHANGED, "1 file to be changed")
    (file,) = result.files
    assert (file.path, file.before.decode(), file.after.decode()) == ("src/a.py", PROGRAM, FIXED)
    assert (result.commit, result.base, result.errors) == (commit, "main", 1)
    assert result.counts == "- DFX103 factory-without-device: 1"
    report = json.loads(result.report)
    assert [error["path"] for error in report["errors"]] == ["src/broken.py"]
    assert report["summary"]["by_rule"]["DFX103"]["fixed"] == 1
    assert "DFX103" in result.body
    assert result.gist in result.body
    assert 0 < result.size < 100_000
    assert not result.worth_proving  # nobody has asked for a proof
    assert rewrite(order(author.folder, verify="python a.py")).worth_proving


def test_the_plan_is_over_the_repository_and_nothing_above_counts(
    author: Author, scratch: Path
) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    above = scratch / "pyproject.toml"
    above.write_text('[tool.devicefix]\nselect = ["DFX201"]\n')
    assert rewrite(order(author.folder)).files
    above.unlink()
    author.write("pyproject.toml", '[tool.devicefix]\nselect = ["DFX201"]\n')
    author.commit()
    assert not rewrite(order(author.folder)).files
    assert rewrite(order(author.folder, options=Options(select=("DFX103",)))).files


def test_nothing_to_fix(author: Author) -> None:
    empty = rewrite(order(author.folder))
    assert (empty.ending, empty.reason) == (Ending.NOTHING, "the repository has no commits")
    author.write("a.py", FIXED)
    author.write("broken.py", "import torch\nx = (\n")
    author.commit()
    found = rewrite(order(author.folder))
    assert (found.ending, found.files, found.body) == (Ending.NOTHING, (), "")
    assert found.reason == "there is nothing to fix in 2 files; 1 could not be processed"


def test_fixes_that_only_a_run_can_prove(author: Author) -> None:
    author.write("a.py", UNSAFE)
    author.commit()
    found = rewrite(order(author.folder, verify="python a.py"))
    assert (found.ending, found.worth_proving) == (Ending.NOTHING, True)
    assert not rewrite(order(author.folder)).worth_proving
    author.write("a.py", FIXED)
    author.commit()
    assert not rewrite(order(author.folder, verify="python a.py")).worth_proving


def test_what_stops_a_run(author: Author) -> None:
    author.write("a.py", PROGRAM)
    author.write("pyproject.toml", "[tool.devicefix]\nsekect = []\n")
    commit = author.commit()
    result = rewrite(order(author.folder))
    assert (result.ending, result.transient, result.commit) == (Ending.FAILED, False, commit)
    assert result.reason.startswith("pyproject.toml:2: unknown setting 'sekect'")
    author.write("pyproject.toml", "")
    author.commit()
    unknown = rewrite(order(author.folder, options=Options(select=("DFX999",))))
    assert (unknown.ending, "DFX999" in unknown.reason) == (Ending.FAILED, True)
