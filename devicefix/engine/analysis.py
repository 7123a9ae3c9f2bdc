"""One look at one program: what all codemods find in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.codemod import Codemod, Context
from devicefix.engine.seen import with_seen
from devicefix.findings import Applicability, CudaUse, Finding
from devicefix.settings import ProgramSettings, Settings
from devicefix.source import Program
from devicefix.time_limit import check_time

if TYPE_CHECKING:
    from devicefix.flow import FileFacts

Analyse = Callable[[Program], Mapping[str, "FileFacts"]]
"""What is known of each file of a program; files of which nothing is may be missing."""


class Look(Struct, frozen=True):
    """What one look at a program has found."""

    findings: tuple[Finding, ...]
    """Of all codemods, selected or not, in the order of the text."""
    complete: frozenset[str]
    """The files of which nothing was left out."""
    uses: Mapping[str, tuple[CudaUse, ...]] = field(default_factory=dict)
    """By file where it names CUDA."""
    limits: tuple[str, ...] = ()
    """Why something may be missing, in words for the user."""
    on_cuda: bool = False
    """Whether the program puts something on CUDA by its name, where the style is any other."""
    is_narrow: bool = False
    """Whether what is on the device works on some accelerators only: float64, and what goes to
    another process."""


class Analyst(Struct, frozen=True):
    """The codemods and what they need to know of a program."""

    codemods: Sequence[type[Codemod]]
    settings: Settings
    analyse: Analyse

    def look(self, program: Program) -> Look:
        """What all codemods find in ``program``.

        Raises `SourceError` where a text does not parse, and whatever goes wrong in a codemod.
        """
        if program.unseen is not program:
            return self._with_evidence(program)
        return self._looked(program)

    def _looked(self, program: Program) -> Look:
        if not program.sources:
            return Look((), frozenset())
        for source in program.sources.values():
            _ = source.tree  # syntax errors come before anything else
        facts = self.analyse(program)
        found = set(self._findings(program, facts, lambda codemod: codemod.check))
        complete = frozenset(p for p, known in facts.items() if known.complete)
        if complete != facts.keys():
            found = {_doubted(finding, "the program was not fully analysed") for finding in found}
        elif not all(known.settled for known in facts.values()):
            found = {
                _doubted(finding, "the analysis of the program did not settle") for finding in found
            }
        return Look(
            _in_order(found),
            complete,
            {path: known.uses for path, known in facts.items() if known.uses},
            tuple(dict.fromkeys(r for f in facts.values() for r in f.limits)),
            self.settings.style != "cuda" and _places_on_cuda(program, facts),
            any(known.double_precision or known.crosses for known in facts.values()),
        )

    def _with_evidence(self, program: Program) -> Look:
        """The same where runs have seen something of ``program``."""
        plain = Analyst.look(self, program.unseen)
        seen = self._looked(program)
        return replace(
            seen,
            findings=_in_order(with_seen(plain.findings, seen.findings)),
            complete=plain.complete & seen.complete,
            limits=tuple(dict.fromkeys((*plain.limits, *seen.limits))),
        )

    def tidy(self, program: Program, before: Program) -> Look:
        """What fixes have left in ``program`` that nothing uses any more: they made it of
        ``before``, which was looked at to its end. Nothing is evaluated."""
        from devicefix.flow.evaluated import imports_of

        found = self._findings(program, imports_of(program, before), lambda codemod: codemod.tidy)
        return Look(_in_order(found), frozenset())

    def _findings(
        self,
        program: Program,
        facts: Mapping[str, FileFacts],
        question: Callable[[Codemod], Callable[[Context], Iterator[Finding]]],
    ) -> Iterator[Finding]:
        settings = _for_program(self.settings, program)
        for path, source in program.sources.items():
            if path in facts:
                context = Context(source, facts[path], settings, program)
                needed = facts[path].needs_cuda
                for codemod in (c for c in self.codemods if not (needed and c.ports)):
                    check_time()
                    for finding in question(codemod())(context):
                        check_time()
                        if not (codemod.modernizes and _is_for_a_version(facts[path], finding)):
                            yield _in_program(finding, program)


class Recalling(Analyst, frozen=True):
    """An analyst who works on one program: what begins anew from the same texts, without a few
    fixes, comes to texts that it has been to before."""

    _looks: dict[tuple[bool, tuple[str, ...]], Look] = field(default_factory=dict)
    """By whether any round was made, and by the texts."""

    @classmethod
    def of(cls, analyst: Analyst) -> Recalling:
        """The same analyst, from now on."""
        return cls(analyst.codemods, analyst.settings, analyst.analyse)

    def beside_cuda(self) -> Recalling:
        """One for whom a new device is CUDA or the CPU, unless the user says which it is."""
        settings = self.settings.beside_cuda()
        same = settings is self.settings
        return self if same else Recalling(self.codemods, settings, self.analyse)

    def look(self, program: Program) -> Look:
        """What all codemods find in ``program``, all of whose files were the same each time."""
        key = bool(program.first), tuple(source.text for source in program.sources.values())
        if key not in self._looks:
            self._looks[key] = super().look(program)
        return self._looks[key]

    def forget(self) -> None:
        """What comes to no rest may be another thing each time."""
        self._looks.clear()


def _for_program(settings: Settings, program: Program) -> Settings:
    """``settings`` as far as ``program`` can have them, and how its files use a helper."""
    fitting = settings.for_torch(program.oldest_torch)
    if not program.helpers:
        return fitting
    from devicefix.flow.helper_uses import helper_uses

    return ProgramSettings.of(fitting, program.once(helper_uses))


def _is_for_a_version(facts: FileFacts, finding: Finding) -> bool:
    """Whether a condition that asks for the version of a library decides if it is evaluated."""
    span = finding.span
    return any(c.start <= span.start and span.end <= c.end for c in facts.for_versions)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.path, f.span, f.code, f.message)))


def _places_on_cuda(program: Program, facts: Mapping[str, FileFacts]) -> bool:
    """Beside a helper that knows more than CUDA, nothing may depend on whether there is CUDA, and
    no list of devices may leave others out."""
    from devicefix.flow.closed_lists import closed_lists
    from devicefix.flow.cuda_checks import moves_with_cuda, places_on_cuda

    wider = [helper for helper in program.helpers if not helper.only_cuda]
    for path, known in facts.items():
        source = program.sources[path]
        own = [helper.name for helper in program.helpers if helper.path == path]
        if (wider or not program.helpers) and places_on_cuda(source, known, own):
            return True
        if wider and (moves_with_cuda(source, known, own) or source.once(closed_lists)):
            return True
    return False


def _doubted(finding: Finding, reason: str) -> Finding:
    """``finding`` where evaluation did not come to its end: what is believed may be wrong."""
    if finding.fix is None or finding.fix.applicability is not Applicability.SAFE:
        return finding
    fix = replace(finding.fix, applicability=Applicability.UNSAFE)
    return replace(finding, fix=fix, advice=reason)


def _in_program(finding: Finding, program: Program) -> Finding:
    """``finding``; the name of a shared group gets that of its program, to be the only one.

    In a program of one file there is nothing to share.
    """
    if finding.fix is None or not finding.fix.shared:
        return finding
    if len(program.sources) == 1:
        return replace(finding, fix=replace(finding.fix, shared=False))
    name = f"{next(iter(program.sources))}:{finding.fix.group}"
    return replace(finding, fix=replace(finding.fix, group=name))
