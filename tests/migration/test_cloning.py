"""Clones: the commit that was asked for, whatever else there is; and why there is none."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from devicefix.migration.cloning import Clone, Wanted, clone
from devicefix.migration.errors import CloneError, EmptyError, OutdatedCloneError
from devicefix.migration.orders import Ending
from devicefix.migration.rewriting import rewrite
from devicefix.pull_requests.errors import GitError
from devicefix.pull_requests.git import Git
from tests.github_api.server import running
from tests.migration.conftest import PROGRAM, Author, order

TOKEN: Final = "ghs_secretSecretSecret"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "clone"


def files(found: Clone) -> dict[str, bytes]:
    paths = (p for p in found.folder.rglob("*") if p.is_file() and ".git" not in p.parts)
    return {p.relative_to(found.folder).as_posix(): p.read_bytes() for p in paths}


def test_the_newest_commit_of_the_first_branch(author: Author, place: Path) -> None:
    author.write("a.py", "old\n")
    author.commit()
    author.write("a.py", PROGRAM)
    author.write("bin/run", "#!/bin/sh\n").chmod(0o755)
    last = author.commit()
    found = clone(Wanted(str(author.folder)), place)
    assert (found.folder, found.commit, found.base) == (place, last, "main")
    assert files(found) == {"a.py": PROGRAM.encode(), "bin/run": b"#!/bin/sh\n"}
    assert (place / "bin/run").stat().st_mode & 0o111
    assert not (place / "a.py").stat().st_mode & 0o111
    assert 0 < found.size < 50_000
    assert Author(place).git("rev-list", "--all") == last  # and nothing of its history


def test_an_older_commit_of_another_branch(author: Author, place: Path) -> None:
    author.git("checkout", "-q", "-b", "next/one")
    author.write("a.py", "old\n")
    old = author.commit()
    author.write("a.py", "new\n")
    author.commit()
    author.git("checkout", "-q", "-b", "main")
    found = clone(Wanted(str(author.folder), "next/one", old), place)
    assert (found.commit, found.base) == (old, "next/one")
    assert files(found) == {"a.py": b"old\n"}
    assert Author(place).git("rev-parse", "HEAD") == old


def test_without_files_there_are_only_objects(author: Author, place: Path) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    found = clone(Wanted(str(author.folder), files=False), place)
    assert files(found) == {}
    assert Author(place).git("show", "HEAD:a.py") == PROGRAM.rstrip("\n")


def test_without_files_their_contents_are_not_brought(author: Author, place: Path) -> None:
    author.write("data.bin", os.urandom(100_000))
    author.write("a.py", "old\n")
    old = author.commit()
    author.write("a.py", PROGRAM)
    author.commit()
    author.git("config", "uploadpack.allowFilter", "true")  # as GitHub has it
    for commit in ("", old):
        found = clone(Wanted(str(author.folder), "main", commit, files=False), place)
        assert found.size < 50_000
        assert Author(place).git("ls-tree", "--name-only", "HEAD") == "a.py\ndata.bin"
        shutil.rmtree(place)


def test_a_repository_with_nothing_in_it(author: Author, place: Path) -> None:
    with pytest.raises(EmptyError, match="the repository has no commits"):
        clone(Wanted(str(author.folder)), place)


def test_a_repository_without_a_first_branch(author: Author, place: Path) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    author.git("symbolic-ref", "HEAD", "refs/heads/gone")
    with pytest.raises(CloneError, match="set `base` in the plan") as failure:
        clone(Wanted(str(author.folder)), place)
    assert not isinstance(failure.value, EmptyError)
    assert clone(Wanted(str(author.folder), "main"), place.parent / "second").base == "main"


@pytest.mark.parametrize(
    ("url", "base", "commit", "reason"),
    [
        ("ext::sh -c 'touch x'", "", "", "not the address"),
        ("git://localhost:1/x", "", "", "transport 'git' not allowed"),
        ("/nowhere/at/all", "", "", "does not exist"),
        ("--upload-pack=touch x", "", "", "does not exist"),
        ("x\x1b]0;y", "", "", "not the address"),
        ("", "", "", "not the address"),
        ("/", "--output=x", "", "not a valid branch name"),
        ("/", "", "HEAD~1", "not the name of a commit"),
    ],
)
def test_what_is_no_address(url: str, base: str, commit: str, reason: str, place: Path) -> None:
    with pytest.raises(CloneError, match=reason) as failure:
        clone(Wanted(url, base, commit), place)
    assert not failure.value.transient


def test_a_branch_or_a_commit_that_is_not_there(author: Author, place: Path) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    with pytest.raises(CloneError, match="branch nothing not found") as failure:
        clone(Wanted(str(author.folder), "nothing"), place)
    assert not failure.value.transient
    author.git("tag", "v1")
    with pytest.raises(CloneError, match="v1 is not a branch"):
        clone(Wanted(str(author.folder), "v1"), place.parent / "second")
    with pytest.raises(OutdatedCloneError, match="not our ref"):
        clone(Wanted(str(author.folder), "main", "1" * 40), place.parent / "third")


def test_a_server_that_is_not_there_may_be_there_later(place: Path) -> None:
    with pytest.raises(CloneError) as failure:
        clone(Wanted("http://127.0.0.1:1/a/b.git"), place)
    assert failure.value.transient


def test_a_private_repository(
    author: Author, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.write("a.py", PROGRAM)
    commit = author.commit()
    bare = tmp_path / "bare.git"
    author.git("clone", "-q", "--bare", ".", str(bare))
    with running(tmp_path / "server", TOKEN) as server:
        repository = server.add("acme/model", bare)
        plain = order(f"{server.address}/{repository.name}.git", token_variable="SOME_TOKEN")
        refused = rewrite(plain)
        monkeypatch.setenv("SOME_TOKEN", "another")
        refused_again = rewrite(plain)
        monkeypatch.setenv("SOME_TOKEN", TOKEN)
        found = rewrite(plain)
    for failure in (refused, refused_again):
        assert (failure.ending, failure.transient) == (Ending.FAILED, False)
        assert "token" in failure.reason
    assert (found.ending, found.commit) == (Ending.CHANGED, commit)
    assert TOKEN not in repr(found)


def test_a_token_is_not_sent_to_where_a_server_refers_to(place: Path) -> None:
    given: list[tuple[str, str | None]] = []

    class Referring(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given.append((self.headers["Host"], self.headers["Authorization"]))
            known = self.server is first and self.headers["Authorization"]
            self.send_response(301 if known else 401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Location", f"http://127.0.0.1:{second.server_port}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    with ExitStack() as stack:
        first, second = (
            stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Referring)) for _ in range(2)
        )
        for server in (first, second):
            Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
            stack.callback(server.shutdown)
        with pytest.raises(CloneError, match="token"):
            clone(Wanted(f"http://127.0.0.1:{first.server_port}/a/b.git", token=TOKEN), place)
    hosts = {host for host, sent in given if sent is not None}
    assert hosts == {f"127.0.0.1:{first.server_port}"}
    assert f"127.0.0.1:{second.server_port}" in {host for host, _ in given}


def test_git_writes_no_file_that_is_larger(author: Author, tmp_path: Path) -> None:
    author.write("noise.bin", os.urandom(3_000_000))
    author.commit()
    options = ("clone", "-q", "--no-local", "--no-checkout", "--template=")
    with pytest.raises(GitError, match="File too large"):
        Git(tmp_path, most=1_000_000).run(*options, str(author.folder), "small")
    Git(tmp_path, most=10_000_000).run(*options, str(author.folder), "large")
