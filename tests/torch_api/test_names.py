"""Names: one spelling that is the same object, and what star imports bind."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections import defaultdict
from collections.abc import Iterator

import pytest

from devicefix.torch_api import canonical, star_names
from devicefix.torch_api.star_imports import STAR_IMPORTS

torch = pytest.importorskip("torch")

FAMILIES = ("torch.nn", "torch.optim", "torch.utils.data", "torch.autograd", "torch.distributions")
FILES = ("torch.functional", "torch.random", "torch.serialization", "torch.cuda.memory")
SHADOWED = "gradcheck"  # a function hides the file of its name
NOT_RE_EXPORTED = (SHADOWED, ".quantiz", "datapipes", ".intrinsic", ".qat", "._")


def _modules() -> Iterator[types.ModuleType]:
    importlib.import_module("torch.nn.utils.rnn")
    for name, module in sorted(sys.modules.items()):
        if name.startswith((*FAMILIES, *FILES)) and not any(p in name for p in NOT_RE_EXPORTED):
            yield module


def _defined_names() -> Iterator[tuple[str, object]]:
    """Yield the dotted names of what the modules of torch themselves define."""
    for module in _modules():
        for key, value in vars(module).items():
            if not key.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                yield f"{module.__name__}.{key}", value


def _resolve(dotted: str) -> object:
    """Return the object of a dotted name; a function may hide the file of its name."""
    module, _, name = dotted.rpartition(".")
    home = sys.modules.get(module)
    return getattr(home or _resolve(module), name)


def _same(one: object, other: object) -> bool:
    """Compare what is below the wrappers: importing the compiler wraps some functions in place."""
    return inspect.unwrap(one) is inspect.unwrap(other)  # type: ignore[arg-type]


def test_the_one_spelling_is_the_same_object() -> None:
    wrong = [
        name for name, value in _defined_names() if not _same(_resolve(canonical(name)), value)
    ]
    assert wrong == []


def test_public_classes_of_nn_optim_and_data_have_one_spelling() -> None:
    spellings: dict[int, set[str]] = defaultdict(set)
    for home in ("torch.nn", "torch.optim", "torch.utils.data", "torch.distributions"):
        public = {name for name in star_names(home) if name[0].isupper()}
        for module in _modules():
            if module.__name__.startswith(home):
                for key in public & vars(module).keys():
                    spellings[id(vars(module)[key])].add(canonical(f"{module.__name__}.{key}"))
    assert [names for names in spellings.values() if len(names) > 1 and "torch" in names] == []
    assert {"torch.nn.Linear"} in spellings.values()


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.loss.MSELoss", "torch.nn.MSELoss"),
        ("torch.nn.modules.module.Module.cuda", "torch.nn.Module.cuda"),
        ("torch.nn.Module.grad", "torch.nn.Module.grad"),
        ("torch.nn.modules.loss", "torch.nn.modules.loss"),
        ("torch.nn.modules.utils._pair", "torch.nn.modules.utils._pair"),
        ("torch.functional.norm", "torch.norm"),
        ("torch._C._VariableFunctions.add", "torch.add"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch.autograd.variable.Variable", "torch.autograd.Variable"),
        ("torch.autograd.no_grad", "torch.no_grad"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("torch.nn.functional.np.array", "numpy.array"),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.utils.data.dataset.TensorDataset", "torch.utils.data.TensorDataset"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.StepLR"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.nn.parallel.DataParallel", "torch.nn.DataParallel"),
        ("torch.nn.parallel.data_parallel.DataParallel", "torch.nn.DataParallel"),
        ("torch.nn.utils.rnn.pad_sequence", "torch.nn.utils.rnn.pad_sequence"),
        ("torch.nn.utils.clip_grad.clip_grad_norm_", "torch.nn.utils.clip_grad_norm_"),
        (
            "torch.nn.utils.parametrizations.weight_norm",
            "torch.nn.utils.parametrizations.weight_norm",
        ),
        ("torch.random.manual_seed", "torch.manual_seed"),
        ("torch.random.fork_rng", "torch.random.fork_rng"),
        ("torch.cuda.memory.empty_cache", "torch.cuda.empty_cache"),
        ("torch.linalg.norm", "torch.linalg.norm"),
        ("torch", "torch"),
        ("torch.sparse.torch.eye", "torch.eye"),
        ("torchvision.models.resnet.resnet18", "torchvision.models.resnet.resnet18"),
        ("numpy.add", "numpy.add"),
        ("...models.net", "...models.net"),
    ],
)
def test_spelling(dotted: str, expected: str) -> None:
    assert canonical(dotted) == expected


def test_canonical_is_stable() -> None:
    names = [canonical(name) for name, _ in _defined_names()]
    assert [canonical(name) for name in names] == names


@pytest.mark.parametrize("module", sorted(STAR_IMPORTS))
def test_star_import_binds_at_least_the_table(module: str) -> None:
    loaded = importlib.import_module(module)
    exported = getattr(loaded, "__all__", None) or [n for n in vars(loaded) if n[0] != "_"]
    missing = {name for name in exported if not name.startswith("_")} - star_names(module)
    assert missing == set()


def test_a_module_without_a_row_binds_nothing_known() -> None:
    assert star_names("numpy") == frozenset()
