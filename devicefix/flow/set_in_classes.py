"""Which attributes the methods of a class set on every way, or on some only."""

from __future__ import annotations

import ast

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import enclosing, receiver, setters
from devicefix.flow.dicts import ANY_NAME
from devicefix.flow.ir import WRITES, Bodies, Op
from devicefix.flow.queries.access import path_of
from devicefix.flow.queries.dataflow import Forward
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import ObjectRecord


def is_surely_set(record: ObjectRecord, name: str) -> bool:
    """Whether a constructor, or what that runs, sets ``self.name`` wherever it returns.

    So it is if no method ever does. ``if bias: self.bias = …`` without ``else`` leaves objects that
    have no such attribute, and so does a method that may not be called. Whether anything is stored
    under names that come from data, ``for name in params: setattr(self, name, …)``, they decide.
    """
    if name == ANY_NAME:
        return False
    if record.cls is None or record.frame is None:
        return True
    analysis, family = record.frame.analysis, {cls.tree for cls in record.cls.ancestry()}
    methods = {enclosing(analysis, node) for node in setters(analysis, name)}
    own = [method for method in methods if analysis.parents.get(method) in family]
    making = [method for method in own if _makes_objects(analysis, method)]
    return not own or any(_always_sets(analysis, method, name) for method in making)


def _makes_objects(analysis: Analysis, method: ast.AST) -> bool:
    runs = method in analysis.seen.run_by_constructors
    return runs or getattr(method, "name", "") == "__init__"


def _always_sets(analysis: Analysis, method: ast.AST, name: str) -> bool:
    if not isinstance(method, FUNCTIONS):
        return False
    target = receiver(analysis, method), name

    def sets(op: Op) -> bool | None:
        return True if op.kind in WRITES and path_of(op) == target else None

    body = analysis.home(method).source.once(Bodies).of(method)
    return Forward.of(body, sets).at_return()
