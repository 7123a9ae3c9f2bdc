"""Programs that may not ask for CUDA before they have said which GPUs they want, nor where they
only send work to other machines.

``torch.cuda.is_available()`` starts the driver: what ``CUDA_VISIBLE_DEVICES`` is set to afterwards
does not count (https://github.com/pytorch/pytorch/issues/23544).
What is sent to another machine takes the values along that its globals have on this one, as those
of a main program are pickled by value (https://github.com/cloudpipe/cloudpickle): so each function
that runs there has to ask for itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.flow.imported import origins
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.source import Source
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk

_REMOTE: Final = frozenset({"dask", "pyspark", "ray", "submitit"})
"""Libraries that run functions of a program on other machines."""
_OF_DASK: Final = frozenset({"distributed.Client", "distributed.LocalCluster"})
"""Many programs have a file of their own that is called so."""
_VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
TOO_EARLY: Final = "this would initialize CUDA before the program selects its GPUs"
FORKS: Final = "this would initialize CUDA before processes are forked, which then cannot use it"
ELSEWHERE: Final = (
    "this would check for CUDA on the machine that submits the work, not on the one that runs it"
)
_SETTERS: Final = frozenset({"putenv", "setdefault", "update"})


class FirstQuestion(Struct, frozen=True):
    """When a file may ask whether there is CUDA."""

    after: ast.stmt | None = None
    """The statement at its top level that says which GPUs are there."""
    never: bool = False
    """Not before its functions run, or its main block has come some way."""

    @property
    def waits(self) -> bool:
        """It may not be at once."""
        return self.never or self.after is not None

    def is_too_early(self, place: ast.expr) -> bool:
        """Whether a question at ``place`` may come before the GPUs are chosen."""
        return self.never or (self.after is not None and place.lineno <= self.after.lineno)


def first_question(source: Source) -> FirstQuestion:
    """When the code of a file may ask for CUDA, if that is not at once."""
    if _VISIBLE not in source.text:
        return FirstQuestion()
    by_statement = [(one, set(_choices(one))) for one in source.tree.body]
    choosing = [(one, found) for one, found in by_statement if found]
    top = [one for one, found in choosing if not is_main_guard(one) and found <= set(_run(one))]
    return FirstQuestion(top[-1] if top else None, len(top) < len(choosing))


def _run(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement, and those inside that run with it, on some condition perhaps."""
    yield statement
    if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        for node in ast.iter_child_nodes(statement):
            parts = [node] if isinstance(node, ast.stmt) else ast.iter_child_nodes(node)
            for part in parts:
                if isinstance(part, ast.stmt):
                    yield from _run(part)


def sends_away(source: Source) -> bool:
    """Whether a file hands functions to other machines."""
    return bool(source.once(_remote_names))


def is_sender(place: ast.AST, source: Source) -> bool:
    """Whether a place of such a file may run on the machine that sends the work."""
    child, parents = place, Parents()
    while (above := parents.get(child)) is not None:
        if isinstance(above, FUNCTIONS) and isinstance(child, ast.stmt):
            names = {n.id for s in above.body for n in walk(s) if isinstance(n, ast.Name)}
            return above.name == "__init__" or not names.isdisjoint(source.once(_remote_names))
        child = above
    return True


def _remote_names(source: Source) -> frozenset[str]:
    """What a file calls the libraries for that, and what it has from them."""
    known = source.once(origins).items()
    return frozenset(
        name for name, origin in known if origin.partition(".")[0] in _REMOTE or origin in _OF_DASK
    )


def choices_in(function: ast.AST, source: Source) -> list[ast.stmt]:
    """The statements of a function that say which GPUs it wants."""
    if _VISIBLE not in source.text:
        return []
    known = source.once(_known_choices)
    if function not in known:
        known[function] = list(_choices(function))
    return known[function]


def _known_choices(_: Source) -> dict[ast.AST, list[ast.stmt]]:
    """By function what `choices_in` says, as far as somebody has asked."""
    return {}


def _choices(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements that set ``CUDA_VISIBLE_DEVICES``."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=name))]):
                if name == _VISIBLE:
                    yield node
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr)) as call):
                given = {c.value for c in walk(call) if isinstance(c, ast.Constant)}
                named = {k.arg for k in call.keywords}
                if attr in _SETTERS and _VISIBLE in given | named:
                    yield node
