"""Modules of the standard library that have other names now, and imports of what lies beside."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.dialect.names import ABSTRACT, ATTRIBUTES, BUILTINS_NOW, TYPES, remove
from devicefix.dialect.string_buffers import MODULES as STRING_BUFFERS
from devicefix.dialect.string_buffers import holds_text
from devicefix.dialect.texts import is_replaced
from devicefix.findings import Span

MODULES: Final = {
    "BaseHTTPServer": "http.server",
    "ConfigParser": "configparser",
    "Cookie": "http.cookies",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "SimpleHTTPServer": "http.server",
    "SocketServer": "socketserver",
    "StringIO": "io",
    "Tkinter": "tkinter",
    "__builtin__": "builtins",
    "cPickle": "pickle",
    "cProfile": "cProfile",
    "cStringIO": "io",
    "commands": "subprocess",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "dummy_thread": "_thread",
    "htmlentitydefs": "html.entities",
    "httplib": "http.client",
    "robotparser": "urllib.robotparser",
    "thread": "_thread",
    "tkFileDialog": "tkinter.filedialog",
    "tkMessageBox": "tkinter.messagebox",
    "urlparse": "urllib.parse",
    "xmlrpclib": "xmlrpc.client",
}
"""Modules that were renamed (PEP 3108)."""

_PARSE: Final = frozenset(
    [
        "quote",
        "quote_plus",
        "unquote",
        "unquote_plus",
        "urlencode",
        "urlparse",
        "urljoin",
        "urlsplit",
        "urlunparse",
    ]
)
_ERROR: Final = frozenset({"URLError", "HTTPError", "ContentTooShortError"})
_SUBMODULES: Final = frozenset({"error", "parse", "request", "response", "robotparser"})
"""What Python 3 has in `urllib`: who imports these has been there."""
SPLIT: Final = frozenset({"urllib", "urllib2"})
"""Modules whose contents went to several."""
_BUILTINS: Final[Mapping[str, Mapping[str, str]]] = {"itertools": BUILTINS_NOW, "types": TYPES}


def change_imports(draft: Draft) -> None:
    """Every import of a module that is called something else, or lies beside this file."""
    for node in draft.walk():
        if isinstance(node, (ast.Import, ast.ImportFrom)) and draft.is_guarded(node):
            continue
        if isinstance(node, ast.Import):
            _import(draft, node)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            _import_from(draft, node)


def _import(draft: Draft, node: ast.Import) -> None:
    """Statement by statement: one may have to become several."""
    parts = [(alias, _imported(draft, alias)) for alias in node.names]
    if all(new is None for _, new in parts):
        return
    new = [new or [_plain(alias)] for alias, new in parts]
    if len(node.names) > 1 and not any(text.startswith("from") for part in new for text in part):
        for alias, part in zip(node.names, new, strict=True):
            if part != [_plain(alias)]:
                joined = ", ".join(text.removeprefix("import ") for text in part)
                draft.replace(alias, joined, f"import {alias.name}")
        return
    statements = list(dict.fromkeys(text for part in new for text in part))
    draft.replace(node, _between(draft, node).join(statements), _what(node))


def _what(node: ast.Import) -> str:
    return "import " + ", ".join(alias.name for alias in node.names)


def _between(draft: Draft, node: ast.stmt) -> str:
    source, span = draft.source, draft.source.span(node)
    line = source.text[source.line_start(span.start) : source.line_end(span.start)]
    shared = bool(source.text[source.line_start(span.start) : span.start].strip()) or ";" in line
    return "; " if shared else source.newline + source.indent_of(node)


def _plain(alias: ast.alias) -> str:
    return f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")


def _imported(draft: Draft, alias: ast.alias) -> list[str] | None:
    """The statements that import what ``alias`` meant; None where that is the same."""
    first = alias.name.partition(".")[0]
    if first in draft.around.siblings:
        return _beside(draft, alias)
    if first in draft.around.local:
        return None
    if alias.name in SPLIT:
        return _split(draft, alias)
    if _is_in_doubt(draft, alias, alias.name):
        return None
    new = MODULES.get(alias.name)
    return None if new is None or new == alias.name else _renamed(draft, alias, new)


def _beside(draft: Draft, alias: ast.alias) -> list[str] | None:
    if "." in alias.name:
        draft.note(
            alias,
            f"in Python 2, `import {alias.name}` imported the module in this folder",
            "write it as from . import …",
        )
        return None
    return [f"from . {_plain(alias)}"]


def _renamed(draft: Draft, alias: ast.alias, new: str) -> list[str]:
    if alias.asname:
        return [f"import {new}" + (f" as {alias.asname}" if alias.asname != new else "")]
    if not _is_free(draft, new, alias.name):
        return [f"import {new} as {alias.name}"]
    for node in _uses(draft, alias.name):
        draft.replace(node, new, f"import {alias.name}")
    return [f"import {new}"]


def _is_free(draft: Draft, new: str, old: str) -> bool:
    """Whether only imports bind ``old``, and the first part of ``new``."""
    first = new.partition(".")[0]
    for node in draft.walk():
        if isinstance(node, ast.Name) and node.id in (first, old):
            bindings = draft.scopes.bindings(node)
            if isinstance(node.ctx, ast.Store) or any(b.how != "import" for b in bindings):
                return False
        elif (isinstance(node, ast.arg) and node.arg in (first, old)) or (
            isinstance(node, ast.alias)
            and _binds(node) == first
            and node.name.partition(".")[0] != first
            and MODULES.get(node.name) != new
        ):
            return False
    return True


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _uses(draft: Draft, name: str) -> Iterator[ast.Name]:
    for node in draft.walk():
        if isinstance(node, ast.Name) and node.id == name:
            yield node


def _split(draft: Draft, alias: ast.alias) -> list[str] | None:
    """``urllib`` and ``urllib2``: by what is asked of them."""
    uses = [
        node
        for node in draft.walk()
        if isinstance(node, ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id == (alias.asname or alias.name)
    ]
    uses = [use for use in uses if use.attr not in _SUBMODULES]
    needed = sorted({_home(use.attr) for use in uses})
    if alias.asname:
        return [f"import {needed[0]} as {alias.asname}"] if len(needed) == 1 else None
    for use in uses:
        draft.replace(use.value, _home(use.attr), f"import {alias.name}")
    if not needed:
        return None if alias.name == "urllib" else ["import urllib.request"]
    return [f"import {module}" for module in needed]


def _home(name: str) -> str:
    if name in _SUBMODULES:
        return "urllib"
    if name in _PARSE:
        return "urllib.parse"
    return "urllib.error" if name in _ERROR else "urllib.request"


def _import_from(draft: Draft, node: ast.ImportFrom) -> None:
    module = node.module or ""
    first = module.partition(".")[0]
    what = f"from {module} import"
    if first in draft.around.siblings:
        draft.replace(_module_span(draft, node), "." + module, "implicit relative import")
    elif first in draft.around.local:
        return
    elif module in SPLIT:
        _take_apart(draft, node, _home)
    elif module == "collections" and any(alias.name in ABSTRACT for alias in node.names):
        _take_apart(draft, node, _home_of_abstract)
    elif module in ("itertools", "os", "string", "sys", "time", "types"):
        _from_builtin(draft, node)
    elif _is_in_doubt(draft, node, module):
        return
    elif module in MODULES and MODULES[module] != module:
        draft.replace(_module_span(draft, node), MODULES[module], what)


def _is_in_doubt(draft: Draft, where: ast.AST, module: str) -> bool:
    """Whether it is not known if a buffer holds bytes or text, which is reported."""
    if module not in STRING_BUFFERS or holds_text(draft):
        return False
    if not draft.is_python2:  # else it is told when the rest is Python 3
        message = "a StringIO of Python 2 may hold bytes or text"
        draft.note(where, message, "use io.BytesIO for bytes, io.StringIO for text")
    return True


def _take_apart(draft: Draft, node: ast.ImportFrom, home: Callable[[str], str]) -> None:
    """Import each name from where it is now."""
    homes: dict[str, list[str]] = {}
    for alias in node.names:
        homes.setdefault(home(alias.name), []).append(_plain(alias).removeprefix("import "))
    if [*homes] == [node.module]:
        return
    lines = [f"from {module} import {', '.join(names)}" for module, names in homes.items()]
    draft.replace(node, _between(draft, node).join(lines), f"from {node.module} import")


def _home_of_abstract(name: str) -> str:
    return "collections.abc" if name in ABSTRACT else "collections"


def _module_span(draft: Draft, node: ast.ImportFrom) -> Span:
    start = draft.source.span(node).start
    at = draft.source.text.index(node.module or "", start + len("from"))
    return Span(at, at + len(node.module or ""))


def _from_builtin(draft: Draft, node: ast.ImportFrom) -> None:
    """Names that are builtins now are imported no more, others under the names they have now."""
    module, kept = node.module or "", []
    now = _BUILTINS.get(module, {})
    for alias in node.names:
        if module == "string" and is_replaced(draft, alias):
            continue
        if alias.name in now:
            for use in _uses(draft, alias.asname or alias.name):
                if use.id != now[alias.name]:
                    draft.replace(use, now[alias.name], f"{module}.{alias.name}")
        elif (module, alias.name) in ATTRIBUTES:
            new = ATTRIBUTES[module, alias.name]
            kept.append(f"{new} as {alias.asname or alias.name}")
        else:
            kept.append(_plain(alias).removeprefix("import "))
    plain = [_plain(alias).removeprefix("import ") for alias in node.names]
    if kept and kept != plain:
        text = f"from {module} import {', '.join(kept)}"
        draft.replace(node, text, f"from {module} import")
    elif not kept:
        remove(draft, node, f"from {module} import")
