"""A page without scripts, with nothing from the network: its frame and its style."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Final

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6578; --line: #dde2ea; --page: #fff;
  --raised: #f6f8fb; --host: #c2410c; --device: #15803d; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa4b5; --line: #313946;
  --page: #12161d; --raised: #1a2029; --host: #fb923c; --device: #4ade80; --bad: #f87171; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem 4rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; }
code, pre, .code { font: 13px/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
pre { margin: .5rem 0; padding: .75rem 1rem; background: var(--raised); border-radius: 6px;
  overflow-x: auto; }
.soft, th { color: var(--soft); }
.host { color: var(--host); } .device { color: var(--device); } .bad { color: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: .75rem 0 0; padding: 0; }
.facts div { display: flex; gap: .5rem; } dt { color: var(--soft); } dd { margin: 0; }
.bar { display: flex; height: 1.5rem; border-radius: 6px; overflow: hidden;
  background: var(--line); }
.bar i { display: block; min-width: 2px; } i.host { background: var(--host); }
i.device { background: var(--device); }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0 0; }
.error { border: 1px solid var(--bad); border-radius: 8px; padding: .25rem 1.25rem 1rem;
  margin-top: 1.5rem; }
.error h2 { margin-top: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; font-size: 13px; }
th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.w { white-space: normal; min-width: 18rem; width: 99%; }
td.w .code { overflow-wrap: anywhere; }
td .code { display: inline-block; }
summary { cursor: pointer; color: var(--soft); margin-top: .5rem; }
ul { padding-left: 1.25rem; }
del, ins { display: block; text-decoration: none; } del { color: var(--bad); }
ins { color: var(--device); }
"""


def static_page(title: str, parts: Iterable[str]) -> str:
    """The document, as a text in UTF-8; ``parts`` are markup, ``title`` is text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def escaped(text: object) -> str:
    """``text`` as it reads in markup."""
    return html.escape(str(text))
