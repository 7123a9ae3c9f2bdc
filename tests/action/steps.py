"""What GitHub's runner does with a composite action, as far as `action.yml` needs it.

Expressions are evaluated, the ``run:`` steps are run, in order, with the environment and files that
the runner gives them; steps that use other actions are noted, and give the outputs that they are
said to give. Artifacts go from one use to a later one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

_EXPRESSION: Final = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN: Final = re.compile(r"\s*('(?:[^']|'')*'|\|\||&&|==|!=|!|[\w.-]+(?:\(\))?)")
_HEREDOC: Final = re.compile(r"^([^=\n]+?)<<(\S+)\n(.*?)\n\2$", re.DOTALL | re.MULTILINE)
_ASSIGNMENT: Final = re.compile(r"^([\w-]+)=(.*)$", re.MULTILINE)


@dataclass
class Step:
    """A step that was run, or used."""

    name: str
    log: str = ""
    status: int = 0
    uses: str = ""
    given: dict[str, str] = field(default_factory=dict)
    """What an action that is used gets."""
    environment: dict[str, str] = field(default_factory=dict)
    """What the step itself adds to that of the job."""
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass
class Job:
    """One use of the action in a job."""

    steps: list[Step]
    outputs: dict[str, str]
    summary: str

    @property
    def failed(self) -> bool:
        return any(step.status for step in self.steps)

    @property
    def log(self) -> str:
        return "".join(f"== {step.name}\n{step.log}" for step in self.steps)

    def step(self, name: str) -> Step:
        (found,) = (step for step in self.steps if step.name == name)
        return found


@dataclass
class Action:
    """An ``action.yml``, and what surrounds it."""

    file: Path
    workspace: Path
    environment: dict[str, str]
    """Of the job, ``GITHUB_`` variables included."""
    token: str
    provided: Mapping[str, Mapping[str, str]]
    """By the names of actions, without version, the outputs of the steps that use them."""
    artifacts: Path
    """A folder with one folder for each."""

    def run(self, folder: Path, **inputs: str) -> Job:
        """Use it with ``inputs``, ``_`` for ``-``; ``folder`` is new, for the runner's files."""
        action = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        unknown = set(given) - set(action["inputs"])
        assert not unknown, f"no such inputs: {unknown}"
        known: dict[str, Any] = {"github": {"token": self.token}, "inputs": {}, "steps": {}}
        known["runner"] = {"temp": str(folder / "temp")}
        for name, about in action["inputs"].items():
            known["inputs"][name] = given.get(name, _filled(str(about.get("default", "")), known))
        folder.mkdir(parents=True)
        (folder / "temp").mkdir()
        (folder / "summary.md").touch()
        done: list[Step] = []
        for number, step in enumerate(action["runs"]["steps"]):
            failed = any(one.status for one in done)
            if not self._is_due(step.get("if", ""), known, failed):
                continue
            done.append(self._step(step, known, folder, number))
            known["steps"][step.get("id", str(number))] = {"outputs": done[-1].outputs}
        outputs = {name: _filled(o["value"], known) for name, o in action["outputs"].items()}
        return Job(done, outputs, (folder / "summary.md").read_text(encoding="utf-8"))

    def _is_due(self, condition: str, known: Mapping[str, Any], failed: bool) -> bool:
        text = condition.strip().removeprefix("${{").removesuffix("}}")
        if not text:
            return not failed
        due = bool(_value(text, known))
        return due if "cancelled()" in text else due and not failed

    def _step(self, step: dict[str, Any], known: dict[str, Any], folder: Path, number: int) -> Step:
        own = {name: _filled(str(v), known) for name, v in step.get("env", {}).items()}
        made = Step(step["name"], environment=own)
        if "uses" in step:
            made.uses = step["uses"]
            made.given = {name: _filled(str(v), known) for name, v in step["with"].items()}
            name = made.uses.partition("@")[0]
            made.outputs = dict(self.provided.get(name, {}))
            self._move_artifact(name, made)
            return made
        assert step["shell"] == "bash"
        script, output = folder / f"{number}.sh", folder / f"{number}.out"
        script.write_text(step["run"], encoding="utf-8")
        output.touch()
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={**self.environment, **self._files(folder, output), **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        made.log, made.status = done.stdout, done.returncode
        made.outputs = outputs_of(output.read_text(encoding="utf-8"))
        return made

    def _move_artifact(self, action: str, made: Step) -> None:
        """As upload-artifact and download-artifact do."""
        if action not in ("actions/upload-artifact", "actions/download-artifact"):
            return
        kept, here = self.artifacts / made.given["name"], Path(made.given["path"])
        if action.endswith("download-artifact"):
            made.status = 0 if kept.is_dir() else 1
            kept, here = here, kept
        if here.is_dir():
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(here, kept, symlinks=True)

    def _files(self, folder: Path, output: Path) -> dict[str, str]:
        return {
            "GITHUB_ACTION_PATH": str(self.file.parent),
            "GITHUB_ENV": str(folder / "env"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_PATH": str(folder / "path"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(folder / "temp"),
        }


def outputs_of(text: str) -> dict[str, str]:
    """What a step wrote to ``GITHUB_OUTPUT``."""
    found = {name: value for name, _, value in _HEREDOC.findall(text)}
    return {**dict(_ASSIGNMENT.findall(_HEREDOC.sub("", text))), **found}


def _filled(text: str, known: Mapping[str, Any]) -> str:
    return _EXPRESSION.sub(lambda match: _text(_value(match[1], known)), text)


def _text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _value(expression: str, known: Mapping[str, Any]) -> Any:
    """``||`` binds weaker than ``&&``, that weaker than comparisons, as GitHub says."""
    tokens = _TOKEN.findall(expression)
    assert "".join(tokens) == re.sub(r"\s(?=(?:[^']*'[^']*')*[^']*$)", "", expression), expression
    return _any_of(tokens, known)


def _any_of(tokens: list[str], known: Mapping[str, Any]) -> Any:
    return _joined(tokens, "||", known, _all_of, lambda value: not value)


def _all_of(tokens: list[str], known: Mapping[str, Any]) -> Any:
    return _joined(tokens, "&&", known, _one, bool)


def _joined(
    tokens: list[str],
    word: str,
    known: Mapping[str, Any],
    part: Callable[[list[str], Mapping[str, Any]], Any],
    goes_on: Callable[[Any], bool],
) -> Any:
    """The first value with which it does not go on, else the last one."""
    value: Any = None
    while tokens:
        end = tokens.index(word) if word in tokens else len(tokens)
        value, tokens = part(tokens[:end], known), tokens[end + 1 :]
        if not goes_on(value):
            return value
    return value


def _one(tokens: list[str], known: Mapping[str, Any]) -> Any:
    match tokens:
        case [left, "==", right]:
            return _single(left, known) == _single(right, known)
        case [left, "!=", right]:
            return _single(left, known) != _single(right, known)
        case ["!", right]:
            return not _single(right, known)
        case [single]:
            return _single(single, known)
    raise AssertionError(f"not understood: {tokens}")


def _single(token: str, known: Mapping[str, Any]) -> Any:
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    if token == "cancelled()":
        return False
    value: Any = known
    for name in token.split("."):
        value = value.get(name, "")
        if value == "":
            return ""
    return value


def clean_environment() -> dict[str, str]:
    """Ours, without what a runner, a coverage tool or a venv around us has set."""
    strange = ("GITHUB_", "INPUT_", "RUNNER_", "ACTIONS_", "GIT_", "DEVICEFIX_", "PYTHON", "PYTEST")
    return {name: value for name, value in os.environ.items() if not name.startswith(strange)}
