"""A rule for this test only.

## What it does
Finds `old`.

```python
old = 1
```

## Why

Because.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context, documentation
from devicefix.findings import Finding
from devicefix.reporting.catalogue import rules_json, show_rule, show_rules


class OldName(Codemod):
    code = "DFX901"
    name = "old-name"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        yield from ()


def test_documentation_comes_from_the_docstring_of_the_file() -> None:
    docs = documentation(OldName)
    assert docs.summary == "A rule for this test only."
    assert docs.sections == (
        ("What it does", "Finds `old`.\n\n```python\nold = 1\n```"),
        ("Why", "Because."),
    )


def test_rules_as_a_table_and_for_programs() -> None:
    out = io.StringIO()
    show_rules([OldName], out)
    assert out.getvalue().split("\n")[3].split("   ")[:2] == ["  DFX901", "old-name"]
    assert "A rule for this test only." in out.getvalue()
    summary = "A rule for this test only."
    rule = {
        "code": "DFX901",
        "name": "old-name",
        "summary": summary,
        "local": True,
        "on_request": False,
    }
    assert json.loads(rules_json([OldName])) == {"version": 1, "rules": [rule]}


def test_one_rule_as_markdown_or_rendered() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out, screen = io.StringIO(), Terminal()
    show_rule(OldName, out)
    assert out.getvalue().startswith("# DFX901: old-name\n\nA rule for this test only.\n\n## What")
    assert "```python\nold = 1\n```\n\n## Why\n\nBecause.\n" in out.getvalue()
    show_rule(OldName, screen)
    assert "##" not in screen.getvalue()
    assert "DFX901: old-name" in screen.getvalue()
