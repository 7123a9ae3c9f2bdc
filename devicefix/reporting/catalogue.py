"""The rules themselves: the catalogue, and one rule with its documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, TextIO

from devicefix.codemod import Codemod, documentation
from devicefix.reporting.rule_pages import page_of
from devicefix.reporting.terminal import console

_LITERAL: Final = re.compile(r"(?<!`)``(?!`)")


def show_rules(codemods: Sequence[type[Codemod]], out: TextIO) -> None:
    """A table of all rules, each with its one sentence."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("Code", "Rule", "What is wrong", box=box.SIMPLE_HEAD)
    for codemod in codemods:
        summary = _plain(documentation(codemod).summary)
        summary += " (Only if selected.)" if codemod.on_request else ""
        table.add_row(codemod.code, codemod.name, Text(summary))
    console(out).print(table, soft_wrap=False)


def rules_json(codemods: Sequence[type[Codemod]]) -> str:
    """``{"version": 1, "rules": [{"code", "name", "summary", "local", "on_request"}]}``.

    Where a documentation site is known, the ``url`` of its page is the first key of a rule.
    """
    rules = [
        {
            **({"url": page} if (page := page_of(codemod)) else {}),
            "code": codemod.code,
            "name": codemod.name,
            "summary": documentation(codemod).summary,
            "local": codemod.local,
            "on_request": codemod.on_request,
        }
        for codemod in codemods
    ]
    return json.dumps({"version": 1, "rules": rules}, indent=2)


def show_rule(codemod: type[Codemod], out: TextIO) -> None:
    """The documentation of one rule: rendered on a terminal, else the Markdown itself."""
    text = markdown_of(codemod)
    if not out.isatty():
        print(text, file=out)
        return
    from rich.markdown import Markdown

    console(out).print(Markdown(text), soft_wrap=False)


def _plain(text: str) -> str:
    """The literals of docstrings as Markdown writes them; its fences stay."""
    return _LITERAL.sub("`", text)


def markdown_of(codemod: type[Codemod]) -> str:
    """The whole documentation of a rule."""
    docs = documentation(codemod)
    parts = [f"# {codemod.code}: {codemod.name}", docs.summary]
    parts += [f"## {title}\n\n{body}" for title, body in docs.sections]
    return _plain("\n\n".join(parts))
