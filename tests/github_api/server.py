"""A server that speaks GitHub's REST API and git's protocol, for as much as devicefix needs.

Every request is held against GitHub's own description of the API, and so is every answer:
`GitHubServer.complaints` is empty, or a test that uses it fails.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.github_api import smart_http
from tests.github_api.description import Asked, filled
from tests.github_api.repository import Pull, Repository

_API: Final = "/api/v3"
_REPO: Final = r"/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)"


class RefusedError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, *errors: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.content = {"message": message, "errors": [{"message": one} for one in errors]}


@dataclass
class GitHubServer:
    """What the server knows, and what it was asked."""

    folder: Path
    token: str
    address: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    pushes: int = 0
    complaints: list[str] = field(default_factory=list)
    failures: list[tuple[str, RefusedError]] = field(default_factory=list)
    """The next requests with these methods fail so, each once."""

    @property
    def api(self) -> str:
        """As ``GITHUB_API_URL`` of GitHub Enterprise."""
        return self.address + _API

    def add(self, name: str, bare: Path) -> Repository:
        """A repository that begins as a copy of ``bare``."""
        folder = Path(shutil.copytree(bare, self.folder / f"{name}.git"))
        with (folder / "config").open("a") as config:
            config.write("[http]\n\treceivepack = true\n[uploadpack]\n\tallowFilter = true\n")
        made = self.repositories[name] = Repository(name, folder, self.address)
        return made

    def log(self) -> list[str]:
        """The requests to the API, one line each."""
        return [f"{a.method} {a.path}{'?' + a.query if a.query else ''}" for a in self.asked]

    def answer(self, asked: Asked) -> tuple[int, Any]:
        """Status and content; raises `RefusedError`."""
        for number, (method, failure) in enumerate(self.failures):
            if method == asked.method:
                del self.failures[number]
                raise failure
        for method, pattern, handle in _ROUTES:
            match = re.fullmatch(_REPO + pattern, unquote(asked.path))
            if method == asked.method and match is not None:
                name = f"{match['owner']}/{match['name']}"
                if name not in self.repositories:
                    raise RefusedError(404, "Not Found")
                self.repositories[name].settle()
                return handle(self.repositories[name], asked, match)
        raise RefusedError(404, "Not Found")


# ---- the operations ------------------------------------------------------------------------------

_Handler = Callable[[Repository, Asked, "re.Match[str]"], tuple[int, Any]]


def _show(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    return 200, repository.shown()


def _list(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    query = {key: values[0] for key, values in parse_qs(asked.query).items()}
    state, head = query.get("state", "open"), query.get("head")
    found = [
        pull
        for pull in repository.pulls
        if state in ("all", pull.state)
        and head in (None, f"{repository.owner}:{pull.head}")
        and query.get("base") in (None, pull.base)
    ]
    if query.get("direction", "desc") == "desc":
        found.reverse()
    return 200, [repository.shown_pull(pull, "pull-request-simple") for pull in found]


def _create(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    given = asked.content
    head, base = given["head"], given["base"]
    sha = repository.head_of(head)
    if sha is None or repository.head_of(base) is None:
        raise RefusedError(422, "Validation Failed", "invalid")
    if any(p.head == head and p.base == base and p.state == "open" for p in repository.pulls):
        message = f"A pull request already exists for {repository.owner}:{head}."
        raise RefusedError(422, "Validation Failed", message)
    if repository.status_of(base, head)[1] == 0:
        raise RefusedError(422, "Validation Failed", f"No commits between {base} and {head}")
    _check_body(given)
    number = len(repository.pulls) + 1
    pull = Pull(number, head, base, given["title"], given.get("body") or "", sha)
    repository.pulls.append(pull)
    return 201, repository.shown_pull(pull)


def _get(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    return 200, repository.shown_pull(_named(repository, match))


def _edit(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    pull, given = _named(repository, match), asked.content
    _check_body(given)
    for key in ("title", "body", "state", "base"):
        setattr(pull, key, given.get(key, getattr(pull, key)))
    return 200, repository.shown_pull(pull)


def _comment(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    pull = _named(repository, match)
    pull.comments.append(asked.content["body"])
    return 201, filled("issue-comment", {"id": len(pull.comments), "body": pull.comments[-1]})


def _compare(repository: Repository, asked: Asked, match: re.Match[str]) -> tuple[int, Any]:
    base, _, head = match["basehead"].partition("...")
    try:
        status, ahead, behind = repository.status_of(base, head)
    except Exception:
        raise RefusedError(404, "Not Found") from None
    known = {"status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead}
    return 200, filled("commit-comparison", known)


def _named(repository: Repository, match: re.Match[str]) -> Pull:
    number = int(match["number"])
    if not 1 <= number <= len(repository.pulls):
        raise RefusedError(404, "Not Found")
    return repository.pulls[number - 1]


def _check_body(given: dict[str, Any]) -> None:
    if len(given.get("body") or "") > 65_536:
        message = "body is too long (maximum is 65536 characters)"
        raise RefusedError(422, "Validation Failed", message)


_ROUTES: Final[tuple[tuple[str, str, _Handler], ...]] = (
    ("GET", "", _show),
    ("GET", "/pulls", _list),
    ("POST", "/pulls", _create),
    ("GET", r"/pulls/(?P<number>\d+)", _get),
    ("PATCH", r"/pulls/(?P<number>\d+)", _edit),
    ("POST", r"/issues/(?P<number>\d+)/comments", _comment),
    ("GET", "/compare/(?P<basehead>.+)", _compare),
)


# ---- HTTP ----------------------------------------------------------------------------------------


@contextmanager
def running(folder: Path, token: str) -> Iterator[GitHubServer]:
    """A server on this machine, for as long as the block lasts."""
    known = GitHubServer(folder, token)

    class Handler(_Handling):
        server_knows = known

    with _Listener(("127.0.0.1", 0), Handler) as listener:
        known.address = f"http://127.0.0.1:{listener.server_address[1]}"
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield known
        finally:
            listener.shutdown()
            thread.join()


class _Listener(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asks may be killed while he does."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handling(BaseHTTPRequestHandler):
    server_knows: GitHubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Else what follows the head of an answer waits until the head has been acknowledged: 40 ms."""

    def _handle(self) -> None:
        address = urlsplit(self.path)
        body = self._body()
        if address.path.startswith(_API + "/"):
            self._api(
                Asked(
                    self.command,
                    address.path.removeprefix(_API),
                    address.query,
                    body,
                    dict(self.headers),
                )
            )
        else:
            self._git(address.path, address.query, body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _handle  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _chunk(self) -> bytes:
        data = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return data

    def _api(self, asked: Asked) -> None:
        known = self.server_knows
        known.asked.append(asked)
        complaint = asked.complaint()
        if complaint:
            known.complaints.append(f"{asked.method} {asked.path}: {complaint}")
        headers: dict[str, str] = {}
        try:
            self._check_token("Bearer", "token")
            status, content = known.answer(asked)
        except RefusedError as refusal:
            status, content, headers = refusal.status, refusal.content, refusal.headers
        data = json.dumps(content).encode()
        if status < 400 and (complaint := asked.complaint_about(data, status)):
            known.complaints.append(f"answer to {asked.method} {asked.path}: {complaint}")
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self._send(status, {"Content-Type": "application/json", **headers}, data)

    def _check_token(self, *kinds: str) -> None:
        given = self.headers.get_all("Authorization") or []
        if given not in [[f"{kind} {self.server_knows.token}"] for kind in kinds]:
            raise RefusedError(401, "Bad credentials")

    def _git(self, path: str, query: str, body: bytes) -> None:
        known = self.server_knows
        wanted = base64.b64encode(f"x-access-token:{known.token}".encode()).decode()
        given = self.headers.get_all("Authorization") or []
        if [one.lower() for one in given] != [f"basic {wanted}".lower()]:
            # GitHub answers 400 to two such headers.
            status = 400 if len(given) > 1 else 401
            self._send(status, {"WWW-Authenticate": 'Basic realm="GitHub"'}, b"")
            return
        known.pushes += path.endswith("/git-receive-pack")
        answer = smart_http.serve(known.folder, self.command, path, query, dict(self.headers), body)
        self._send(answer.status, dict(answer.headers), answer.body)

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: `GitHubServer.asked` has it."""
