"""Modules that a file makes for whoever imports it, and tries out itself when it is run.

Below ``if __name__ == "__main__":`` a demonstration calls a function like ``def resnet18(): return
ResNet(…)``. Moved inside of that function, the module would be on the device for all who import it,
whose data nobody has seen; so it is moved where the demonstration binds it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.values import ObjectRecord

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis


def is_demonstrated(analysis: Analysis, record: ObjectRecord) -> bool:
    """Whether all that the program uses of what is made there is bound in the main block."""
    made_there = [r for r in analysis.modules if r.tree is record.tree and not r.generic]
    used = [r for r in made_there if r is record or r.called]
    return _only_makes(analysis, record.tree) and all(_is_bound_in_main(analysis, r) for r in used)


def _is_bound_in_main(analysis: Analysis, record: ObjectRecord) -> bool:
    sites = list(analysis.bound_modules.get(record, {}))
    if len(sites) != 1 or record in analysis.used_before:
        return False
    tree = sites[0].tree
    return analysis.home(tree) is analysis.home(record.tree) and _is_in_main(analysis, tree)


def _is_in_main(analysis: Analysis, tree: ast.AST) -> bool:
    above: ast.AST | None = tree
    while above is not None and not is_main_guard(above):
        if isinstance(above, FUNCTIONS):
            return False
        above = analysis.parents.get(above)
    return above is not None


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
        for use in ast.walk(function)
        if isinstance(use, ast.Name) and use.id == name.id and use is not name
    )
