"""``devicefix migrate`` from the plan to the pull request, with git, processes and a server."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix.cli import main
from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import Stage
from devicefix.migration.plan_file import load_plan
from tests.github_api.server import GitHubServer, running
from tests.migration.conftest import CAMPAIGN, FIXED, PROGRAM

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
TOKEN: Final = "ghs_secretSecretSecret"
BRANCH: Final = "devicefix/main"


@dataclass
class Company:
    """Repositories on a server, and the plan for them."""

    folder: Path
    server: GitHubServer
    names: list[str] = field(default_factory=list)

    def add(self, name: str, text: str = PROGRAM) -> None:
        """A repository with one program."""
        made = self.folder / "made" / name
        made.mkdir(parents=True)
        (made / "train.py").write_text(text)
        mail = ("-c", "user.name=Jane", "-c", "user.email=jane@example.org")
        for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "one")):
            subprocess.run(["git", *mail, *command], cwd=made, check=True)
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", f"{made}.git"], check=True)
        subprocess.run(["git", "push", "-q", f"{made}.git", "main"], cwd=made, check=True)
        self.server.add(f"acme/{name}", Path(f"{made}.git"))
        self.names.append(name)

    def plan(self, campaign: str = "", rest: str = "") -> Path:
        file = self.folder / "plan.toml"
        text = (
            '[campaign]\nname = "c"\nworkspace = "state"\npause = 0\nretry-after = 0.01\n'
            f'github-api = "{self.server.api}"\n{campaign}\n{rest}\n'
        )
        for name in self.names:
            text += f'[[repositories]]\nurl = "{self.server.address}/acme/{name}.git"\n'
        file.write_text(text)
        return file

    def pulls(self) -> dict[str, int]:
        return {name: len(self.repository(name).pulls) for name in self.names}

    def repository(self, name: str) -> Any:
        return self.server.repositories[f"acme/{name}"]


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    with running(tmp_path / "server", TOKEN) as known:
        yield Company(tmp_path, known)
    assert known.complaints == []


def status(plan: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    main(["migrate", "status", str(plan), "--output-format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_from_the_plan_to_pull_requests(
    company: Company, capsys: pytest.CaptureFixture[str]
) -> None:
    company.add("a")
    company.add("b", "print(1)\n")
    company.add("c")
    company.repository("c").protect(BRANCH)
    listing = company.folder / "listing.txt"
    company.repository("a").hook(f"ls -A \"$TMPDIR\" > '{listing}'\n")
    plan = company.plan(
        campaign='sign-off = true\nbody-before = "Of {name}."\ntitle = "Fix {name}"'
    )
    assert main(["migrate", str(plan)]) == 0
    said = capsys.readouterr()
    assert "c: 3 repositories: 2 rewritten, 1 nothing\n" in said.out
    assert "Nothing was pushed" in said.err
    assert company.pulls() == {"a": 0, "b": 0, "c": 0}
    assert company.server.asked == []

    assert main(["migrate", str(plan), "--open-prs", "--output-format", "json"]) == 2
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["counts"] == {"published": 1, "nothing": 1, "failed": 1}, lines
    assert lines[-1]["exit_status"] == 2
    reason = lines[-2]["reason"]
    assert "the branch is protected" in reason
    assert "GH006" in reason  # what the server says, and not what git says of any push
    assert "failed to push" not in reason
    assert "\n" not in reason
    assert listing.read_text() == ""  # nothing lies where nobody clears it away after a kill
    asked = [one.path for one in company.server.asked if one.path.startswith("/repos/acme/a")]
    assert len(asked) == 4  # as docs/migrate-scale.md reckons
    assert TOKEN not in json.dumps(lines)
    a = company.repository("a")
    (pull,) = a.pulls
    assert a.git("show", f"{BRANCH}:train.py") + "\n" == FIXED
    assert pull.title == "Fix acme/a"
    assert "Of acme/a." in pull.body
    assert "DFX103" in pull.body
    message = a.git("log", "-1", "--format=%B", BRANCH)
    assert "- DFX103" in message
    trailers = a.git("log", "-1", "--format=%(trailers:only,unfold)", BRANCH)
    assert [line.partition(":")[0] for line in trailers.splitlines() if line] == [
        "Signed-off-by",
        "Devicefix-Commit",
    ]
    began = int(a.git("log", "-1", "--format=%ct", BRANCH))

    requests = len(company.server.asked)
    assert main(["migrate", str(plan), "--open-prs"]) == 2
    assert len(company.server.asked) == requests  # all is done
    shutil.rmtree(company.repository("c").folder / "hooks")
    assert main(["migrate", "retry", str(plan), "--open-prs"]) == 0
    assert company.pulls() == {"a": 1, "b": 0, "c": 1}
    assert int(company.repository("c").git("log", "-1", "--format=%ct", BRANCH)) == began
    assert {row["state"] for row in status(plan, capsys)["repositories"]} == {
        "published",
        "nothing",
    }
    assert not [*(company.folder / "state" / "work").iterdir()]
    assert TOKEN.encode() not in (company.folder / "state" / "campaign.sqlite").read_bytes()

    page = company.folder / "campaign.html"
    assert main(["migrate", "report", str(plan), "-o", str(page)]) == 0
    text = page.read_text()
    assert "acme/a" in text
    assert f"{company.server.address}/acme/a/pull/1" in text
    assert TOKEN not in text


def test_a_page_of_the_campaign(company: Company, capsys: pytest.CaptureFixture[str]) -> None:
    company.add("a")
    company.add("b", "print(1)\n")
    plan = company.plan()
    page = company.folder / "page.html"
    report = ["migrate", "report", str(plan), "-o", str(page)]
    assert main(report) == 2
    assert "has not started" in capsys.readouterr().err
    assert main(["migrate", str(plan)]) == 0
    assert main(report) == 0
    found = re.search(r'id="content">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found
    one, other = json.loads(found[1])["repositories"]
    assert (one["name"], one["state"], one["stat"][0]) == ("acme/a", "rewritten", 1)
    assert "device" in one["files"][0]["diff"]
    assert one["files"][0]["path"] == "train.py"
    assert one["events"][0][1] == "begun"
    assert (other["state"], other["files"]) == ("nothing", [])
    assert main(["migrate", "report", str(plan), "-o", str(plan)]) == 2
    assert "[campaign]" in plan.read_text(encoding="utf-8")
    state = company.folder / "state" / "campaign.sqlite"
    assert main(["migrate", "report", str(plan), "-o", str(state)]) == 2
    assert main(["migrate", "status", str(plan)]) == 0


@pytest.mark.slow
@CAMPAIGN
def test_a_base_that_was_put_elsewhere_is_looked_at_again(company: Company) -> None:
    company.add("a")
    plan = company.plan()
    assert main(["migrate", str(plan)]) == 0
    a = company.repository("a")
    made = company.folder / "made" / "a"
    (made / "train.py").write_text(f"# by others\n{PROGRAM}")
    mail = ("-c", "user.name=Jane", "-c", "user.email=jane@example.org")
    subprocess.run(["git", *mail, "commit", "-qa", "--amend", "-m", "two"], cwd=made, check=True)
    subprocess.run(["git", "push", "-qf", str(a.folder), "main"], cwd=made, check=True)
    a.git("reflog", "expire", "--expire=now", "--all")
    a.git("prune", "--expire=now")
    assert main(["migrate", str(plan), "--open-prs"]) == 0
    assert a.git("show", f"{BRANCH}:train.py") + "\n" == f"# by others\n{FIXED}"
    assert a.git("rev-parse", f"{BRANCH}^") == a.git("rev-parse", "main")


@pytest.mark.slow
@CAMPAIGN
def test_a_proof_is_in_the_pull_request(
    company: Company, capsys: pytest.CaptureFixture[str]
) -> None:
    company.add("a")
    plan = company.plan(
        rest=f'[defaults]\nverify = "python train.py"\npython = "{sys.executable}"\n'
        'devices = ["cpu"]'
    )
    main(["migrate", str(plan), "--open-prs"])
    said = status(plan, capsys)
    assert said["repositories"][0]["state"] == "published", said
    (pull,) = company.repository("a").pulls
    assert "### devicefix verify: pass" in pull.body
    with Ledger.read(load_plan(plan).database) as ledger:
        (row,) = ledger.rows()
        found = ledger.result(row.key, Stage.PROVE)
    assert found is not None
    assert json.loads(found.evidence)["verdict"] == "pass"


def test_what_has_no_server_or_token(
    company: Company, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    company.add("a")
    plan = company.plan()
    folder = company.folder / "made" / "a"
    company.names.clear()
    plan = company.plan(rest=f'[[repositories]]\npath = "{folder}"')
    assert main(["migrate", str(plan), "--open-prs"]) == 0
    server = company.server.address.removeprefix("http://")
    assert f"Not pushed, because they are not on {server}: a." in capsys.readouterr().err
    assert status(plan, capsys)["repositories"][0]["state"] == "rewritten"
    monkeypatch.delenv("GITHUB_TOKEN")
    assert main(["migrate", str(plan), "--open-prs"]) == 2
    assert "needs a token in the environment variable GITHUB_TOKEN" in capsys.readouterr().err


def test_a_plan_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.toml").write_text('[campaign]\nname = "a"\njobs = "\x1b[2J"\n')
    assert main(["migrate", str(tmp_path / "plan.toml")]) == 2
    assert main(["migrate", "status", str(tmp_path / "none.toml")]) == 2
    (tmp_path / "plan.toml").write_text('[campaign]\nname = "a"\n"\\u001b[2J" = 1\n')
    assert main(["migrate", str(tmp_path / "plan.toml")]) == 2
    said = capsys.readouterr().err
    assert "plan.toml:3: " in said
    assert "\x1b" not in said


def start(plan: Path, *options: str) -> subprocess.Popen[str]:
    devicefix = [sys.executable, "-m", "devicefix", "migrate"]
    command = [*devicefix, str(plan), "--open-prs", "--output-format", "json"]
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_interrupted_it_keeps_what_it_has(
    company: Company, capsys: pytest.CaptureFixture[str]
) -> None:
    company.add("a")
    plan = company.plan()
    with start(plan) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["event"] == "begun"
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
    (row,) = status(plan, capsys)["repositories"]
    assert (row["state"], row["running"], row["attempts"]) == ("waiting", None, 0)


@pytest.mark.slow
@CAMPAIGN
def test_killed_at_any_instant_it_goes_on(
    company: Company, capsys: pytest.CaptureFixture[str]
) -> None:
    """The instants are those at which something was written down; benchmarks/campaign_scale.py
    has more."""
    for name in ("a", "b"):
        company.add(name)
    plan = company.plan(campaign="jobs = 2")
    for lines in (1, 3, 4, 5):
        with start(plan) as process:
            assert process.stdout is not None
            read = [process.stdout.readline() for _ in range(lines)]
            process.kill()
        if json.loads(read[-1] or '{"event": "end"}')["event"] == "end":
            break
    with start(plan) as process:
        output, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    assert json.loads(output.splitlines()[-1])["counts"] == {"published": 2}
    assert company.pulls() == {"a": 1, "b": 1}
    for name in company.names:
        assert company.repository(name).git("rev-list", "--count", BRANCH) == "2"
    time.sleep(0.5)
    assert not [*(company.folder / "state" / "work").glob("devicefix-*")]
