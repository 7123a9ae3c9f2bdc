"""Reading a plan: TOML, validated; an error names the file and the line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from devicefix.engine.state import state_folder
from devicefix.migration import plan_values as values
from devicefix.migration.addresses import Address, AddressError, address_of, folder_of
from devicefix.migration.orders import Limits, Options, Order
from devicefix.migration.plan import Entry, GitHub, Plan, Wording, Work
from devicefix.migration.plan_values import Check, PlanError
from devicefix.migration.toml_lines import Lines
from devicefix.settings import Settings, SettingsError, read_toml, with_settings

_CAMPAIGN: Final = "campaign"
_DEFAULTS: Final = "defaults"
_REPOSITORIES: Final = "repositories"
_TABLES: Final = (_CAMPAIGN, _DEFAULTS, _REPOSITORIES)
_WORDS: Final[Mapping[str, Check]] = {
    "branch": values.branch,
    "title": values.title,
    "message": values.template,
    "author": values.author,
    "sign-off": values.boolean,
    "body-before": values.note,
}
_GITHUB: Final[Mapping[str, Check]] = {
    "github-api": values.api,
    "token-variable": values.variable,
    "pull-requests-per-hour": values.count,
    "pause": values.amount,
}
_WORK: Final[Mapping[str, Check]] = {
    "jobs": values.count,
    "executor": values.executor,
    "ray-address": values.line,
    "ray-patience": values.amount,
    "attempts": values.count,
    "retry-after": values.seconds,
}
_LIMITS: Final[Mapping[str, Check]] = {
    "timeout": values.seconds,
    "memory": values.size,
    "clone-size": values.size,
}
_ORDER: Final[Mapping[str, Check]] = {
    "paths": values.paths,
    "verify": values.line,
    "devices": values.devices,
    "python": values.line,
    "gpus": values.gpus,
}
_OPTIONS: Final = tuple(Options.__dataclass_fields__)
_FIELDS: Final = {
    "github-api": "api",
    "pull-requests-per-hour": "per_hour",
    "timeout": "seconds",
    "clone-size": "size",
}
"""Keys that are called otherwise in `devicefix.migration.plan` and `orders`."""


def load_plan(file: Path) -> Plan:
    """Raises `PlanError`, which gives ``file:line: reason``."""
    return _Reader(file).plan()


class _Reader:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.folder = file.absolute().parent
        self.document, text = _document(file)
        self.lines = Lines(text)

    def plan(self) -> Plan:
        for table in self.document:
            if table not in _TABLES:
                raise self._error(table, 0, "", values.unknown(table, _TABLES, "table"))
        given = self._one_table(_CAMPAIGN)
        known = {"name": values.name, "workspace": values.text}
        said = self._checked(
            _CAMPAIGN, 0, given, {**known, **_WORDS, **_GITHUB, **_WORK, **_LIMITS}
        )
        if "name" not in said:
            raise self._error(_CAMPAIGN, 0, "", "[campaign] needs a name")
        workspace = said.get("workspace")
        own = state_folder("campaigns") / said["name"]
        # Not Path.expanduser, which raises where there is no such user
        state = self.folder / os.path.expanduser(workspace) if workspace else own  # noqa: PTH111
        github = GitHub(**_chosen(said, _GITHUB))
        base = Order("", "", "", (".",), Options(), limits=Limits(**_chosen(said, _LIMITS)))
        return Plan(
            file=self.file,
            name=said["name"],
            folder=state,
            entries=self._entries(self._defaults(base), github),
            wording=Wording(**_chosen(said, _WORDS)),
            github=github,
            work=Work(**_chosen(said, _WORK)),
        )

    def _defaults(self, base: Order) -> Order:
        return self._order(_DEFAULTS, 0, self._one_table(_DEFAULTS), base, ())

    def _one_table(self, name: str) -> Mapping[str, object]:
        table = self.document.get(name, {})
        if not isinstance(table, dict):
            raise self._error(name, 0, "", f"{name} must be a table: [{name}]")
        return table

    def _entries(self, defaults: Order, github: GitHub) -> tuple[Entry, ...]:
        tables = self.document.get(_REPOSITORIES, [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            reason = "repositories must be tables: [[repositories]]"
            raise self._error(_REPOSITORIES, 0, "", reason)
        entries: dict[str, Entry] = {}
        places: dict[str, str] = {}
        for number, table in enumerate(tables):
            order = self._order(_REPOSITORIES, number, table, defaults, ("url", "path", "list"))
            for address, file, line in self._addresses(number, table):
                made = _entry(address, order, github)
                if made.key in entries:
                    raise PlanError(file, line, f"{made.name} is in {places[made.key]} already")
                entries[made.key] = made
                places[made.key] = f"{file}:{line}"
        if not entries:
            raise self._error(_REPOSITORIES, 0, "", "there are no [[repositories]]")
        return tuple(entries.values())

    def _addresses(
        self, number: int, table: Mapping[str, Any]
    ) -> Iterator[tuple[Address, Path, int | None]]:
        kinds = [key for key in ("url", "path", "list") if key in table]
        if len(kinds) != 1:
            reason = "a repository has a url or a path; or a list names a file of them"
            raise self._error(_REPOSITORIES, number, "", reason)
        (kind,) = kinds
        line = self.lines.of(_REPOSITORIES, number, kind)
        if kind == "list":
            yield from self._listed(self.folder / table["list"], line)
            return
        try:
            address = address_of(table[kind]) if kind == "url" else self._at(table[kind])
        except AddressError as error:
            raise PlanError(self.file, line, str(error)) from None
        yield address, self.file, line

    def _listed(self, file: Path, line: int | None) -> Iterator[tuple[Address, Path, int]]:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise PlanError(self.file, line, f"{file} cannot be read: {error}") from None
        for number, row in enumerate(text.split("\n"), 1):
            given = row.strip()
            if not given or given.startswith("#"):
                continue
            try:
                remote = ":" in given
                yield (address_of(given) if remote else folder_of(given, file.parent)), file, number
            except AddressError as error:
                raise PlanError(file, number, str(error)) from None

    def _at(self, path: str) -> Address:
        return folder_of(path, self.folder)

    def _order(
        self,
        table: str,
        number: int,
        given: Mapping[str, object],
        start: Order,
        also: tuple[str, ...],
    ) -> Order:
        """``start``, and over it what a table says."""
        options = tuple(name.replace("_", "-") for name in _OPTIONS)
        checks = {
            **dict.fromkeys(options, values.anything),
            **dict.fromkeys(also, values.text),
            **_ORDER,
            **_LIMITS,
            **({"base": values.branch_name} if also else {}),
        }
        said = self._checked(table, number, given, checks)
        chosen: dict[str, Any] = {}
        for key in (key for key in options if key in said):
            self._setting(table, number, key, said[key])
            value = said[key]
            chosen[key.replace("-", "_")] = tuple(value) if isinstance(value, list) else value
        return replace(
            start,
            base=said.get("base", start.base),
            options=replace(start.options, **chosen),
            limits=replace(start.limits, **_chosen(said, _LIMITS)),
            **_chosen(said, _ORDER),
        )

    def _setting(self, table: str, number: int, key: str, value: object) -> None:
        """What [tool.devicefix] of a pyproject.toml would refuse is refused here, too."""
        try:
            with_settings(Settings(), {key: value}, self.file)
        except SettingsError as error:
            raise self._error(table, number, key, error.reason) from None

    def _checked(
        self, table: str, number: int, given: Mapping[str, object], checks: Mapping[str, Check]
    ) -> dict[str, Any]:
        said = {}
        for key, value in given.items():
            if key not in checks:
                raise self._error(table, number, key, values.unknown(key, tuple(checks), "key"))
            try:
                said[key] = checks[key](value)
            except ValueError as error:
                raise self._error(table, number, key, f"{key}: {error}") from None
        return said

    def _error(self, table: str, number: int, key: str, reason: str) -> PlanError:
        return PlanError(self.file, self.lines.of(table, number, key), reason)


def _chosen(said: Mapping[str, Any], keys: Mapping[str, Check]) -> dict[str, Any]:
    """Those of ``keys`` that were given, by the names of the fields that they are for."""
    return {_FIELDS.get(key, key.replace("-", "_")): said[key] for key in keys if key in said}


def _entry(address: Address, order: Order, github: GitHub) -> Entry:
    variable = github.token_variable if address.takes_token(github.api) else ""
    base = f"@{order.base}" if order.base else ""
    own = replace(order, url=address.url, token_variable=variable)
    return Entry(address.key + base, address.name + base, address.forge_name(github.api), own)


def _document(file: Path) -> tuple[Mapping[str, Any], str]:
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise PlanError(file, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlanError(file, None, "is not UTF-8, as TOML must be") from None
    return read_toml(text, file, PlanError), text
