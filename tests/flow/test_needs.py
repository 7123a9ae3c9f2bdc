"""Which files of a program need CUDA, and which are shared with programs that do not."""

from __future__ import annotations

from devicefix.flow import FileFacts, analyse_program
from devicefix.source import Program, Source
from devicefix.source.modules import ModuleIndex

INIT = "import torch.distributed as dist\n\n\ndef init():\n    dist.init_process_group('nccl')\n"
MODEL = "import torch\n\n\ndef net():\n    return torch.nn.Linear(3, 1).cuda()\n"
TRAIN = """\
from init import init
from model import net


def main():
    init()
    print(net())


if __name__ == "__main__":
    main()
"""
DEMO = "from model import net\n\nprint(net())\n"


def _look(**texts: str) -> dict[str, FileFacts]:
    sources = {
        f"/p/{name}.py": Source.from_text(text, f"/p/{name}.py") for name, text in texts.items()
    }
    program = Program(sources, ModuleIndex(tuple(sources)), lambda _: None)
    found = analyse_program(program)
    return {path.removeprefix("/p/").removesuffix(".py"): facts for path, facts in found.items()}


def test_what_only_such_a_program_imports_stays_with_it() -> None:
    found = _look(init=INIT, model=MODEL, train=TRAIN)
    reason = "/p/init.py:5: NCCL connects CUDA devices"
    assert found["train"].needs_cuda == found["model"].needs_cuda == reason
    assert {name: len(facts.needs) for name, facts in found.items()} == {
        "init": 1,
        "model": 0,
        "train": 0,
    }


def test_what_another_program_imports_does_not() -> None:
    found = _look(init=INIT, model=MODEL, train=TRAIN, demo=DEMO)
    assert found["train"].needs_cuda
    assert not found["model"].needs_cuda
    assert not found["demo"].needs_cuda
