"""Which expression names the device: a name in scope, a tensor at hand, at last a new name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from devicefix.flow import FileFacts, analyse_program
from devicefix.source import Program, Source
from devicefix.source.modules import ModuleIndex

Moves = Callable[[str], list[str]]
Facts = Callable[[str], FileFacts]

CHOICE: Final = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
NET: Final = "net = nn.Linear(3, 1)\nprint(net(torch.zeros(3)))\n"


def both(name: str) -> list[str]:
    """The module and its input, moved to ``name``."""
    return [f"MODULE nn.Linear(3, 1) -> {name}", f"FACTORY torch.zeros(3) => {name}"]


IN_SCOPE: Final = [
    pytest.param(f"dev = {CHOICE}\n", "dev", id="a device"),
    pytest.param(f"DEVICE = {CHOICE}\n", "DEVICE", id="a constant"),
    pytest.param('dev = "cuda" if torch.cuda.is_available() else "cpu"\n', "dev", id="a string"),
    pytest.param(
        "if torch.cuda.is_available():\n    dev = torch.device('cuda:0')\n"
        "else:\n    dev = torch.device('cpu')\n",
        "dev",
        id="chosen by if and else",
    ),
    pytest.param(f"gpu = {CHOICE}\ndevice = {CHOICE}\n", "device", id="the better of two names"),
    pytest.param(
        f"import argparse\nargs = argparse.ArgumentParser().parse_args()\nargs.device = {CHOICE}\n",
        "args.device",
        id="an attribute",
    ),
]


@pytest.mark.parametrize(("head", "name"), IN_SCOPE)
def test_a_name_in_scope_comes_first(moves: Moves, head: str, name: str) -> None:
    assert moves(head + NET) == both(name)


NO_DEVICES: Final = [
    pytest.param("class Sensor:\n    pass\ndevice = Sensor()\n", id="a sensor"),
    pytest.param("device = 3\n", id="a number"),
    pytest.param("for device in ['a', 'b']:\n    print(device)\n", id="a loop variable"),
    pytest.param("def use():\n    global device\n    device = 3\n", id="a global of a function"),
]


@pytest.mark.parametrize("head", NO_DEVICES)
def test_a_name_that_is_no_device_is_neither_used_nor_overwritten(moves: Moves, head: str) -> None:
    assert moves(head + NET) == both("+torch_device")


def test_a_local_name_of_another_function_is_in_nobodys_way(moves: Moves) -> None:
    program = "def scan(devices):\n    for device in devices:\n        print(device)\n"
    assert moves(program + NET) == both("+device")


def test_a_local_name_of_the_same_function_is(moves: Moves) -> None:
    program = """
        def main():
            device = "sensor"
            net = nn.Linear(3, 1)
            return net(torch.zeros(3)), device
        print(main())
        """
    assert moves(program) == both("+torch_device")


def test_no_name_is_invented_where_all_are_taken(moves: Moves) -> None:
    assert moves("device = torch_device = run_device = 3\n" + NET) == []


def test_a_name_that_is_bound_later_is_not_there_yet(moves: Moves) -> None:
    assert "device" not in {line.split()[-1] for line in moves(NET + f"device = {CHOICE}\n")}


def test_a_shadowed_name_is_not_used(moves: Moves) -> None:
    program = f"""
        device = {CHOICE}
        net = nn.Linear(3, 1).to(device)
        def run():
            device = "sensor"
            return net(torch.zeros(3)), device
        print(run())
        """
    assert "FACTORY torch.zeros(3) => device" not in moves(program)


def test_a_parameter(moves: Moves) -> None:
    program = f"""
        def train(where):
            net = nn.Linear(3, 1).to(where)
            return net(torch.zeros(3))
        print(train({CHOICE}))
        """
    assert moves(program) == ["FACTORY torch.zeros(3) => where"]


def test_an_attribute_of_self(moves: Moves) -> None:
    program = f"""
        class Agent:
            def __init__(self):
                self.device = {CHOICE}
                self.net = nn.Linear(3, 1).to(self.device)
            def act(self, state):
                return self.net(torch.tensor(state))
        print(Agent().act([1.0, 2.0, 3.0]))
        """
    assert moves(program) == ["FACTORY torch.tensor(state) => self.device"]


def test_an_attribute_that_the_constructor_sets_on_a_condition_is_not_used(moves: Moves) -> None:
    moved = moves(
        "class Run:\n"
        "    def __init__(self, redact=True):\n"
        "        if redact:\n"
        f"            self.gpu = {CHOICE}\n\n"
        "    def go(self):\n"
        "        net = nn.Linear(3, 1)\n"
        "        return net(torch.zeros(3))\n\n\n"
        "Run().go()\n"
    )
    assert "self.gpu" not in " ".join(moved)


def test_an_attribute_of_a_parameter(moves: Moves) -> None:
    program = f"""
        import argparse
        def train(args):
            net = nn.Linear(3, 1)
            return net(torch.zeros(3))
        args = argparse.ArgumentParser().parse_args()
        args.device = {CHOICE}
        print(train(args))
        """
    assert moves(program) == both("args.device")


CHOSEN: Final = [
    pytest.param(
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\n",
        "args.device",
        id="an option that the program only reads",
    ),
    pytest.param(f"config = {{'device': {CHOICE}}}\n", "config['device']", id="an item"),
    pytest.param(
        f"class Config:\n    device = {CHOICE}\n",
        "Config.device",
        id="a class attribute",
    ),
]


@pytest.mark.parametrize(("head", "name"), CHOSEN)
def test_the_device_that_the_program_chose_otherwise(moves: Moves, head: str, name: str) -> None:
    program = head + f"net = nn.Linear(3, 1).to({name})\nprint(net(torch.zeros(3)))\n"
    assert moves(program) == [f"FACTORY torch.zeros(3) => {name}"]


def test_a_helper_is_passed_the_device_of_its_caller(moves: Moves) -> None:
    program = f"""
        def main():
            device = {CHOICE}
            net = nn.Linear(3, 1).to(device)
            train(net)
        def train(net):
            return net(torch.zeros(3))
        main()
        """
    assert moves(program) == ["HELPER torch.zeros(3) => device"]


METHOD: Final = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, {parameters}):
        {body}
"""
IN_METHODS: Final = [
    pytest.param("x", "return self.fc(x) + torch.ones(3)", "x.device", id="tensor argument"),
    pytest.param("count", "return self.fc(torch.ones(3) * count)", None, id="no tensor"),
    pytest.param("x=None", "return self.fc(torch.ones(3))", None, id="argument that may be None"),
]


@pytest.mark.parametrize(("parameters", "body", "name"), IN_METHODS)
def test_inside_a_module(moves: Moves, parameters: str, body: str, name: str | None) -> None:
    argument = "torch.zeros(3)" if parameters == "x" else "2" if parameters == "count" else ""
    program = METHOD.format(parameters=parameters, body=body) + f"print(Net()({argument}))\n"
    expected = name or "self.fc.weight.device"
    assert moves(program)[0] == f"FACTORY torch.ones(3) => {expected}"


def test_a_library_gets_no_name_at_its_top_level(facts: Facts) -> None:
    program = """
        def build():
            net = nn.Linear(3, 1)
            return net(torch.zeros(3))
        """
    devices = [transfer.device for transfer in facts(program).transfers]
    assert [device and device.text for device in devices] == ["device", "device"]
    assert all(isinstance(device and device.anchor, ast.FunctionDef) for device in devices)


def test_a_library_function_does_not_decide_for_a_module_that_it_is_given(moves: Moves) -> None:
    program = """
        def judge(net, rows):
            other = torch.zeros(3)
            return [net(row) for row in rows], other
        """
    assert moves(program) == []


def test_a_library_function_follows_its_tensor(moves: Moves) -> None:
    program = "def hide(x):\n    return x.masked_fill(torch.ones(3).bool(), 0.0)\n"
    assert moves(program) == ["FACTORY torch.ones(3) => x.device"]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        pytest.param(
            "def grow(x):\n    return torch.cat([x, torch.ones(3)])\n",
            ["FACTORY torch.ones(3) => x.device"],
            id="a tensor in a list",
        ),
        pytest.param(
            "def judge(net):\n    net.eval()\n    return net(torch.ones(3))\n",
            ["FACTORY torch.ones(3) => next(net.parameters()).device"],
            id="a module",
            marks=pytest.mark.xfail(
                strict=True, reason="calling a module that was passed in makes no demand"
            ),
        ),
    ],
)
def test_a_library_function_follows_what_its_parameters_surely_are(
    moves: Moves, program: str, expected: list[str]
) -> None:
    assert moves(program) == expected


@pytest.mark.parametrize(
    "program",
    [
        "net = nn.Linear(3, 1)\ny = net(torch.zeros(3))\n",
        "import json\nnet = nn.Linear(3, 1)\njson.dumps(net(torch.zeros(3)).tolist())\n",
    ],
)
def test_a_file_that_runs_a_module_is_a_script(moves: Moves, program: str) -> None:
    assert moves(program) == both("+device")


# -- options of the user ---------------------------------------------------------------------------

OPTIONS: Final = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
GUARDED: Final = """\
net = nn.Linear(3, 1)
x = torch.zeros(3)
if args.cuda:
    net.cuda()
    x = x.cuda()
print(net(x))
"""


AVAILABLE: Final = "torch.cuda.is_available()"
OBEYED: Final = [
    pytest.param("", 7, f"args.cuda and {AVAILABLE}", id="read from the options"),
    pytest.param(
        f"args.cuda = not args.no_cuda and {AVAILABLE}\n", 8, "args.cuda", id="asks for CUDA itself"
    ),
]


@pytest.mark.parametrize(("set_it", "anchor_line", "flag"), OBEYED)
def test_a_new_device_obeys_the_option_of_the_user(
    facts: Callable[[str], FileFacts], set_it: str, anchor_line: int, flag: str
) -> None:
    found = facts(OPTIONS + set_it + GUARDED)
    for call in found.calls.values():
        assert call.device is not None
        assert (call.device.preamble, call.device.flag) == ("device", flag)
        assert isinstance(call.device.anchor, ast.stmt)
        assert call.device.anchor.lineno == anchor_line
    assert len(found.calls) == 2
    assert len(found.guards) == 1


def test_two_options_are_one_too_many(facts: Callable[[str], FileFacts]) -> None:
    """No device could obey both: moves stay as they are, and nothing else is moved."""
    program = GUARDED.replace("    x = x.cuda()", "if args.gpu:\n    x = x.cuda()")
    found = facts(OPTIONS + program)
    assert [call.device for call in found.calls.values()] == [None, None]
    assert found.guards == ()
    assert found.transfers == ()


def test_an_option_that_only_a_function_knows_is_read_there(
    facts: Callable[[str], FileFacts],
) -> None:
    program = """
        def main(use_cuda):
            net = nn.Linear(3, 1)
            if use_cuda:
                net.cuda()
            print(net)
        main(True)
        """
    found = facts(program)
    (call,) = found.calls.values()
    assert call.device is not None
    assert (call.device.text, call.device.flag) == ("device", f"use_cuda and {AVAILABLE}")
    assert isinstance(call.device.anchor, ast.FunctionDef)
    assert len(found.guards) == 1


@pytest.mark.parametrize(
    ("net", "moves"),
    [("nn.Linear(3, 1)", True), ("nn.Sequential(nn.Linear(3, 1))", True), ("nn.ReLU()", False)],
)
def test_a_condition_means_less_where_a_module_with_weights_goes_anyhow(
    facts: Callable[[str], FileFacts], net: str, moves: bool
) -> None:
    program = f"""
        def train(net, x, fast):
            if fast:
                x = x.cuda()
            return net(x)
        print(train({net}.cuda(), torch.ones(2, 3), True))
        """
    calls = facts(program).calls.items()
    (seen,) = (found for tree, found in calls if ast.unparse(tree) == "x.cuda()")
    assert (seen.condition == "") is moves


def test_what_is_moved_never_follows_itself(facts: Callable[[str], FileFacts]) -> None:
    program = """
        x = torch.ones(3).cuda()
        to_gpu = lambda t: t.cuda()
        print(to_gpu(x).sum().item())
        """
    devices = [call.device for call in facts(program).calls.values()]
    assert [d.text for d in devices if d is not None] == ["device", "device"]


BELOW_MAIN: Final = """
    import argparse
    class Table:
        def rows(self, xs):
            return torch.LongTensor(xs).cuda()
    if __name__ == "__main__":
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        print(nn.Linear(3, 1).to(args.device)(torch.ones(3, device=args.device)))
    """


def test_a_global_of_the_main_block_is_not_there_for_others(
    facts: Callable[[str], FileFacts],
) -> None:
    calls = facts(BELOW_MAIN).calls
    hard = [found for tree, found in calls.items() if ast.unparse(tree).endswith("cuda()")]
    assert [c.device.text for c in hard if c.device is not None] == ["device"]


def test_what_a_function_is_given_is_no_global_of_the_main_block(
    facts: Callable[[str], FileFacts],
) -> None:
    program = """
        def fit(net, x):
            y = x.to("cuda:0")
            total = x.to("cuda:0").sum()
            return net(y).sum() + total
        if __name__ == "__main__":
            device = torch.device("cuda:0")
            net = nn.Linear(3, 1).to(device)
            total = fit(net, torch.ones(2, 3))
        """
    found = [literal.device for literal in facts(program).literals]
    assert [d.text for d in found if d is not None] == ["torch_device", "torch_device"]


@pytest.mark.parametrize(
    ("result", "name"), [("net(y)", "device"), ("net(y) if weigh else y", "torch_device")]
)
def test_a_function_that_needs_the_main_block_anyway_takes_its_device(
    facts: Callable[[str], FileFacts], result: str, name: str
) -> None:
    program = f"""
        def fit(x, weigh):
            y = x.to("cuda:0")
            return {result}
        if __name__ == "__main__":
            device = torch.device("cuda:0")
            net = nn.Linear(3, 1).to(device)
            print(fit(torch.ones(2, 3), True))
        """
    (device,) = (found.device for found in facts(program).literals if found.device is not None)
    assert device.text == name


@pytest.mark.parametrize(("option", "name"), [("type=int", None), ("type=str", "args.gpu")])
def test_an_option_that_is_a_number_is_only_material_for_a_device(
    facts: Callable[[str], FileFacts], option: str, name: str | None
) -> None:
    program = f"""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", {option})
        args = parser.parse_args()
        print(torch.device(args.gpu))
        net = nn.Linear(3, 1).cuda()
        """
    (call,) = facts(program).calls.values()
    assert (call.device and call.device.text) == name


def test_one_of_several_objects_has_the_same_attribute(facts: Callable[[str], FileFacts]) -> None:
    program = """
        class Options:
            pass
        def options():
            found = Options()
            found.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return found
        class Table:
            def __init__(self, options):
                self.options = options
            def rows(self, xs):
                return torch.LongTensor(xs).cuda()
        first, second = Table(options()), Table(options())
        print(first.rows([1]), second.rows([2]))
        """
    (call,) = facts(program).calls.values()
    assert call.device is not None
    assert call.device.text == "self.options.device"


def test_a_script_names_its_device_rather_than_some_parameter(
    facts: Callable[[str], FileFacts],
) -> None:
    program = """
        def train(loader, net, weights):
            for x, y in loader:
                x, y = x.cuda(), y.cuda()
                print(F.cross_entropy(net(x), y, weight=weights))
        net = nn.Linear(3, 2).cuda()
        pairs = TensorDataset(torch.randn(8, 3), torch.zeros(8, dtype=torch.long))
        train(DataLoader(pairs), net, torch.ones(2).cuda())
        """
    devices = {call.device.text for call in facts(program).calls.values() if call.device}
    assert devices == {"device"}


RESIDENT: Final = """
    def window(x):
        w = torch.ones(3)
        {ask}
        return x * w
    """


@pytest.mark.parametrize(
    ("ask", "calls"),
    [
        ("if x.is_cuda: w = w.cuda(x.get_device()); w = w.type_as(x)", 1),
        ("on_gpu = x.is_cuda\n        if on_gpu: w = w.cuda()", 1),
        ("on_gpu = x.is_cuda\n        x = x + 1\n        if on_gpu: w = w.cuda()", 0),
    ],
)
def test_what_asks_where_a_tensor_is_brings_others_there(
    facts: Callable[[str], FileFacts], ask: str, calls: int
) -> None:
    found = facts(RESIDENT.format(ask=ask))
    assert found.transfers == ()
    moved = [s for c, s in found.calls.items() if ast.unparse(c.func).endswith("cuda")]
    assert len(moved) == calls
    assert all(seen.device is not None and seen.device.text == "x.device" for seen in moved)
    assert all(seen.keeps_index for seen in moved)


def test_below_the_question_the_tensor_itself_may_be_another(
    facts: Callable[[str], FileFacts],
) -> None:
    found = facts(RESIDENT.format(ask="if x.is_cuda: x = x.cpu(); w = w.cuda()"))
    (seen,) = (s for c, s in found.calls.items() if ast.unparse(c.func) == "w.cuda")
    assert seen.device is None or seen.device.text != "x.device"


DETECT: Final = """
import torch
def detect(net, rows):
    return [net(row.cuda()) for row in rows]
"""
EVALUATE: Final = (
    "import torch\ndef evaluate(net, rows):\n    print(len(net.state_dict()))\n"
    "    return detect(net, rows)\n"
)
EVAL: Final = "import torch\ndef score(net, rows):\n    net.eval()\n    return detect(net, rows)\n"
DETECTS: Final = """
import torch
from library import detect
net = torch.nn.Linear(3, 1).cuda()
print(detect(net, [torch.ones(3)]))
"""


@pytest.mark.parametrize(
    ("library", "scripts", "name"),
    [
        pytest.param(EVALUATE + DETECT, 0, "next(net.parameters()).device", id="its caller asks"),
        pytest.param(EVAL + DETECT, 0, "", id="it may have no parameters"),
        pytest.param(DETECT, 1, "next(net.parameters()).device", id="one script"),
        pytest.param(DETECT, 2, "next(net.parameters()).device", id="several scripts"),
    ],
)
def test_a_function_asks_the_module_that_it_is_given(library: str, scripts: int, name: str) -> None:
    texts = {"library.py": library, **{f"{i}.py": DETECTS for i in range(scripts)}}
    found = _of_program(texts)["library.py"].calls.values()
    assert [seen.device.text if seen.device else "" for seen in found] == [name]


SPECTRUM: Final = """
import torch
import torch.nn.functional as F
class Fourier(torch.nn.Module):
    def __init__(self, basis):
        super().__init__()
        self.register_buffer("basis", basis)
    def transform(self, x):
        found = F.conv1d(x.cuda(), self.basis.cuda(), stride=2).cpu()
        return torch.sqrt(found ** 2)
class Spectrum(torch.nn.Module):
    def __init__(self, mel, basis):
        super().__init__()
        self.fourier = Fourier(basis)
        self.register_buffer("mel", mel)
    def mel_spectrogram(self, x):
        magnitudes = self.fourier.transform(x)
        return torch.matmul(self.mel, magnitudes.data)
"""
SAVES: Final = """
import numpy as np
import torch
from spectrum import Spectrum
spectrum = Spectrum(torch.zeros(3, 3), torch.zeros(3, 1, 2))
wave = torch.from_numpy(np.zeros((1, 8), dtype="float32"))
torch.save(spectrum.mel_spectrogram(wave), "x.mel")
"""


def test_what_was_brought_back_and_a_module_that_never_moves_stay_on_the_host() -> None:
    facts = _of_program({"spectrum.py": SPECTRUM, "main.py": SAVES})
    moves = {
        n for seen in facts["spectrum.py"].calls.values() if seen.device for n in [seen.device]
    }
    assert not any(found.transfers for found in facts.values())
    assert {device.follows for device in moves} == {False}


LIBRARY: Final = """
import torch
class Table:
    def rows(self, xs):
        return torch.LongTensor(xs).cuda()
"""
HAS: Final = f"import torch\ndev = {CHOICE}\nprint(torch.ones(2, device=dev))\n"
ASKS: Final = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
x = torch.ones(2)
if args.cuda:
    x = x.cuda()
"""
USES: Final = "from library import Table\nprint(Table().rows([1]))\n"


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param((USES, USES), id="none has a device"),
        pytest.param((HAS + USES, HAS + USES), id="all have a device"),
        pytest.param((ASKS + USES, ASKS + USES), id="theirs would obey an option"),
    ],
)
def test_a_function_that_moves_goes_on_to_do_so_for_callers_that_were_not_seen(
    scripts: tuple[str, str],
) -> None:
    texts = {"library.py": LIBRARY, **{f"{i}.py": text for i, text in enumerate(scripts)}}
    (call,) = _of_program(texts)["library.py"].calls.values()
    assert call.device is not None
    assert call.device.passed is None
    assert isinstance(call.device.anchor, ast.FunctionDef)


PACKER: Final = """
from torch.autograd import Variable

class Packer:
    def __init__(self):
        self.count = 0
    def pack(self, first, second, third):
        first = Variable(first[:, 0:2]).cuda()
        second = Variable(second[:, 0:2]).cuda()
        third = Variable(third[:, 0:2] - 1).cuda()
        return first, second, third
"""
PACKS: Final = """
import torch
from packer import Packer

packer = Packer()
net = torch.nn.Bilinear(2, 2, 1).cuda()
data = torch.utils.data.TensorDataset(*[torch.ones(4, 2)] * 3)
for batch in torch.utils.data.DataLoader(data):
    first, second, third = packer.pack(*batch)
    print(net(first, second) + net(second, third))
"""


def test_what_one_function_moves_has_one_name() -> None:
    texts = {"packer.py": PACKER, "packs.py": PACKS}
    calls = _of_program(texts)["packer.py"].calls.values()
    moved = [call.device.text for call in calls if call.device is not None]
    assert moved == ["self.device"] * 3


SHIFT: Final = """
import torch
from torch import nn

class Shift(nn.Module):
    def forward(self, x):
        index = torch.arange(3).cuda()
        total = x.sum(0)
        for row in range(2):
            {meets}
        return total
"""
DEMO: Final = "import torch\nfrom shift import Shift\nprint(Shift()(torch.ones(2, 3)))\n"
TOLD: Final = """
import argparse
import torch
from shift import Shift
parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--use-gpu", action="store_true")
args = parser.parse_args()
where = torch.device(f"cuda:{args.gpu}" if args.use_gpu else "cpu")
print(Shift().to(where)(torch.ones(2, 3).to(where)))
"""


@pytest.mark.parametrize(
    ("meets", "name"),
    [
        ("total = total + (index + x[row])", "x.device"),
        ("total = total + (index[:row] if row else x)", "device"),
    ],
    ids=["always", "sometimes"],
)
def test_what_is_moved_follows_what_it_meets_in_all_runs(meets: str, name: str) -> None:
    texts = {"shift.py": SHIFT.format(meets=meets), "demo.py": DEMO, "told.py": TOLD}
    (call,) = _of_program(texts)["shift.py"].calls.values()
    assert call.device is not None
    assert call.device.text == name


def _of_program(texts: Mapping[str, str]) -> Mapping[str, FileFacts]:
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    return analyse_program(Program(sources, ModuleIndex(sources), lambda _: None))


BESIDE: Final = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, batch):
        scores = self.fc(batch["x"])
        {use}
        return scores
net = Net().cuda()
print(net({{"x": torch.ones(3).cuda()}}))
"""


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("scores = scores + torch.zeros(scores.size()).cuda()", "scores.device"),
        ("scores += torch.zeros(3).cuda()", "scores.device"),
        ("mask = torch.zeros(3).cuda(); scores = scores + mask", "scores.device"),
        ("mask = torch.zeros(3).cuda(); print(mask)", "scores.device"),
        ("size = batch.get('n'); scores = scores + torch.zeros(size).cuda()", "scores.device"),
    ],
)
def test_a_tensor_of_the_same_statement_names_the_device(
    facts: Callable[[str], FileFacts], use: str, name: str
) -> None:
    found = facts(BESIDE.format(use=use)).calls.items()
    (seen,) = (s for c, s in found if ast.unparse(c).startswith("torch.zeros"))
    assert seen.device is not None
    assert seen.device.text == name


@pytest.mark.parametrize(
    ("statement", "name"),
    [("x *= y.cuda()", "x.device"), ("x *= Variable(y.cuda())", "x.device")],
)
def test_what_is_changed_in_place_is_where_the_other_operand_is(
    facts: Callable[[str], FileFacts], statement: str, name: str
) -> None:
    program = f"""
        from torch.autograd import Variable
        def scale(n, x=torch.zeros(3).cuda(), y=torch.ones(3)):
            x = x if n else torch.ones(3)
            {statement}
            return x
        """
    found = facts(program)
    (seen,) = (s for c, s in found.calls.items() if ast.unparse(c) == "y.cuda()")
    assert seen.device is not None
    assert seen.device.text == name


def test_a_device_that_nothing_is_moved_to_is_no_name_beside_an_option(moves: Moves) -> None:
    program = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--device", default="cuda")\nargs = parser.parse_args()\n'
        f"device = {CHOICE}\nnet = nn.Linear(3, 1).to(args.device)\n"
        "print(net(torch.zeros(3)))\ndef other(device):\n    return device\n"
    )
    assert moves(program) == ["FACTORY torch.zeros(3) => args.device"]
    # the net is where the user wants it, whoever else asks for the device
    assert moves(f"{program}print(device)\n") == ["FACTORY torch.zeros(3) => args.device"]


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("torch.full((4, 3), 0.5, device=None)", "FACTORY {} => dev"),
        ("torch.full((4, 3), 0.5, device=none)", "DATA {} -> dev"),
        ("noise(4)", "DATA noise(4) -> dev"),
        ("noise(4, dev)", ""),
    ],
)
def test_a_device_that_is_none(moves: Moves, made: str, found: str) -> None:
    program = f"dev = {CHOICE}\nnone = None\n"
    program += "def noise(n, device=None):\n    return torch.full((n, 3), 0.5, device=device)\n"
    program += f"net = nn.Linear(3, 1).to(dev)\nx = {made}\nprint(net(x))\n"
    assert moves(program) == ([found.format(made)] if found else [])


SCORES: Final = """
import torch
def scores(query, support):
    kernel = support.mm(support.t())
    kernel = [part.double().cuda() for part in [kernel]][0]
    return query.double(), kernel
"""
IN_MAIN_BLOCK: Final = """
import torch
from torch.utils.data import DataLoader
from heads import scores
if __name__ == "__main__":
    for x in DataLoader(torch.ones(4, 2), batch_size=2):
        x = x.cuda()
        print(scores(x, x * 2))
"""
AFTER_A_BRANCH: Final = """
import torch
from torch import nn
from torch.utils.data import DataLoader
from heads import scores
class Dropped(nn.Module):
    def forward(self, x):
        if self.training:
            mask = torch.ones(2).expand(2, 2).cuda()
            return mask * x
        else:
            return x
for x in DataLoader(torch.ones(4, 2), batch_size=2):
    x = Dropped()(x.cuda())
    print(scores(x, x * 2))
"""


@pytest.mark.parametrize("script", [IN_MAIN_BLOCK, AFTER_A_BRANCH])
def test_a_tensor_is_asked_that_is_there_whatever_conditions_decide(script: str) -> None:
    """The main block runs wherever the script does, and what a branch adds moves nothing else."""
    facts = _of_program({"heads.py": SCORES, "train.py": script})
    (call,) = facts["heads.py"].calls.values()
    assert call.device is not None
    assert call.device.text == "query.device"


def test_a_tensor_is_not_asked_that_an_option_moves() -> None:
    script = IN_MAIN_BLOCK.replace("x = x.cuda()", "x = x.cuda() if fast else x")
    script = script.replace("if __name__", "import sys\nfast = len(sys.argv) > 1\nif __name__")
    facts = _of_program({"heads.py": SCORES, "train.py": script})
    (call,) = facts["heads.py"].calls.values()
    assert call.device is None or call.device.text != "query.device"


CONFIG: Final = "class Config:\n    CUDA = False\nconfig = Config()\n"
WORK: Final = """
import torch
from torch import nn
from config import config
def make():
    net = nn.Linear(3, 3)
    if config.CUDA:
        net = net.cuda()
    return net
def use(net):
    x = torch.ones(2, 3)
    if config.CUDA:
        x = x.cuda()
    return net(x)
if __name__ == "__main__":
    print(use(make()))
"""
MAIN: Final = """
import os
from config import config
{imported}
if __name__ == "__main__":
    config.CUDA = os.environ.get("GPU") == "true"
    print({used})
"""


@pytest.mark.parametrize(
    ("imported", "used", "named"),
    [
        pytest.param("from work import make, use", "use(make())", False, id="by an importer"),
        pytest.param("", "config", True, id="by another program"),
    ],
)
def test_a_device_at_the_top_asks_no_option_that_is_set_later(
    imported: str, used: str, *, named: bool
) -> None:
    main = MAIN.format(imported=imported, used=used)
    facts = _of_program({"config.py": CONFIG, "work.py": WORK, "main.py": main})
    calls = facts["work.py"].calls.values()
    assert [call.device is not None for call in calls] == [named, named]
