"""What an editor offers to do about a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lsprotocol import types

from devicefix.engine.looking import Look, Offer, differences
from devicefix.engine.report import Outcome
from devicefix.engine.silencing import silenced
from devicefix.findings import Applicability, Edit, Finding, Span
from devicefix.lsp.diagnostics import NAME, offer_of, overlapping, uri
from devicefix.lsp.documents import Documents
from devicefix.lsp.positions import Positions
from devicefix.lsp.projects import Seen
from devicefix.reporting.terminal import printable
from devicefix.source import NOTEBOOK, Source, SourceError

FIX_ALL: Final = "source.fixAll.devicefix"
_LONGEST: Final = 90
"""Characters of a message in a title, which is one line of a menu."""


class NoLongerFitError(Exception):
    """Edits were found for a text that is another one now; the message says which."""


@dataclass(frozen=True)
class CodeActions:
    """What actions are made with."""

    documents: Documents
    encoding: str
    client: types.ClientCapabilities

    def actions(
        self, seen: Seen, asked: types.Range, context: types.CodeActionContext
    ) -> list[types.CodeAction]:
        """What is offered for a range of a document."""
        source = seen.source
        if source is None or not self._shows(source):
            return []
        only = context.only
        found: list[types.CodeAction] = []
        if _wanted(types.CodeActionKind.QuickFix, only):
            lines = range(asked.start.line + 1, asked.end.line + 2)
            here = overlapping(seen.look.findings, source, lines)
            found += self._fixes(seen.look, here)
            found += self._silencers(source, here)
            for action in found:
                action.diagnostics = _shown(action, context.diagnostics)
        if _wanted(FIX_ALL, only) and any(
            o.applicability is Applicability.SAFE and _is_about(o, seen.path)
            for o in seen.look.offers
        ):
            found.append(self._fix_all(seen))
        return found

    def _fixes(self, look: Look, here: Sequence[Finding]) -> Iterator[types.CodeAction]:
        offers: dict[int, tuple[Offer, Finding]] = {}
        for finding in here:
            offer = offer_of(look, finding)
            if offer is not None:
                offers.setdefault(id(offer), (offer, finding))
        for offer, finding in sorted(offers.values(), key=lambda pair: -pair[0].applicability):
            yield self._fix(look, offer, finding)

    def _fix(self, look: Look, offer: Offer, finding: Finding) -> types.CodeAction:
        """One group, in all its files; said to be impossible where it is."""
        action = types.CodeAction(
            title=_title(offer, finding),
            kind=types.CodeActionKind.QuickFix,
            data={"codes": sorted({finding.code for finding in offer.findings})},
            is_preferred=offer.applicability is Applicability.SAFE,
        )
        try:
            for path, edits in offer.edits.items():
                if path.endswith(NOTEBOOK):
                    raise NoLongerFitError(f"it changes {Path(path).name}: use `devicefix apply`")
                look.with_edits(path, edits)
            action.edit = self.workspace_edit(look.sources, offer.edits)
        except (SourceError, NoLongerFitError) as error:
            action.is_preferred = None
            action.disabled = types.CodeActionDisabled(printable(str(error)))
        return action

    def _silencers(self, source: Source, here: Iterable[Finding]) -> Iterator[types.CodeAction]:
        seen: set[tuple[str, int]] = set()
        for finding in here:
            key = finding.code, source.position(finding.span.start)[0]
            edit = silenced(source, finding) if key not in seen else None
            seen.add(key)
            if edit is not None:
                yield types.CodeAction(
                    title=f"Ignore {finding.code} on this line",
                    kind=types.CodeActionKind.QuickFix,
                    data={"codes": [finding.code]},
                    edit=self.workspace_edit({source.path: source}, {source.path: [edit]}),
                )

    def _fix_all(self, seen: Seen) -> types.CodeAction:
        """All safe fixes of a document; found when it is chosen, as it takes several looks."""
        document = self.documents.at(seen.path)
        return types.CodeAction(
            title="devicefix: apply all safe fixes in this file",
            kind=FIX_ALL,
            data={"uri": document.uri if document is not None else ""},
        )

    def all_fixed(
        self, sources: Mapping[str, Source], outcome: Outcome
    ) -> types.WorkspaceEdit | None:
        """What ``outcome`` changes. Raises `NoLongerFitError`."""
        changed: dict[str, list[Edit]] = {}
        for result in outcome.results:
            if result.change is None:
                continue
            if result.path.endswith(NOTEBOOK):
                raise NoLongerFitError(f"it changes {Path(result.path).name}")
            old = sources[result.path].text
            new = Source.from_bytes(result.change.after, result.path).text
            changed[result.path] = list(differences(old, new))
        return self.workspace_edit(sources, changed) if changed else None

    def workspace_edit(
        self, sources: Mapping[str, Source], edits: Mapping[str, Iterable[Edit]]
    ) -> types.WorkspaceEdit:
        """The edits by document, each with the version that it is for, where editors want it.

        Raises `NoLongerFitError` where a file that is not open is another one now, and where a
        document is not what was read.
        """
        for path in edits:
            if self.documents.at(path) is None:
                _check_on_disk(sources[path])
            elif not self._shows(sources[path]):
                raise NoLongerFitError(f"{Path(path).name} has changed since it was read")
        lists = {path: self._text_edits(sources[path], found) for path, found in edits.items()}
        if not self._versioned:
            named = {uri(path, self.documents): found for path, found in lists.items()}
            return types.WorkspaceEdit(changes=named)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(self._versioned_id(path), list(found))
                for path, found in lists.items()
            ]
        )

    def _shows(self, source: Source) -> bool:
        """Whether an editor has just the text of ``source``, so that places in it are the same.

        It has another one where a text cannot be written in the encoding that it declares.
        """
        document = self.documents.at(source.path)
        return document is None or source.notebook is not None or document.text == source.text

    @property
    def _versioned(self) -> bool:
        workspace = self.client.workspace
        edit = workspace.workspace_edit if workspace is not None else None
        return bool(edit is not None and edit.document_changes)

    def _versioned_id(self, path: str) -> types.OptionalVersionedTextDocumentIdentifier:
        document = self.documents.at(path)
        return types.OptionalVersionedTextDocumentIdentifier(
            uri=uri(path, self.documents),
            version=document.version if document is not None else None,
        )

    def _text_edits(self, source: Source, edits: Iterable[Edit]) -> list[types.TextEdit]:
        places = Positions(source, self.encoding)
        ordered = sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end > e.start, e.rank))
        return [types.TextEdit(places.range(Span(e.start, e.end)), e.text) for e in ordered]


def _check_on_disk(source: Source) -> None:
    """Raises `NoLongerFitError` where a file holds something else than was read."""
    try:
        same = Source.read(Path(source.path)).text == source.text
    except SourceError:
        same = False
    if not same:
        raise NoLongerFitError(f"{source.path} was changed in the meantime")


def _is_about(offer: Offer, path: str) -> bool:
    return any(finding.path == path for finding in offer.findings)


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for ``only`` some kinds wants this one."""
    if not only:
        return True
    return any(kind == asked or kind.startswith(f"{asked}.") for asked in only)


def _shown(
    action: types.CodeAction, diagnostics: Sequence[types.Diagnostic]
) -> list[types.Diagnostic] | None:
    """What an editor shows at the place and the action is about."""
    codes = action.data["codes"] if isinstance(action.data, dict) else ()
    return [d for d in diagnostics if d.source == NAME and d.code in codes] or None


def _title(offer: Offer, finding: Finding) -> str:
    """``Fix DFX107: message (6 places in 3 files)``; the message is that of the place."""
    verb = "Fix" if offer.applicability is Applicability.SAFE else "Unsafe fix for"
    count = len(offer.findings)
    more = f"{count} places" if count > 1 else ""
    more += f" in {len(offer.edits)} files" if len(offer.edits) > 1 else ""
    more = f" ({more.strip()})" if more else ""
    message = printable(finding.message)
    shown = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
    return f"{verb} {finding.code}: {shown}{more}"


def asked_for(data: Any) -> str:
    """The document that an unresolved action is for; empty where it is none of ours."""
    uri = data.get("uri") if isinstance(data, dict) else None
    return uri if isinstance(uri, str) else ""
