"""The synthetic repositories of benchmarks/campaign_scale.py: a few of them in every run."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from benchmarks.synthetic import bare
from benchmarks.synthetic.company import Company
from benchmarks.synthetic.ends import different, ends, wrong
from benchmarks.synthetic.kinds import KINDS, drawn
from benchmarks.synthetic.shapes import Item

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
_FEW: Final = (
    *("package", "notebook", "python2", "broken", "other-branch"),
    *("submodule", "strange-files", "missing", "refused"),
)


def test_a_few_of_them_end_as_they_have_to(tmp_path: Path) -> None:
    made = drawn(len(_FEW), seed=1, kinds=_FEW)
    assert {one.kind for one in made} == set(_FEW)
    with Company(tmp_path / "company", made).site("whole") as site:
        site.run()
        found = ends(site)
        assert [line for one in made for line in wrong(one, found[one.entry], site)] == []

        package = next(one for one in made if one.kind == "package")
        end, remote = found[package.entry], site.server.repositories[package.name]
        other = replace(package, golden={**package.golden, "train.py": b"other"})
        assert wrong(other, end, site) == [f"{package.entry}: 'train.py' is not as it should be"]
        remote.pulls.append(remote.pulls[0])
        more = {"notes.txt": Item(b"more\n")}
        bare.commit(remote.folder, "devicefix/main", more, "More", upon="devicefix/main")
        again = ends(site)[package.entry]
        assert different(end, again) == ["commit made", "pulls"]
        said = " ".join(wrong(package, again, site))
        assert "pull requests: 2, not 1" in said
        assert "2 commits" in said
        assert "changed are ['lab/net.py', 'notes.txt', 'train.py']" in said


def test_those_of_a_campaign_are_all_different() -> None:
    kinds = set(KINDS) - {"huge", "large", "many-scripts"}  # they take seconds
    made = drawn(200, seed=1, kinds=kinds)
    assert {one.kind for one in made} == kinds
    assert len({one.entry for one in made}) == 200
    assert drawn(200, seed=1, kinds=kinds) == made
    assert drawn(200, seed=2, kinds=kinds) != made
    assert sum(often for _, often in KINDS.values()) == 200
