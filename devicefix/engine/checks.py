"""What must hold of an edited text before it may reach the disk."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from devicefix.findings import Edit
from devicefix.source import Source, SourceError


class Inspector:
    """Judges edits by what the original text of the file was."""

    def __init__(self, original: Source) -> None:
        self._original = original

    def edited(self, source: Source, edits: Iterable[Edit]) -> Source:
        """``source`` with ``edits``. Raises `SourceError` where the outcome must not stand."""
        try:
            text = source.apply(edits)
        except ValueError as error:
            raise SourceError(source.path, None, f"its edits conflict: {error}") from error
        if text == source.text:
            raise SourceError(source.path, None, "its edits change nothing")
        outcome = Source.from_bytes(source.encode(text), source.path)
        if outcome.text != text:
            raise SourceError(source.path, None, f"cannot be encoded as {source.encoding}")
        self._judge(outcome)
        return outcome

    def warm_up(self) -> None:
        """Find out now what the original is like."""
        with contextlib.suppress(SourceError, SyntaxError, ValueError):
            _ = self._undefined

    def _judge(self, outcome: Source) -> None:
        _ = outcome.tree
        if self._compiles:
            reason = _compile_error(outcome)
            if reason is not None:
                raise SourceError(outcome.path, None, reason)
        if self._undefined is None:
            return
        found = undefined_names(outcome.text)
        if found is None:
            raise SourceError(outcome.path, None, "cannot be checked for undefined names")
        new = found - self._undefined
        if new:
            names = ", ".join(sorted(new))
            raise SourceError(outcome.path, None, f"leaves a name undefined: {names}")

    @cached_property
    def _compiles(self) -> bool:
        return _compile_error(self._original) is None

    @cached_property
    def _undefined(self) -> Counter[str] | None:
        return undefined_names(self._original.text)


def _compile_error(source: Source) -> str | None:
    """What only the compiler sees, such as a ``return`` outside a function. Runs nothing."""
    # in a notebook one may wait outside of functions (ipython.readthedocs.io, "autoawait")
    flags = 0 if source.notebook is None else ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source.text, source.path, "exec", flags, dont_inherit=True)
        except SyntaxError as error:
            return f"{source.line_name(error.lineno or 1)}: {error.msg}"
    return None


def undefined_names(text: str) -> Counter[str] | None:
    """How often each name is used that nothing defines, as pyflakes counts them.

    None where pyflakes fails, as it does for some of what parses, but does not compile.

    Below a star import any name may be defined; pyflakes says so. Such a name counts once, so that
    an edit may rely on it only where the author did.
    """
    from pyflakes import messages  # type: ignore[import-untyped]
    from pyflakes.checker import Checker  # type: ignore[import-untyped]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    try:
        found = Checker(tree).messages
    except AssertionError:
        return None
    undefined = (messages.UndefinedName, messages.UndefinedLocal)
    starred = {str(m.message_args[0]) for m in found if isinstance(m, messages.ImportStarUsage)}
    return Counter([*starred, *(str(m.message_args[0]) for m in found if isinstance(m, undefined))])
