"""Functions of the module ``string`` that went, and what else was asked of texts otherwise.

They were the methods of ``str``, with the text as the first argument
(docs.python.org/2.7/library/string.html#deprecated-string-functions).
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

KEPT: Final = frozenset(
    [
        "Formatter",
        "Template",
        "ascii_letters",
        "ascii_lowercase",
        "ascii_uppercase",
        "capwords",
        "digits",
        "hexdigits",
        "octdigits",
        "printable",
        "punctuation",
        "whitespace",
    ]
)
"""What the module ``string`` still has."""
RENAMED: Final = frozenset({"letters", "lowercase", "uppercase"})
"""What `devicefix.dialect.names` gives the name that it has now."""
_METHODS: Final = {
    "splitfields": "split",
    "capitalize": "capitalize",
    "center": "center",
    "count": "count",
    "expandtabs": "expandtabs",
    "find": "find",
    "index": "index",
    "ljust": "ljust",
    "lower": "lower",
    "lstrip": "lstrip",
    "replace": "replace",
    "rfind": "rfind",
    "rindex": "rindex",
    "rjust": "rjust",
    "rsplit": "rsplit",
    "rstrip": "rstrip",
    "split": "split",
    "strip": "strip",
    "swapcase": "swapcase",
    "upper": "upper",
}
_VALUES: Final = {
    "atof": "float",
    "atoi": "int",
    "atol": "int",
    "atof_error": "ValueError",
    "atoi_error": "ValueError",
    "atol_error": "ValueError",
    "index_error": "ValueError",
    "maketrans": "str.maketrans",
}
_JOINS: Final = ("join", "joinfields")
_ATOMS: Final = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)


def call_methods(draft: Draft) -> None:
    """``string.join(words, sep)`` -> ``sep.join(words)``, and all that went with it."""
    if not any(map(_is_import, draft.walk())):
        return
    for node in draft.walk():
        name = _function(draft, node)
        if name is None or name in KEPT or name in RENAMED:
            continue
        assert isinstance(node, (ast.Attribute, ast.Name))
        if _can_be_replaced(draft, node, name):
            _replace(draft, node, name)
        else:
            draft.note(
                node, f"string.{name} was removed", "most of its functions are methods of str"
            )


def _is_import(node: ast.AST) -> bool:
    """Whether it imports the module ``string``, or something of it."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "string"
    return isinstance(node, ast.Import) and any(alias.name == "string" for alias in node.names)


def is_replaced(draft: Draft, alias: ast.alias) -> bool:
    """Whether `call_methods` makes something else of all uses of what is imported of ``string``."""
    local = alias.asname or alias.name
    uses = [n for n in draft.walk() if isinstance(n, ast.Name) and n.id == local]
    return alias.name not in (*KEPT, *RENAMED) and all(
        _function(draft, use) == alias.name and _can_be_replaced(draft, use, alias.name)
        for use in uses
    )


def _function(draft: Draft, node: ast.AST) -> str | None:
    """What ``node`` is called in the module ``string``, if it comes from there."""
    found: tuple[str, str | None] | None = None
    match node:
        case ast.Attribute(value=ast.Name() as value, attr=name):
            module = _module(draft, value)
            found = ("string", name) if module == ("string", None) else None
        case ast.Name(ctx=ast.Load()):
            found = _module(draft, node)
    if found is None or found[0] != "string" or draft.is_guarded(node):
        return None
    return found[1]


def _module(draft: Draft, node: ast.Name) -> tuple[str, str | None] | None:
    """The module that a name was imported from, and its name there."""
    if "string" in draft.around.local or not draft.is_module(node):
        return None
    found = {
        (alias.name, None) if isinstance(b.node, ast.Import) else (b.node.module or "", alias.name)
        for b in draft.scopes.bindings(node)
        if isinstance(b.node, ast.Import)
        or (isinstance(b.node, ast.ImportFrom) and not b.node.level)
        for alias in b.node.names
        if (alias.asname or alias.name) == node.id
    }
    return found.pop() if len(found) == 1 else None


def _can_be_replaced(draft: Draft, node: ast.expr, name: str) -> bool:
    call = _call(draft, node)
    if name in _VALUES:
        return True
    if call is None:
        return name in _METHODS
    if any(isinstance(a, ast.Starred) for a in call.args) or call.keywords or not call.args:
        return False
    if name in _JOINS:
        return all(isinstance(a, (ast.Name, ast.Constant)) for a in call.args[1:])
    return name in _METHODS


def _replace(draft: Draft, node: ast.expr, name: str) -> None:
    call, what = _call(draft, node), f"string.{name}"
    if name in _VALUES:
        if not (name == "maketrans" and call is not None and _is_deleting(draft, call)):
            draft.replace(node, _VALUES[name], what)
    elif call is None:
        draft.replace(node, f"str.{_METHODS[name]}", what)
    elif name in _JOINS:
        _join(draft, call)
    else:
        _method(draft, call, _METHODS[name], what)


def _call(draft: Draft, node: ast.expr) -> ast.Call | None:
    """The call of what ``node`` names."""
    parent = draft.parent(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None


def _method(draft: Draft, call: ast.Call, method: str, what: str) -> None:
    """``string.f(text, …)`` -> ``text.f(…)``; edits of what is passed go on as they are."""
    text, span = call.args[0], draft.source.span(call)
    place = _with_brackets(draft, text)
    change = draft.replace(Span(span.start, place.start), "", what)
    after = ""
    if not _is_atom(draft, text, place):
        after = ")"
        draft.insert_before(call, "(", change, place.start)
    end = _with_brackets(draft, call.args[1]).start if len(call.args) > 1 else place.end
    draft.replace(Span(place.end, end), f"{after}.{method}(", "", change)


def _join(draft: Draft, call: ast.Call) -> None:
    words, separator = call.args[0], call.args[1] if len(call.args) > 1 else None
    text = "' '" if separator is None else draft.source.segment(separator)
    span, place = draft.source.span(call), _with_brackets(draft, words)
    change = draft.replace(Span(span.start, place.start), f"{text}.join(", "string.join")
    if separator is not None:
        end = _with_brackets(draft, separator).end
        draft.replace(Span(place.end, end), "", "", change)


def _is_atom(draft: Draft, node: ast.expr, place: Span) -> bool:
    bracketed = place != draft.source.span(node)
    number = isinstance(node, ast.Constant) and not isinstance(node.value, str)
    broken = "\n" in draft.source.segment(node)  # the brackets of the call held the lines together
    return bracketed or (isinstance(node, _ATOMS) and not number and not broken)


def _with_brackets(draft: Draft, node: ast.expr) -> Span:
    """Where an argument is, the brackets around it included."""
    text, span = draft.source.text, draft.source.span(node)
    start, end = span.start, span.end
    while True:
        before = len(text[:start].rstrip()) - 1
        after = end + len(text[end:]) - len(text[end:].lstrip())
        parent = draft.parent(node)
        limit = draft.source.span(parent)
        if isinstance(parent, ast.Call):
            limit = Span(draft.source.span(parent.func).end + 1, limit.end - 1)
        if before < limit.start or after >= limit.end or (text[before], text[after]) != ("(", ")"):
            return Span(start, end)
        start, end = before, after + 1


# -- characters that are left out ------------------------------------------------------------------


def delete_characters(draft: Draft) -> None:
    """``text.translate(None, chars)``: texts take a table only, and it says what is left out.

    Bytes are asked as ever: where a file has some, it is noted.
    """
    for node in draft.walk():
        match node:
            case ast.Call(
                func=ast.Attribute(attr="translate", value=value), args=[table, chars], keywords=[]
            ) if not draft.is_module(value) and "translate" not in draft.around.own_methods:
                _delete(draft, node, table, chars)


def _delete(draft: Draft, node: ast.Call, table: ast.expr, chars: ast.expr) -> None:
    what, place, left_out = "translate()", draft.source.span(table), _with_brackets(draft, chars)
    if _has_bytes(draft):
        draft.note(
            node,
            "str.translate() takes only a table in Python 3",
            'write .translate(str.maketrans("", "", chars)) if this is a string',
        )
    elif isinstance(table, ast.Constant) and table.value is None:
        between = Span(place.start, left_out.start)
        change = draft.replace(between, 'str.maketrans("", "", ', what)
        draft.insert_behind(node, ")", change, left_out.end)
    elif isinstance(table, ast.Call) and _makes_table(draft, table) and len(table.args) == 2:
        change = draft.replace(table.func, "str.maketrans", what)
        draft.replace(Span(place.end - 1, place.end), "", "", change)
        draft.insert_behind(node, ")", change, left_out.end)
    else:  # what is left out is, whatever else the table says
        change = draft.change(node, what)
        draft.insert_before(node, "{**", change, place.start)
        draft.insert_before(node, '**str.maketrans("", "", ', change, left_out.start)
        draft.insert_behind(node, ")}", change, left_out.end)


def _is_deleting(draft: Draft, call: ast.Call) -> bool:
    """Whether `delete_characters` looks after this call of ``maketrans``."""
    match draft.parent(call):
        case ast.Call(func=ast.Attribute(attr="translate"), args=[table, _], keywords=[]):
            return table is call and len(call.args) == 2 and not _has_bytes(draft)
    return False


def _makes_table(draft: Draft, call: ast.Call) -> bool:
    return _function(draft, call.func) == "maketrans"


def _has_bytes(draft: Draft) -> bool:
    for node in draft.walk():
        match node:
            case ast.Constant(value=bytes()) | ast.Attribute(attr="encode"):
                return True
            case ast.Call(
                func=ast.Name(id="open" | "file"), args=[_, ast.Constant(value=str(m)), *_]
            ):
                if "b" in m:
                    return True
    return False
