"""Asking git about files, in a way that starts nothing but git.

git runs programs that a repository's configuration names: a file system monitor, hooks, external
diffs, filters, and what fetches objects that are missing (git-scm.com/docs/git-config). A project
that was downloaded may have come with its ``.git``, and is only looked at.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from devicefix.engine.errors import GitError

_NAMED_ELSEWHERE: Final = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)
"""What the hook that started us may have said of another repository (`git rev-parse
--local-env-vars`)."""
_QUIETLY: Final = (
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fileMode=false",  # rights are kept, and some file systems have none
    "-c",
    "core.quotePath=false",
)
_NO_FILTER: Final = (("clean", ""), ("process", ""), ("required", "false"))
"""What switches a filter off (git-scm.com/docs/gitattributes, "filter")."""
_NO_REPOSITORY: Final = (b"not a git repository", b"must be run in a work tree")
_PARTIAL: Final = b"promisor remote"
_NOT_OURS: Final = b"dubious ownership"


class NoRepositoryError(GitError):
    """There is no git, or no repository that it could read: a copy may have lost the rest of it."""


def repositories(files: Iterable[str]) -> dict[str, list[str]]:
    """By the root of each git repository the real paths of those of ``files`` that lie in it.

    Those that lie in none are below the empty string. git is not asked.
    """
    known: dict[Path, str] = {}
    found: dict[str, list[str]] = {}
    for file in map(os.path.realpath, files):
        found.setdefault(_root(Path(file).parent, known), []).append(file)
    return found


def _root(folder: Path, known: dict[Path, str]) -> str:
    if folder not in known:
        if os.path.lexists(folder / ".git"):
            known[folder] = str(folder)
        else:
            known[folder] = _root(folder.parent, known) if folder != folder.parent else ""
    return known[folder]


def ask(root: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git says of the repository at ``root``.

    Raises `NoRepositoryError`, and `GitError` with git's own words where it refuses.
    """
    return _asked(root, arguments, given, ())


def _asked(
    root: str, arguments: Sequence[str], given: bytes, config: Sequence[tuple[str, str]]
) -> bytes:
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # Windows looks in our folder first
        raise NoRepositoryError("git is not installed")
    command = [program, "-C", root, *_QUIETLY, *arguments]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, env=_environment(root, config)
        )
    except OSError as error:
        raise NoRepositoryError(f"git cannot be started: {error.strerror}") from error
    if done.returncode:
        raise _refusal(root, done.stderr)
    return done.stdout


def ask_of_files(root: str, *arguments: str) -> bytes:
    """The same, for commands that look at what files hold: they would filter that first.

    So files with a filter look changed, whatever they hold.
    """
    keys = names(_config(root))
    filters = dict.fromkeys(key.rpartition(".")[0] for key in keys if key.startswith("filter."))
    off = [(f"{name}.{key}", value) for name in filters for key, value in _NO_FILTER]
    return _asked(root, arguments, b"", off)


def _config(root: str) -> bytes:
    return ask(root, "config", "--list", "--name-only", "-z")


def partial(root: str) -> str:
    """What is said where objects are missing that git would fetch."""
    return f"{root} is a partial clone that lacks objects, and nothing is fetched"


def names(answer: bytes) -> list[str]:
    """The fields of an answer that ``-z`` ends with a zero byte each."""
    return [os.fsdecode(field) for field in answer.split(b"\0") if field]


def _environment(root: str, config: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NAMED_ELSEWHERE}
    ours = {
        "GIT_CEILING_DIRECTORIES": str(Path(root).parent),  # this repository or none
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",  # what was committed, not what stands in for it here
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    return {**kept, **ours, **_configured(config)}


def _configured(config: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Settings by the environment, besides those that are there: a name may hold anything."""
    known = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(known) if known.isdecimal() else 0
    pairs = {"GIT_CONFIG_COUNT": str(first + len(config))} if config else {}
    for at, (key, value) in enumerate(config, first):
        pairs |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return pairs


def _refusal(root: str, said: bytes) -> GitError:
    if any(words in said for words in _NO_REPOSITORY):
        return NoRepositoryError(f"{root} is not a readable git repository")
    lines = os.fsdecode(said).strip().splitlines()
    if _PARTIAL in said:
        return GitError(partial(root))
    if _NOT_OURS in said:
        reason = f"{lines[0]}; git config --global --add safe.directory {root}"
    else:
        reason = lines[-1] if lines else "no reason given"
    return GitError(f"git cannot read {root}: {reason}")
