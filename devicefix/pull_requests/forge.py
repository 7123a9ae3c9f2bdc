"""GitHub, or GitHub Enterprise: the pull requests of one repository."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from devicefix.pull_requests.errors import PullRequestError, UnauthorizedError
from devicefix.pull_requests.limits import LimitedError, wanted

if TYPE_CHECKING:
    from github.PullRequest import PullRequest
    from github.Repository import Repository
    from urllib3 import Retry

_SECONDS: Final = 30
_RETRIES: Final = 5
_UNKNOWN: Final = 401
_BROKEN: Final = 500
_LONGEST_URL: Final = 2000
_CLOSED: Final = 30
"""Closed pull requests of a branch that are remembered."""
_EXISTS: Final = "pull request already exists"
_HINTS: Final = {
    "not permitted to create or approve": "allow it in the settings of the repository, Actions, "
    "General, Workflow permissions, or give another token",
    "Resource not accessible": "the token lacks permission: give the job "
    "`permissions: pull-requests: write`",
    "Bad credentials": "the token was rejected",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A pull request, as it was when it was looked at."""

    number: int
    url: str
    base: str
    body: str
    merged: bool
    commit: str
    """The head that the server saw last."""


class Forge:
    """Pull requests within the repository ``name`` (``owner/name``)."""

    def __init__(
        self,
        name: str,
        token: str,
        api: str = "https://api.github.com",
        wait: float = 1.0,
        waits: bool = True,
    ) -> None:
        """``wait``: seconds between two requests that write, as GitHub asks for; less for others.

        ``waits``: whether a limit of the server is waited for; else it raises `LimitedError`.

        docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
        Raises `PullRequestError` where PyGithub is missing.
        """
        try:
            import github
        except ModuleNotFoundError:
            raise PullRequestError("needs PyGithub: pip install 'devicefix[github]'") from None
        self.name = name
        self._github = github.Github(
            auth=github.Auth.Token(token) if token else None,
            base_url=api.rstrip("/"),
            timeout=_SECONDS,
            retry=_retry(min(wait, 1.0), waits),
            seconds_between_requests=wait / 4,
            seconds_between_writes=wait,
            user_agent="devicefix",
        )
        self._known: Repository | None = None

    def of(self, name: str) -> Forge:
        """The pull requests of another repository: the same connection, and the same pace."""
        other = copy.copy(self)
        other.name, other._known = name, None
        return other

    def open_request(self, branch: str) -> Standing | None:
        """The open pull request that comes from ``branch``; the oldest, if there are several."""
        with _failures():
            found = self._requests("open", branch)
            return _standing(min(found, key=lambda pull: pull.number)) if found else None

    def closed_requests(self, branch: str) -> list[Standing]:
        """Those that came from ``branch`` and were closed or merged, the latest first."""
        with _failures():
            return [_standing(pull) for pull in self._requests("closed", branch)]

    def create(self, branch: str, base: str, title: str, body: str) -> Standing | None:
        """Open a pull request; None where somebody was faster."""
        from github import GithubException

        with _failures():
            try:
                made = self._repository.create_pull(base, branch, title=title, body=body)
            except GithubException as error:
                if _EXISTS in _said(error):
                    return None
                raise
            return _standing(made)

    def rewrite(self, number: int, body: str) -> None:
        """Give a pull request another body."""
        with _failures():
            self._pull(number).edit(body=body)

    def close(self, number: int, body: str, comment: str) -> None:
        """Close a pull request, and say why."""
        with _failures():
            pull = self._pull(number)
            pull.create_issue_comment(comment)
            pull.edit(body=body, state="closed")

    def contains(self, whole: str, part: str) -> bool:
        """Whether the history of ``whole``, a branch or a commit, has the commit ``part``."""
        if whole == part:
            return True
        from github import UnknownObjectException

        with _failures():
            try:
                return self._repository.compare(whole, part).status in ("identical", "behind")
            except UnknownObjectException:  # one of them is not on the server
                return False

    @property
    def _repository(self) -> Repository:
        if self._known is None:
            self._known = self._github.get_repo(self.name)
        return self._known

    def _requests(self, state: str, branch: str) -> list[PullRequest]:
        name = self._repository.full_name  # another one than ours where it was renamed
        pulls = self._repository.get_pulls(
            state=state,
            sort="created",
            direction="desc",
            head=f"{name.partition('/')[0]}:{branch}",
        )
        found = (pull for _, pull in zip(range(_CLOSED), pulls, strict=False))
        # Forks of the same owner have branches, too.
        return [pull for pull in found if _comes_from(pull, name, branch)]

    def _pull(self, number: int) -> PullRequest:
        return self._repository.get_pull(number)


def _comes_from(pull: PullRequest, name: str, branch: str) -> bool:
    repository = pull.head.repo
    same = repository is not None and repository.full_name.lower() == name.lower()
    return same and pull.head.ref == branch


def _page(url: str) -> str:
    """``url``, where it is the address of a page and nothing else."""
    is_one = url.startswith(("https://", "http://")) and url.isprintable() and " " not in url
    return url if is_one and len(url) <= _LONGEST_URL else ""


def _standing(pull: PullRequest) -> Standing:
    merged = pull.merged_at is not None
    return Standing(
        pull.number, _page(pull.html_url), pull.base.ref, pull.body or "", merged, pull.head.sha
    )


def _retry(pause: float, waits: bool) -> Retry:
    """What is done with a request that failed; `GithubRetry` waits for limits, the other does not.

    A request that opens a pull request may be sent again: there cannot be two of one branch.
    """
    import github
    from urllib3 import Retry

    if waits:
        return github.GithubRetry(total=_RETRIES, backoff_factor=pause)
    return Retry(
        total=_RETRIES,
        backoff_factor=pause,
        status_forcelist=range(500, 600),
        allowed_methods=None,
        respect_retry_after_header=False,
    )


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what the library raises into one sentence."""
    import requests
    from github import GithubException

    try:
        yield
    except GithubException as error:
        said = _said(error)
        hint = next((hint for word, hint in _HINTS.items() if word in said), "")
        why = f"{said} ({hint})" if hint else said
        reason = f"GitHub answered {error.status}: {why}"
        wait = wanted(error.status, said, error.headers or {}, time.time())
        if wait is not None:
            raise LimitedError(reason, wait) from None
        kind = UnauthorizedError if error.status == _UNKNOWN else PullRequestError
        told = kind(reason)
        told.transient = error.status >= _BROKEN
        raise told from None
    except requests.RequestException as error:
        told = PullRequestError(f"GitHub cannot be reached: {error}")
        told.transient = True
        raise told from None
    except (RuntimeError, AssertionError) as error:  # so PyGithub calls an answer of another host
        raise PullRequestError(f"GitHub sent an unexpected response: {error}") from None


def _said(error: object) -> str:
    """The message of an answer, with those of the single errors in it."""
    data = getattr(error, "data", None)
    if not isinstance(data, dict):
        return str(data or error)
    errors = data.get("errors")
    details = errors if isinstance(errors, list) else []
    texts = [one.get("message") if isinstance(one, dict) else one for one in details]
    return "; ".join(str(text) for text in (data.get("message"), *texts) if text)
