"""What only Python 2 had, in a file that both can read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from devicefix.dialect.classes import rename_special
from devicefix.dialect.division import divide, divide_needed, is_of_integers
from devicefix.dialect.draft import Draft, Surroundings
from devicefix.dialect.files import open_pickles
from devicefix.dialect.listing import make_lists, replace_methods
from devicefix.dialect.modules import change_imports
from devicefix.dialect.names import GONE_LATER, rename
from devicefix.dialect.ordering import order
from devicefix.dialect.printing import print_to_files
from devicefix.dialect.texts import call_methods, delete_characters
from devicefix.source import Source, annotation_of

_SURE: Final[tuple[Callable[[Draft], None], ...]] = (
    rename,
    call_methods,
    change_imports,
    replace_methods,
    print_to_files,
    order,
)
"""What Python 3 cannot run, whatever the rest of the file is for."""


def leftovers(source: Source, around: Surroundings) -> Draft:
    """What has to be changed in a file that parses, and the places to look at.

    A file with something that only Python 2 can run was written for it. Then lists are made where
    they are needed, and divisions of integers are noted: whether it ever ran on Python 3, and was
    trusted there, nobody knows.
    """
    # a program may put its folders into sys.path: what lies beside is then found in Python 3, too
    around = replace(around, siblings=frozenset())
    draft = Draft(source, around, is_python2=False)
    divide_needed(draft)
    newer = is_newer(draft)
    is_old = bool(draft.changes) and not newer
    if is_old:  # it fails on Python 3, and Python 2 can read it: all of it means what it did there
        draft = Draft(source, around, is_python2=False)
        divide(draft)
    for step in _SURE:
        step(draft)
    if any(change.what not in GONE_LATER for change in draft.changes):
        if not newer:
            open_pickles(draft)
        make_lists(draft)
        delete_characters(draft)
        rename_special(draft)
        if not (is_old or newer):
            _note_divisions(draft)
    return draft


def is_newer(draft: Draft) -> bool:
    """Whether Python 2 could not read the file."""
    printing = "print_function" in draft.features
    for node in draft.walk():
        match node:
            case ast.JoinedStr() | ast.AnnAssign() | ast.Nonlocal() | ast.NamedExpr():
                return True
            case ast.Assign() if annotation_of(node) is not None:
                return True
            case ast.AsyncFunctionDef() | ast.YieldFrom() | ast.Match():
                return True
            case ast.BinOp(op=ast.MatMult()):
                return True
            case ast.arg(annotation=ast.expr()) | ast.FunctionDef(returns=ast.expr()):
                return True
            case ast.arguments(kwonlyargs=[_, *_]) | ast.Raise(cause=ast.expr()):
                return True
            case ast.ClassDef(keywords=[_, *_]):
                return True
            case ast.Call(func=ast.Name(id="super"), args=[]):
                return True
            case ast.Call(func=ast.Name(id="print"), keywords=[_, *_]) if not printing:
                return True
    return False


def _note_divisions(draft: Draft) -> None:
    if "division" in draft.features:
        return
    for node in draft.walk():
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and is_of_integers(draft, node):
            draft.note(
                node,
                "Python 2 rounded this down, and the file uses Python 2 names",
                "use // if an integer is meant",
            )
