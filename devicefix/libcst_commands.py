"""Local codemods as libcst codemod commands, each alone, by its code.

    python -m libcst.tool codemod --external --no-format devicefix.libcst_commands.DFX201 PATH...

works in any folder and needs no ``.libcst.codemod.yaml``. Without ``--no-format`` libcst runs the
formatter of its configuration, black unless told otherwise, over every file that it looks at.

A command makes the safe fixes of its codemod and no other; what needs a decision becomes a
warning. Of the settings in pyproject.toml only ``device-expression`` counts: the command says what
is selected. Codemods that need the whole program have no command.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import libcst
from libcst.codemod import CodemodCommand

from devicefix.codemod import Codemod, documentation
from devicefix.engine import Left
from devicefix.engine.registry import load_codemods
from devicefix.engine.workbench import open_workbench
from devicefix.settings import Settings, load_settings
from devicefix.source import Program, Source

if TYPE_CHECKING:
    from collections.abc import Mapping


class LocalCodemodCommand(CodemodCommand):
    """Runs one codemod on the text of a module until it finds nothing more to fix."""

    codemod: ClassVar[type[Codemod]]

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """The module with the safe fixes of ``codemod``; a file without torch is left alone.

        Raises `SourceError`, `SettingsError` and whatever goes wrong in the codemod: libcst counts
        the file as failed and goes on.
        """
        data = tree.bytes
        if b"torch" not in data:
            return tree
        source = Source.from_bytes(data, self.context.filename or "<stdin>")
        bench = open_workbench(self._settings(), (self.codemod,), None)
        outcome = bench.mend(Program.alone(source))
        (result,) = outcome.results
        for warning in (*map(_sentence, result.left), *map(str, outcome.errors)):
            self.warn(warning)
        if result.change is None:
            return tree
        text = result.change.after.decode(result.change.encoding)
        return libcst.parse_module(text, tree.config_for_parsing)

    def _settings(self) -> Settings:
        settings = load_settings(Path(self.context.filename or ".").parent, None)
        written = settings.style, settings.device_expression, settings.min_torch
        return Settings(style=written[0], device_expression=written[1], min_torch=written[2])


def _sentence(left: Left) -> str:
    finding = left.finding
    where = f"{finding.path}:{finding.line}: {finding.code}"
    return f"{where} {finding.message}: {left.reason}"


@functools.cache
def _commands() -> Mapping[str, type[LocalCodemodCommand]]:
    """The commands by code. Made once: worker processes get them by name, and compare."""
    return MappingProxyType({c.code: _command(c) for c in load_codemods() if c.local})


def _command(codemod: type[Codemod]) -> type[LocalCodemodCommand]:
    summary = documentation(codemod).summary
    body = {
        "__module__": __name__,
        "__doc__": summary,
        "DESCRIPTION": f"{codemod.code} {codemod.name}: {summary}",
        "codemod": codemod,
    }
    return type(codemod.code, (LocalCodemodCommand,), body)


def __getattr__(name: str) -> type[LocalCodemodCommand]:
    if name.startswith("_"):  # Python asks for __path__ and the like
        raise AttributeError(name)
    if name in _commands():
        return _commands()[name]
    known = ", ".join(_commands())
    raise AttributeError(f"module {__name__!r} has no command {name!r}; there are {known}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_commands()])
