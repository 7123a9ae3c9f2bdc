"""What the host reads: where ``.cpu()`` is written, and where nothing has to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

HEAD: Final = "y = model(torch.ones(2, 3, device=device)).detach()\n"
PLOT: Final = "import matplotlib.pyplot as plt\n"


def moves_of(beside_model: Moves, program: str) -> list[str]:
    return beside_model(HEAD + program)


COLLECTED: Final = [
    pytest.param(
        "out = []\nfor i in range(3):\n    out.append(y.mean())\nnp.mean(out)\n",
        "y.mean()",
        id="append",
    ),
    pytest.param("np.mean([y.mean() for i in range(3)])\n", "y.mean()", id="comprehension"),
    pytest.param(
        "out = [y + i for i in range(3)]\nnp.stack(out)\n", "y + i", id="named comprehension"
    ),
    pytest.param(
        "out = {'a': y.mean(), 'b': 1}\nnp.round(out['a'])\n", "out['a']", id="read in a dict"
    ),
    pytest.param(
        "def both():\n    return y.mean(), y * 2\na, b = both()\nnp.array([a, 1])\nb.sum()\n",
        "a",
        id="a literal that is used at once",
    ),
    pytest.param(
        "def gen():\n    yield y.sum()\nnp.array(list(gen()))\n", "y.sum()", id="generator"
    ),
    pytest.param(
        "from collections import namedtuple\nStep = namedtuple('Step', 's v')\nmemory = []\n"
        "for i in range(3):\n    memory.append(Step(i, y.mean()))\n"
        "np.array([m.v for m in memory])\n",
        "y.mean()",
        id="named tuple",
    ),
    pytest.param(
        "rows = [(y.mean(), i) for i in range(3)]\na, b = zip(*rows)\nnp.array(a)\n",
        "y.mean()",
        id="zip",
    ),
    pytest.param(
        "class Meter:\n    def __init__(self):\n        self.seen = []\n"
        "    def add(self, value):\n        self.seen.append(value)\n"
        "    def mean(self):\n        return np.mean(self.seen)\n"
        "meter = Meter()\nmeter.add(y.mean())\nmeter.mean()\n",
        "value",
        id="list of an object",
    ),
]


@pytest.mark.parametrize(("program", "place"), COLLECTED)
def test_what_is_collected_for_the_host_is_brought_back_there(
    beside_model: Moves, program: str, place: str
) -> None:
    assert moves_of(beside_model, program) == [f"HOST_READ {place} -> cpu"]


READS: Final = [
    pytest.param(PLOT + "plt.plot(y)\n", ["y"], id="plot"),
    pytest.param(PLOT + "fig, ax = plt.subplots()\nax.plot(y)\n", ["y"], id="axes"),
    pytest.param(PLOT + "axs = plt.subplots(2, 2)[1]\naxs[0, 1].plot(y)\n", ["y"], id="grid"),
    pytest.param(
        PLOT + "for ax in plt.gcf().axes:\n    ax.imshow(y)\n", ["y"], id="axes of a figure"
    ),
    pytest.param(
        "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})\nframe['b'] = y[:, 0]\n",
        ["y[:, 0]"],
        id="column",
    ),
    pytest.param("out = np.zeros((3, 2))\nout[1] = y[:, 0]\n", ["y[:, 0]"], id="row"),
    pytest.param("out = np.zeros((4, 1))\nout[:2] = y\n", ["y"], id="rows"),
    pytest.param("out = np.zeros((3, 2))\nout[1] = y.mean()\n", ["y.mean()"], id="filled row"),
    pytest.param("np.float32(y.sum())\n", ["y.sum()"], id="float32()"),
    pytest.param("np.zeros(2)[y[:, 0] > 0]\n", ["y[:, 0] > 0"], id="mask of an array"),
    pytest.param("y * np.ones((2, 1))\n", ["y"], id="tensor times array"),
    pytest.param("np.ones((2, 1)) / y\n", ["y"], id="array by tensor"),
    pytest.param("y @ np.ones((1, 4))\n", ["y"], id="matrix product"),
    pytest.param("w = np.arange(2.0) * 2\nprint((y == w).sum())\n", ["y"], id="equal to array"),
    pytest.param("y / y.numpy()\n", ["y", "y"], id="its own array"),
    pytest.param("np.exp(y)\n", ["y"], id="ufunc"),
    pytest.param("np.clip(y, 0, 1)\n", ["y"], id="wrapped function"),
    pytest.param(
        "f = globals()['f' + 'g']\nnp.asarray(torch.exp(f(y)))\n",
        ["torch.exp(f(y))"],
        id="what a function looked up by name made of it",
    ),
]


@pytest.mark.parametrize(("program", "places"), READS)
def test_what_is_read_through_array(beside_model: Moves, program: str, places: list[str]) -> None:
    assert moves_of(beside_model, program) == [f"HOST_READ {p} -> cpu" for p in places]


ANYWHERE: Final = [
    pytest.param("np.zeros(y.shape), np.prod(y.size())\n", id="shapes"),
    pytest.param("np.sqrt(2.0) * y, y * np.float32(3), y / np.random.rand()\n", id="scalars"),
    pytest.param("np.ones(3).mean() * y, np.ones(3)[0] * y\n", id="scalars of arrays"),
    pytest.param("out = np.zeros(3)\nout[1] = y.mean()\n", id="a number into an array"),
    pytest.param("np.squeeze(y), np.ndim(y), np.float64(y.sum())\n", id="methods of the tensor"),
    pytest.param("['a', 'b'][y.argmax()], np.arange(3)[y.argmax()]\n", id="one index"),
    pytest.param("f'{y.mean():.2f} {y}', '%.2f' % y.mean(), '{}'.format(y)\n", id="strings"),
    pytest.param("y.tolist(), y.sum().item(), float(y.sum()), int(y.sum())\n", id="numbers"),
    pytest.param("sum([y.mean(), y.sum()]), max([y.mean(), y.sum()])\n", id="sum and max"),
    pytest.param("y[np.array([0, 1])], y[np.arange(2) > 0]\n", id="array as an index"),
    pytest.param("losses = [y.mean().item()]\nnp.mean(losses)\n", id="numbers in a list"),
    pytest.param(PLOT + "plt.title('%.2f' % y.mean())\nplt.show()\n", id="a title"),
]


@pytest.mark.parametrize("program", ANYWHERE)
def test_what_works_wherever_it_lives(beside_model: Moves, program: str) -> None:
    assert moves_of(beside_model, program) == []


def test_the_result_of_a_ufunc_goes_back_to_the_device(beside_model: Moves) -> None:
    assert moves_of(beside_model, "scale = np.exp(y)\nprint(scale * y)\n") == [
        "DATA np.exp(y) -> device",
        "HOST_READ y -> cpu",
    ]


def test_what_numpy_computes_goes_back_to_the_device(beside_model: Moves) -> None:
    program = "scaled = y * np.ones((2, 1), dtype=np.float32)\nprint(scaled + y)\n"
    assert moves_of(beside_model, program) == [
        "HOST_READ y -> cpu",
        "DATA y * np.ones((2, 1), dtype=np.float32) -> device",
    ]


def test_a_loss_is_computed_on_the_device_and_brought_back_when_stored(
    beside_model: Moves,
) -> None:
    program = """
        losses = []
        loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)))
        for x, t in loader:
            x = x.to(device)
            out = model(x).detach()
            losses.append(F.mse_loss(out, t))
        print(np.mean(losses))
        """
    assert beside_model(program) == [
        "BATCH t in for x, t in loader: -> device",
        "HOST_READ F.mse_loss(out, t) -> cpu",
    ]


WRITTEN: Final = [
    pytest.param("w = y.numpy()\nw[0] = 1\nprint(y)\n", id="item"),
    pytest.param("w = y.numpy()\nw += 1\nprint(y)\n", id="in place"),
    pytest.param("np.copyto(y.numpy(), np.zeros((2, 1)))\nprint(y)\n", id="copyto"),
    pytest.param("w = y.numpy()\nnp.add(w, 1, out=w)\nprint(y)\n", id="out"),
    pytest.param("w = y.numpy()\nw.clip(0, 1, out=w)\nprint(y)\n", id="out of a method"),
    pytest.param("w = y.numpy().reshape(2)\nw.sort()\nprint(y)\n", id="method of a view"),
    pytest.param("def poke(a):\n    a[0] = 1\npoke(y.numpy())\nprint(y)\n", id="a function"),
    pytest.param(
        "class Box:\n    pass\nbox = Box()\nbox.w = y.numpy()\ndef poke():\n"
        "    box.w[0] = 1\npoke()\nprint(y)\n",
        id="kept and written later",
    ),
    pytest.param("for p in model.parameters():\n    p.grad.numpy()[:] *= 0.5\n", id="a gradient"),
    pytest.param(
        "w = model.weight.data.numpy()\ntorch.optim.SGD(model.parameters(), 0.1).step()\n"
        "print(w)\n",
        id="parameters read after a step",
    ),
]


@pytest.mark.parametrize("program", WRITTEN)
def test_views_that_are_written_are_for_a_person(beside_model: Moves, program: str) -> None:
    found = moves_of(beside_model, program)
    assert found
    assert all(line.startswith("HOST_READ") and line.endswith("!") for line in found)


def test_a_view_made_after_the_write_is_a_read(beside_model: Moves) -> None:
    program = "y.add_(1)\nw = y.numpy()\nprint(w.sum())\n"
    assert moves_of(beside_model, program) == ["HOST_READ y -> cpu"]
