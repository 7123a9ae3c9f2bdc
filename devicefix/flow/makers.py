"""Functions that make a module for whoever calls them, and do nothing else with it.

``def resnet18(): return ResNet(…)`` is a constructor by another name. Moved inside of it, the
module would be on the device for all who call it or import it, whose data nobody has seen, while
what its neighbour ``resnet34`` makes would not be. So it is moved where the caller binds it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.flow.graph import Site
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import ObjectRecord
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis


def moved_by_callers(analysis: Analysis, record: ObjectRecord) -> Site | None:
    """Where the caller binds the module, if it should be moved there.

    That is so where its maker only makes it, and all of what is made there and used is bound so.
    """
    if not _only_makes(analysis, record.tree):
        return None
    made_there = [r for r in analysis.modules if r.tree is record.tree and not r.generic]
    bound = {r: _binding(analysis, r) for r in made_there if r is record or r.called}
    return bound[record] if None not in bound.values() else None


def _binding(analysis: Analysis, record: ObjectRecord) -> Site | None:
    """The one place that keeps the module, makers that hand it on left out."""
    if record in analysis.used_before:
        return None
    sites = [s for s in analysis.bound_modules.get(record, {}) if not _only_makes(analysis, s.tree)]
    return sites[0] if len(sites) == 1 else None


def _only_makes(analysis: Analysis, tree: ast.AST) -> bool:
    """A function that returns what ``tree`` makes and does nothing else with it."""
    statement, function = analysis.parents.get(tree), analysis.parents.get(tree)
    while function is not None and not isinstance(function, FUNCTIONS):
        function = analysis.parents.get(function)
    if function is None or isinstance(statement, ast.Return):
        return function is not None
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return False
    name = statement.targets[0]
    return isinstance(name, ast.Name) and all(
        isinstance(analysis.parents.get(use), ast.Return)
        for use in walk(function)
        if isinstance(use, ast.Name) and use.id == name.id and use is not name
    )
