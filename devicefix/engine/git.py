"""Asking git about files, in a way that starts nothing that a repository asks for.

git runs programs that a repository's configuration names: a file system monitor, hooks, external
diffs, filters, what brings the objects that a partial clone lacks (git-scm.com/docs/git-config).
Who unpacks an archive with a ``.git`` in it has chosen none of these. What is left are filters of
the user's own configuration, without which git would not know what has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
_NO_REPOSITORY: Final = (b"not a git repository", b"must be run in a work tree")
_NOT_OURS: Final = b"dubious ownership"
_COUNT: Final = "GIT_CONFIG_COUNT"
_REPOSITORYS: Final = frozenset({"local", "worktree"})
"""Scopes of settings that lie in the repository."""


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
    return _asked(root, arguments, given, _environment(root, _disarmed(root)))


def unfiltered(root: str, files: Sequence[str]) -> frozenset[str]:
    """Those of ``files``, paths below ``root``, whose filter only the repository names."""
    foreign = {key.removeprefix("filter.").rpartition(".")[0] for key in _disarmed(root)}
    if not files or not foreign:
        return frozenset()
    answer = names(ask(root, "check-attr", "-z", "filter", "--", *files))
    return frozenset(p for p, f in zip(answer[::3], answer[2::3], strict=True) if f in foreign)


def _asked(
    root: str, arguments: Sequence[str], given: bytes, environment: Mapping[str, str]
) -> bytes:
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # Windows looks in our folder first
        raise NoRepositoryError("git is not installed")
    command = [program, "-C", root, *_QUIETLY, *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, env=environment)
    except OSError as error:
        raise NoRepositoryError(f"git cannot be started: {error.strerror}") from error
    if done.returncode:
        raise _refusal(root, done.stderr)
    return done.stdout


def _disarmed(root: str) -> Mapping[str, str]:
    """Settings that put filters back to what they are without the repository's configuration."""
    listed = ("config", "--list", "--includes", "--show-scope", "-z")
    fields = names(_asked(root, listed, b"", _environment(root)))
    own, foreign = dict[str, str](), set[str]()
    for scope, setting in zip(fields[::2], fields[1::2], strict=True):
        key, _, value = setting.partition("\n")
        if not key.startswith("filter."):
            continue
        if scope in _REPOSITORYS:
            foreign.add(key)
        else:
            own[key] = value
    return {key: own.get(key, "") for key in sorted(foreign)}


def names(answer: bytes) -> list[str]:
    """The fields of an answer that ``-z`` ends with a zero byte each."""
    return [os.fsdecode(field) for field in answer.split(b"\0") if field]


def _environment(root: str, settings: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NAMED_ELSEWHERE}
    ours = {
        "GIT_CEILING_DIRECTORIES": str(Path(root).parent),  # this repository or none
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    first = int(kept.get(_COUNT) or 0)
    for number, (key, value) in enumerate(settings.items(), start=first):
        ours |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        ours[_COUNT] = str(number + 1)
    return {**kept, **ours}


def _refusal(root: str, said: bytes) -> GitError:
    if any(words in said for words in _NO_REPOSITORY):
        return NoRepositoryError(f"{root} is no git repository that could be read")
    lines = os.fsdecode(said).strip().splitlines()
    if _NOT_OURS in said:
        reason = f"{lines[0]}; git config --global --add safe.directory {root}"
    else:
        reason = lines[-1] if lines else "it does not say why"
    return GitError(f"git cannot read {root}: {reason}")
