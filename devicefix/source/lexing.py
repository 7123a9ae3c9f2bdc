"""Text to tokens without a grammar: for texts that no parser at hand takes, and never failing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.findings import Span

_TOKEN: Final = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | (?P<string>[bBuUrRfF]{0,2}(?:
          \"\"\"(?:\\.|[^\\])*?\"\"\" | '''(?:\\.|[^\\])*?'''
        | \"(?:\\(?:\r\n|.)|[^\"\\\r\n])*\" | '(?:\\(?:\r\n|.)|[^'\\\r\n])*'))
    | (?P<number>\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d\w*)
    | (?P<name>\w+)
    | (?P<newline>\r\n|\r|\n)
    | (?P<space>[ \t\f]+|\\(?:\r\n|\r|\n))
    | (?P<op>\*\*=?|//=?|>>=?|<<=?|<>|->|:=|[-+*/%&|^=<>!@]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUIET: Final = frozenset({"comment", "newline", "space"})


class Token(Struct, frozen=True):
    """A piece of a text."""

    kind: str
    """``comment``, ``string``, ``number``, ``name``, ``newline``, ``space`` or ``op``."""
    text: str
    span: Span

    @property
    def is_quiet(self) -> bool:
        """Whether it says nothing to the parser; line ends count as quiet."""
        return self.kind in _QUIET


def tokens(text: str) -> Iterator[Token]:
    """The pieces of ``text``, none left out; what is broken comes character by character."""
    for match in _TOKEN.finditer(text):
        yield Token(match.lastgroup or "op", match.group(), Span(*match.span()))
