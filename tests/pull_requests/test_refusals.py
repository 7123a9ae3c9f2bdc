"""What the server does not allow, and what happens at the same time."""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devicefix.pull_requests import Forge, LimitedError, Operation, OutdatedError, PullRequestError
from devicefix.pull_requests.forge import Standing
from devicefix.pull_requests.limits import wanted
from devicefix.pull_requests.remote import Remote
from tests.github_api.repository import Pull, Repository
from tests.github_api.server import RefusedError
from tests.pull_requests.conftest import BRANCH, TOKEN, Workspace


def test_a_protected_branch_is_named_and_no_secret_is(workspace: Workspace) -> None:
    workspace.repository.protect(BRANCH)
    with pytest.raises(PullRequestError, match="the branch is protected") as refused:
        workspace.publish({"a.py": "1\n"})
    assert TOKEN not in str(refused.value)
    assert workspace.repository.pulls == []


def test_only_commands_that_speak_to_the_server_get_the_token(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[bool, set[str]] = {True: set(), False: set()}

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], *rest: Any, **given: Any) -> None:
            name = next(w for w in command[1:] if not w.startswith("-") and "=" not in w)
            if given.get("env") is not None:
                seen[TOKEN in given["env"].values()].add(name)
            super().__init__(command, *rest, **given)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert {"push"} <= seen[True] <= {"push", "fetch", "ls-remote", "cat-file", "diff-tree"}
    assert {"write-tree", "commit-tree", "hash-object"} <= seen[False]


def test_a_token_that_is_not_accepted(workspace: Workspace) -> None:
    workspace.server.token = "another"
    with pytest.raises(PullRequestError, match="the token was rejected") as refused:
        workspace.publish({"a.py": "1\n"})
    assert TOKEN not in str(refused.value)


def test_a_token_that_may_not_open_pull_requests(workspace: Workspace) -> None:
    message = "GitHub Actions is not permitted to create or approve pull requests."
    workspace.server.failures.append(("POST", RefusedError(403, message)))
    with pytest.raises(PullRequestError, match="Workflow permissions"):
        workspace.publish({"a.py": "1\n"})
    # The branch is there; the next run goes on from it.
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED


def test_a_server_that_is_down_for_a_moment_is_asked_again(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    for method in ("GET", "POST"):
        workspace.server.failures.append((method, RefusedError(502, "Bad Gateway")))
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert len(workspace.repository.pulls) == 1


def test_a_limit_is_waited_for(workspace: Workspace) -> None:
    limit = RefusedError(403, "You have exceeded a secondary rate limit", Retry_After="0")
    workspace.server.failures.append(("POST", limit))
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED


@pytest.mark.parametrize(
    ("status", "said", "headers", "wait"),
    [
        (403, "", {"retry-after": "7"}, 7),
        (429, "", {}, 60),
        (403, "You have exceeded a secondary rate limit", {}, 60),
        (403, "", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, 31),
        (
            403,  # by the server's clock, whatever ours says
            "",
            {
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": "30",
                "date": "Thu, 01 Jan 1970 00:00:10 GMT",
            },
            21,
        ),
        (403, "", {"retry-after": "9" * 400}, 3600),
        (403, "", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 400}, 3600),
        (403, "", {"retry-after": "soon"}, None),
        (403, "Resource not accessible", {"x-ratelimit-remaining": "12"}, None),
        (404, "", {"retry-after": "7"}, None),
    ],
)
def test_what_a_server_asks_for(
    status: int, said: str, headers: dict[str, str], wait: float | None
) -> None:
    assert wanted(status, said, headers, now=1000.0) == wait


def test_a_limit_is_told_to_those_who_do_not_wait(workspace: Workspace) -> None:
    limit = RefusedError(403, "You have exceeded a secondary rate limit", Retry_After="77")
    workspace.server.failures.append(("GET", limit))
    forge = Forge("acme/model", TOKEN, workspace.server.api, wait=0, waits=False)
    with pytest.raises(LimitedError, match="try again in 77 s") as told:
        forge.open_request(BRANCH)
    assert (told.value.wait, told.value.transient) == (77, True)


def test_a_repository_that_was_renamed_has_its_pull_requests(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.server.repositories["old/name"] = workspace.repository  # redirected
    forge = Forge("old/name", TOKEN, workspace.server.api, wait=0)
    found = forge.open_request(BRANCH)
    assert found is not None
    assert found.number == 1


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://x/\x1b[2J", "https://x y"])
def test_a_page_has_an_address_of_a_page(
    workspace: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.publish({"a.py": "1\n"})
    shown = Repository.shown_pull
    monkeypatch.setattr(Repository, "shown_pull", lambda *given: {**shown(*given), "html_url": url})
    found = workspace.named.forge.open_request(BRANCH)
    workspace.server.complaints.clear()  # GitHub would not say so
    assert found is not None
    assert found.url == ""


def test_a_server_that_is_not_there(workspace: Workspace) -> None:
    forge = Forge("acme/model", TOKEN, "http://127.0.0.1:9/api/v3", wait=0)
    with pytest.raises(PullRequestError, match="GitHub cannot be reached"):
        forge.open_request(BRANCH)


def test_whoever_is_faster_opens_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Forge.create

    def late(forge: Forge, *arguments: str) -> Standing | None:
        monkeypatch.undo()
        head = workspace.repository.head_of(BRANCH) or ""
        workspace.repository.pulls.append(Pull(1, BRANCH, "main", "theirs", "", head))
        return create(forge, *arguments)

    monkeypatch.setattr(Forge, "create", late)
    made = workspace.publish({"a.py": "1\n"})
    assert (made.operation, made.number) == (Operation.UPDATED, 1)
    assert len(workspace.repository.pulls) == 1


def test_a_push_between_look_and_push_is_not_overwritten(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.publish({"a.py": "1\n"})
    push = Remote.push

    def late(remote: Remote, *arguments: Any) -> None:
        monkeypatch.undo()
        workspace.on_branch("b.py", "theirs\n", "in between")
        push(remote, *arguments)

    monkeypatch.setattr(Remote, "push", late)
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.KEPT
    assert workspace.content("b.py") == "theirs"


def test_nothing_is_closed_that_somebody_has_just_pushed_to(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.publish({"a.py": "1\n"})
    delete = Remote.delete

    def late(remote: Remote, *arguments: Any) -> None:
        monkeypatch.undo()
        workspace.on_branch("b.py", "theirs\n", "in between")
        delete(remote, *arguments)

    monkeypatch.setattr(Remote, "delete", late)
    assert workspace.withdraw().operation is Operation.KEPT
    assert (workspace.repository.pull(1).state, workspace.content("b.py")) == ("open", "theirs")


def test_credentials_that_others_left_do_not_disturb(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As actions/checkout with ``persist-credentials`` does; GitHub refuses two such headers."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    left = "AUTHORIZATION: basic b2xkOnRva2Vu"
    for where in ("--local", "--global"):
        workspace.git("config", where, f"http.{workspace.server.address}/.extraheader", left)
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED


def test_a_checkout_of_another_branch_is_refused(workspace: Workspace) -> None:
    workspace.git("checkout", "-q", "-b", "other")
    workspace.commit("b.py", "elsewhere\n")
    with pytest.raises(OutdatedError, match="which is not a commit of main"):
        workspace.publish({"a.py": "1\n"})
    assert workspace.repository.head_of(BRANCH) is None


def test_a_pull_request_for_another_base_is_refused(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.git("push", "-q", "origin", "main:develop")
    workspace.repository.pulls[0].base = "develop"
    with pytest.raises(PullRequestError, match="#1 from devicefix/main is for develop, not for"):
        workspace.publish({"a.py": "2\n"})
    assert workspace.content("a.py") == "1"


def test_no_branch_has_such_a_name(workspace: Workspace) -> None:
    for name in ("", "a b", "a..b", "a:b", "refs/heads/../x", "x.lock"):
        with pytest.raises(PullRequestError, match="not a valid branch name"):
            workspace.publish({"a.py": "1\n"}, branch=name)
    # One that looks like an option is a name below refs/heads.
    assert workspace.publish({"a.py": "1\n"}, branch="-x").operation is Operation.CREATED


def test_the_base_itself_is_never_pushed_to(workspace: Workspace) -> None:
    with pytest.raises(PullRequestError, match="main cannot be its own base"):
        workspace.publish({"a.py": "1\n"}, branch="main")


def test_a_body_that_github_would_not_take_is_refused_before(workspace: Workspace) -> None:
    with pytest.raises(PullRequestError, match="GitHub allows 65536"):
        workspace.publish({"a.py": "1\n"}, body="x" * 65_536)
    assert workspace.server.pushes == 0
