"""Write ``devicefix/torch_api/library_modules.txt``: the module classes of libraries on torch.

    python scripts/build_library_modules.py                    # the newest version of each library
    python scripts/build_library_modules.py timm               # of these; the other rows stay
    python scripts/build_library_modules.py --check [timm ...] # write nothing; 1 if it is stale

Each library is downloaded by ``pip download --no-deps`` and read with ``ast``, never imported. (Of
an sdist, pip itself asks the name and version, for which it runs ``setup.py``.) ``--check`` takes
the versions that the table has, so it says whether the table is what this script makes of them.
Nothing has to be installed but devicefix.

A class is in the table if each definition of its name in its library descends from
``torch.nn.Module``, and none brings itself to a device when it is made. Bases are looked up by the
imports of the file; those from other libraries, in torch's own table and in the rows of this one.

A class is said to be without state, that is without parameters, buffers and parts that have some,
if all that its methods store is made of their arguments, numbers and such classes.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devicefix.torch_api.library_modules import TABLE, Library, libraries
from devicefix.torch_api.modules import layer
from devicefix.torch_api.names import canonical

LIBRARIES: Final[Mapping[str, str]] = {
    "torchvision": "torchvision",
    "torchaudio": "torchaudio",
    "timm": "timm",
    "transformers": "transformers",
    "adapters": "adapters",
    "captum": "captum",
    "dgl": "dgl",
    "diffusers": "diffusers",
    "e3nn": "e3nn",
    "efficientnet_pytorch": "efficientnet_pytorch",
    "ema_pytorch": "ema-pytorch",
    "gpytorch": "gpytorch",
    "botorch": "botorch",
    "kornia": "kornia",
    "local_attention": "local-attention",
    "lpips": "lpips",
    "monai": "monai",
    "open_clip": "open-clip-torch",
    "peft": "peft",
    "performer_pytorch": "performer-pytorch",
    "piq": "piq",
    "pretrainedmodels": "pretrainedmodels",
    "pytorch_metric_learning": "pytorch-metric-learning",
    "pytorch_msssim": "pytorch-msssim",
    "pytorchvideo": "pytorchvideo",
    "rotary_embedding_torch": "rotary-embedding-torch",
    "segmentation_models_pytorch": "segmentation-models-pytorch",
    "sentence_transformers": "sentence-transformers",
    "speechbrain": "speechbrain",
    "torch_geometric": "torch-geometric",
    "torchdiffeq": "torchdiffeq",
    "torchsde": "torchsde",
    "torchtext": "torchtext",
    "vector_quantize_pytorch": "vector-quantize-pytorch",
    "vit_pytorch": "vit-pytorch",
    "x_transformers": "x-transformers",
}
"""By the name that programs import, what PyPI calls it; a library comes after those whose classes
it derives from."""

ROOTS: Final = frozenset({"torch.nn.Module", "torch.jit.ScriptModule"})
PRIVATE: Final = frozenset({
    "torch.nn.modules.batchnorm._BatchNorm", "torch.nn.modules.batchnorm._NormBase",
    "torch.nn.modules.conv._ConvNd", "torch.nn.modules.loss._Loss",
    "torch.nn.modules.loss._WeightedLoss",
})  # fmt: skip
"""Bases of torch's layers that libraries derive from, too."""
STATELESS: Final = ROOTS | {"abc.ABC", "object", "typing.Generic"}
"""Bases that hold nothing themselves."""
PLAIN_CALLS: Final = frozenset({
    "NotImplementedError", "TypeError", "ValueError", "bool", "dict", "float", "hasattr", "int",
    "isinstance", "issubclass", "len", "list", "max", "min", "print", "range", "repr", "round",
    "set", "str", "super", "tuple", "type", "warnings.warn", "zip",
})  # fmt: skip
"""Functions whose results hold no tensor that their arguments do not."""
_PLACEHOLDERS: Final = "DummyObject"
"""The metaclass of classes that only say which library is not installed."""


@dataclass
class File:
    """What one file of a library binds: by name, the definitions; and the imports."""

    module: str
    package: bool
    classes: dict[str, list[ast.ClassDef]] = field(default_factory=lambda: defaultdict(list))
    aliases: dict[str, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    others: set[str] = field(default_factory=set)
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    stars: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, module: str, tree: ast.Module, *, package: bool) -> File:
        """The file ``module``, parsed."""
        file = cls(module, package)
        for statement in _statements(tree.body):
            file._add(statement)
        return file

    def _add(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ClassDef(name=name):
                if not _is_placeholder(statement):
                    self.classes[name].append(statement)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.others.add(name)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.aliases[target.id].append(value)
            case ast.Import(names=names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.imports[alias.asname or whole].add(whole)
            case ast.ImportFrom(names=names):
                source = self._source(statement)
                for alias in names:
                    if alias.name == "*":
                        self.stars.append(source)
                    else:
                        self.imports[alias.asname or alias.name].add(f"{source}.{alias.name}")

    def _source(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parts = self.module.split(".")
        kept = parts[: len(parts) - statement.level + self.package]
        return ".".join([*kept, *filter(None, [statement.module])])


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those below conditions, too."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if isinstance(statement, (ast.If, ast.Try, ast.With)):
                yield from _statements(getattr(statement, name, ()))
        for handler in statement.handlers if isinstance(statement, ast.Try) else ():
            yield from _statements(handler.body)


def _is_placeholder(tree: ast.ClassDef) -> bool:
    return any(
        isinstance(k.value, ast.Name) and k.value.id == _PLACEHOLDERS
        for k in tree.keywords
        if k.arg == "metaclass"
    )


class Hierarchy:
    """Which classes of a library are modules.

    Of names from elsewhere, ``known`` says it, and ``free`` whether they are without state.
    """

    def __init__(
        self, files: Sequence[File], known: Callable[[str], bool], free: Callable[[str], bool]
    ) -> None:
        self._files = {file.module: file for file in files}
        self._known, self._free = known, free
        self._modules: set[str] = set()
        """Classes by their dotted names, where they are defined."""
        self._bases = {
            f"{file.module}.{name}": [
                [self._meanings(file, base) for base in tree.bases] for tree in trees
            ]
            for file in files
            for name, trees in file.classes.items()
        }

    def names(self) -> tuple[set[str], set[str]]:
        """The public names all of whose definitions are modules that stay where they are made, and
        those of them all of whose definitions are without state."""
        while self._grow():
            pass
        good, bad, held = set(), set(), set()
        for file in self._files.values():
            for name in {*file.classes, *file.aliases, *file.others, *file.imports}:
                sure = self._verdict(file, name)
                if sure is not None:
                    (good if sure else bad).add(name)
                if sure and not self._is_stateless(f"{file.module}.{name}"):
                    held.add(name)
        names = {name for name in good - bad if not name.startswith("_")}
        return names, names - held

    def _is_stateless(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a class, by where it is defined, holds no tensor and no part that holds one."""
        if name not in self._bases:
            return name in STATELESS or (self._known(name) and self._free(name))
        if name in seen:
            return False
        home, _, last = name.rpartition(".")
        file, seen = self._files[home], seen | {name}
        above = {n for bases in self._bases[name] for names in bases for n in names or {""}}
        return all(self._is_stateless(n, seen) for n in above) and all(
            self._is_plain(file, call, seen)
            for tree in file.classes[last]
            for call in _storing(tree)
        )

    def _is_plain(self, file: File, call: ast.Call, seen: frozenset[str]) -> bool:
        """Whether a call makes no tensor, and no module with state."""
        if _is_super(call.func):
            return True
        names = self._meanings(file, call.func) or {*_dotted(call.func)} or {""}
        return all(
            name in PLAIN_CALLS
            or name.startswith("math.")
            or self._is_stateless(name.removesuffix(".__init__"), seen)
            for name in names
        )

    def _grow(self) -> bool:
        before = len(self._modules)
        for name, definitions in self._bases.items():
            if all(any(map(self._are_modules, bases)) for bases in definitions):
                self._modules.add(name)
        return len(self._modules) > before

    def _are_modules(self, names: set[str]) -> bool:
        return bool(names) and all(n in self._modules or self._known(n) for n in names)

    def _meanings(self, file: File, expression: ast.expr) -> set[str]:
        """What a name in ``file`` may stand for."""
        if isinstance(expression, ast.Subscript):  # `Base[T]`
            return self._meanings(file, expression.value)
        return {n for d in _dotted(expression) for n in self._resolved(file, d)}

    def _resolved(self, file: File, dotted: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """What ``dotted`` means in ``file``: names where they are defined, or from elsewhere."""
        key = f"{file.module}:{dotted}"
        if key in seen:
            return set()
        seen |= {key}
        head, _, rest = dotted.partition(".")
        if head in file.classes:
            return {f"{file.module}.{dotted}"}
        found: set[str] = set()
        for alias in file.aliases.get(head, ()):
            for named in _dotted(alias):
                found |= self._resolved(file, f"{named}.{rest}" if rest else named, seen)
        for source in file.imports.get(head, ()):
            found |= self._followed(f"{source}.{rest}" if rest else source, seen)
        if not found:
            for star in file.stars:
                found |= self._followed(f"{star}.{dotted}", seen, star=True)
        return found

    def _followed(self, dotted: str, seen: frozenset[str], *, star: bool = False) -> set[str]:
        """A name by its full path, looked up in the longest file that leads it."""
        head = dotted
        while head and head not in self._files:
            head = head.rpartition(".")[0]
        if not head:
            return set() if star and not self._known(dotted) else {dotted}
        rest = dotted[len(head) + 1 :]
        return self._resolved(self._files[head], rest, seen) if rest else {dotted}

    def _verdict(self, file: File, name: str) -> bool | None:
        """Whether what ``file`` calls ``name`` is a module that stays; None where it only passes on
        what the library defines elsewhere."""
        if name in file.others:
            return False
        if name in file.classes:
            sure = f"{file.module}.{name}" in self._modules
            return sure and not any(self._moves_itself(file, t) for t in file.classes[name])
        if name in file.aliases:
            return all(self._are_modules(self._meanings(file, v)) for v in file.aliases[name])
        sources = {n for s in file.imports[name] for n in self._followed(s, frozenset())}
        strange = [s for s in sources if self._is_foreign(s)]
        return False if any(not self._known(s) for s in strange) else None

    def _is_foreign(self, dotted: str) -> bool:
        top = next(iter(self._files)).partition(".")[0]
        return dotted.partition(".")[0] != top

    def _moves_itself(self, file: File, tree: ast.ClassDef, depth: int = 8) -> bool:
        """Whether a constructor, its own or of a base, brings itself or a part to a device."""
        if any(_is_own_move(node) for inner in _constructors(tree) for node in ast.walk(inner)):
            return True
        bases = {name for base in tree.bases for name in self._meanings(file, base)}
        return depth > 0 and any(
            self._moves_itself(self._files[home], base, depth - 1)
            for home, _, name in (base.rpartition(".") for base in bases)
            for base in (self._files[home].classes.get(name, ()) if home in self._files else ())
        )


def _storing(tree: ast.ClassDef) -> Iterator[ast.Call]:
    """The calls of a class on whose results its objects may depend: those of its constructor, and
    those in what other methods store or register."""
    for constructor in _constructors(tree):
        yield from _calls(constructor)
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Assign) and any(map(_is_own, inner.targets)):
            yield from _calls(inner.value)
    for call in _calls(tree):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name.startswith(("register_", "add_module")):
            yield call


def _constructors(tree: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for inner in tree.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            yield inner


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _is_super(called: ast.expr) -> bool:
    """``super().__init__``."""
    inner = called.value if isinstance(called, ast.Attribute) else None
    named = isinstance(inner, ast.Call) and _dotted(inner.func) == ["super"]
    return named and isinstance(called, ast.Attribute) and called.attr == "__init__"


def _is_own(expression: ast.expr) -> bool:
    """``self.a``, ``self.a.b``, ``self.a[0]``."""
    if not isinstance(expression, (ast.Attribute, ast.Subscript)):
        return False
    while isinstance(expression, (ast.Attribute, ast.Subscript)):
        expression = expression.value
    return isinstance(expression, ast.Name) and expression.id == "self"


def _is_own_move(node: ast.AST) -> bool:
    """``self.to(device)``, ``self.net.cuda()``."""
    called = node.func if isinstance(node, ast.Call) else None
    moves = isinstance(called, ast.Attribute) and called.attr in ("to", "cuda")
    return moves and isinstance(called, ast.Attribute) and _is_own(called)


def _dotted(expression: ast.expr) -> list[str]:
    """``a.b.c``, as text; nothing for what is no such name."""
    parts: list[str] = []
    while isinstance(expression, ast.Attribute):
        parts.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name):
        return []
    return [".".join([expression.id, *reversed(parts)])]


def is_module_elsewhere(table: Mapping[str, Library], name: str) -> bool:
    """Whether a name from another library is a class of modules."""
    if name.startswith("torch."):
        return canonical(name) in ROOTS or name in PRIVATE or layer(name) is not None
    row = table.get(name.partition(".")[0])
    return row is not None and name.rpartition(".")[2] in row.names


def is_stateless_elsewhere(table: Mapping[str, Library], name: str) -> bool:
    """Whether such a class is without state."""
    if name.startswith("torch."):
        found = layer(name)
        kinds = ("container", "wrapper")
        return found is not None and not found.parameters and found.kind not in kinds
    row = table.get(name.partition(".")[0])
    return row is not None and name.rpartition(".")[2] in row.stateless


def library(
    name: str, version: str, sources: Mapping[str, str], table: Mapping[str, Library]
) -> Library:
    """The row of a library; ``sources``: the files by their paths, ``table``: the other rows."""
    files = []
    for path, text in sorted(sources.items()):
        parts = path.removesuffix(".py").split("/")
        package = parts[-1] == "__init__"
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue  # a template, or Python 2
        files.append(File.read(".".join(parts[:-1] if package else parts), tree, package=package))
    names, stateless = Hierarchy(
        files,
        lambda other: is_module_elsewhere(table, other),
        lambda other: is_stateless_elsewhere(table, other),
    ).names()
    return Library(name, version, frozenset(names), frozenset(stateless))


def download(distribution: str, version: str = "") -> tuple[str, dict[str, str]]:
    """The version of a distribution, and its Python files by their paths below the root."""
    wanted = f"{distribution}=={version}" if version else distribution
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--prefer-binary"]
        subprocess.run([*command, "-d", place, wanted], check=True)
        (archive,) = Path(place).iterdir()
        return unpacked(archive)


def unpacked(archive: Path) -> tuple[str, dict[str, str]]:
    """The version that the name of a wheel or sdist says, and its Python files."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            paths = [name for name in wheel.namelist() if name.endswith(".py")]
            found = {name: wheel.read(name).decode(errors="replace") for name in paths}
        return archive.name.split("-")[1], found
    found = {}
    with tarfile.open(archive) as sdist:
        for member in sdist.getmembers():
            content = sdist.extractfile(member) if member.name.endswith(".py") else None
            if content is not None:
                path = member.name.partition("/")[2].removeprefix("src/")
                found[path] = content.read().decode(errors="replace")
    return archive.name.removesuffix(".tar.gz").rpartition("-")[2], found


def rows(wanted: Iterable[str], table: Mapping[str, Library], *, pinned: bool) -> list[Library]:
    """The new rows of these libraries; ``pinned``: of the versions that ``table`` has."""
    known = dict(table)
    made = []
    for name in wanted:
        row = table.get(name)
        version, files = download(LIBRARIES[name], row.version if pinned and row else "")
        own = {p: text for p, text in files.items() if p.startswith((f"{name}/", f"{name}.py"))}
        known[name] = library(name, version, own, known)
        made.append(known[name])
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it is stale")
    parser.add_argument("libraries", nargs="*", help="as programs import them; all without")
    options = parser.parse_args(arguments)
    unknown = set(options.libraries) - set(LIBRARIES)
    if unknown:
        parser.error(f"not in LIBRARIES: {', '.join(sorted(unknown))}")
    table = libraries()
    wanted = [name for name in LIBRARIES if name in options.libraries or not options.libraries]
    made = rows(wanted, table, pinned=options.check)
    if options.check:
        stale = [row.name for row in made if table.get(row.name) != row]
        if stale:
            print(f"{TABLE.name} is stale: {', '.join(stale)}. Run {Path(__file__).name}")
        return 1 if stale else 0
    kept = {**table, **{row.name: row for row in made}}
    lines = [str(kept[name]) for name in sorted(kept) if name in LIBRARIES]
    TABLE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
