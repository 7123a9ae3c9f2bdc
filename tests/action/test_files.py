"""`action.yml` and the workflows of the guide, as text."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema.validators import validator_for
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

from tests.action.conftest import LAST, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: Final[list[dict[str, Any]]] = ACTION["runs"]["steps"]
GUIDE: Final = (ROOT / "docs" / "github-action.md").read_text(encoding="utf-8")
WORKFLOWS: Final = re.findall(r"^```yaml\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("vendor.github-actions", (ROOT / "action.yml").read_text(encoding="utf-8")),
        *(("vendor.github-workflows", text) for text in WORKFLOWS),
    ],
    ids=["action.yml", "check", "fix", "two jobs"],
)
def test_they_have_the_form_that_github_asks_for(schema: str, text: str) -> None:
    known = get_builtin_schema(schema)
    document = YAML(typ="safe").load(text)  # 1.2, as GitHub: "on" is a word
    problems = list(validator_for(known)(known).iter_errors(document))
    assert [problem.message for problem in problems] == []


def test_no_expression_stands_within_a_script() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_what_others_made_is_pinned_to_commits() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8") + "".join(WORKFLOWS)
    used = re.findall(r"uses: (\S+)", text)
    foreign = [name for name in used if "/devicefix@" not in name]
    assert foreign
    assert [name for name in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_only_the_last_step_is_given_the_token() -> None:
    named = [step["name"] for step in STEPS if "token" in json.dumps(step)]
    assert named == [LAST]
    assert STEPS[-1]["name"] == LAST


def test_every_input_reaches_a_step() -> None:
    text = json.dumps(STEPS)
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in text] == []


def test_the_guide_has_every_input_with_its_default_and_every_output() -> None:
    rows = dict(re.findall(r"^\| `([\w`, -]+)` \|(.*?)\| ", GUIDE, re.MULTILINE))
    shown = {name: default for names, default in rows.items() for name in names.split("`, `")}
    for name, about in ACTION["inputs"].items():
        default = str(about.get("default", ""))
        assert name in shown
        assert default in shown[name] or name == "commit-author"
    outputs = GUIDE[GUIDE.index("## Outputs") :]
    assert [name for name in ACTION["outputs"] if f"`{name}`" not in outputs] == []


@pytest.mark.parametrize("text", WORKFLOWS, ids=["check", "fix", "two jobs"])
def test_the_workflows_ask_for_no_more_than_they_need(text: str) -> None:
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        writes = modes_of(job) & {"fix", "publish"}
        wanted = {"contents": "write", "pull-requests": "write"} if writes else None
        assert job.get("permissions") == wanted
    assert "pull_request_target" not in text


def modes_of(job: dict[str, Any]) -> set[str]:
    return {step["with"]["mode"] for step in job["steps"] if "mode" in step.get("with", {})}


def test_the_job_that_publishes_installs_and_runs_nothing_else() -> None:
    jobs = yaml.safe_load(WORKFLOWS[-1])["jobs"]
    assert [modes_of(job) for job in jobs.values()] == [{"propose"}, {"publish"}]
    first, second = jobs.values()
    assert any("verify" in step.get("with", {}) for step in first["steps"])
    assert not any("run" in step or "verify" in step.get("with", {}) for step in second["steps"])
    assert second["if"] == "${{ !cancelled() && needs.propose.outputs.proposal != '' }}"


def test_what_is_installed_is_pinned_to_digests() -> None:
    """All that devicefix needs, and what builds it; nothing of it is built on the runner."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    wanted = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["github"],
        *project["build-system"]["requires"],
    ]
    text = (ROOT / "action-requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", "").splitlines() if not line.startswith("#")]
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
    pinned = [line.split()[0].split("==") for line in lines]
    for requirement in map(Requirement, wanted):
        versions = [version for name, version in pinned if name == canonical(requirement)]
        assert versions, requirement
        assert all(requirement.specifier.contains(version) for version in versions), requirement
    (script,) = (step["run"] for step in STEPS if step["name"] == "Install devicefix")
    assert "--require-hashes --only-binary :all:" in script
    assert "--no-index --no-deps --no-build-isolation" in script


def canonical(requirement: Requirement) -> str:
    return str(canonicalize_name(requirement.name))


def test_a_job_that_writes_takes_nothing_from_a_cache() -> None:
    (cache,) = (step for step in STEPS if step.get("uses", "").startswith("actions/cache@"))
    assert cache["if"] == "${{ inputs.mode != 'publish' }}"
