"""Python 2, as fissix reads it: what its grammar takes, and the same in the grammar of Python 3.

Only the spelling changes here, statement by statement: ``print``, ``exec``, ``except A, e`` …
(docs.python.org/3/whatsnew/3.0.html, "Changed Syntax"). What names and operators mean is the affair
of `devicefix.dialect`. Nothing else imports fissix, and nothing does before it is needed. Its own
loader of grammars would write into the user's cache folder, so it does not get to.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from devicefix.source.errors import SourceError
from devicefix.source.indentation import spaced
from devicefix.source.lexing import tokens

if TYPE_CHECKING:
    from devicefix.source.text import Source

_FIXERS: Final = (
    "except",
    "exec",
    "metaclass",
    "ne",
    "numliterals",
    "paren",
    "raise",
    "repr",
    "throw",
)
_LOADING: Final = threading.Lock()
_REFACTORING: Final = threading.Lock()
_ESCAPED: Final = re.compile(r"\\([uUN])|\\.", re.DOTALL)
_OPENING: Final = re.compile(r"([bBuUrR]*)('''|\"\"\"|'|\")", re.DOTALL)
_OCTAL: Final = re.compile(r"0[0-7]*[1-7][0-7]*")
_SOFT: Final = re.compile(r"\\[ntrvf]['\"]+$")
_NEWER: Final = frozenset({"tname", "namedexpr_test", "async_stmt", "async_funcdef", "await"})
"""Nodes of fissix's grammar that only Python 3 has: annotations, ``:=``, ``async``, ``await``."""


class Python2:
    """One text that only Python 2 can read. Raises ``SourceError`` where it cannot either."""

    def __init__(self, text: str, path: str) -> None:
        r"""``text`` has lines that end in ``\n``."""
        self._ended = text if text.endswith("\n") else text + "\n"
        self._padding = len(self._ended) - len(text)
        self._tree, self.features = _parsed(self._ended, path)

    def modern(self) -> str:
        """The text as Python 3 spells it."""
        _refactored(self._tree, self.features)
        text = "".join(_spelled(str(self._tree), "unicode_literals" in self.features))
        text = spaced(text)
        return text[: -self._padding] if self._padding and text.endswith("\n") else text


def complaint(source: Source) -> SourceError:
    """Why ``source``, which does not parse, can be read neither as Python 3 nor as Python 2."""
    try:
        _ = source.tree
    except SourceError as error:
        mine = error
    else:
        raise ValueError(f"{source.path} parses")
    try:
        Python2(source.text.replace("\r\n", "\n").replace("\r", "\n"), source.path)
    except SourceError as error:
        line = f"{source.line_name(error.line)}: " if error.line is not None else ""
        reason = f"{mine.reason}; as Python 2: {line}{error.reason}"
        return SourceError(source.path, mine.line, reason, mine.cell)
    return mine


def _parsed(text: str, path: str) -> tuple[Any, frozenset[str]]:
    """The tree of fissix, and what comes ``from __future__``."""
    fissix = _fissix()
    try:
        features = fissix.refactor._detect_future_features(text)
        old = "print_function" not in features
        grammars = fissix.pygram
        grammar = grammars.python_grammar if old else grammars.python_grammar_no_print_statement
        driver = fissix.pgen2.driver.Driver(grammar, convert=fissix.pytree.convert)
        tree = driver.parse_string(text)
    except fissix.pgen2.parse.ParseError as error:
        raise SourceError(path, _line(error.context), _worded(error)) from None
    except fissix.pgen2.tokenize.TokenError as error:
        raise SourceError(path, error.args[1][0], str(error.args[0])) from None
    except (RecursionError, MemoryError):
        raise SourceError(path, None, "is nested too deeply") from None
    except KeyError as error:  # a digit of another script is no operator that it knows
        raise SourceError(path, None, f"not valid Python 2: {error}") from None
    except (SyntaxError, ValueError, AssertionError, IndexError) as error:
        raise SourceError(
            path, getattr(error, "lineno", None), f"not valid Python 2: {error}"
        ) from None
    newer = _newer(tree)
    if newer is not None:
        raise SourceError(path, newer.get_lineno(), f"only Python 3 has `{_begun(str(newer))}`")
    return tree, features


def _line(context: Any) -> int | None:
    try:
        return int(context[1][0])
    except (TypeError, IndexError):
        return None


def _worded(error: Any) -> str:
    value = error.value or ""
    return f"invalid syntax at `{_begun(value)}`" if value.strip() else "invalid syntax"


def _begun(text: str) -> str:
    """``text``, for a sentence: of several lines the first."""
    first, line_end, _ = text.strip().partition("\n")
    return f"{first} …" if line_end else first


def _newer(tree: Any) -> Any:
    """A node that no Python 2 could read; None where there is none."""
    fissix = _fissix()
    names = fissix.pytree.type_repr
    for node in tree.pre_order():
        if isinstance(node, fissix.pytree.Leaf):
            if node.value in ("nonlocal", "->", "await") and node.parent is not None:
                if node.value != "await" or node.prev_sibling is None:
                    return node
            elif node.value[:2].lower().rstrip("'\"") in ("f", "fr", "rf") and node.type == 3:
                return node
        elif names(node.type) in _NEWER:
            return node
        elif names(node.type) in ("raise_stmt", "yield_arg"):
            words = [str(child).strip() for child in node.children]
            if "from" in words:
                return node
    return None


def _refactored(tree: Any, features: frozenset[str]) -> None:
    """Rewrites ``tree`` in place; one at a time, as fixers keep what they are about."""
    tree.future_features = features
    with _REFACTORING:
        tool = _tool()
        tool.refactor_tree(tree, "<text>")
        tool.fixer_log.clear()


@functools.cache
def _tool() -> Any:
    fissix = _fissix()
    fixes = fissix.fixes
    fix_print: Any = fixes.fix_print.FixPrint
    fix_tuple_params: Any = fixes.fix_tuple_params.FixTupleParams
    leaf = fissix.pytree.Leaf
    refactoring_tool: Any = fissix.refactor.RefactoringTool

    class Print(fix_print):  # type: ignore[misc]
        """``print "…\\n",`` writes no space before what comes next."""

        def transform(self, node: Any, results: Any) -> Any:
            if _is_call(node):
                return None
            last = node.children[-2] if str(node.children[-1]).strip() == "," else None
            new = super().transform(node, results)
            if new is not None and last is not None and _ends_blank(last):
                ends = [leaf for leaf in new.leaves() if leaf.value == "' '"]
                ends[-1].value = "''"
            return new

    class TupleParams(fix_tuple_params):  # type: ignore[misc]
        """Lambdas of several parameters as well; attributes are no parameters."""

        PATTERN = f"""{fix_tuple_params.PATTERN}
                  | several=lambdef< 'lambda' params=varargslist< any+ > ':' any >"""

        def transform(self, node: Any, results: Any) -> Any:
            if "several" not in results:
                return super().transform(node, results)
            for parameter in results["params"].children:
                if fissix.pytree.type_repr(parameter.type) == "vfpdef":
                    self._pack(node, parameter)
            return None

        def transform_lambda(self, node: Any, results: Any) -> Any:
            if isinstance(fixes.fix_tuple_params.simplify_args(results["inner"]), leaf):
                return super().transform_lambda(node, results)
            return self._pack(node, results["args"])

        def _pack(self, node: Any, parameter: Any) -> None:
            """Reads the parts of ``parameter`` where they are used, by their numbers."""
            parts = fixes.fix_tuple_params.find_params(parameter)
            numbers = fixes.fix_tuple_params.map_to_index(parts)
            name = self.new_name(fixes.fix_tuple_params.tuple_name(parts))
            lone = parameter.parent is node
            parameter.replace(leaf(1, name, prefix=" " if lone else parameter.prefix))
            for used in list(node.children[-1].post_order()):
                if isinstance(used, leaf) and used.value in numbers and _is_name(used):
                    part = [piece.clone() for piece in numbers[used.value]]
                    whole = fissix.pytree.Node(
                        fissix.pygram.python_symbols.power, [leaf(1, name), *part]
                    )
                    whole.prefix = used.prefix
                    used.replace(whole)

        def new_name(self, template: str = "packed") -> str:
            return str(super().new_name(template))

    class Tool(refactoring_tool):  # type: ignore[misc]
        """Says nothing."""

        def get_fixers(self) -> Any:
            before, after = super().get_fixers()
            own = [kind(self.options, self.fixer_log) for kind in (Print, TupleParams)]
            return before, sorted([*after, *own], key=lambda fixer: fixer.run_order)

        def log_message(self, *args: object) -> None:
            pass

        def log_debug(self, *args: object) -> None:
            pass

    return Tool([f"fissix.fixes.fix_{name}" for name in _FIXERS])


def _is_name(leaf: Any) -> bool:
    """Whether a name is looked up, and is no attribute and no keyword."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    if before is not None and before.type == 23:  # token.DOT
        return False
    return not (after is not None and after.type == 22)  # token.EQUAL


def _is_call(node: Any) -> bool:
    """``print (x)``: the same in both, but for a tuple and for nothing at all."""
    if len(node.children) != 2 or len(node.children[1].children) != 3:
        return False
    first, inside, last = node.children[1].children
    alone = (first.type, last.type) == (7, 8)  # token.LPAR, token.RPAR
    return alone and not any(str(child).strip() == "," for child in inside.children)


def _ends_blank(last: Any) -> bool:
    """Whether what is printed last surely ends in white space that is no space.

    Python 2 remembers for each file whether a space is due
    (docs.python.org/2/reference/simple_stmts.html#the-print-statement).
    """
    leaves = list(last.leaves())
    first = leaves[0].value
    formatted = len(leaves) > 1 and leaves[1].value == "%"
    return (len(leaves) == 1 or formatted) and _SOFT.search(first) is not None


def _spelled(text: str, unicode_literals: bool) -> Iterator[str]:
    """The pieces of ``text``, with the strings that mean something else in Python 3 respelled."""
    for token in tokens(text):
        if _OCTAL.fullmatch(token.text):  # of a long literal
            yield f"0o{token.text[1:]}"
            continue
        opening = _OPENING.match(token.text) if token.kind == "string" else None
        if opening is None:
            yield token.text
            continue
        prefix, body = opening.group(1).lower(), token.text[opening.end(1) :]
        if prefix in ("ur", "ru"):
            yield _raw_unicode(body)
        elif prefix == "" and not unicode_literals:
            # only Unicode strings had these escapes
            yield _ESCAPED.sub(lambda m: "\\" + m[0] if m[1] else m[0], token.text)
        else:
            yield token.text


def _raw_unicode(body: str) -> str:
    r"""``ur"…"``: raw, but for ``\uXXXX``."""
    if "\\u" not in body and "\\U" not in body:
        return "r" + body
    return re.sub(r"\\([\s\S])", lambda m: m[0] if m[1] in "uU" else _cooked(m[1]), body)


def _cooked(character: str) -> str:
    """What a backslash and this character are in a string that is not raw."""
    return "\\\\" + ("\\" + character if character in "\\'\"" else character)


def _fissix() -> Any:
    """The package, with its grammars made in memory."""
    with _LOADING:
        import fissix
        from fissix.pgen2 import driver, pgen

        theirs = driver.load_grammar
        driver.load_grammar = lambda path, *_, **__: pgen.generate_grammar(path)
        try:
            import fissix.pygram
            import fissix.pytree
        finally:
            driver.load_grammar = theirs
        import fissix.fixes.fix_print
        import fissix.fixes.fix_tuple_params
        import fissix.pgen2.parse
        import fissix.pgen2.tokenize
        import fissix.refactor
    return fissix
