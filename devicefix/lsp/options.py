"""What an editor's own settings say, over those of the project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devicefix.settings import Settings, SettingsError, load_settings, with_settings

SECTION: Final = "devicefix"
"""Where editors keep our settings."""
_NAME: Final = Path("editor settings")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Options:
    """The keys of ``[tool.devicefix]``, which may be in camel case, and ``config``."""

    table: Mapping[str, object] = field(default_factory=dict)
    config: Path | None = None
    """What is read in place of the nearest pyproject.toml."""

    @classmethod
    def of(cls, given: object) -> Options:
        """What an editor has sent. Raises `SettingsError`."""
        if isinstance(given, Mapping) and isinstance(given.get(SECTION), Mapping):
            given = given[SECTION]
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            raise SettingsError(_NAME, None, "must be an object with settings")
        table = {_kebab(str(key)): value for key, value in given.items() if value is not None}
        config = table.pop("config", None)
        if config is not None and not isinstance(config, str):
            raise SettingsError(_NAME, None, "config must be a string")
        with_settings(Settings(), table, _NAME)
        return cls(table, Path(config) if config else None)

    def settings(self, start: Path) -> Settings:
        """What holds below ``start``. Raises `SettingsError`."""
        return with_settings(load_settings(start, self.config), self.table, _NAME)


def _kebab(key: str) -> str:
    return _HUMP.sub("-", key).lower()
