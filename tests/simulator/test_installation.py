"""Installing the simulated accelerator: in child processes, for it lasts as long as they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devicefix.simulator import Simulated, parse
from devicefix.simulator.devices import KINDS
from tests.forking import run_text

pytestmark = pytest.mark.slow


Answers = Callable[..., list[Any]]


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    """What expressions are in a process with a device; an error as "KIND: text"."""
    return partial(answered, tmp_path)


def answered(folder: Path, device: str, *expressions: str, before: str = "") -> list[Any]:
    program = f"""
import json, torch
from devicefix.simulator import install, installed, Refused
accelerator = install({device!r})
{before}
def answer(expression):
    try:
        return eval(expression)
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"
print(json.dumps([answer(expression) for expression in {list(expressions)!r}]))
"""
    child = run_text(program, folder)
    assert child.returncode == 0, child.stderr
    result = json.loads(child.stdout)
    assert isinstance(result, list)
    return result


def test_devices_are_parsed() -> None:
    assert parse("sim:cuda") == Simulated(KINDS["cuda"], 1)
    assert parse("sim:cuda:2") == Simulated(KINDS["cuda"], 2)
    assert str(parse("sim:xpu")) == "sim:xpu"
    assert str(parse("sim:cuda:4")) == "sim:cuda:4"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cuda", "unknown simulated device 'cuda'; choose from sim:cuda, sim:xpu, sim:mps"),
        ("sim:tpu", "unknown simulated device"),
        ("sim:cuda:0", "the number of devices is 1 to 16"),
        ("sim:cuda:17", "the number of devices is 1 to 16"),
        ("sim:cuda:two", "the number of devices is 1 to 16"),
        ("sim:mps:2", "only one mps device"),
    ],
)
def test_other_devices_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse(text)


def test_a_second_time_changes_nothing_and_another_device_is_refused(answers: Answers) -> None:
    same, other, there = answers(
        "sim:cuda",
        "install('sim:cuda') is accelerator",
        "install('sim:cuda:2')",
        "installed() is accelerator",
    )
    assert (same, there) == (True, True)
    assert other == ("Refused: this process simulates sim:cuda already, so it cannot be sim:cuda:2")


def test_a_tensor_of_the_device_is_a_plain_tensor(answers: Answers) -> None:
    found = answers(
        "sim:cuda",
        "type(x) is torch.Tensor",
        "str(x.device)",
        "repr(x)",
        "x.type()",
        "x.to('cuda') is x",
        "x.is_cuda",
        "x.cpu().tolist()",
        "x.is_contiguous(), list(x.stride()), x.storage_offset()",
        before="x = torch.ones(2).cuda()",
    )
    assert found == [
        True,
        "cuda:0",
        "tensor([1., 1.], device='cuda:0')",
        "torch.cuda.FloatTensor",
        True,
        True,
        [1.0, 1.0],
        [True, [1], 0],
    ]


def test_host_tensors_stay_what_they_were(answers: Answers) -> None:
    found = answers(
        "sim:cuda",
        "str((torch.ones(2) + 1).device)",
        "torch.ones(2).numpy().tolist()",
        "torch.tensor([1, 2]).sum().item()",
    )
    assert found == ["cpu", [1.0, 1.0], 3]


@pytest.mark.parametrize("device", ["mps", "xpu", "npu"])
def test_other_kinds_train(answers: Answers, device: str) -> None:
    program = f"""
layer = torch.nn.Linear(3, 1).to({device!r})
optimizer = torch.optim.Adam(layer.parameters())
layer(torch.ones(4, 3, device={device!r})).sum().backward()
optimizer.step()
"""
    found = answers(
        f"sim:{device}",
        "layer.weight.grad.tolist()",
        "str(layer.weight.device)",
        f"torch.{device}.is_available()",
        "str(torch.accelerator.current_accelerator())",
        "torch.cuda.is_available()",
        before=program,
    )
    assert found == [[[4.0, 4.0, 4.0]], f"{device}:0", True, device, False]


def test_mps_has_no_float64(answers: Answers) -> None:
    found = answers(
        "sim:mps",
        "torch.ones(2, dtype=torch.float64).to('mps')",
        "torch.ones(2, dtype=torch.float64, device='mps')",
        "torch.ones(2, dtype=torch.float64).float().to('mps').tolist()",
        "torch.ones(2, dtype=torch.complex128).to('mps')",
    )
    refusal = (
        "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't "
        "support float64. Please use float32 instead."
    )
    no_mapping = (
        "TypeError: Trying to convert ComplexDouble to the MPS backend but it does not have "
        "support for that dtype."
    )
    assert found == [refusal, refusal, [1.0, 1.0], no_mapping]


def test_the_current_device_belongs_to_the_thread(answers: Answers) -> None:
    program = """
import threading
torch.cuda.set_device(1)
seen = []
thread = threading.Thread(target=lambda: seen.append(torch.ones(1, device='cuda').get_device()))
thread.start()
thread.join()
"""
    found = answers(
        "sim:cuda:2",
        "seen",
        "torch.ones(1).cuda().get_device()",
        "str(torch.ones(1).to('cuda').device)",
        before=program,
    )
    assert found == [[0], 1, "cuda:1"]


def test_a_watcher_hears_of_kernels_copies_and_readings(answers: Answers) -> None:
    program = """
from devicefix.simulator.watching import watch
class Watcher:
    ran_, crossed_, read_ = [], [], []
    def ran(self, op, arguments, keywords, results, device):
        self.ran_.append([str(op), str(device)])
    def crossed(self, source, destination):
        self.crossed_.append([str(source.device), str(destination.device)])
    def read(self, tensor, how):
        self.read_.append([str(tensor.device), how])
watch(Watcher())
x = torch.ones(2).to('cuda:1')
(x * 2).sum().item()
x.cpu()
watch(None)
x * 2
"""
    ran, crossed, read = answers(
        "sim:cuda:2", "Watcher.ran_", "Watcher.crossed_", "Watcher.read_", before=program
    )
    assert ["aten.mul.Tensor", "cuda:1"] in ran
    assert ["aten.sum.dim_IntList", "cuda:1"] in ran or ["aten.sum.default", "cuda:1"] in ran
    assert len([op for op, _ in ran if op == "aten.mul.Tensor"]) == 1
    assert crossed == [["cpu", "cuda:1"], ["cuda:1", "cpu"]]
    assert read == [["cuda:1", "item"]]


def test_what_is_not_simulated_is_said(answers: Answers) -> None:
    found = answers(
        "sim:cuda",
        "torch.eye(2, device='cuda').to_sparse_csr()",
        "torch.cuda.CUDAGraph()",
        "torch.histogram(torch.ones(2, device='cuda'), 2)",
        "torch.multiprocessing.reductions.reduce_tensor(torch.ones(2, device='cuda'))",
    )
    assert found[0] == (
        "NotSimulated: devicefix does not simulate tensors of layout torch.sparse_csr on a device"
    )
    assert found[1] == "NotSimulated: devicefix does not simulate CUDA graphs"
    assert found[2].startswith(
        "NotImplementedError: Could not run 'aten::histogram.bin_ct' with arguments from the "
        "'CUDA' backend."
    )
    assert found[3].startswith("NotSimulated: devicefix does not simulate device memory that")


def test_an_error_says_what_it_is_about(answers: Answers) -> None:
    program = """
def placement(function):
    try:
        function()
    except RuntimeError as error:
        about = error.placement
        return [about.op, [[one.name, str(one.tensor.device)] for one in about.operands]]
here, there = torch.ones(2, 2, device='cuda'), torch.ones(2, 2)
"""
    (found,) = answers("sim:cuda", "placement(lambda: torch.mm(there, here))", before=program)
    assert found == ["aten::mm", [["self", "cpu"], ["mat2", "cuda:0"]]]


def test_an_exception_in_backward_arrives_as_it_was(answers: Answers) -> None:
    program = """
class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        raise ValueError("on the device's own thread")
"""
    (found,) = answers(
        "sim:cuda",
        "Failing.apply(torch.ones(2, device='cuda', requires_grad=True)).sum().backward()",
        before=program,
    )
    assert found == "ValueError: on the device's own thread"
