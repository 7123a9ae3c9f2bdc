"""Code for GPUs is neither built nor run on the simulated accelerator, and says so.

No compiler is needed: the refusal comes before one is looked for, and what is loaded here is an
extension that is taken for one with code for GPUs.
"""

from __future__ import annotations

import struct
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from devicefix.simulator.extensions import has_gpu_code
from tests.forking import run_text

pytestmark = pytest.mark.slow

REFUSED = """
import sys, warnings
warnings.simplefilter("ignore")
import torch
EARLY
from devicefix.simulator import install
from devicefix.simulator.errors import NotSimulated
install("sim:cuda")

def refused(run, name):
    try:
        run()
    except NotSimulated as error:
        assert str(error).startswith("devicefix does not simulate code that is compiled for CUDA")
        assert name in str(error), error
    else:
        raise AssertionError(name)

"""

BUILDING = """
from torch.utils import cpp_extension
cpp_extension._jit_compile = cpp_extension._write_ninja_file = None  # nothing gets so far
load, load_inline = cpp_extension.load, cpp_extension.load_inline
refused(lambda: load("x", ["x.cpp", "x.cu"]), "cpp_extension.load)")
refused(lambda: load("x", "x.cu"), "cpp_extension.load)")
refused(lambda: load(name="x", sources=["x.cpp"], with_cuda=True), "cpp_extension.load)")
refused(lambda: load_inline("x", "", "__global__ void f() {}"), "cpp_extension.load_inline)")
refused(lambda: load_inline(name="x", cpp_sources="", with_cuda=True), "load_inline)")
assert load.__name__ == "load" and "sources" in load.__doc__
built = []
cpp_extension._jit_compile = lambda *args, **keywords: built.append(args[0])
load("host", ["x.cpp"])
assert built == ["host"]
if hasattr(torch.cuda, "_compile_kernel"):
    refused(lambda: torch.cuda._compile_kernel("", "f"), "_compile_kernel")
"""

RUNNING = """
import importlib.util
from devicefix.simulator import extensions
extensions.has_gpu_code = lambda path: str(path) == FILE
spec = importlib.util.spec_from_file_location(NAME, FILE)
module = importlib.util.module_from_spec(spec)
library = torch.library.Library("compiled", "FRAGMENT")
library.define("f(Tensor x) -> Tensor")
library.impl("f", lambda x: x + 1, "CompositeImplicitAutograd")
spec.loader.exec_module(module)
here, there = torch.ones(2), torch.ones(2, device="cuda")
function = getattr(module, FUNCTION)
refused(lambda: function(there), f"{NAME}.{FUNCTION}")
refused(lambda: function([here, there]), FUNCTION)
try:
    function(here)
except TypeError:
    pass
assert torch.ops.compiled.f(here).tolist() == [2.0, 2.0]
try:
    torch.ops.compiled.f(there)
except NotSimulated as error:
    assert "the operator compiled::f" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.parametrize("early", ["", "import torch.utils.cpp_extension"])
def test_nothing_is_built_for_cuda(tmp_path: Path, early: str) -> None:
    done = run_text(REFUSED.replace("EARLY", early) + BUILDING, tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_was_built_is_not_run(tmp_path: Path) -> None:
    spec = PathFinder.find_spec("_statistics")
    if spec is None or spec.origin is None:
        pytest.skip("this Python has its modules built in")
    names = {"NAME": spec.name, "FILE": spec.origin, "FUNCTION": "_normal_dist_inv_cdf"}
    values = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    done = run_text(REFUSED.replace("EARLY", values) + RUNNING, tmp_path)
    assert done.returncode == 0, done.stderr


def library(names: bytes) -> bytes:
    """An ELF file of which nothing is there but the names of its sections."""
    header = struct.pack("<4sB35xQ10xHHH", b"\x7fELF", 2, 64, 64, 1, 0)
    return header + struct.pack("<24xQQ24x", 128, len(names)) + names


def test_code_for_gpus_is_known_by_its_section(tmp_path: Path) -> None:
    file = tmp_path / "library.so"
    for data, expected in (
        (library(b"\0.text\0.nv_fatbin\0"), True),
        (library(b"\0.text\0.nv_fatbin_like\0"), False),
        (library(b"\0.text\0.nv_fatbin\0")[:100], False),
        (b"", False),
    ):
        file.write_bytes(data)
        assert has_gpu_code(file) is expected
    assert not has_gpu_code(tmp_path / "none.so")
    assert not has_gpu_code(Path(sys.executable))
