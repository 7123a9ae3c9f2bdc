"""Who has to live beside whom: 0-dim operands, indices, in-place writes, reads by the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts

Facts = Callable[[str], FileFacts]
Moves = Callable[[str], list[str]]

OUT: Final = "y = model(torch.ones(3, device=device))\n"
"""A tensor on the device."""

BESIDE: Final = [
    pytest.param("print(y + torch.zeros(1))\n", ["FACTORY torch.zeros(1) => device"], id="plus"),
    pytest.param("print(y > torch.zeros(1))\n", ["FACTORY torch.zeros(1) => device"], id="compare"),
    pytest.param(
        "print(torch.cat([y, torch.zeros(1)]))\n", ["FACTORY torch.zeros(1) => device"], id="cat"
    ),
    pytest.param(
        "print(torch.einsum('i,i->', y, torch.ones(1)))\n",
        ["FACTORY torch.ones(1) => device"],
        id="einsum",
    ),
    pytest.param(
        "print(y.clamp(torch.zeros(1), torch.ones(1)))\n",
        ["FACTORY torch.zeros(1) => device", "FACTORY torch.ones(1) => device"],
        id="arguments of a method",
    ),
    pytest.param(
        "print(y.masked_fill(torch.ones(1).bool(), 0.0))\n",
        ["FACTORY torch.ones(1) => device"],
        id="mask",
    ),
    pytest.param(
        "print(F.mse_loss(y, torch.zeros(1)))\n", ["FACTORY torch.zeros(1) => device"], id="loss"
    ),
    pytest.param(
        "print(model.weight.matmul(torch.ones(3, 1)))\n",
        ["FACTORY torch.ones(3, 1) => device"],
        id="a parameter of a module",
    ),
    pytest.param(
        "for p in model.parameters():\n    p.data.add_(torch.randn(3))\n",
        ["FACTORY torch.randn(3) => device"],
        id="all its parameters",
    ),
    pytest.param("print(y + torch.zeros_like(y) + y.new_zeros(1))\n", [], id="follow already"),
    pytest.param(
        "print(y + torch.ones(1).to(y.device) + torch.ones(1).type_as(y))\n",
        [],
        id="follow by device and by type",
    ),
    pytest.param("print(y.cpu() + torch.ones(1))\n", [], id="both on the host"),
]


@pytest.mark.parametrize(("program", "expected"), BESIDE)
def test_operands_live_together(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(OUT + program) == expected


ZERO_DIM: Final = [
    pytest.param("print(y * torch.tensor(2.0))\n", [], id="factor"),
    pytest.param("print(y + torch.zeros(3).sum())\n", [], id="reduced"),
    pytest.param("print(torch.where(y > 0, y, torch.tensor(0.0)))\n", [], id="where"),
    pytest.param("y += torch.tensor(2.0)\nprint(y)\n", [], id="operand of an in-place operation"),
    pytest.param(
        "total = torch.tensor(0.0)\ntotal += y.sum()\nprint(total)\n",
        ["FACTORY torch.tensor(0.0) => device"],
        id="target of an in-place operation",
    ),
    pytest.param(
        "print(torch.stack([y.sum(), torch.tensor(2.0)]))\n",
        ["FACTORY torch.tensor(2.0) => device"],
        id="in stack",
    ),
]


@pytest.mark.parametrize(("program", "expected"), ZERO_DIM)
def test_a_0_dim_host_tensor_may_stand_beside_device_tensors(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    assert beside_model(OUT + program) == expected


INDEXING: Final = [
    pytest.param(
        "x = torch.ones(8, 3, device=device)\nprint(x[torch.randperm(8)])\n",
        [],
        id="host index into a device tensor",
    ),
    pytest.param(
        "table = torch.zeros(8, 3)\nprint(table[y.argmax()], table[y > 0])\n",
        ["FACTORY torch.zeros(8, 3) => device"],
        id="device index into a host tensor",
    ),
    pytest.param(
        "table = torch.zeros(1)\ntable[y > 0] = 1\nprint(table)\n",
        ["FACTORY torch.zeros(1) => device"],
        id="device mask written through",
    ),
    pytest.param(
        "print(y.gather(0, torch.zeros(1).long()))\n",
        ["FACTORY torch.zeros(1) => device"],
        id="gather is no indexing",
    ),
    pytest.param("print(['a', 'b'][y.argmax()])\n", [], id="index into a list"),
    pytest.param(
        "print(np.arange(9)[y.argmax(1)])\n",
        ["HOST_READ y.argmax(1) -> cpu"],
        id="index into an array",
    ),
    pytest.param("print(np.arange(9)[y.argmax()])\n", [], id="one index into an array"),
]


@pytest.mark.parametrize(("program", "expected"), INDEXING)
def test_indexing(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(OUT + program) == expected


IN_PLACE: Final = [
    pytest.param(
        "total = torch.zeros(1)\nfor i in range(3):\n    total += y\nprint(total)\n",
        ["FACTORY torch.zeros(1) => device"],
        id="the target moves, the result cannot",
    ),
    pytest.param(
        "total = torch.zeros(1)\ntotal.add_(y)\nprint(total)\n",
        ["FACTORY torch.zeros(1) => device"],
        id="method",
    ),
    pytest.param(
        "kept = torch.zeros(4, 1)\nfor i in range(4):\n    kept[i] = y\nprint(kept.numpy())\n",
        [],
        id="writing an item copies across devices",
    ),
    pytest.param(
        "kept = torch.zeros(1)\nkept.copy_(y)\nprint(kept.numpy())\n", [], id="copy_ does, too"
    ),
    pytest.param(
        """
        def fill(t):
            t.mul_(2)
        x = torch.ones(3)
        fill(x)
        model(x)
        """,
        ["FACTORY torch.ones(3) => device"],
        id="a function that writes into its argument",
    ),
    pytest.param(
        """
        def add(t):
            t += y
        total = torch.zeros(1)
        add(total)
        print(total)
        """,
        ["FACTORY torch.zeros(1) => device"],
        id="never a copy on the way into such a function",
    ),
    pytest.param(
        """
        for w in (torch.zeros(1), model.weight):
            nn.init.normal_(w)
        """,
        [],
        id="initialising needs no place",
    ),
    pytest.param(
        """
        w = torch.empty(1)
        nn.init.normal_(w)
        print(w + y)
        """,
        ["FACTORY torch.empty(1) => device"],
        id="what is initialised is made there",
    ),
    pytest.param(
        """
        total = torch.zeros(1)
        torch.add(y, 1, out=total)
        print(total)
        """,
        ["FACTORY torch.zeros(1) => device"],
        id="out",
    ),
    pytest.param(
        """
        most, where = torch.zeros(1), torch.zeros(2)
        torch.max(y, 0, keepdim=True, out=(most, where))
        print(most, where)
        """,
        ["FACTORY torch.zeros(1) => device", "FACTORY torch.zeros(2) => device"],
        id="out with two parts",
    ),
    pytest.param(
        """
        total = torch.zeros(1)
        F.relu(total, inplace=True)
        print(total + y)
        """,
        ["FACTORY torch.zeros(1) => device"],
        id="inplace=True",
    ),
    pytest.param(
        """
        def fill(t):
            nn.init.ones_(t)
        total = torch.zeros(1)
        fill(total)
        print(total + y)
        """,
        ["FACTORY torch.zeros(1) => device"],
        id="a function that initialises its argument",
    ),
]


@pytest.mark.parametrize(("program", "expected"), IN_PLACE)
def test_what_is_written_in_place_is_not_exchanged(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    dedented = program.replace("\n        ", "\n")
    assert beside_model(OUT + dedented) == expected


READS: Final = [
    pytest.param("print(y.detach().numpy())\n", ["HOST_READ y.detach() -> cpu"], id="numpy()"),
    pytest.param("print(np.mean(y.detach()))\n", ["HOST_READ y.detach() -> cpu"], id="np.mean"),
    pytest.param(
        "import matplotlib.pyplot as plt\nplt.plot(y.detach())\n",
        ["HOST_READ y.detach() -> cpu"],
        id="matplotlib",
    ),
    pytest.param(
        "from sklearn.metrics import accuracy_score\nprint(accuracy_score([0], y.argmax(dim=0)))\n",
        ["HOST_READ y.argmax(dim=0) -> cpu"],
        id="scikit-learn",
    ),
    pytest.param("print(y.item(), y.tolist(), float(y), f'{y}', len(y), y.shape)\n", [], id="free"),
    pytest.param("print(y.detach().cpu().numpy())\n", [], id="brought back already"),
    pytest.param(
        "x = torch.zeros(8, 3)\nprint(x.numpy())\nmodel(x)\n",
        ["OPERAND x -> device"],
        id="host data that NumPy reads, too, is moved at its use",
    ),
]


@pytest.mark.parametrize(("program", "expected"), READS)
def test_the_host_reads(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(OUT + program) == expected


DATA: Final = [
    pytest.param("torch.FloatTensor([1, 2, 3])", "DATA {} -> device", id="legacy constructor"),
    pytest.param("torch.Tensor([1, 2, 3]).view(1, 3)", "DATA {} -> device", id="view behind it"),
    pytest.param(
        "torch.from_numpy(np.ones(3)).float().unsqueeze(0)", "DATA {} -> device", id="cast and view"
    ),
    pytest.param(
        "torch.as_tensor(np.ones(3), dtype=torch.float32)", "FACTORY {} => device", id="as_tensor"
    ),
    pytest.param(
        "torch.randn(3, generator=torch.Generator())", "DATA {} -> device", id="host generator"
    ),
    pytest.param("torch.randn(3, pin_memory=True)", "DATA {} -> device", id="pinned"),
]


@pytest.mark.parametrize(("made", "expected"), DATA)
def test_where_device_cannot_be_given_a_transfer_follows(
    beside_model: Moves, made: str, expected: str
) -> None:
    assert beside_model(f"x = {made}\nmodel(x)\n") == [expected.format(made)]


PACKED: Final = """\
rnn = nn.GRU(3, 4).to(device)
packed = nn.utils.rnn.pack_padded_sequence(torch.randn(5, 2, 3), {lengths})
out, hidden = rnn(packed)
"""
RANDN: Final = "FACTORY torch.randn(5, 2, 3) => device"


def test_lengths_of_packed_sequences_stay_on_the_host(beside_model: Moves) -> None:
    assert beside_model(PACKED.format(lengths="torch.tensor([5, 3])")) == [RANDN]


def test_lengths_on_the_device_come_back(beside_model: Moves) -> None:
    program = "n = torch.tensor([5, 3], device=device)\n" + PACKED.format(lengths="n")
    assert beside_model(program) == [RANDN, "HOST_ARGUMENT n -> cpu"]


def test_the_lengths_that_unpacking_returns_are_on_the_host(beside_model: Moves) -> None:
    program = PACKED.format(lengths="[5, 3]") + (
        "padded, n = nn.utils.rnn.pad_packed_sequence(out)\n"
        "print(n.numpy(), padded.sum(0) / n.unsqueeze(1))\n"
    )
    assert beside_model(program) == [RANDN, "OPERAND n.unsqueeze(1) -> device"]


LOST: Final = [
    pytest.param("model.weight.grad.numpy()[:] = 1\n", id="gradient"),
    pytest.param("view = y.detach().numpy()\nview[0] = 1\nprint(y)\n", id="named view"),
    pytest.param("y.detach().numpy().fill(0)\nprint(y)\n", id="method of the array"),
]


@pytest.mark.parametrize("program", LOST)
def test_no_copy_is_written_into_instead_of_the_tensor(beside_model: Moves, program: str) -> None:
    reads = [line for line in beside_model(OUT + program) if "HOST_READ" in line]
    assert all(line.endswith("!") for line in reads)


SHARED: Final = [
    pytest.param("shared += 1\nprint(model(shared), a)\n", id="tensor written, array read"),
    pytest.param("a += 1\nprint(model(shared))\n", id="array written, tensor read"),
    pytest.param("a[0] = 1\nprint(model(shared))\n", id="item of the array written"),
]


@pytest.mark.parametrize("uses", SHARED)
def test_what_shares_its_memory_with_an_array_is_moved_at_its_use(
    beside_model: Moves, uses: str
) -> None:
    program = "a = np.zeros(3, dtype='float32')\nshared = torch.from_numpy(a)\n" + uses
    assert beside_model(program) == ["OPERAND shared -> device"]


@pytest.mark.parametrize(
    "call",
    [
        "F.ctc_loss(scores, targets, lengths, sizes)",
        "F.ctc_loss(scores, targets, target_lengths=sizes, input_lengths=lengths)",
        "torch.ctc_loss(scores, targets, lengths, sizes)",
        "nn.CTCLoss()(scores, targets, lengths, sizes)",
    ],
)
def test_lengths_of_a_ctc_loss_may_be_anywhere(beside_model: Moves, call: str) -> None:
    program = f"""
        scores = model(torch.randn(7, 2, 3)).log_softmax(2)
        targets = torch.tensor([[1, 2], [2, 0]])
        lengths, sizes = torch.tensor([7, 7]), torch.tensor([2, 1])
        print({call})
        """
    assert beside_model(program) == [
        "FACTORY torch.randn(7, 2, 3) => device",
        "FACTORY torch.tensor([[1, 2], [2, 0]]) => device",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "folder + '/' + name[0] + '_' + str(3) + '.png'",
        "'{}'.format(folder) + name[0]",
        "f'{folder}/' + name[0]",
        "name[0] + '.png'",
    ],
)
def test_what_is_added_to_a_string_is_a_string(beside_model: Moves, name: str) -> None:
    program = f"""
        import matplotlib.pyplot as plt
        from samples import Samples, folder
        for x, name in DataLoader(Samples()):
            plt.imsave({name}, model(x.to(device)).detach().cpu().numpy())
        """
    assert beside_model(program) == []


def test_what_was_not_seen_is_a_tensor_if_it_is_used_as_one(moves: Moves) -> None:
    program = """
        from somewhere import sample
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        def shifted(x):
            return x + torch.ones(3)
        net = nn.Linear(3, 3).to(device)
        print(shifted(net(sample().unsqueeze(0).to(device))))
        print(shifted(sample().unsqueeze(0).to(device)))
        """
    assert moves(program) == ["FACTORY torch.ones(3) => x.device"]


def test_a_tensor_whose_place_nobody_knows_makes_a_move_unsure(facts: Facts) -> None:
    program = """
        from somewhere import sample
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = nn.Linear(3, 3).to(device)
        x = torch.ones(3)
        print(x + sample().unsqueeze(0), net(x))
        """
    (transfer,) = facts(program).transfers
    assert "device is unknown" in transfer.unsafe


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("torch.sum(x, dim=k)", 0),
        ("torch.cat([x, x], k)", 0),
        ("F.interpolate(x, k)", 0),
        ("torch.gather(x, k, x)", 0),
        ("torch.clamp(x, k, 1)", 0),
        ("torch.matmul(x, k)", 1),
        ("torch.gather(x, 0, k)", 1),
        ("F.mse_loss(x, target=k)", 1),
    ],
)
def test_what_takes_no_tensor_is_at_no_place(moves: Moves, call: str, count: int) -> None:
    program = f"""
        import torch.nn.functional as F
        def host(values, k):
            x = torch.from_numpy(np.asarray(values))
            return {call}
        """
    assert len(moves(program)) == count


def test_a_gradient_is_asked_of_the_tensor_itself(beside_model: Moves) -> None:
    """A copy of it on the device would be no part of the graph."""
    program = """
        x = torch.zeros(8, 3).requires_grad_()
        print(x.detach().numpy())
        out = model(x.to(device)).sum(1)
        grad = torch.autograd.grad(out, x, grad_outputs=torch.ones(8), create_graph=True)[0]
        print(grad.norm(2, dim=1))
        """
    assert beside_model(program) == ["FACTORY torch.ones(8) => device"]


PICKED: Final = [
    pytest.param("print(data.y[model(x).argmax(1)])\n", ["OPERAND data.y -> device"], id="device"),
    pytest.param("print(model(x) * data.y[i])\n", ["OPERAND data.y[i] -> device"], id="CPU"),
]


@pytest.mark.parametrize(("program", "expected"), PICKED)
def test_an_index_on_the_device_picks_from_what_is_there(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    made = """
class Data(torch.utils.data.Dataset):
    def __init__(self):
        self.y = torch.ones(8)
    def __getitem__(self, i):
        return self.y[i]
data = Data()
x = torch.randn(8, 3, device=device)
i = torch.arange(8)
"""
    assert beside_model(made + program) == expected
