"""Nested tensors work; compressed sparse and quantized ones are refused in a sentence. Operators of
other libraries run on the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forking import run_text

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

NESTED = """
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
encoder = torch.nn.TransformerEncoder(layer, 2).eval()
batch, padding = torch.rand(3, 5, 16), torch.zeros(3, 5, dtype=torch.bool)
padding[0, 3:] = True
with torch.no_grad():
    expected = encoder(batch, src_key_padding_mask=padding)
    found = encoder.cuda()(batch.cuda(), src_key_padding_mask=padding.cuda())
assert found.is_cuda and torch.equal(found.cpu(), expected)

parts = [torch.rand(2, 3), torch.rand(4, 3)]
there = torch.nested.nested_tensor([part.cuda() for part in parts])
assert there.is_nested and there.device == torch.device("cuda:0"), there.device
assert torch.equal(there.cpu().unbind()[1], parts[1])
assert torch.equal((there * 2).unbind()[0].cpu(), parts[0] * 2)
there.mul_(3)
assert torch.equal(torch.nested.to_padded_tensor(there, 0.0)[0, :2].cpu(), parts[0] * 3)
weight = torch.rand(2, 3)
here = torch.nested.nested_tensor(parts).requires_grad_()
there = torch.nested.nested_tensor(parts, device="cuda").requires_grad_()
gradients = []
for nested in (here, there):
    linear = torch.nn.functional.linear(nested, weight.to(nested.device)).relu()
    torch.nested.to_padded_tensor(linear, 0.0).sum().backward()
    gradients.append(nested.grad.cpu().unbind())
assert all(map(torch.equal, *gradients))
"""

REFUSED = """
eye = torch.eye(3)
def refused(use, what):
    try:
        use()
    except NotImplementedError as error:
        assert str(error) == f"devicefix does not simulate {what} on a device", error
    else:
        raise AssertionError(what)
refused(lambda: eye.cuda().to_sparse_csr(), "tensors of layout torch.sparse_csr")
csr = "compressed sparse tensors (such as CSR)"
refused(lambda: eye.to_sparse_csr().cuda()._nnz(), csr)
refused(lambda: torch.quantize_per_tensor(eye.cuda(), 0.1, 0, torch.qint8), "quantized tensors")
refused(lambda: torch.quantize_per_tensor(eye, 0.1, 0, torch.qint8).cuda(), "quantized tensors")
there = eye.cuda()
shapes = (there, there, [3, 3], None, [1, 1], [0, 0], [1, 1])
depthwise = torch.ops.aten._conv_depthwise2d
refused(lambda: depthwise(*shapes), "the operator aten::_conv_depthwise2d")
"""

FOREIGN = """
from pathlib import Path
def define(name):
    library = torch.library.Library(name, "FRAGMENT")
    library.define("double(Tensor x) -> Tensor")
    library.define("only_there(Tensor x) -> Tensor")
    library.impl("double", lambda x: x * 2, "CPU")
    for operator in ("double", "only_there"):
        library.impl(operator, lambda x: 1 / 0, "CUDA")
    return library
early = define("early")
"""

FOREIGN_USED = """
late = define("late")
torch.ops.load_library(Path(torch.__file__).parent / "lib" / "libc10.so")
for operators in (torch.ops.early, torch.ops.late):
    there = operators.double(torch.ones(2, device="cuda"))
    assert there.is_cuda and there.tolist() == [2.0, 2.0]
    try:
        operators.only_there(there)
    except NotImplementedError as error:
        assert "does not simulate the operator" in str(error)
    else:
        raise AssertionError
"""


def run(folder: Path, program: str, before: str = "") -> None:
    quiet = "import warnings\nwarnings.simplefilter('ignore')"
    install = "from devicefix.simulator import install\ninstall('sim:cuda')"
    child = run_text(f"{quiet}\nimport torch\n{before}\n{install}\n{program}", folder)
    assert child.returncode == 0, child.stderr


def test_nested_tensors_compute_what_the_cpu_does(tmp_path: Path) -> None:
    run(tmp_path, NESTED)


def test_other_layouts_are_refused_in_a_sentence(tmp_path: Path) -> None:
    run(tmp_path, REFUSED)


def test_operators_of_other_libraries_run_on_the_host(tmp_path: Path) -> None:
    run(tmp_path, FOREIGN_USED, before=FOREIGN)
