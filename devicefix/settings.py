"""Settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    device_expression: str = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


class SettingsError(Exception):
    pass


def load_settings(start: Path, config: Path | None = None) -> Settings:
    return Settings()
