"""Comments that suppress nothing, once all rules have spoken."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from devicefix.codemod import Afterthought, Codemod, Conversion, Idle
from devicefix.engine.suppression import Hit, hits, names
from devicefix.findings import Finding
from devicefix.source import Program, Source

_LETTERS: Final = re.compile(r"[A-Z]+")


def afterthoughts(
    program: Program,
    findings: Sequence[Finding],
    complete: Collection[str],
    codemods: Sequence[type[Codemod]],
    selected: Collection[str],
) -> tuple[Finding, ...]:
    """What rules about other rules say of ``findings``, all that those have found in ``program``.

    Only of files that were analysed to the end, whose paths are in ``complete``.
    """
    own = [codemod() for codemod in codemods if issubclass(codemod, Afterthought)]
    sources = [s for p, s in program.sources.items() if p in complete and _has_comments(s)]
    if not own or not sources:
        return ()
    needed = hits(findings, program)
    return tuple(
        finding
        for source in sources
        for idle in [tuple(_idle(source, needed, codemods, selected))]
        for codemod in own
        for finding in codemod.reconsider(source, idle)
        if not names(source, source.position(finding.span.start)[0], finding.code)
    )


def _idle(
    source: Source,
    needed: Collection[Hit],
    codemods: Sequence[type[Codemod]],
    selected: Collection[str],
) -> Iterator[Idle]:
    for line, codes in source.suppressions.by_line.items():
        if source.is_heading(line):
            continue  # a line of IPython's, which comes back as it was
        if not codes:
            if (source.path, line, "") not in needed:
                yield Idle(source.comments[line], ())
            continue
        unused = [code for code in codes if (source.path, line, code) not in needed]
        unknown = tuple(code for code in unused if _is_unknown(code, codemods))
        vain = [c for c in unused if c in unknown or _has_spoken(c, codemods, selected)]
        if vain:
            yield Idle(source.comments[line], tuple(vain), unknown)
    for line, meant in source.suppressions.misspelt.items():
        if not source.is_heading(line):
            yield Idle(source.comments[line], (), meant=meant)


def _has_comments(source: Source) -> bool:
    return bool(source.suppressions.by_line or source.suppressions.misspelt)


def _is_unknown(selector: str, codemods: Sequence[type[Codemod]]) -> bool:
    """Whether it looks like one of our codes and is none; others may be at home elsewhere."""
    letters = _LETTERS.match(selector)
    families = {_LETTERS.findall(codemod.code)[0] for codemod in codemods}
    known = any(codemod.code.startswith(selector) for codemod in codemods)
    return letters is not None and letters[0] in families and not known


def _has_spoken(
    selector: str, codemods: Sequence[type[Codemod]], selected: Collection[str]
) -> bool:
    """Whether one of the rules was asked for, and all of them have looked at the text.

    Conversions have not: they look at what does not parse.
    """
    named = [codemod for codemod in codemods if codemod.code.startswith(selector)]
    if any(issubclass(codemod, Conversion | Afterthought) for codemod in named):
        return False
    return any(codemod.code in selected for codemod in named)
