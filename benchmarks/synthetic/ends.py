"""What a campaign has left behind, on both sides, and whether that is as it has to be."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

from benchmarks.synthetic import shapes
from benchmarks.synthetic.bare import pushes
from benchmarks.synthetic.company import TOKEN, Site
from benchmarks.synthetic.shapes import Synthetic
from tests.github_api.repository import Repository

End = Mapping[str, Any]
_ROW: Final = (
    *("state", "running", "failed_stage", "attempts", "reason", "base", "commit", "operation"),
)
_SECONDS: Final = re.compile(r"\d+\.\d+ s\b")
_COMMIT: Final = re.compile(r"\b[0-9a-f]{40}\b")
"""Which bears the time of its campaign, where a server has refused it."""
_SEEN: Final = "it has these changes already"
"""Said of a pull request that was opened right before a kill."""


def ends(site: Site) -> dict[str, End]:
    """By the name in the campaign: what its state says, and what is on the server."""
    told = json.loads(
        subprocess.run(
            [*site.command("status"), "--output-format", "json"],
            env=site.environment(),
            capture_output=True,
            check=False,
        ).stdout
    )
    rows = [(row["name"], row) for row in told["repositories"]]
    if sorted(name for name, _ in rows) != sorted(one.entry for one in site.made):
        raise RuntimeError("a repository was lost, or is there twice")
    known = dict(rows)
    return {one.entry: _end(site, one, known[one.entry]) for one in site.made}


def _end(site: Site, one: Synthetic, row: Mapping[str, Any]) -> End:
    found = {key: row[key] for key in _ROW}
    found["number"] = (row["pull_request"] or {}).get("number")
    reason = found["reason"].replace(site.server.address, "SERVER")
    found["reason"] = _COMMIT.sub("COMMIT", reason)
    if not one.is_there:
        return found
    return {**found, **_on_server(site, site.server.repositories[one.name], one)}


def _on_server(site: Site, remote: Repository, one: Synthetic) -> dict[str, Any]:
    listed = remote.git("for-each-ref", "--format=%(refname) %(objectname)")
    refs = dict(line.split(" ") for line in listed.splitlines())
    proposed = f"refs/heads/devicefix/{one.branch}"
    commit = _commit(remote, refs.pop(proposed)) if proposed in refs else None
    pulls = [
        (p.number, p.head, p.base, p.state, p.title, _SECONDS.sub("… s", p.body), p.comments)
        for p in remote.pulls
    ]
    asked, taken = pushes(remote.folder)
    if TOKEN in json.dumps([pulls, commit]):
        raise RuntimeError(f"{one.name}: a secret is told")
    place = f"/repos/{one.name}"
    requests = sum(f"{unquote(a.path)}/".startswith(f"{place}/") for a in site.server.asked)
    return {
        "refs": refs,
        "commit made": commit,
        "pulls": pulls,
        "asked": asked,
        "taken": taken,
        "requests": requests,
    }


def _commit(remote: Repository, name: str) -> dict[str, str]:
    """All of a commit but its time."""
    form = "tree=%T%nparents=%P%nauthor=%an <%ae>%ncommitter=%cn <%ce>%nmessage=%B"
    said = remote.git("log", "-1", f"--format={form}", name)
    head, _, message = said.partition("\nmessage=")
    pairs = (line.partition("=") for line in head.splitlines())
    return {**{key: value for key, _, value in pairs}, "message": message}


def wrong(one: Synthetic, end: End, site: Site, was_killed: bool = False) -> list[str]:
    """What is otherwise than it has to be by the way in which the repository was made.

    A campaign that was killed may have asked for more, and have found what it had done itself.
    """
    wanted, end = one.end, dict(end)
    if was_killed:
        wanted = replace(wanted, tried=end.get("asked", 0))
        if wanted.pushes and end["operation"] == "unchanged" and end["reason"] == _SEEN:
            end["operation"] = wanted.operation
    return [f"{one.entry}: {what}" for what in _differences(one, wanted, end, site)]


def _differences(one: Synthetic, wanted: shapes.End, end: End, site: Site) -> Iterator[str]:
    for what, is_so, should in (
        ("state", end["state"], wanted.state),
        ("operation", end["operation"], wanted.operation),
        ("running", end["running"], None),
        ("pull requests", len(end.get("pulls", ())), wanted.pulls),
        ("open ones", sum(pull[3] == "open" for pull in end.get("pulls", ())), wanted.open_pulls),
        ("pushes taken", end.get("taken", 0), wanted.pushes),
        ("pushes asked for", end.get("asked", 0), wanted.tried),
    ):
        if is_so != should:
            yield f"{what}: {is_so!r}, not {should!r} ({end['reason']})"
    if wanted.reason not in end["reason"]:
        yield f"the reason is {end['reason']!r}"
    if wanted.pushes and not end["commit made"]:
        yield "there is no branch"
    elif wanted.pushes:
        yield from _proposal(one, end, site.server.repositories[one.name])
    elif not one.before and end.get("commit made"):
        yield "there is a branch"


def _proposal(one: Synthetic, end: End, remote: Repository) -> Iterator[str]:
    """One commit, with exactly the changes that a person has written down, in the plan's words."""
    branch = f"devicefix/{one.branch}"
    count = remote.git("rev-list", "--count", f"{one.branch}..{branch}")
    if count != "1":
        yield f"{count} commits"
    listed = remote.git("diff-tree", "-r", "-z", "--no-renames", one.branch, branch)
    parts = listed.split("\0")[:-1]
    changed = dict(zip(parts[1::2], parts[::2], strict=True))
    if set(changed) != set(one.golden):
        yield f"changed are {sorted(changed)}, not {sorted(one.golden)}"
    for path, line in changed.items():
        old, new, _, blob, kind = line[1:].split(" ")
        got = subprocess.run(
            ["git", "cat-file", "blob", blob], cwd=remote.folder, capture_output=True, check=True
        ).stdout
        if (old, kind) != (new, "M") or got != one.golden.get(path):
            yield f"{path!r} is not as it should be"
    yield from _words(one, end)


def _words(one: Synthetic, end: End) -> Iterator[str]:
    if not end["pulls"]:
        return
    commit, pull = end["commit made"], end["pulls"][-1]
    who = "Porter <porter@example.org>"
    if (commit["author"], commit["committer"]) != (who, who):
        yield f"author: {commit['author']}, {commit['committer']}"
    message = commit["message"]
    subject = f"Port {one.name} of {one.branch}\n\n- DFX"
    if not message.startswith(subject) or f"\nSigned-off-by: {who}\n" not in message:
        yield f"message: {message!r}"
    title = f"Run {one.name} on any device"
    if pull[1:3] != (f"devicefix/{one.branch}", one.branch) or pull[4] != title:
        yield f"pull request: {pull[:5]}"
    if f"Of {one.name}, for {one.branch}." not in pull[5] or "DFX" not in pull[5]:
        yield f"body: {pull[5]!r}"


def different(whole: End, killed: End, is_same_work: bool = True) -> list[str]:
    """The fields in which the end after kills is another one; what is asked for may be more often.

    A pull request that was opened right before a kill is found by whoever goes on: he says so.
    Without ``is_same_work`` attempts may be more, too: workers were lost.
    """
    passed = {"asked", "requests"} if is_same_work else {"asked", "requests", "attempts"}
    if whole["operation"] in ("created", "updated") and killed["operation"] == "unchanged":
        passed |= {"operation"} | ({"reason"} if killed["reason"] == _SEEN else set())
    keys = sorted((set(whole) | set(killed)) - passed)
    return [key for key in keys if whole.get(key) != killed.get(key)]
