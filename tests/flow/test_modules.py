"""Modules: which are moved, what their calls ask for, and what moves with them."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Final

import pytest

from devicefix.flow import FileFacts

Moves = Callable[[str], list[str]]

RANDN: Final = "FACTORY torch.randn(8, 3) => +device"


def test_a_module_that_is_used_on_data_is_moved_with_its_input(moves: Moves) -> None:
    program = "net = nn.Linear(3, 1)\nprint(net(torch.randn(8, 3)))\n"
    assert moves(program) == ["MODULE nn.Linear(3, 1) -> +device", RANDN]


def test_what_numpy_reads_of_its_output_comes_back(moves: Moves) -> None:
    program = """
        net = nn.Linear(3, 1)
        out = net(torch.from_numpy(np.ones((8, 3), dtype="float32")))
        print(out.detach().numpy())
        """
    assert moves(program) == [
        "MODULE nn.Linear(3, 1) -> +device",
        "DATA torch.from_numpy(np.ones((8, 3), dtype='float32')) -> +device",
        "HOST_READ out.detach() -> cpu",
    ]


def test_a_module_that_is_only_built_stays(moves: Moves) -> None:
    assert moves("net = nn.Linear(3, 1)\nprint(net)\n") == []


@pytest.mark.parametrize("move", ["net = net.to('cuda')", "net.cuda()", "net.to('cuda')"])
def test_a_module_that_the_program_moves_is_not_moved_again(moves: Moves, move: str) -> None:
    program = f"net = nn.Linear(3, 1)\n{move}\nprint(net(torch.randn(8, 3)))\n"
    assert moves(program) == [RANDN]


def test_a_program_that_chose_the_cpu_is_left_alone(moves: Moves) -> None:
    program = """
        device = torch.device("cpu")
        net = nn.Linear(3, 1).to(device)
        print(net(torch.randn(8, 3)))
        """
    assert moves(program) == []


@pytest.mark.parametrize(
    ("base", "reads"),
    [("Linear", ["net.weight.detach() -> cpu"]), ("Conv2d", ["net.weight.detach() -> cpu"])]
    + [(base, []) for base in ("Module", "Dropout", "Sequential")],
)
def test_a_class_has_the_weight_of_the_layer_that_it_inherits_from(
    moves: Moves, base: str, reads: list[str]
) -> None:
    program = f"""
        class Own(nn.{base}):
            pass
        net = Own(3, 1, 1).cuda()
        print(net.weight.detach().numpy())
        """
    assert moves(program) == [f"HOST_READ {read}" for read in reads]


CLASSES: Final = {
    "layers": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 1)
            def forward(self, x):
                return self.fc(x)
        """,
    "old-style super": """
        class Net(nn.Module):
            def __init__(self):
                super(Net, self).__init__()
                self.fc = nn.Linear(3, 1)
            def forward(self, x):
                return F.relu(self.fc(x))
        """,
    "inherited": """
        class Base(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.fc = nn.Linear(n, 1)
            def forward(self, x):
                return self.fc(self.prepare(x))
            def prepare(self, x):
                return x
        class Net(Base):
            def __init__(self):
                super().__init__(3)
            def prepare(self, x):
                return super().prepare(x) * 2
        """,
    "ModuleList": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        """,
    "ModuleList filled by append": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList()
                for _ in range(3):
                    self.layers.append(nn.Linear(3, 3))
            def forward(self, x):
                for i, layer in enumerate(self.layers):
                    x = layer(x)
                return x
        """,
    "ModuleDict": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 2)})
            def forward(self, x):
                return self.heads["a"](x)
        """,
    "Sequential inside": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
            def forward(self, x):
                return self.body(x)
        """,
    "module in a module": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 3)
            def forward(self, x):
                return self.fc(x)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()
            def forward(self, x):
                return self.block(x)
        """,
    "parameter and buffer": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.zeros(3))
                self.register_buffer("shift", torch.ones(3))
            def forward(self, x):
                return x * self.scale + self.shift
        """,
}


def without_indent(program: str) -> str:
    return program.replace("\n        ", "\n")


@pytest.mark.parametrize("definition", CLASSES.values(), ids=CLASSES.keys())
def test_one_move_takes_everything_inside_along(moves: Moves, definition: str) -> None:
    program = without_indent(definition) + "net = Net()\nprint(net(torch.randn(8, 3)))\n"
    assert moves(program) == ["MODULE Net() -> +device", RANDN]


def test_a_class_that_derives_from_a_layer(moves: Moves) -> None:
    program = """
        class Net(nn.Linear):
            def forward(self, x):
                return super().forward(x) * 2
        net = Net(3, 1)
        print(net(torch.randn(8, 3)))
        """
    assert moves(program) == ["MODULE Net(3, 1) -> +device", RANDN]


SEVERAL: Final = [
    pytest.param(
        """
        layers = []
        for i in range(3):
            layers += [nn.Linear(3, 3), nn.ReLU()]
        net = nn.Sequential(*layers)
        print(net(torch.randn(8, 3)))
        """,
        ["MODULE nn.Sequential(*layers) -> +device", RANDN],
        id="Sequential of a list",
    ),
    pytest.param(
        """
        from collections import OrderedDict
        net = nn.Sequential(OrderedDict([("fc", nn.Linear(3, 3))]))
        print(net(torch.randn(8, 3)))
        """,
        ["MODULE nn.Sequential(OrderedDict([('fc', nn.Linear(3, 3))])) -> +device", RANDN],
        id="Sequential of named layers",
    ),
    pytest.param(
        """
        nets = nn.ModuleDict(dict(a=nn.Linear(3, 1)))
        print(nets["a"](torch.randn(8, 3)))
        """,
        ["MODULE nn.ModuleDict(dict(a=nn.Linear(3, 1))) -> +device", RANDN],
        id="what a ModuleDict is made with moves with it",
    ),
    pytest.param(
        """
        nets = dict(zip(["a", "b"], [nn.Linear(3, 1), nn.Tanh()]))
        print(nets["a"](torch.randn(8, 3)), dict(nets)["b"])
        """,
        ["MODULE nn.Linear(3, 1) -> +device", RANDN],
        id="a dict of pairs",
    ),
    pytest.param(
        """
        import contextlib
        @contextlib.contextmanager
        def frozen(net):
            yield net.eval()
        class Timer:
            def __enter__(self):
                return nn.Linear(3, 2)
            def __exit__(self, *error): ...
        with frozen(nn.Linear(3, 1)) as net, Timer() as other:
            print(net(torch.randn(8, 3)), other)
        """,
        ["MODULE nn.Linear(3, 1) -> +device", RANDN],
        id="what a context gives",
    ),
    pytest.param(
        """
        net, seen = nn.Linear(3, 3), []
        net.register_forward_hook(lambda module, given, made: seen.append(made))
        net(torch.randn(8, 3))
        print(net(seen[0]), seen[0].numpy())
        """,
        [
            "MODULE nn.Linear(3, 3) -> +device",
            RANDN,
            "HOST_READ seen[0] -> cpu",
        ],
        id="what a hook is given is where the module is",
    ),
    pytest.param(
        """
        class Vector:
            def __init__(self, data):
                self.data = data
            def __add__(self, other):
                return Vector(self.data + other.data)
            def __radd__(self, other):
                return other + self.data
            def __imul__(self, number):
                return self
        v = Vector(torch.randn(8, 3)) + Vector(torch.ones(8, 3))
        v *= 2
        print(nn.Linear(3, 1)(0 + v))
        """,
        ["MODULE nn.Linear(3, 1) -> +device", "OPERAND 0 + v -> +device"],
        id="operators of a class",
    ),
    pytest.param(
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
        args = parser.parse_args()
        nets = [nn.Linear(3, 3) for _ in range(2)]
        print([net(torch.randn(8, 3).to(args.device)) for net in nets])
        """,
        ["MODULE nn.Linear(3, 3) -> args.device"],
        id="a device in a namespace, in a comprehension",
    ),
    pytest.param(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                layers = nn.ModuleList()
                for _ in range(2):
                    layers.append(nn.GRU(3, 3))
                self.layers = nn.Sequential(*layers)
            def forward(self, x):
                for i in range(2):
                    x, _ = self.layers[i](x)
                return x + torch.ones(3)
        print(Net()(torch.randn(8, 3)))
        """,
        ["FACTORY torch.ones(3) => x.device", "MODULE Net() -> +device", RANDN],
        id="Sequential of a ModuleList",
    ),
    pytest.param(
        """
        nets = {"a": nn.Linear(3, 1), "b": nn.Linear(3, 2)}
        for name, net in nets.items():
            print(net(torch.randn(8, 3)))
        """,
        ["MODULE nn.Linear(3, 1) -> +device", "MODULE nn.Linear(3, 2) -> +device", RANDN],
        id="dict of modules",
    ),
    pytest.param(
        """
        nets = [nn.Linear(3, 1) for _ in range(3)]
        x = torch.randn(8, 3)
        for net in nets:
            print(net(x))
        """,
        ["MODULE nn.Linear(3, 1) -> +device", RANDN],
        id="list of modules",
    ),
    pytest.param(
        """
        encoder, decoder = nn.Linear(3, 2), nn.Linear(2, 3)
        print(decoder(encoder(torch.randn(8, 3))))
        """,
        ["MODULE nn.Linear(3, 2) -> +device", "MODULE nn.Linear(2, 3) -> +device", RANDN],
        id="two modules in a row",
    ),
    pytest.param(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Linear(3, 3) for _ in range(3)]
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        print(Net()(torch.randn(8, 3)))
        """,
        ["MODULE nn.Linear(3, 3) -> +device", RANDN],
        id="modules in a plain list do not move with their owner",
    ),
    pytest.param(
        """
        import copy
        net = nn.Linear(3, 1)
        target = copy.deepcopy(net)
        x = torch.randn(8, 3)
        print((net(x) - target(x)).sum())
        """,
        ["MODULE nn.Linear(3, 1) -> +device", RANDN],
        id="a copy lives where the original was",
    ),
    pytest.param(
        """
        def build():
            return nn.Sequential(nn.Linear(3, 1))
        def main():
            net = build()
            print(net(torch.randn(8, 3)))
        main()
        """,
        ["MODULE build() -> +device", RANDN],
        id="built in a function",
    ),
    pytest.param(
        "import torchvision\nnet = torchvision.models.resnet18()\nprint(net(torch.randn(8, 3)))\n",
        ["MODULE torchvision.models.resnet18() -> +device", RANDN],
        id="built by a library of the torch world",
    ),
    pytest.param(
        """
        net = nn.Linear(3, 2)
        criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
        print(criterion(net(torch.randn(8, 3)), torch.zeros(8).long()))
        """,
        [
            "MODULE nn.Linear(3, 2) -> +device",
            "LOSS torch.tensor([1.0, 2.0]) => +device",
            RANDN,
            "FACTORY torch.zeros(8) => +device",
        ],
        id="the weight of a loss",
    ),
    pytest.param(
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = net(torch.randn(8, 3)).sum()
        loss.backward()
        optimizer.step()
        torch.save(net.state_dict(), "net.pt")
        print(loss.item())
        """,
        ["MODULE nn.Linear(3, 1) -> +device", RANDN],
        id="optimizers and state follow",
    ),
]


@pytest.mark.parametrize(("program", "expected"), SEVERAL)
def test_modules_wherever_they_are_built(moves: Moves, program: str, expected: list[str]) -> None:
    assert moves(program) == expected


MASKED: Final = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        return self.fc(x) + torch.ones(3)
"""


def test_what_forward_makes_follows_its_argument(moves: Moves) -> None:
    assert moves(MASKED + "net = Net()\nprint(net(torch.randn(8, 3)))\n") == [
        "FACTORY torch.ones(3) => x.device",
        "MODULE Net() -> +device",
        RANDN,
    ]


def test_a_class_that_this_file_only_defines(moves: Moves) -> None:
    assert moves(MASKED) == ["FACTORY torch.ones(3) => x.device"]


def test_two_host_operands_are_moved_before_they_meet(moves: Moves) -> None:
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 1)
            def forward(self, x):
                return self.fc(x * torch.ones(3))
        net = Net()
        print(net(torch.randn(8, 3)))
        """
    assert moves(program) == [
        "FACTORY torch.ones(3) => x.device",
        "MODULE Net() -> +device",
        RANDN,
    ]


def test_a_plain_tensor_attribute_becomes_a_buffer(moves: Moves) -> None:
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 3)
                self.mask = torch.ones(3)
            def forward(self, x):
                return self.fc(x) * self.mask
        net = Net()
        print(net(torch.randn(8, 3)))
        """
    buffer = "BUFFER mask in self.mask = torch.ones(3) -> cpu"
    assert moves(program) == [buffer, "MODULE Net() -> +device", RANDN]


def test_heavy_arithmetic_anchors_a_program_without_modules(moves: Moves) -> None:
    program = "a = torch.randn(99, 99)\nb = a @ a\nprint(b.sum().item())\n"
    assert moves(program) == ["FACTORY torch.randn(99, 99) => +device"]


@pytest.mark.parametrize(
    "program",
    [
        "a = torch.randn(99)\nprint((a + 1).sum().item())\n",
        "a = torch.randn(99, 99, device='cpu')\nprint(a @ a)\n",
    ],
    ids=["light arithmetic", "the program says where"],
)
def test_other_programs_without_modules_are_left_alone(moves: Moves, program: str) -> None:
    assert moves(program) == []


PROBE: Final = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3){move}
            {probe}
            self.fc = nn.Linear(size, 2)
        def forward(self, x):
            return self.fc(self.conv(x).flatten(1))
    net = Net()
    net(torch.ones(2, 3, 8, 8))
    """


@pytest.mark.parametrize(
    "probe",
    [
        "size = self.conv(torch.zeros(1, 3, 8, 8)).numel()",
        "size = (self.conv.weight * torch.zeros(4, 3, 3, 3)).numel()",
        "self.conv.weight.data += torch.zeros(4, 3, 3, 3); size = 144",
    ],
)
def test_a_module_that_is_being_built_is_on_the_host(moves: Moves, probe: str) -> None:
    assert moves(PROBE.format(move="", probe=probe)) == [
        "MODULE Net() -> +device",
        "FACTORY torch.ones(2, 3, 8, 8) => +device",
    ]


def test_a_layer_that_the_constructor_moves_is_not(moves: Moves) -> None:
    probe = "size = self.conv(torch.zeros(1, 3, 8, 8)).numel()"
    found = moves(PROBE.format(move=".cuda()", probe=probe))
    # the other layer stays where it is: who has written that may have had a reason
    assert "OPERAND torch.zeros(1, 3, 8, 8) -> +device?" in found


NAMED_PARTS: Final = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleDict({parts})
        def forward(self, i):
            x = {embed}
            for block in {blocks}:
                x = block(x)
            return x
    net = Net()
    print(net(torch.zeros(2, 3, dtype=torch.long)))
    """


@pytest.mark.parametrize(
    ("parts", "embed", "blocks"),
    [
        ("dict(e=nn.Embedding(9, 4), h=nn.ModuleList([L]))", "self.parts.e(i)", "self.parts.h"),
        (
            "{'e': nn.Embedding(9, 4), 'h': nn.ModuleList([L])}",
            "self.parts['e'](i)",
            "self.parts['h']",
        ),
    ],
)
def test_the_keys_of_a_module_dict_are_its_parts(
    facts: Callable[[str], FileFacts], parts: str, embed: str, blocks: str
) -> None:
    found = facts(
        NAMED_PARTS.replace("{parts}", parts.replace("L]", "nn.Linear(4, 4)]"))
        .replace("{embed}", embed)
        .replace("{blocks}", blocks)
    )
    assert found.clashes == ()
    assert [(t.offence.name, t.unsafe) for t in found.transfers] == [
        ("MODULE", ""),
        ("FACTORY", ""),
    ]


def test_a_container_that_was_not_seen_says_nothing_of_the_dtype(
    facts: Callable[[str], FileFacts],
) -> None:
    program = """
        from parts import make
        net = nn.ModuleDict(make())
        head = nn.Linear(4, 1)
        print(head(net.embed(torch.zeros(2, 3, dtype=torch.long))))
        """
    assert facts(program).clashes == ()


def test_a_module_whose_weights_alone_are_used_stays(moves: Moves) -> None:
    program = """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        class Old(nn.Module):
            def __init__(self):
                super().__init__()
                self.core = nn.Linear(3, 3)
                self.head = nn.Linear(3, 1)
            def forward(self, x):
                return self.head(self.core(x))
        net = nn.Linear(3, 3).to(device)
        old = Old()
        old.load_state_dict(torch.load("old.pt", map_location="cpu"))
        net.load_state_dict({k: v for k, v in old.core.state_dict().items()})
        print(net(torch.ones(3, device=device)))
        """
    assert moves(program) == []


OWN_PARTS: Final = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.core = nn.Linear(3, 3)
        self.head = nn.Linear(3, 1)
    def body(self):
        return nn.Sequential(self.core, nn.ReLU())
    def forward(self, x):
        return self.head(self.body()(x))
net = Net()
print(net(torch.randn(8, 3)))
"""


def test_what_a_method_puts_into_a_container_stays_a_part_of_its_module(moves: Moves) -> None:
    assert moves(OWN_PARTS) == ["MODULE Net() -> +device", RANDN]


@pytest.mark.parametrize("use", ["net.body()", "net.body()[0]"])
def test_who_uses_borrowed_parts_uses_the_module(moves: Moves, use: str) -> None:
    program = OWN_PARTS.replace("print(net(", f"print({use}(")
    assert moves(program) == ["MODULE Net() -> +device", RANDN]


MADE: Final = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.core = nn.Linear(3, 3)
    def forward(self, x):
        return self.core(x)
def make():
    net = Net()
    {first}
    return net
def train():
    net = make()
    print(net(torch.randn(8, 3)))
if __name__ == "__main__":
    {then}
    net = make()
    print(net(torch.randn(8, 3)))
"""


@pytest.mark.parametrize(
    ("first", "then", "place"),
    [
        ("", "", "make()"),
        ("net(torch.randn(8, 3))", "", "Net()"),
        ("", "train()", "make()"),
    ],
    ids=["made only", "used by its maker", "used by another function"],
)
def test_where_a_module_is_moved_that_a_function_makes(
    moves: Moves, first: str, then: str, place: str
) -> None:
    program = MADE.replace("{first}", first or "pass").replace("{then}", then or "pass")
    if not then:
        program = program.replace("net = make()\n    print(net(torch.randn(8, 3)))\nif", "pass\nif")
    assert f"MODULE {place} -> +device" in moves(program)


def test_a_module_that_is_only_made_is_not_moved(moves: Moves) -> None:
    """`small` is tried out by a function that nobody calls; what `big` makes, nobody uses."""
    program = """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.core = nn.Linear(3, 3)
            def forward(self, x):
                return self.core(x)
        class Net(nn.Module):
            def __init__(self, counts):
                super().__init__()
                self.body = self.row(counts[0])
                self.head = self.row(counts[1])
            def row(self, count):
                blocks = []
                for _ in range(count):
                    blocks.append(Block())
                return nn.Sequential(*blocks)
            def forward(self, x):
                return self.head(self.body(x))
        def small():
            return Net([1, 1])
        def wide():
            return Net([1, 2])
        def deep():
            return Net([2, 2])
        def large():
            return Net([3, 3])
        def huge():
            return Net([4, 4])
        def best():
            return Net([5, 5])
        def big():
            net = Net([9, 9])
            return net
        def test():
            net = small()
            print(net(torch.randn(8, 3)))
        """
    assert moves(program) == ["MODULE small() -> +device", RANDN]


def test_what_a_condition_says_of_an_attribute_is_not_set(moves: Moves) -> None:
    """`reset` reads the parameter before the module is moved; `forward` does so afterwards."""
    program = """
        class Layer(nn.Module):
            def __init__(self, size, bias=True):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(size, size))
                if bias:
                    self.bias = nn.Parameter(torch.zeros(size))
                else:
                    self.register_parameter("bias", None)
                self.reset()
            def reset(self):
                if self.bias is not None:
                    self.bias.data.uniform_(-1, 1)
            def forward(self, x):
                x = torch.mm(x, self.weight)
                if self.bias is not None:
                    return x + self.bias
                return x
        """
    assert moves(program) == []


def test_a_module_that_is_quantized_is_left_to_a_person(
    facts: Callable[[str], FileFacts],
) -> None:
    """Its kernels are those of the CPU, whatever else the program has."""
    found = facts(
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 1)\n"
        "        self.quant = torch.ao.quantization.QuantStub()\n"
        "    def forward(self, x):\n        return self.fc(self.quant(x))\n"
        "net = Net()\nprint(net(torch.zeros(3)))\n"
    )
    assert found.transfers
    assert all(transfer.unsafe for transfer in found.transfers)


def test_a_weight_that_two_layers_share_travels_with_them(moves: Moves) -> None:
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Embedding(5, 3)
                self.decoder = nn.Linear(3, 5)
                self.decoder.weight = self.encoder.weight
            def forward(self, x):
                return self.encoder(x)
        net = Net().to("cuda")
        out = net(torch.zeros(2, dtype=torch.long, device="cuda"))
        print((out @ net.decoder.weight.t() + net.decoder.bias).sum())
        """
    assert moves(program) == []


def test_a_layer_beside_a_tensor_from_nowhere_is_left(moves: Moves) -> None:
    program = """
        from somewhere import make
        net = nn.Linear(3, 1)
        print(net(torch.randn(8, 3)))
        print(net(make().unsqueeze(0)))
        """
    assert moves(program) == ["MODULE nn.Linear(3, 1) -> +device?", f"{RANDN}?"]


@pytest.mark.parametrize("hidden", ["self.find(x)", "self.find(x).unsqueeze(0)"])
def test_what_another_constructor_made_is_there_while_this_one_runs(
    moves: Moves, hidden: str
) -> None:
    """It went to a tensor from nowhere, and the module around it where a caller wants it."""
    program = f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
            def forward(self, x):
                return self.net(x)
        class Wrapper(nn.Module):
            def make(self, hidden):
                return Net().to(hidden)
            def forward(self, x):
                hidden = {hidden}
                return self.make(hidden)(hidden)
        class Trainer(nn.Module):
            def __init__(self, device):
                super().__init__()
                self.student = Wrapper()
                self.register_buffer("centers", torch.zeros(1, 3))
                self.to(device)
                self.forward(torch.randn(2, 3, device=device))
            def forward(self, x):
                return loss(self.student(x), self.centers)
        def loss(found, centers):
            return (found - centers).mean()
        """
    assert moves(program) == []


@pytest.mark.parametrize("parts", [1, 14])
def test_what_a_factory_makes_is_no_part_of_what_the_main_block_makes(
    moves: Moves, parts: int
) -> None:
    """Importers of the factory get their modules on the CPU, as before."""
    program = f"""
        class Cell(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.fc = nn.Linear(n, n)
            def forward(self, x):
                return self.fc(x)
        class Net(nn.Module):
            def __init__(self, n=3):
                super().__init__()
                {"; ".join(f"self.cell{i} = Cell(n)" for i in range(parts))}
            def forward(self, x):
                return self.cell0(x)
        def net(n):
            if n > 3:
                model = Net(n)
                model.n = n
            else:
                model = Net()
            return model
        if __name__ == "__main__":
            model = Net()
            print(model(torch.randn(8, 3)))
        """
    assert moves(program) == ["MODULE Net() -> +device", RANDN]


def test_what_is_made_without_cuda_is_not_moved_where_cards_are_chosen(moves: Moves) -> None:
    program = """
        net = nn.Linear(3, 2)
        if gpu >= 0:
            with torch.cuda.device(gpu):
                net = net.cuda()
        if gpu >= 0:
            with torch.cuda.device(gpu):
                h = torch.zeros(1, 3).cuda()
                x = torch.randn(1, 3).cuda()
        else:
            h = torch.zeros(1, 3)
            x = torch.randn(1, 3)
        print(net(x + h))
        """
    assert moves(f"gpu = int(input())\n{dedent(program)}") == []


def test_old_names_for_the_tensors_of_a_dataset(moves: Moves) -> None:
    program = """
        data = TensorDataset(data_tensor=torch.randn(8, 3), target_tensor=torch.zeros(8, 1))
        net = nn.Linear(3, 1)
        for x, y in DataLoader(data):
            print(net(x) - y)
        """
    assert moves(program) == [
        "MODULE nn.Linear(3, 1) -> +device",
        "BATCH x in for x, y in DataLoader(data): -> +device",
        "BATCH y in for x, y in DataLoader(data): -> +device",
    ]


def test_what_a_state_holds_is_not_bound_anew_where_it_is_written(moves: Moves) -> None:
    program = """
        def load(net, arrays):
            for name, value in net.state_dict().items():
                value.copy_(torch.from_numpy(arrays[name]))
        first = nn.Linear(3, 1)
        load(first, np.load("first.npz"))
        first.cuda()
        second = nn.Linear(3, 1).cuda()
        load(second, np.load("second.npz"))
        print(first(torch.zeros(3, device="cuda")) + second(torch.zeros(3, device="cuda")))
        """
    assert not [line for line in moves(program) if " in for " in line]


@pytest.mark.parametrize(("saved", "doubt"), [("net", "?"), ("net.state_dict()", "")])
def test_a_module_that_is_saved_as_a_whole(moves: Moves, saved: str, doubt: str) -> None:
    """Who loads it, perhaps in another program, gets it where it was."""
    program = f"""
        net = nn.Linear(3, 1)
        print(net(torch.randn(8, 3)))
        torch.save({saved}, "net.pkl")
        """
    assert moves(program) == [f"MODULE nn.Linear(3, 1) -> +device{doubt}", f"{RANDN}{doubt}"]


def test_a_layer_that_is_a_default_ties_no_modules_together(moves: Moves) -> None:
    program = """
        class Gen(nn.Module):
            def __init__(self, act=nn.ReLU()):
                super().__init__()
                self.fc = nn.Linear(3, 3)
                self.act = act
            def forward(self, x):
                return self.act(self.fc(x))
        def load(path):
            gen = Gen()
            gen.load_state_dict(torch.load(path, "cpu"))
            return gen
        gen = Gen().to("cuda")
        print(gen(torch.zeros(5, 3, device="cuda")))
        """
    assert moves(program) == []


_ASKED_AGAIN: Final = [
    """
        if not self.gpu:
            return self.net(z)
        return self.net(z.{0})
    """,
    """
        if self.gpu:
            return self.net(z.{0})
        return self.net(z)
    """,
    """
        if self.gpu:
            return self.net(z.{0})
        else:
            return self.net(z)
    """,
]


@pytest.mark.parametrize("show", _ASKED_AGAIN)
@pytest.mark.parametrize("move", ["cuda()", "to(device)"])
def test_what_an_option_leaves_on_the_cpu_is_left_wherever_it_is_asked(
    moves: Moves, show: str, move: str
) -> None:
    """Before its calls are rewritten and after."""
    program = f"""
import argparse
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Trainer:
    def __init__(self, gpu):
        self.gpu = gpu
        self.net = nn.Linear(3, 1)
        if self.gpu:
            self.net.{move}
    def show(self):
        z = torch.randn(8, 3)
{show.format(move)}
parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
print(Trainer(parser.parse_args().gpu).show())
"""
    assert moves(program) == []


def test_what_a_function_is_given_is_no_option_of_all(moves: Moves) -> None:
    program = """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 3)
            def forward(self, x, reverse):
                if reverse:
                    x = x.flip(0)
                else:
                    x = x + torch.ones(3)
                return self.fc(x)
        def load(batch, reverse):
            if reverse:
                batch = batch.cuda()
            return batch
        net = Net()
        for i in range(3):
            print(net(torch.randn(8, 3), i % 2))
        """
    assert any("torch.ones(3)" in move for move in moves(program))


AVERAGED = """
        from copy import deepcopy
        class Averaged(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.module = deepcopy(model)
            def forward(self, x):
                return self.module(x)
        def update(averaged, model):
            for old, new in zip(averaged.parameters(), model.parameters()):
                old.data.copy_(0.9 * old + 0.1 * new)
        model = nn.Linear(3, 2)
        {0}
        averaged = Averaged(model)
        {1}
        x = torch.randn(8, 3)
        print(model({2}), averaged({2}))
        update(averaged, model)
        """


@pytest.mark.parametrize(
    ("before", "after", "given", "expected"),
    [
        ('model.to("cuda")', "pass", 'x.to("cuda")', []),
        ("pass", 'model.to("cuda")', 'x.to("cuda")', ["MODULE nn.Linear(3, 2) -> +device"]),
        ("pass", "pass", "x", ["MODULE nn.Linear(3, 2) -> +device", RANDN]),
    ],
    ids=["copied on the device", "copied on the CPU", "nothing moves"],
)
def test_a_module_that_holds_a_copy_is_where_the_original_was(
    moves: Moves, before: str, after: str, given: str, expected: list[str]
) -> None:
    assert moves(AVERAGED.format(before, after, given)) == expected


@pytest.mark.parametrize(
    "own",
    [
        "nn.Parameter(torch.ones(1))",
        "nn.Linear(3, 2)",
        "self.register_buffer('scale', torch.ones(1))",
    ],
)
def test_a_module_that_has_more_than_a_copy_is_moved(moves: Moves, own: str) -> None:
    text = AVERAGED.replace(
        "deepcopy(model)\n", f"deepcopy(model)\n                self.own = {own}\n"
    )
    assert moves(text.format('model.to("cuda")', "pass", 'x.to("cuda")')) == [
        "MODULE Averaged(model) -> +device"
    ]
