"""What the keys of a plan may be set to. Each check gives the value, or raises `ValueError`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from devicefix.migration import executors
from devicefix.migration.templates import fill, why_no_template
from devicefix.pull_requests import Author
from devicefix.settings import SettingsError

Check: TypeAlias = Callable[[object], Any]

_LONGEST_NOTE: Final = 4000
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN: Final = re.compile(r"gh[a-z]_|github_pat_")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]?)B", re.IGNORECASE)
_NO_BRANCH: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock(/|$)|/\.")
"""git-check-ref-format(1)."""


class PlanError(SettingsError):
    """A plan cannot be used; ``str()`` gives ``path:line: reason``."""


def anything(value: object) -> object:
    """Checked elsewhere."""
    return value


def text(value: object) -> str:
    """Some text."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def boolean(value: object) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def template(value: object) -> str:
    """Text in which {name} and {base} may stand."""
    found = text(value)
    if reason := why_no_template(found):
        raise ValueError(reason)
    return found


def note(value: object) -> str:
    """A template for which the body of a pull request has room beside the report."""
    found = template(value)
    if len(found) > _LONGEST_NOTE:
        raise ValueError(f"must have at most {_LONGEST_NOTE} characters")
    return found


def line(value: object) -> str:
    """One line."""
    found = text(value).strip()
    if "\n" in found or "\r" in found or "\0" in found:
        raise ValueError("must be one line")
    return found


def title(value: object) -> str:
    """One line of a template, and not an empty one."""
    found = line(template(value))
    if not found:
        raise ValueError("must not be empty")
    return found


def name(value: object) -> str:
    """Of a campaign: it is the name of a folder, too."""
    found = text(value)
    if not _NAME.fullmatch(found):
        raise ValueError(f"a name consists of letters, digits, -, _ and ., unlike {found!r}")
    return found


def branch_name(value: object) -> str:
    """A branch that git would take."""
    found = text(value)
    if not found or found == "@" or _NO_BRANCH.search(found):
        raise ValueError(f"not a valid branch name: {found!r}")
    return found


def branch(value: object) -> str:
    """A template of one."""
    found = title(value)
    branch_name(fill(found, {"name": "owner/name", "base": "main"}))
    return found


def author(value: object) -> Author:
    """``Name <mail@example.org>``."""
    return Author.parse(text(value))


def api(value: object) -> str:
    """The address of a REST API."""
    found = text(value)
    parts = urlsplit(found)
    if parts.scheme not in ("https", "http") or not parts.hostname or "@" in parts.netloc:
        raise ValueError(f"not the address of an API: {found!r}")
    return found.rstrip("/")


def variable(value: object) -> str:
    """The name of an environment variable; the token itself does not belong into a file."""
    found = text(value)
    if not _VARIABLE.fullmatch(found):
        raise ValueError("must be the name of an environment variable")
    if _TOKEN.match(found):
        raise ValueError("must be the name of an environment variable; this is a token")
    return found


def executor(value: object) -> str:
    """Who does the work."""
    if value not in executors.NAMES:
        raise ValueError(f"must be one of {', '.join(executors.NAMES)}")
    return str(value)


def amount(value: object) -> float:
    """A number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError("must be a number, 0 or more")
    return float(value)


def gpus(value: object) -> float:
    """A part of one that several share, or some that nobody else has; Ray takes nothing else."""
    found = amount(value)
    if found > 1 and not found.is_integer():
        raise ValueError("must be a number up to 1, or a whole number")
    return found


def seconds(value: object) -> float:
    """A time."""
    found = amount(value)
    if not found:
        raise ValueError("must be a number of seconds, more than 0")
    return found


def count(value: object) -> int:
    """How many of something."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("must be a whole number, 1 or more")
    return value


def size(value: object) -> int:
    """Bytes: ``"4 GB"``."""
    found = _SIZE.fullmatch(text(value).strip())
    number = int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " ")) if found else 0
    if not number:
        raise ValueError(f'must be a size such as "4 GB", not {value!r}')
    return number


def paths(value: object) -> tuple[str, ...]:
    """Files and folders of a repository; never outside of it."""
    found = _texts(value)
    for one in found:
        parts = PurePosixPath(one).parts
        inside = not one.startswith("/") and ".." not in parts and ".git" not in map(_lower, parts)
        if not one or not inside or "\\" in one or "\0" in one:
            raise ValueError(f"not a path in a repository: {one!r}")
    return found


def devices(value: object) -> tuple[str, ...]:
    """On which it is proven."""
    from devicefix.simulator.devices import parse
    from devicefix.verification.readiness import REAL

    found = _texts(value)
    return tuple(one if one in ("cpu", *REAL) else str(parse(one)) for one in dict.fromkeys(found))


def unknown(given: str, known: Sequence[str], what: str) -> str:
    """What to say of a key that is not there."""
    near = difflib.get_close_matches(given.replace("_", "-"), known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
    return f"unknown {what} {given!r}; {hint}"


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise ValueError("must be a list of strings, and not an empty one")
    return tuple(value)


def _lower(part: str) -> str:
    return part.lower()
