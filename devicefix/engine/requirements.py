"""Readers of the files in which projects say which torch they need, and what that comes to.

Each gives the specifiers of PEP 440 that stand beside torch, ``"==1.9.0"`` or ``">=1.7,<2"``. What
does not parse says nothing: it is the business of those who install it.
"""

from __future__ import annotations

import ast
import configparser
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import yaml
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from devicefix.oldest_torch import EARLIEST, OldestTorch
from devicefix.oldest_torch import Version as Numbers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RELEASES: Final = tuple(
    Version(f"{minor}.{patch}")
    for minor, patches in {
        "0.1": 1, "0.2": 1, "0.3": 2, "0.4": 2, "1.0": 2, "1.1": 1, "1.2": 1, "1.3": 2, "1.4": 1,
        "1.5": 2, "1.6": 1, "1.7": 2, "1.8": 2, "1.9": 2, "1.10": 3, "1.11": 1, "1.12": 2,
        "1.13": 2, "2.0": 2, "2.1": 3, "2.2": 3, "2.3": 2, "2.4": 2, "2.5": 2, "2.6": 1, "2.7": 2,
        "2.8": 1, "2.9": 2, "2.10": 1, "2.11": 1, "2.12": 1, "2.13": 1,
    }.items()
    for patch in range(patches)
)  # fmt: skip
"""Those of torch, oldest first. Source: https://github.com/pytorch/pytorch/releases"""

_NAMES: Final = frozenset({"torch", "pytorch"})
_CONDA: Final = re.compile(r"(?:[^:\s]+::)?([\w.-]+)\s*([=<>!~]*\s*[^\s#]*)")
_LOCAL: Final = re.compile(r"\+[\w.]+")
_OPTION: Final = re.compile(r"\s--?[A-Za-z].*")
_COMMENT: Final = re.compile(r"(^|\s)#.*")


def oldest(specifiers: Iterable[str]) -> Numbers | None:
    """The lowest version that any of ``specifiers`` admits; None where they leave that open.

    Where only newer versions are excluded (``<2``), it is the newest that is left, as far as it is
    older than what counts where nothing is said: a rewrite needs what some admitted version has.
    """
    found = [version for text in specifiers if (version := _oldest(text)) is not None]
    return min(found, default=None)


def _oldest(text: str) -> Numbers | None:
    try:
        admits = SpecifierSet(_LOCAL.sub("", text))
    except InvalidSpecifier:
        return None
    named = (_version(one.version.removesuffix(".*")) for one in admits)
    known = sorted({*RELEASES, *(version for version in named if version is not None)})
    left = [version for version in known if admits.contains(version, prereleases=True)]
    if not left:
        return None
    if left[0] > RELEASES[0]:
        return max(left[0].release, EARLIEST)
    newest = max(left[-1].release, EARLIEST)
    return newest if newest < OldestTorch().version else None


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


# -- files ----------------------------------------------------------------------------------------


def of_pyproject(text: str) -> Iterator[str]:
    """``dependencies`` of the project and its extras, groups, and what Poetry has."""
    document = _toml(text)
    project = _table(document.get("project"))
    yield from _listed(project.get("dependencies"))
    for extra in _table(project.get("optional-dependencies")).values():
        yield from _listed(extra)
    for group in _table(document.get("dependency-groups")).values():
        yield from _listed(group)
    poetry = _table(_table(document.get("tool")).get("poetry"))
    groups = (_table(group) for group in _table(poetry.get("group")).values())
    for dependencies in (poetry, *groups):
        yield from _named(dependencies.get("dependencies"))
    yield from _named(poetry.get("dev-dependencies"))


def of_pipfile(text: str) -> Iterator[str]:
    """The packages of Pipenv."""
    document = _toml(text)
    yield from _named(document.get("packages"))
    yield from _named(document.get("dev-packages"))


def of_setup_cfg(text: str) -> Iterator[str]:
    """``install_requires`` and extras of setuptools."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    lines = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        lines += [value for _, value in parser.items("options.extras_require")]
    yield from _listed([line for block in lines for line in block.split("\n")])


def of_setup(text: str) -> Iterator[str]:
    """``setup(install_requires=[…], extras_require={…})``, in literals or names for them; and what
    it asserts of the torch that it finds."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        for keyword in call.keywords:
            if keyword.arg in ("install_requires", "extras_require"):
                yield from _literal(keyword.value, names)
    for test in (node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)):
        match test:
            case ast.Compare(left=found, ops=[ast.GtE()], comparators=[least]):
                version = _numbers(least)
                if version and _is_of_torch(found, names):
                    yield f">={version}"


def _is_of_torch(tree: ast.expr, names: Mapping[str, ast.expr]) -> bool:
    """``torch.__version__``, or what is computed of it; ``names`` are read once."""
    if isinstance(tree, ast.Name):
        tree = names.get(tree.id, tree)
    return any(
        isinstance(n, ast.Attribute)
        and n.attr == "__version__"
        and isinstance(n.value, ast.Name)
        and n.value.id == "torch"
        for n in ast.walk(tree)
    )


def _numbers(tree: ast.expr) -> str:
    """``[1, 7]``, ``(1, 7)``, ``"1.7"``, ``parse("1.7")``: as a version is written."""
    if isinstance(tree, ast.Call) and len(tree.args) == 1:
        tree = tree.args[0]
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ""
    text = ".".join(map(str, value)) if isinstance(value, (list, tuple)) else value
    return text if isinstance(text, str) and _version(text) is not None else ""


def of_requirements(text: str) -> Iterator[str]:
    """Lines as pip takes them; a wheel's address names its version."""
    lines = (_COMMENT.sub("", line) for line in text.replace("\\\n", " ").split("\n"))
    yield from _listed([_OPTION.sub("", line).strip() for line in lines])


def of_environment(text: str) -> Iterator[str]:
    """``dependencies`` of conda, and of pip below them."""
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    dependencies = _table(document).get("dependencies")
    for item in dependencies if isinstance(dependencies, list) else ():
        if isinstance(item, dict):
            yield from _listed(item.get("pip"))
        elif isinstance(item, str):
            yield from _of_conda(item)


# -- what stands in them ---------------------------------------------------------------------------


def _listed(items: object) -> Iterator[str]:
    """Of a list of requirements of PEP 508."""
    for item in items if isinstance(items, (list, tuple)) else ():
        if isinstance(item, str):
            yield from _required(item.strip())


def _required(text: str) -> Iterator[str]:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        yield from _of_wheel(text)
        return
    if requirement.name.lower() not in _NAMES:
        return
    if requirement.url:
        yield from _of_wheel(requirement.url)
    elif requirement.specifier:
        yield str(requirement.specifier)


def _of_wheel(address: str) -> Iterator[str]:
    name = address.partition("#")[0].rpartition("/")[2].replace("%2B", "+")
    try:
        distribution, version, _, _ = parse_wheel_filename(name)
    except (InvalidWheelFilename, InvalidVersion):
        return
    if distribution in _NAMES:
        yield f"=={version}"


def _named(table: object) -> Iterator[str]:
    """Of a table of Poetry or Pipenv: ``torch = "^1.9"``, ``torch = {version = "^1.9"}``."""
    for name, value in _table(table).items():
        if name.lower() in _NAMES:
            for one in value if isinstance(value, list) else [value]:
                text = one.get("version") if isinstance(one, dict) else one
                if isinstance(text, str):
                    yield from _of_poetry(text)


def _of_poetry(text: str) -> Iterator[str]:
    """Of ``^1.9`` and ``~1.9`` the lower bound decides."""
    for choice in text.split("||"):
        parts = [part.strip() for part in choice.split(",")]
        yield ",".join(_as_specifier(part) for part in parts if part not in ("", "*"))


def _as_specifier(text: str) -> str:
    if text.startswith(("^", "~")) and not text.startswith("~="):
        return f">={text[1:].strip()}"
    return f"=={text}" if text[0].isdigit() else text


def _of_conda(text: str) -> Iterator[str]:
    """``pytorch=1.9.0=py3.8_cuda11.1``, ``pytorch::pytorch>=1.7,<2``, ``pytorch 1.9.*``."""
    match = _CONDA.match(text)
    if match is not None and match[1].lower() in _NAMES and match[2]:
        yield ",".join(map(_of_match, match[2].replace(" ", "").split(",")))


def _of_match(text: str) -> str:
    """One condition of conda as PEP 440 has it; ``=1.9`` is any 1.9."""
    operator = re.match(r"[=<>!~]*", text)
    sign = operator[0] if operator is not None else ""
    version = text[len(sign) :].partition("=")[0].removesuffix(".*").removesuffix("*")
    if sign == "=":
        return f"=={version}.*"
    any_of_them = text.endswith("*") and sign in ("", "==")
    return f"{sign or '=='}{version}{'.*' if any_of_them else ''}"


def _literal(tree: ast.expr, names: Mapping[str, ast.expr]) -> Iterator[str]:
    if isinstance(tree, ast.Name):
        tree = names.get(tree.id, tree)
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return
    for items in value.values() if isinstance(value, dict) else [value]:
        yield from _listed([items] if isinstance(items, str) else items)


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
