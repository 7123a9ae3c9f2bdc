"""What is found, as an editor underlines it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from lsprotocol import types

from devicefix.engine import FileError
from devicefix.engine.looking import Look, Offer
from devicefix.findings import Applicability, Finding, Span
from devicefix.lsp.documents import Documents, uri_of
from devicefix.lsp.positions import Positions
from devicefix.lsp.rules import description
from devicefix.reporting.terminal import printable
from devicefix.source import Source

NAME: Final = "devicefix"
_MOST_RELATED: Final = 20
"""Other places of one decision; editors show them as a list."""


def diagnostics(
    look: Look, path: str, documents: Documents, encoding: str
) -> list[types.Diagnostic]:
    """What is to be shown in the file at ``path``, in the order of its text."""
    source = look.sources.get(path)
    own = (error for error in look.errors if path in (error.path, *error.program))
    errors = [_of_error(error, source, encoding) for error in own]
    if source is None:
        return errors
    reasons = {left.finding: left.reason for left in look.left}
    found = sorted(
        (finding for finding in look.findings if finding.path == path),
        key=lambda finding: (finding.span, finding.code),
    )
    where = _Places(look, documents, encoding)
    return errors + [
        types.Diagnostic(
            range=Positions(source, encoding).range(_visible(finding.span, source)),
            message=printable(_message(finding, reasons.get(finding, ""))),
            severity=_severity(finding),
            code=finding.code,
            code_description=description(finding.code),
            source=NAME,
            related_information=list(where.related(finding)) or None,
            data={"rule": finding.rule},
        )
        for finding in found
    ]


def _visible(span: Span, source: Source) -> Span:
    """``span``, or the first line of it: what spans a whole function is not underlined."""
    end = source.line_end(span.start)
    return Span(span.start, min(span.end, end)) if span.end > span.start else Span(span.start, end)


def _message(finding: Finding, reason: str) -> str:
    return f"{finding.message} ({reason})" if reason else finding.message


def _severity(finding: Finding) -> types.DiagnosticSeverity:
    """What a person has to decide is no more than information."""
    if finding.fix is None or finding.fix.applicability is Applicability.DISPLAY:
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Warning


def _of_error(error: FileError, source: Source | None, encoding: str) -> types.Diagnostic:
    at = types.Position(max((error.line or 1) - 1, 0), 0)
    end = at
    if source is not None and error.line is not None:
        start = source.offset(min(error.line, source.position(len(source.text))[0]), 0)
        end = Positions(source, encoding).position(source.line_end(start))
    return types.Diagnostic(
        range=types.Range(at, end),
        message=printable(error.reason if error.program else f"not analysed: {error.reason}"),
        severity=types.DiagnosticSeverity.Information,
        source=NAME,
    )


def offer_of(look: Look, finding: Finding) -> Offer | None:
    """The group by which a finding may be fixed."""
    return next((offer for offer in look.offers if finding in offer.findings), None)


class _Places:
    """Where the other findings of one decision are."""

    def __init__(self, look: Look, documents: Documents, encoding: str) -> None:
        self._look = look
        self._documents = documents
        self._encoding = encoding
        self._groups = {finding: offer for offer in look.offers for finding in offer.findings}

    def related(self, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
        offer = self._groups.get(finding)
        others = [f for f in offer.findings if f != finding] if offer is not None else []
        for other in others[:_MOST_RELATED]:
            source = self._look.sources[other.path]
            span = _visible(other.span, source)
            yield types.DiagnosticRelatedInformation(
                location=types.Location(
                    uri=uri(other.path, self._documents),
                    range=Positions(source, self._encoding).range(span),
                ),
                message=printable(f"same group: {other.code} {other.message}"),
            )


def uri(path: str, documents: Documents) -> str:
    """What the editor calls a file."""
    document = documents.at(path)
    return document.uri if document is not None else uri_of(Path(path))


def overlapping(findings: Iterable[Finding], source: Source, lines: range) -> tuple[Finding, ...]:
    """Those of ``findings`` that begin on one of ``lines``, 1-based, or are underlined there."""
    return tuple(
        finding
        for finding in findings
        if finding.path == source.path and source.position(finding.span.start)[0] in lines
    )
