"""What generated programs are made of, counted: how many of them have each construct.

::

    python -m tests.properties.constructs --count 20000
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from tests.properties.choices import Choices
from tests.properties.programs import generate

_NODES: Final = MappingProxyType(
    {
        ast.FunctionDef: "function", ast.ClassDef: "class", ast.Lambda: "lambda",
        ast.ListComp: "list comprehension", ast.DictComp: "dict comprehension",
        ast.SetComp: "set comprehension", ast.GeneratorExp: "generator expression",
        ast.For: "for", ast.While: "while", ast.If: "if", ast.IfExp: "conditional expression",
        ast.With: "with", ast.Try: "try", ast.Match: "match", ast.Assert: "assert",
        ast.Delete: "del", ast.Global: "global", ast.Yield: "yield", ast.YieldFrom: "yield from",
        ast.NamedExpr: "walrus", ast.Starred: "star", ast.AugAssign: "augmented assignment",
        ast.Slice: "slice", ast.Dict: "dict", ast.JoinedStr: "f-string", ast.BoolOp: "and, or",
        ast.Break: "break", ast.Continue: "continue", ast.Tuple: "tuple",
    }
)  # fmt: skip
_CALLS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("factory of torch", (
        "torch.ones", "torch.zeros", "torch.rand", "torch.full", "torch.eye", "torch.arange",
        "torch.tensor", "torch.linspace", "torch.empty", "torch.normal", "torch.logspace",
    )),
    ("legacy constructor", ("torch.Tensor(", "torch.FloatTensor", "torch.LongTensor")),
    ("from NumPy", ("torch.from_numpy", "torch.as_tensor")),
    ("to NumPy", (".numpy()", "np.asarray")),
    ("module of torch", ("nn.Linear", "nn.Sequential", "nn.GRU", "nn.LSTM", "nn.Conv1d")),
    ("module of its own", ("(nn.Module):",)),
    ("parameter", ("nn.Parameter",)),
    ("buffer", ("register_buffer",)),
    ("container of modules", ("ModuleList", "ModuleDict", "OrderedDict")),
    ("loss", ("cross_entropy", "CrossEntropyLoss", "mse_loss", "nll_loss", "criterion")),
    ("optimizer", ("torch.optim.",)),
    ("scheduler", ("lr_scheduler",)),
    ("data loader", ("DataLoader(",)),
    ("dataset of its own", ("(Dataset):",)),
    ("collate function", ("collate_fn",)),
    ("sampler", ("Sampler(",)),
    ("without gradients", ("torch.no_grad", "inference_mode")),
    ("checkpoint", ("torch.save", "load_state_dict")),
    ("copy of a model", ("copy.deepcopy",)),
    ("gradient by hand", ("autograd.grad", "autograd.Function")),
    ("hook", ("register_forward_hook",)),
    ("packed sequence", ("pack_padded_sequence",)),
    ("DataParallel", ("DataParallel",)),
    ("command line", ("argparse.ArgumentParser",)),
    ("dataclass", ("@dataclass",)),
    ("named tuple", ("NamedTuple)", "namedtuple(")),
    ("context manager", ("contextlib.contextmanager",)),
    ("property, static or class method", ("@property", "@staticmethod", "@classmethod")),
    ("guard by a flag", ("if use_cuda", "if args.cuda", "if on_gpu", "to_cuda(")),
    (".cuda()", (".cuda(",)),
    (".to(...)", (".to(",)),
    ("device=", ("device=",)),
    ("non_blocking", ("non_blocking",)),
    ("main function", ("def main",)),
)  # fmt: skip


def constructs(text: str) -> set[str]:
    """The names of what a program has."""
    found = {name for name, marks in _CALLS if any(mark in text for mark in marks)}
    for node in ast.walk(ast.parse(text)):
        found |= set(_of(node))
    return found


def _of(node: ast.AST) -> Iterator[str]:
    if type(node) in _NODES:
        yield _NODES[type(node)]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.decorator_list:
        yield "decorator"
    if isinstance(node, ast.FunctionDef):
        inner = (child for child in ast.walk(node) if child is not node)
        if any(isinstance(child, ast.FunctionDef) for child in inner):
            yield "closure"
        if node.args.vararg or node.args.kwarg:
            yield "*args, **kwargs"
        if node.name.startswith("__") and node.name not in ("__init__", "__len__", "__getitem__"):
            yield "operator or other special method"
    if isinstance(node, ast.Assign) and any(isinstance(t, ast.Subscript) for t in node.targets):
        yield "assignment to an item"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name.endswith("_") and not name.startswith("_"):
            yield "method in place"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m tests.properties.constructs")
    parser.add_argument("--from", dest="start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for number in range(given.start, given.start + given.count):
        program = generate(Choices.seeded(number))
        counts.update(constructs(program.text.partition("TensorDataset\n")[2]))
        made.update((f"transfers: {program.written.value}", f"spelled: {program.spelling.name}"))
    say: Callable[[str], int] = sys.stdout.write
    for name, count in (*counts.most_common(), *sorted(made.items())):
        say(f"| {name} | {100 * count / given.count:.1f} % |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
