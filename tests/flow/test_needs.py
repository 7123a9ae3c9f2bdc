"""Which files of a program need CUDA, and which are shared with programs that do not."""

from __future__ import annotations

import pytest

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
    reason = "/p/init.py:5: NCCL supports CUDA devices only"
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


COMPILED = """\
from torch.utils.cpp_extension import load

kernel = load(name="scan", sources=["scan.cpp", "scan.cu"])
"""


def test_what_is_compiled_on_import_is_needed_by_those_who_import_it() -> None:
    text = "import torch\nimport {0}\n\nprint({0}.kernel(torch.ones(3).cuda()))\n"
    found = _look(scan=COMPILED, train=text.format("scan"))
    told = "torch.utils.cpp_extension.load compiles code for CUDA"
    assert found["train"].needs_cuda == f"/p/scan.py:3: {told}"
    both = _look(
        scan=f"{COMPILED}import torch\n\nx = torch.ones(3).cuda()\n", train=text.format("scan")
    )
    assert [len(both[name].needs) for name in ("scan", "train")] == [1, 0]
    plain = COMPILED.replace(', "scan.cu"', "")
    assert not _look(scan=plain, train=text.format("scan"))["train"].needs_cuda


def test_extensions_of_the_first_torch() -> None:
    wrapper = "from {} import _wrap_function\n\n\ndef sample(x):\n    return _wrap_function(x)\n"
    use = "import torch\nfrom ext import sample\n\nprint(sample(torch.ones(3).cuda()))\n"
    found = _look(ext=wrapper.format("torch.utils.ffi"), train=use)
    told = "`torch.utils.ffi`, which loaded CUDA extensions, was removed from torch"
    assert found["train"].needs_cuda == f"/p/ext.py:1: {told}"
    assert not _look(ext=wrapper.format("torch.utils.data"), train=use)["train"].needs_cuda


def test_an_extension_that_the_nearest_setup_builds_for_cuda() -> None:
    setup = """\
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

setup(name="fused", ext_modules=[CUDAExtension("fused_ops", ["fused.cpp", "fused.cu"])])
"""
    use = "import {}\nimport torch\n\nprint(torch.ones(3).cuda())\n"
    found = _look(setup=setup, train=use.format("fused_ops"), demo=use.format("other_ops"))
    assert found["train"].needs_cuda == "line 1: `fused_ops` is compiled for CUDA"
    assert not found["demo"].needs_cuda
    assert _look(setup_kernels=setup, train=use.format("fused_ops"))["train"].needs_cuda
    tried = "try:\n    import fused_ops\nexcept ImportError:\n    fused_ops = None\n"
    assert not _look(setup=setup, train=tried)["train"].needs_cuda
    again = tried.replace("fused_ops = None", "if not input():\n        raise")
    assert _look(setup=setup, train=again)["train"].needs_cuda


def test_an_extension_that_is_built_for_cuda_or_not_at_all() -> None:
    setup = """\
import torch
from setuptools import setup
from torch.utils.cpp_extension import CppExtension, CUDAExtension

extension = CppExtension
if torch.cuda.is_available():
    extension = CUDAExtension
else:
    raise NotImplementedError("no CUDA")
setup(name="fused", ext_modules=[extension("fused_ops", ["fused.cpp"])])
"""
    use = "import fused_ops\nimport torch\n\nprint(torch.ones(3).cuda())\n"
    found = _look(setup=setup, train=use)
    assert found["train"].needs_cuda == "line 1: `fused_ops` is compiled for CUDA"
    both = setup.replace('raise NotImplementedError("no CUDA")', 'print("no CUDA")')
    assert not _look(setup=both, train=use)["train"].needs_cuda


def test_a_number_of_gpus_that_a_loop_binds_anew() -> None:
    text = (
        "import torch\n\nn = torch.cuda.device_count()\n"
        "while True:\n    n = int(n)\n    print(32 % n)\n    {0}\n"
    )
    assert "divides by the number of GPUs" in _look(train=text.format("n = n"))["train"].needs_cuda
    assert not _look(train=text.format("n = 1"))["train"].needs_cuda


def test_a_switch_of_the_file_decides_nothing() -> None:
    text = f"FUSED = True\nif FUSED:\n    {COMPILED.replace(chr(10), chr(10) + '    ')}"
    assert _look(train=text)["train"].needs_cuda
    assert not _look(train=text.replace("True", "False"))["train"].needs_cuda
    asked = text.replace("True", "input() == 'fused'")
    assert not _look(train=asked)["train"].needs_cuda


def test_models_that_libraries_load_to_cuda() -> None:
    text = """\
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("name", device_map=GIVEN)
print(model(torch.ones(3).to("cuda")))
"""
    for given, needed in (('{"": 0}', True), ('"cuda:0"', True), ('"auto"', False)):
        assert bool(_look(train=text.replace("GIVEN", given))["train"].needs_cuda) is needed


def test_all_ways_that_do_not_fail_come_by_it() -> None:
    text = "import sys\nimport torch\n{}\nprint(torch.ones(3).cuda())\n"
    loaded = "    import flash_attn"
    needed = {
        f"try:\n{loaded}\nexcept ImportError:\n    raise RuntimeError('no')": True,
        f"try:\n{loaded}\nexcept ImportError:\n    flash_attn = None": False,
        f"if len(sys.argv) > 1:\n{loaded}\nelif len(sys.argv) > 2:\n{loaded}": False,
        f"if sys.argv:\n{loaded}\nelif len(sys.argv) > 2:\n{loaded}\nelse:\n{loaded}": True,
        f"if len(sys.argv) > 1:\n{loaded}\nelse:\n    sys.exit('usage')": True,
        f"if len(sys.argv) > 1:\n{loaded}\nelse:\n    sys.exit()": False,
        f"for name in sys.argv:\n    if name == 'x':\n        continue\n{loaded}": False,
    }
    for lines, needs in needed.items():
        assert bool(_look(train=text.format(lines))["train"].needs_cuda) is needs, lines


@pytest.mark.parametrize("library", ["gsplat", "knn_cuda", "mamba_ssm", "pointnet2_ops"])
def test_a_library_that_is_only_compiled_for_cuda(library: str) -> None:
    text = f"import torch\nfrom {library} import run\n\nprint(run(torch.ones(3).cuda()))\n"
    assert _look(train=text)["train"].needs_cuda


def test_an_extension_that_the_setup_of_another_folder_installs() -> None:
    setup = """\
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

setup(name="rank", ext_modules=[CUDAExtension("build_matrix", ["build.cpp", "kernel.cu"])])
"""
    text = "import {}\nimport torch\n\nprint(torch.ones(3).cuda())\n"
    sources = {"ext/matrix/setup": setup, "ranking": text.format("build_matrix")}
    found = _look(**sources, demo=text.format("matrix.build_matrix"))
    assert found["ranking"].needs_cuda == "line 1: `build_matrix` is compiled for CUDA"
    assert not found["demo"].needs_cuda


def test_what_is_built_in_place_lies_beside_its_script() -> None:
    setup = """\
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

setup(name="votes", ext_modules=[CUDAExtension("votes_cuda", ["votes.cpp", "votes.cu"])])
"""
    text = "import torch\nimport p.{0}.votes_cuda as kernel\n\nkernel.vote(torch.ones(3).cuda())\n"
    found = _look(**{"layer/setup": setup, "layer/votes": text.format("layer")})
    assert found["layer/votes"].needs_cuda == "line 2: `p.layer.votes_cuda` is compiled for CUDA"
    other = _look(**{"layer/setup": setup, "layer/votes": text.format("other")})
    assert not other["layer/votes"].needs_cuda


CORRELATION = """\
import cupy
import torch


def launch(*args):
    cupy.RawKernel("", "k")(args=args)


class Correlation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x.is_cuda == True:
            launch(x)
        elif x.is_cuda == {answer}:
            raise NotImplementedError()
        return x


def correlate(x):
    if x.dim() == 3:
        return Correlation.apply(x)
    elif x.dim() != {number}:
        return Correlation.apply(x[0])
"""
NETWORK = """\
try:
    from .correlation import correlate
except:
    from correlation import correlate
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return correlate(x)


net = None


def estimate(x):
    global net
    if net is None:
        net = Net().cuda()
    return net(x.cuda())


print(estimate(torch.ones(1, 3, 8, 8)))
"""


def test_a_function_of_autograd_that_has_an_implementation_for_cuda_only() -> None:
    """One is chosen by an `elif` that asks the opposite: there is no third way."""
    told = {}
    for answer, number in [("False", "3"), ("True", "3"), ("False", "4")]:
        text = CORRELATION.format(answer=answer, number=number)
        found = _look(correlation=text, net=NETWORK)["net"]
        told[answer, number] = found.needs_cuda
    assert told == {
        ("False", "3"): "/p/correlation.py:12: it exits here without CUDA",
        ("True", "3"): "",
        ("False", "4"): "",
    }
