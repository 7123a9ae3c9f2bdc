"""What Python 2 meant, said in Python 3: names, imports, lists, division.

The differences are those of docs.python.org/3/whatsnew/3.0.html; how a text is read is in
`devicefix.source.python2`.
"""

from __future__ import annotations

from devicefix.dialect.conversion import Converted, convert
from devicefix.dialect.draft import Note, Surroundings
from devicefix.dialect.surroundings import surroundings

__all__ = ["Converted", "Note", "Surroundings", "convert", "surroundings"]
