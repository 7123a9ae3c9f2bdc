"""The messages of the protocol, and what is done about each of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException
from pygls.lsp.server import LanguageServer

from devicefix.engine import Asked, EngineError, PlaceError
from devicefix.lsp import hover
from devicefix.lsp.actions import FIX_ALL, CodeActions, NoLongerFitError, asked_for
from devicefix.lsp.diagnostics import NAME, overlapping
from devicefix.lsp.documents import Document
from devicefix.lsp.options import SECTION, Options
from devicefix.lsp.positions import Positions
from devicefix.lsp.projects import Projects, Seen, Snapshot
from devicefix.lsp.protocol import Protocol
from devicefix.lsp.session import EditorSession, OutdatedError
from devicefix.settings import SettingsError
from devicefix.source import NOTEBOOK, SourceError

_WATCHED: Final = ("**/*.py", f"**/*{NOTEBOOK}", "**/pyproject.toml")
_KINDS: Final = (types.CodeActionKind.QuickFix, FIX_ALL)
_CANCELLED: Final = int(types.LSPErrorCodes.ServerCancelled)


class Server(LanguageServer):
    """The server of one editor."""

    def __init__(self) -> None:
        # Whole texts: pygls splits lines where the protocol has none, such as at a form feed
        # (docs.python.org/3/library/stdtypes.html#str.splitlines), and would lose its place.
        kind = types.TextDocumentSyncKind.Full
        super().__init__(
            NAME, version("devicefix"), text_document_sync_kind=kind, protocol_cls=Protocol
        )
        self.session = EditorSession(self)


def build() -> Server:
    """A server that waits for its editor."""
    server = Server()
    for method, handler in _NOTIFICATIONS.items():
        server.feature(method)(handler)
    server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME
        ),
    )(_diagnostic)
    server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(_KINDS), resolve_provider=True),
    )(_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolve)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    return server


# -- what the editor says ------------------------------------------------------------------------


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    _configure(ls, params.initialization_options)


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    ls.session.warm_up()
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is not None and watching.dynamic_registration:
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        await _register(ls, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    changing = workspace.did_change_configuration if workspace is not None else None
    if changing is not None and changing.dynamic_registration:
        options_of = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        await _register(ls, types.WORKSPACE_DID_CHANGE_CONFIGURATION, options_of)
    if workspace is not None and workspace.configuration:
        await _ask_configuration(ls)


async def _register(ls: Server, method: str, options: Any) -> None:
    one = types.Registration(id=f"{NAME}-{method}", method=method, register_options=options)
    await ls.client_register_capability_async(types.RegistrationParams([one]))


def _did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    is_python = "python" in document.language_id.lower()
    if document.uri.startswith("untitled:") and not is_python:
        return  # of what has no name only the editor knows what it is
    if not document.uri.endswith(NOTEBOOK):  # its JSON has other lines than its cells
        ls.session.hold(document.uri, document.text, document.version)


def _did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    if ls.session.documents.get(uri) is not None and params.content_changes:
        text = params.content_changes[-1].text
        ls.session.hold(uri, text, params.text_document.version)


def _did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)


def _did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.session.files_changed()


def _did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.session.files_changed()


def _did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.files_changed()


async def _did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    workspace = ls.client_capabilities.workspace
    if workspace is not None and workspace.configuration:
        await _ask_configuration(ls)
    else:
        _configure(ls, params.settings)
        ls.session.files_changed()


async def _ask_configuration(ls: Server) -> None:
    asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    answers = await ls.workspace_configuration_async(asked)
    if answers and answers[0] is not None:
        _configure(ls, answers[0])
        ls.session.files_changed()


def _configure(ls: Server, given: object) -> None:
    """Wrong settings are told, and those before stay."""
    try:
        ls.session.options = Options.of(_plain(given))
    except SettingsError as error:
        ls.session.complain(str(error))


def _plain(given: object) -> object:
    """What pygls makes of JSON that no type describes, as dictionaries and lists again."""
    if hasattr(given, "_asdict"):
        return {key: _plain(value) for key, value in given._asdict().items()}
    if isinstance(given, dict):
        return {key: _plain(value) for key, value in given.items()}
    return [_plain(item) for item in given] if isinstance(given, (list, tuple)) else given


_NOTIFICATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    types.INITIALIZE: _initialize,
    types.INITIALIZED: _initialized,
    types.TEXT_DOCUMENT_DID_OPEN: _did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: _did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: _did_close,
    types.TEXT_DOCUMENT_DID_SAVE: _did_save,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _did_change_watched_files,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _did_change_folders,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: _did_change_configuration,
}


# -- what the editor asks ------------------------------------------------------------------------


async def _diagnostic(
    ls: Server, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    document = ls.session.documents.get(params.text_document.uri)
    if document is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    try:
        seen = await ls.session.seen(document)
    except OutdatedError:
        data = types.DiagnosticServerCancellationData(retrigger_request=True)
        raise JsonRpcException("the text has changed", _CANCELLED, data) from None
    found = ls.session.found(seen, document)
    name = hashlib.sha256(repr(found).encode("utf-8", "surrogatepass")).hexdigest()
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
    return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=name)


async def _code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    document = ls.session.documents.get(params.text_document.uri)
    if document is None:
        return None
    seen = await _current(ls, document)
    if seen.source is None or seen.source.text != document.text:
        return None
    actions = _code_actions(ls).actions(seen, params.range, params.context)
    for action in actions:
        if action.kind == FIX_ALL and not _can_resolve(ls):
            await _resolved(ls, action)
    return actions


async def _resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    await _resolved(ls, action)
    return action


async def _resolved(ls: Server, action: types.CodeAction) -> None:
    """Put the edits into an action that has waited for them."""
    document = ls.session.documents.get(asked_for(_plain(action.data)))
    if document is None or action.kind != FIX_ALL:
        return
    try:
        found = await ls.session.ask(lambda projects, now: _mended(projects, now, document))
        action.edit = _code_actions(ls).all_fixed(*found) if found is not None else None
    except OutdatedError:
        raise JsonRpcContentModified("the text has changed") from None
    except (SettingsError, EngineError, SourceError, NoLongerFitError) as error:
        raise JsonRpcException(str(error)) from None


def _mended(projects: Projects, now: Snapshot, document: Document) -> Any:
    found = projects.mended(document.path, now)
    return (projects.look(document.path, now).look.sources, found[1]) if found else None


async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    document = ls.session.documents.get(params.text_document.uri)
    if document is None:
        return None
    seen = await _current(ls, document)
    if seen.source is None or seen.source.text != document.text:
        return None
    offset = Positions(seen.source, ls.session.encoding).offset(params.position)
    line, column = seen.source.position(offset)
    here = [
        finding
        for finding in overlapping(seen.look.findings, seen.source, range(line, line + 1))
        if finding.span.start <= offset <= finding.span.end
    ]
    parts = [await _belief(ls, document, Asked(line, column)), hover.of_rules(here)]
    text = "\n\n---\n\n".join(filter(None, parts))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None


async def _belief(ls: Server, document: Document, place: Asked) -> str:
    try:
        explained = await ls.session.ask(
            lambda projects, now: projects.explain(document.path, place, now)
        )
    except (SettingsError, PlaceError):
        return ""
    except OutdatedError:
        raise JsonRpcContentModified("the text has changed") from None
    return hover.believed(explained) if explained is not None else ""


async def _current(ls: Server, document: Document) -> Seen:
    try:
        return await ls.session.seen(document)
    except OutdatedError:
        raise JsonRpcContentModified("the text has changed") from None


def _code_actions(ls: Server) -> CodeActions:
    return CodeActions(ls.session.documents, ls.session.encoding, ls.client_capabilities)


def _can_resolve(ls: Server) -> bool:
    document = ls.client_capabilities.text_document
    action = document.code_action if document is not None else None
    support = action.resolve_support if action is not None else None
    return support is not None and "edit" in support.properties
