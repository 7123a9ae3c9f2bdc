"""Settings from ``[tool.devicefix]`` of a project's pyproject.toml, validated."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import replace

from devicefix.device_helpers import HelperUse
from devicefix.oldest_torch import EARLIEST, OldestTorch, Version, version_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE_NAME: Final = "pyproject.toml"
_TOML_LINE: Final = re.compile(r"at line (\d+)")
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+(\.[0-9]+)?")
_ALLOWED: Final = re.compile(r"torch\.cuda(\.\w+)*\s*(:.*)?")
_MOST: Final = 10_000_000
CUDA_OR_CPU: Final = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
_ANY: Final[Mapping[Version, tuple[str, str]]] = MappingProxyType(
    {
        # https://docs.pytorch.org/docs/2.6/accelerator.html; there, and in a build for CUDA on a
        # machine without a GPU, `current_accelerator()` alone does not ask for one
        (2, 6): (
            (
                "torch.accelerator.current_accelerator() "
                'if torch.accelerator.is_available() else torch.device("cpu")'
            ),
            (
                "str(torch.accelerator.current_accelerator()) "
                'if torch.accelerator.is_available() else "cpu"'
            ),
        ),
        (2, 7): (
            'torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")',
            'str(torch.accelerator.current_accelerator(check_available=True) or "cpu")',
        ),
    }
)
"""Any accelerator or the CPU as a device, and as a string, by the oldest torch that has it."""
_STYLES: Final[Mapping[str, Mapping[Version, str]]] = MappingProxyType(
    {
        "cuda": {EARLIEST: CUDA_OR_CPU},
        "accelerator": {version: device for version, (device, _) in _ANY.items()},
        "project": {EARLIEST: CUDA_OR_CPU},
    }
)
"""How a device is written, by the oldest torch that can read it."""
_HEADER: Final = re.compile(r"^[ \t]*\[tool\.devicefix\]", re.MULTILINE)


class SettingsError(Exception):
    """A configuration file is broken; ``str()`` gives ``path:line: reason``."""

    def __init__(self, path: Path, line: int | None, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path = path
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"


class Settings(Struct, frozen=True):
    """The settings of one run.

    Each field is a key of ``[tool.devicefix]``, with ``-`` for ``_``; its docstring is the text in
    docs/reference/configuration.md.
    """

    select: tuple[str, ...] = ()
    """The rules to run: codes, code prefixes (`"DFX2"`) or names. Empty means all rules, except
    those that run only if they are selected."""

    ignore: tuple[str, ...] = ()
    """Rules not to run, named in the same way. It takes precedence over `select`."""

    exclude: tuple[str, ...] = ()
    """Files and folders to skip, in addition to those in .gitignore: patterns as in .gitignore. A
    file that is named on the command line is analysed even if it matches."""

    unsafe_fixes: bool = False
    """Also apply unsafe fixes, which depend on code that was not analysed, or on something that
    only you know."""

    clear_outputs: bool = False
    """In notebooks, clear the output of cells that change."""

    style: str = "cuda"
    """How devices are chosen and queried. `"cuda"`: CUDA or ROCm, else the CPU; a function of the
    project that returns just that is called in files that have it or import from its module.
    `"accelerator"`: any accelerator, else the CPU; uses of CUDA are rewritten to
    `torch.accelerator`, including existing choices of a device. This needs torch 2.6. If
    `min-torch` or the project declares 2.6, a longer form is written that works there, otherwise
    the short form of 2.7.
    `"project"`: a new device is a call of the project's own function for it (without required
    parameters), or a shared name, with its import; existing code is left unchanged. A project
    without one, or with several that return different devices, is an error."""

    device_expression: str = ""
    """The Python expression for a new `device = …`, instead of the one of the `style`. An existing
    device variable is used as it is."""

    min_torch: str = ""
    """The oldest torch version that the code has to run with, at least "0.4": no safe fix needs a
    newer one. It does not affect which files can be read. Default: the version that the project
    declares, else "2.4". Folders are searched from that of the file up to the top of its
    repository; the nearest one with a declaration counts, and in it the first of pyproject.toml,
    setup.cfg, setup.py, `requirements*.txt`, `requirements/*.txt`, `env*.yml` and `conda*.yml`
    (also `.yaml`), and Pipfile. The lowest permitted version is used: 1.9.0 for `torch==1.9.0`, 1.7
    for `torch>=1.7`, the newest below 2 for `torch<2`. If none of them names torch, the lowest
    version in the nearest README or installation page (INSTALL.md, docs/INSTALL.md) is used:
    `PyTorch 1.13 or later`, `tested with torch 1.4`, a badge. Versions that are said not to work do
    not count, and those in news only if there are no others. A declared version below 0.4 counts as
    0.4, and one above 2.4 as 2.4: only this setting permits code that needs a newer torch."""

    allow: tuple[str, ...] = ()
    """Names of `torch.cuda` that DFX215 permits, including everything below them. (If it is
    selected, that rule bans all others.) A reason may follow: `"torch.cuda.nvtx: ranges for
    Nsight"`."""

    python2: bool = True
    """Convert Python 2 files. If false, they are reported and left unchanged."""

    baseline: str = ""
    """The file with known findings that are not reported, written by `devicefix baseline`. The path
    is relative to the folder of the pyproject.toml, and the file must be below that folder."""

    evidence: str = ""
    """The file that `devicefix run --record` writes. It is used where the source does not show what
    a value is; fixes that depend on it are never safe. The path is relative to the folder of the
    pyproject.toml, and the file must be below that folder."""

    cache: bool = True
    """Keep the results of `check` for programs that do not change, in the cache folder of the
    platform or in `DEVICEFIX_CACHE_DIR`."""

    time_limit: float = 60.0
    """CPU seconds for one program, that is, for files that import each other. A program that takes
    longer is analysed in parts, in as much time again, and is reported as not fully analysed; the
    others are not affected. 0 means no limit."""

    def oldest_torch(self, declared: OldestTorch | None = None) -> OldestTorch:
        """What ``min_torch`` says, else what the project has ``declared``, else the default."""
        default = OldestTorch()
        if self.style == _ACCELERATOR:
            default = OldestTorch(_SHORTEST, f'style is "{self.style}"')
        found = min(declared or default, default, key=lambda one: one.version)
        if self.min_torch:
            found = OldestTorch(version_of(self.min_torch), f"min-torch is {self.min_torch}")
        if not self.device_expression:
            return found
        tree = ast.parse(self.device_expression, mode="eval")
        names = (ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute))
        return replace(found, granted=frozenset(names))

    def for_torch(self, oldest: OldestTorch) -> Settings:
        """The same for a program that has to run with ``oldest``: the style that it can have, and
        the expression for a new device."""
        style = self.style if min(_STYLES[self.style]) <= oldest.version else "cuda"
        fitting = _STYLES[style][_newest(_STYLES[style], oldest)]
        return replace(self, style=style, device_expression=self.device_expression or fitting)

    def beside_cuda(self) -> Settings:
        """The same for a program that is for CUDA, whatever the style, as it puts something there
        by its name, or needs float64: a new device is CUDA or the CPU, unless the user says it."""
        if self.style == "cuda" or self.device_expression:
            return self
        if self.style == _PROJECT:
            return replace(self, style="cuda")
        return replace(self, device_expression=CUDA_OR_CPU)

    @property
    def takes_helpers(self) -> bool:
        """Whether a new device is written by a helper of the project."""
        return self.style == _PROJECT and not self.device_expression

    def helper(self, path: str) -> HelperUse | None:
        """How the file at ``path`` writes a new device by a helper of its project, if it does."""
        return None

    def allows(self, name: str) -> bool:
        """Whether ``allow`` names ``name``, or what it is in."""
        allowed = (entry.partition(":")[0].rstrip() for entry in self.allow)
        return any(f"{name}.".startswith(f"{entry}.") for entry in allowed)

    def why_not(self) -> str:
        """Why the style cannot be had with what ``min_torch`` says; empty where it can."""
        needed = min(_STYLES[self.style])
        if not self.min_torch or version_of(self.min_torch) >= needed:
            return ""
        version = ".".join(map(str, needed))
        return f'style "{self.style}" needs torch {version}, and min-torch is {self.min_torch}'


class ProgramSettings(Settings, frozen=True):
    """Settings that are carried out on one program."""

    helpers: Mapping[str, HelperUse] = {}
    """By file, how it writes a new device by a helper of its project."""

    @classmethod
    def of(cls, settings: Settings, helpers: Mapping[str, HelperUse]) -> ProgramSettings:
        """The same ``settings`` for a program with these ``helpers``."""
        return cls(**structs.asdict(settings), helpers=helpers)

    def helper(self, path: str) -> HelperUse | None:
        use = self.helpers.get(path)
        if use is None or self.style == _PROJECT:
            return use
        # beside what is for CUDA alone nothing else is to be used, and nothing is far to seek
        return use if use.only_cuda and use.at_hand else None


def any_accelerator(oldest: OldestTorch) -> tuple[str, str]:
    """The choice of any accelerator, as a device and as a string, for that torch or newer ones."""
    return _ANY[_newest(_ANY, oldest)]


def _newest(versions: Collection[Version], oldest: OldestTorch) -> Version:
    return max((v for v in versions if v <= oldest.version), default=min(versions))


STYLES: Final = tuple(_STYLES)
_ACCELERATOR: Final = "accelerator"
_PROJECT: Final = "project"
_SHORTEST: Final = max(_STYLES[_ACCELERATOR])
_NAMES: Final = frozenset(Settings.__struct_fields__)


def load_settings(start: Path, config: Path | None = None, top: Path | None = None) -> Settings:
    """Read ``config``, or else the nearest pyproject.toml at or above ``start`` that has our table.

    With ``top`` nothing above that folder counts: a clone may lie in a project of somebody else's.
    A ``config`` that is not called pyproject.toml may hold the keys at its top level. Raises
    ``SettingsError`` for files that cannot be read or are not TOML, unknown keys and wrong types.
    """
    if config is not None:
        document, text = _load(config)
        table = _table(document, config, text)
        if table is None and config.name != _FILE_NAME:
            table = document
        return _validated(table or {}, config, text)
    start = start.absolute()
    for folder in (start, *start.parents):
        path = folder / _FILE_NAME
        if path.is_file():
            document, text = _load(path)
            table = _table(document, path, text)
            if table is not None:
                return _validated(table, path, text)
        if folder == top:
            break
    return Settings()


def place_of(key: str, start: Path, config: Path | None = None) -> tuple[Path, int | None]:
    """The file that `load_settings` reads for ``start`` and ``config``, and its line of ``key``."""
    start = start.absolute()
    files = [config] if config else [f / _FILE_NAME for f in (start, *start.parents)]
    for path in files:
        if path.is_file():
            document, text = _load(path)
            if config is not None or _table(document, path, text) is not None:
                return path, _line_of(key, text)
    return files[0], None


def _load(path: Path) -> tuple[Mapping[str, object], str]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        if len(data) > _MOST:
            raise SettingsError(path, None, f"has more than {_MOST} bytes")
        text = data.decode("utf-8")
    except OSError as error:
        raise SettingsError(path, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(path, None, "is not UTF-8, as TOML must be") from None
    return read_toml(text, path), text


def read_toml(
    text: str, path: Path, failure: type[SettingsError] = SettingsError
) -> Mapping[str, Any]:
    """What ``text``, that of the file at ``path``, says. Raises ``failure``."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise failure(path, None, "is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits is no `TOMLDecodeError`
        line = _TOML_LINE.search(str(error))
        raise failure(path, int(line[1]) if line else None, f"not TOML: {error}") from None


def _table(document: Mapping[str, object], path: Path, text: str) -> Mapping[str, object] | None:
    tool = document.get("tool")
    table = tool.get("devicefix") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        line = _line_of("devicefix", text)
        raise SettingsError(path, line, "tool.devicefix must be a table")
    return table


def with_settings(settings: Settings, table: Mapping[str, object], origin: Path) -> Settings:
    """``settings`` with those of ``table`` in their place, called as in pyproject.toml.

    Raises ``SettingsError``, which names ``origin``.
    """
    return replace(settings, **_values(table, origin, ""))


def _validated(table: Mapping[str, object], path: Path, text: str) -> Settings:
    return Settings(**_values(table, path, text))


def _values(table: Mapping[str, object], path: Path, text: str) -> dict[str, Any]:
    defaults = Settings()
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if "_" in key or name not in _NAMES:
            raise SettingsError(path, _line_of(key, text), _unknown(key))
        expected = type(getattr(defaults, name))
        reason = _mismatch(key, value, expected)
        if reason:
            raise SettingsError(path, _line_of(key, text), reason)
        values[name] = tuple(value) if isinstance(value, list) else value
    if reason := Settings(**values).why_not() if "style" in values else "":
        raise SettingsError(path, _line_of("style", text), reason)
    for key in ("baseline", "evidence"):
        if values.get(key):
            values[key] = str(path.parent / values[key])
    return values


def _mismatch(key: str, value: object, expected: type) -> str:
    """Say what is wrong with a value; the empty string where nothing is."""
    if expected is tuple:
        fine = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return _wrong_in(key, value) if fine else f"{key} must be a list of strings"  # type: ignore[arg-type]
    if expected is float:
        fine = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        return "" if fine else f"{key} must be a number of seconds, 0 for no limit"
    if not isinstance(value, expected):
        return f"{key} must be {'true or false' if expected is bool else 'a string'}"
    if key == "style" and value not in _STYLES:
        return f"style is one of {', '.join(map(repr, _STYLES))}, not {value!r}"
    if key == "device-expression" and value and not _is_expression(str(value)):
        return f"{key} is not a Python expression: {value!r}"
    if key in ("baseline", "evidence") and _leaves(PurePath(str(value))):
        return f"{key} must be a path below the folder of this file: {value!r}"
    return why_no_version(str(value)) if key == "min-torch" else ""


def _wrong_in(key: str, entries: list[str]) -> str:
    """Say what is wrong with an entry of a list; the empty string where nothing is."""
    wrong = [entry for entry in entries if key == "allow" and not _ALLOWED.fullmatch(entry)]
    hint = "allow holds names such as 'torch.cuda.nvtx', or 'torch.cuda.nvtx: the reason'"
    return f"{hint}, not {wrong[0]!r}" if wrong else ""


def _leaves(path: PurePath) -> bool:
    """Whether it is somewhere else: a project that was only downloaded names no file of ours."""
    return path.is_absolute() or ".." in path.parts


def why_no_version(text: str) -> str:
    """Say why ``text`` cannot be ``min-torch``; the empty string where it can."""
    if not _VERSION.fullmatch(text):
        return f"min-torch is not a version such as 2.0: {text!r}"
    if version_of(text) < EARLIEST:
        return f"min-torch must be {'.'.join(map(str, EARLIEST))} or newer, not {text}"
    return ""


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _unknown(key: str) -> str:
    known = sorted(name.replace("_", "-") for name in _NAMES)
    near = difflib.get_close_matches(key.replace("_", "-"), known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return f"unknown setting {key!r}; {hint}"


def _line_of(key: str, text: str) -> int | None:
    """Find the line that sets ``key`` in our table (TOML's parser keeps no positions)."""
    table = _HEADER.search(text)
    pattern = re.compile(rf"^[ \t]*(tool\.devicefix\.)?[\"']?{re.escape(key)}[\"']?[ \t]*=", re.M)
    match = pattern.search(text, table.end() if table else 0)
    return text.count("\n", 0, match.start()) + 1 if match else None
