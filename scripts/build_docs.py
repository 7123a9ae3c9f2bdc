"""Write the documents that are made from the code, and see whether they are fresh.

    python scripts/build_docs.py            # write what is missing or stale, remove what is gone
    python scripts/build_docs.py --check    # write nothing; say what is stale

Made are docs/rules, docs/reference, docs/examples.md, docs/migrate-scale.md, docs/performance.md
with its plot, and the part of zensical.toml between two marks, the menu of the rules.

The exit status is 0, 1 with ``--check`` if anything is stale, 2 if the codemods cannot be loaded:
they come in by their entry point, so devicefix has to be installed.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import docs_examples
import docs_performance
import docs_reference
import docs_rules
import docs_scale

from devicefix.codemod import Codemod
from devicefix.engine import RegistryError
from devicefix.engine.registry import load_codemods

ROOT: Final = Path(__file__).resolve().parent.parent
SITE: Final = "zensical.toml"
OWNED: Final = ("docs/rules/*.md", "docs/reference/*.md")
"""Whatever lies here has been made by this script."""
_MENU: Final = re.compile(
    r"^( *# rules: made by scripts/build_docs\.py\n).*?(^ *# end of rules$)",
    re.MULTILINE | re.DOTALL,
)


def own_rules() -> list[type[Codemod]]:
    """The rules of this distribution, by code. Raises `RegistryError`."""
    package = docs_rules.PACKAGE
    return [rule for rule in load_codemods() if rule.__module__.split(".")[0] == package]


def documents(rules: Sequence[type[Codemod]]) -> dict[str, str]:
    """The texts of all documents, by their paths in the repository."""
    texts = {
        "examples.md": docs_examples.page(),
        "migrate-scale.md": docs_scale.page(),
        **docs_performance.pages(),
        **docs_reference.pages(),
        **docs_rules.pages(rules),
    }
    return {**{f"docs/{name}": text for name, text in texts.items()}, SITE: site(rules)}


def site(rules: Sequence[type[Codemod]]) -> str:
    """zensical.toml with the menu of these rules."""
    menu = "".join(f"{line}\n" for line in docs_rules.menu(rules))
    old = (ROOT / SITE).read_text(encoding="utf-8")
    new, places = _MENU.subn(lambda found: found[1] + menu + found[2], old)
    if places != 1:
        raise LookupError(f"{SITE} has {places} places for the rules")
    return new


def stale(wanted: Mapping[str, str], root: Path) -> Iterator[tuple[str, str]]:
    """What is not as it should be below ``root``: path, and what is wrong with it."""
    for name, text in wanted.items():
        path = root / name
        if not path.exists():
            yield name, "is missing"
        elif (old := path.read_text(encoding="utf-8")) != text:
            yield name, changes(old, text)
    for path in left_over(wanted, root):
        yield path.relative_to(root).as_posix(), "documents nothing that is there"


def left_over(wanted: Mapping[str, str], root: Path) -> Iterator[Path]:
    """Documents that were made of something that is gone."""
    for pattern in OWNED:
        found = sorted(root.glob(pattern))
        yield from (path for path in found if path.relative_to(root).as_posix() not in wanted)


def changes(old: str, new: str) -> str:
    """The lines that differ, in short."""
    compared = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    added = [line for line in compared if line.startswith("+ ")]
    removed = [line for line in compared if line.startswith("- ")]
    first = (removed or added or ["  line ends"])[0]
    return f"is stale (+{len(added)} -{len(removed)} lines, first: {first[2:]!r})"


def report(problems: Sequence[tuple[str, str]]) -> int:
    """Say what is stale; the exit status."""
    for name, problem in problems:
        sys.stdout.write(f"{name}: {problem}\n")
    if problems:
        sys.stdout.write("Run python scripts/build_docs.py\n")
    return 1 if problems else 0


def write(wanted: Mapping[str, str], root: Path) -> None:
    """Make what lies below ``root`` as it is ``wanted``."""
    for path in left_over(wanted, root):
        path.unlink()
    for name, text in wanted.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; 1 if anything is stale"
    )
    options = parser.parse_args(arguments)
    try:
        wanted = documents(own_rules())
    except RegistryError as error:
        sys.stderr.write(f"{error}\nThe rules are found by their entry point: pip install -e .\n")
        return 2
    if options.check:
        return report(list(stale(wanted, ROOT)))
    write(wanted, ROOT)
    sys.stdout.write(f"{len(wanted)} documents\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
