"""What Python 2 meant, said in Python 3: names, imports, lists, division.

The differences are those of docs.python.org/3/whatsnew/3.0.html; how a text is read is in
`devicefix.source.python2`.
"""

from __future__ import annotations

from devicefix.dialect.asynchronous import Renamed, renamed
from devicefix.dialect.conversion import Converted, convert
from devicefix.dialect.draft import Change, Draft, Note, Surroundings
from devicefix.dialect.kinds import Kind, Kinds
from devicefix.dialect.leftovers import leftovers
from devicefix.dialect.methods import write_next
from devicefix.dialect.names import GONE_LATER
from devicefix.dialect.surroundings import companions, surroundings
from devicefix.dialect.suspects import may_be_old

__all__ = [
    "GONE_LATER",
    "Change",
    "Converted",
    "Draft",
    "Kind",
    "Kinds",
    "Note",
    "Renamed",
    "Surroundings",
    "companions",
    "convert",
    "leftovers",
    "may_be_old",
    "renamed",
    "surroundings",
    "write_next",
]
