"""Calls of ``torch.cuda.amp`` for the device of the program.

``torch.amp.autocast("cpu")`` computes in bfloat16, where the form for CUDA switches itself off:
``enabled=`` has to be tied to CUDA, or the digits on the CPU change.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devicefix.edits.arguments import conjoin, insert_argument, name_argument
from devicefix.edits.devices import define_device, is_at_hand, quoted
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call, replace_expression
from devicefix.edits.keywords import add_keyword
from devicefix.edits.versions import require
from devicefix.findings import Edit
from devicefix.flow.imported import dotted, origins
from devicefix.flow.queries.access import of_tree, parsed
from devicefix.torch_api import AMP, GRAD_SCALER_ANYWHERE, canonical

if TYPE_CHECKING:
    from devicefix.flow import DeviceName, FileFacts, LibraryCall, Mention
    from devicefix.oldest_torch import OldestTorch
    from devicefix.settings import Settings
    from devicefix.source import Source

_CONTEXT: Final = "torch.cuda.amp.autocast"
_SCALER: Final = "torch.cuda.amp.GradScaler"
_AUTOGRAD: Final = frozenset({"torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd"})
_POSITIONAL: Final = {_CONTEXT: ("enabled", "dtype", "cache_enabled"), _SCALER: ()}
"""Arguments that stand at other positions in ``torch.amp``."""
_ENABLED: Final = {_CONTEXT: 0, _SCALER: 4}
"""The position of ``enabled``."""
_ENABLED_BEHIND_TYPE: Final = {_CONTEXT: 2, _SCALER: 5}
"""The same in ``torch.amp``."""
_TYPES: Final = ("device_type", "device")


def amp_edits(
    source: Source,
    facts: FileFacts,
    settings: Settings,
    oldest: OldestTorch,
    mention: Mention,
) -> tuple[Edit, ...]:
    """``autocast()`` -> ``autocast(device.type, enabled=device.type == "cuda")``, and its like.

    Where the name itself comes from is for others. Raises ``EditError`` where the program does
    something else with the name than calling it.
    """
    tree = mention.tree
    parent = facts.parents.get(tree)
    calls = isinstance(parent, ast.Call) and parent.func is tree
    if mention.name in AMP:
        require(oldest, AMP[mention.name])
    if mention.name in _AUTOGRAD:
        return _autograd(source, parent if isinstance(parent, ast.Call) and calls else tree)
    if mention.name not in _ENABLED or not (calls and isinstance(parent, ast.Call)):
        raise EditError("this is not a mixed-precision call")
    if any(isinstance(a, ast.Starred) for a in parent.args) or any(
        k.arg is None for k in parent.keywords
    ):
        raise EditError("unpacked arguments may contain anything")
    if not _is_accepted(parent, mention.name):
        raise EditError("the call already fails as it is")
    repeated = bool(facts.torch) and _is_repeated(settings, mention, parent)
    if repeated or not names_type(facts, settings, mention.device):
        # without CUDA both warn, and do nothing, as what stood there did
        return _call(source, parent, mention.name, quoted(source, '"cuda"'), "")
    assert mention.device is not None
    text = f"{mention.device.text}.type"
    condition = quoted(source, f"{text} {_enabled_on(settings, oldest)}")
    edits = _call(source, parent, mention.name, text, condition)
    return (*edits, *define_device(source, facts, settings, mention.device))


def amp_for_device(
    source: Source,
    facts: FileFacts,
    settings: Settings,
    oldest: OldestTorch,
    found: LibraryCall,
) -> tuple[Edit, ...]:
    """``torch.autocast("cuda")`` -> ``torch.autocast(device.type, enabled=device.type != "cpu")``.

    Raises ``EditError`` where no device variable is in scope.
    """
    call, name = found.call, f"torch.cuda.amp.{min(found.names).rpartition('.')[2]}"
    if not names_type(facts, settings, found.device):
        raise EditError("no device variable is in scope")
    assert found.device is not None
    text = f"{found.device.text}.type"
    condition = quoted(source, f"{text} {_enabled_on(settings, oldest)}")
    kind = next((k.value for k in call.keywords if k.arg in _TYPES), None) or call.args[0]
    enabled = next((k.value for k in call.keywords if k.arg == "enabled"), None)
    if len(call.args) > _ENABLED_BEHIND_TYPE[name]:
        enabled = call.args[_ENABLED_BEHIND_TYPE[name]]
    edits = [replace_expression(source, kind, text)]
    if enabled is None:
        edits.append(add_keyword(source, call, "enabled", condition))
    elif _only_asks(source, enabled):
        edits.append(replace_expression(source, enabled, condition))
    elif not _decides(source, enabled, condition):
        edits.append(conjoin(source, enabled, condition))
    return (*edits, *define_device(source, facts, settings, found.device))


def _only_asks(source: Source, tree: ast.expr) -> bool:
    """``torch.cuda.is_available()``: the type of the device answers that."""
    called = tree.func if isinstance(tree, ast.Call) else tree
    return canonical(dotted(called, source.once(origins))) == "torch.cuda.is_available"


def _enabled_on(settings: Settings, oldest: OldestTorch) -> str:
    """The devices on which mixed precision is in force: never the CPU, where digits would change.

    Where ``GradScaler`` may be one that raises without float64, only those of CUDA.
    """
    anywhere = settings.style == "accelerator" and oldest.version >= GRAD_SCALER_ANYWHERE
    return '!= "cpu"' if anywhere else '== "cuda"'


def _is_accepted(call: ast.Call, name: str) -> bool:
    """Whether Python can tell which parameter each argument of ``call`` is for."""
    limit = len(_POSITIONAL[name]) or _ENABLED[name] + 1
    given = _POSITIONAL[name][: len(call.args)]
    return len(call.args) <= limit and not any(k.arg in given for k in call.keywords)


def names_type(facts: FileFacts, settings: Settings, device: DeviceName | None) -> bool:
    """Whether ``device.type`` can be written: a short name of a ``torch.device``."""
    if device is None or not device.typed or device.text.startswith("next("):
        return False
    if device.preamble and not settings.device_expression.startswith("torch."):
        return False
    return is_at_hand(facts, device)


def _is_repeated(settings: Settings, mention: Mention, call: ast.Call) -> bool:
    """Whether a device that follows a tensor would be asked twice, where the machine may be asked
    instead: what is computed on the CPU is beyond mixed precision of CUDA all the same."""
    follows = mention.device is not None and mention.device.follows
    enabled = [k.value for k in call.keywords if k.arg == "enabled"]
    enabled += call.args[_ENABLED[mention.name] :][:1]
    off = any(isinstance(e, ast.Constant) and not e.value for e in enabled)
    return follows and settings.style != "accelerator" and not off


def _call(source: Source, call: ast.Call, name: str, kind: str, condition: str) -> tuple[Edit, ...]:
    """Add the type of the device, and ``condition`` to what decides whether it is enabled."""
    enabled = next((k.value for k in call.keywords if k.arg == "enabled"), None)
    if enabled is None and _ENABLED[name] < len(call.args):
        enabled = call.args[_ENABLED[name]]
    if not call.args and not call.keywords:
        return (insert_argument(source, call, _joined(kind, condition)),)
    edits = [insert_argument(source, call, kind)]
    for index, keyword in enumerate(_POSITIONAL[name][: len(call.args)]):
        edits.append(name_argument(source, call, index, keyword))
    if condition and enabled is None:
        edits.append(add_keyword(source, call, "enabled", condition))
    elif condition and enabled is not None and _asks_for_less(enabled, kind):
        edits.append(replace_expression(source, enabled, condition))
    elif condition and enabled is not None and not _decides(source, enabled, condition):
        edits.append(conjoin(source, enabled, condition))
    return tuple(edits)


def _joined(kind: str, condition: str) -> str:
    return f"{kind}, enabled={condition}" if condition else kind


def _asks_for_less(enabled: ast.expr, kind: str) -> bool:
    """``device.type != "cpu"``, which the condition implies."""
    match enabled:
        case ast.Compare(ast.Attribute() as asked, [ast.NotEq()], [ast.Constant(value="cpu")]):
            return of_tree(asked) == parsed(kind)
    return False


def _decides(source: Source, enabled: ast.expr, condition: str) -> bool:
    """Whether it is off anyway, or asks the same question already."""
    off = isinstance(enabled, ast.Constant) and not enabled.value
    return off or condition in source.segment(enabled)


def _autograd(source: Source, tree: ast.expr) -> tuple[Edit, ...]:
    """``@custom_fwd`` -> ``@custom_fwd(device_type="cuda")``: the same thing, by its new name."""
    value = quoted(source, '"cuda"')
    if isinstance(tree, ast.Call):
        return (add_keyword(source, tree, "device_type", value),)
    parent = source.parent(tree)
    if not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise EditError("not a decorator")
    return append_call(source, tree, f"(device_type={value})")


def respelled(source: Source, facts: FileFacts, tree: ast.expr) -> Edit:
    """``torch.cuda.amp.autocast`` -> ``torch.amp.autocast``."""
    if not (isinstance(tree, ast.Attribute) and facts.torch):
        raise EditError("torch is not imported in this scope")
    return replace_expression(source, tree.value, f"{facts.torch}.amp")
