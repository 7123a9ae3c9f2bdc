"""A file that others import gets no name at its top that only loading, or a trial of it, needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine import apply
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

MODEL = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.last(x)


def pretrained(path):
    net = Net()
    net.load_state_dict(torch.load(path))
    return net


if __name__ == "__main__":
    net = Net()
    print(net(torch.randn(2, 3)).shape)
"""
MAIN = """\
import torch
from model import pretrained

net = pretrained("net.pt").cuda()
print(net(torch.ones(2, 3).cuda()).sum().item())
"""


def test_what_only_loads_and_tries_what_it_defines_gets_no_device(tree: Tree) -> None:
    files = apply([tree({"model.py": MODEL, "main.py": MAIN})], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    assert new["model.py"] == MODEL.replace("(path))", '(path, map_location="cpu"))')
    assert 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in new["main.py"]


LEARNS = (
    MODEL.partition("def pretrained")[0]
    + """\
if __name__ == "__main__":
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        net(torch.randn(2, 3)).mean().backward()
        optimizer.step()
"""
)


def test_a_trial_may_learn_from_numbers_that_it_makes_up(tree: Tree) -> None:
    importer = "from model import Net\n\nprint(Net())\n"
    root = tree({"model.py": LEARNS, "main.py": importer})
    assert not apply([root], Settings()).changes
    kept = LEARNS + '    torch.save(net.state_dict(), "net.pt")\n'
    root = tree({"model.py": kept, "main.py": importer})
    assert [Path(result.path).name for result, _ in apply([root], Settings()).changes]


BASE = """\
import torch


class Trainer:
    def __init__(self, path):
        self.start()
        self.load(path)

    def load(self, path):
        self.net.load_state_dict(torch.load(path))
"""
HEIR = """\
import torch
from base import Trainer


class Fitting:
    def __init__(self, device=torch.device("cuda")):
        self.device = device


class Fitter(Trainer):
    def start(self):
        self.fitting = Fitting()
        self.net = torch.nn.Linear(3, 1).to(self.fitting.device)


Fitter("net.pt")
"""


def test_no_attribute_is_read_that_only_another_class_defines(tree: Tree) -> None:
    files = apply([tree({"base.py": BASE, "heir.py": HEIR})], Settings(), dry_run=True).files
    (base,) = [f.change.after.decode() for f in files if f.change and f.path.endswith("base.py")]
    assert base == BASE.replace("(path))", '(path, map_location="cpu"))')


RESUMED = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def validate(model):
    print(model(torch.ones(2, 3, device=device)).shape)


if __name__ == "__main__":
    model = nn.Linear(3, 1)
    checkpoint = torch.load("model.pt")
    model.load_state_dict(checkpoint)
    model.to(device)
    validate(model)
"""
IMPORTER = """\
import torch
from evaluate import device, validate

validate(torch.nn.Linear(3, 1).to(device))
"""


def test_what_a_main_block_binds_no_importer_reads(tree: Tree) -> None:
    folder = tree({"evaluate.py": RESUMED, "compare.py": IMPORTER})
    files = apply([folder], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    loaded = 'torch.load("model.pt", map_location=device)'
    assert new == {"evaluate.py": RESUMED.replace('torch.load("model.pt")', loaded)}


LOSS = """\
import torch


def similarity(x):
    return x @ x.transpose(1, 0)


class Loss(torch.nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, x):
        return x - self.margin


if __name__ == "__main__":
    print(Loss(0.25)(similarity(torch.rand(4, 3))))
"""
USER = """\
import torch
from loss import Loss, similarity

loss = Loss(0.5).cuda()
print(loss(similarity(torch.ones(2, 3).cuda())))
"""


def test_arithmetic_that_is_only_tried_asks_for_no_device(tree: Tree) -> None:
    files = apply([tree({"loss.py": LOSS, "user.py": USER})], Settings(), dry_run=True).files
    assert [Path(f.path).name for f in files if f.change is not None] == ["user.py"]


GAN = """\
import torch
from torch import nn


class Gan:
    def __init__(self, args):
        self.gpu_mode = args.gpu_mode
        self.net = nn.Linear(3, 1)
        if self.gpu_mode:
            self.net.cuda()
        self.noise = torch.rand(8, 3)
        if self.gpu_mode:
            self.noise = self.noise.cuda()

    def sample(self):
        samples = self.net(self.noise)
        if self.gpu_mode:
            samples = samples.cpu().data.numpy()
        else:
            samples = samples.data.numpy()
        return samples
"""
PORTED = """\
import torch
from torch import nn


class Gan:
    def __init__(self, args):
        self.gpu_mode = args.gpu_mode
        self.device = torch.device("cuda" if self.gpu_mode and torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(3, 1)
        self.net.to(self.device)
        self.noise = torch.rand(8, 3)
        self.noise = self.noise.to(self.device)

    def sample(self):
        samples = self.net(self.noise)
        if self.gpu_mode:
            samples = samples.cpu().data.numpy()
        else:
            samples = samples.data.numpy()
        return samples
"""
RUN = """\
import argparse

from gan import Gan

parser = argparse.ArgumentParser()
parser.add_argument("--gpu_mode", action="store_true")
print(Gan(parser.parse_args()).sample().shape)
"""


def test_an_option_is_ported_where_an_object_keeps_what_it_moves(tree: Tree) -> None:
    files = apply([tree({"gan.py": GAN, "run.py": RUN})], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    assert new == {"gan.py": PORTED}


PYRAMID = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.net = nn.Linear(3, 3)
        self.down = nn.AvgPool1d(1)

    def forward(self, x):
        found = [x]
        for i in range(self.n):
            found.append(self.down(found[-1]))
        return self.net(found[-1])
"""
BYTES = """\
import sys
import torch
from net import Net

edge = torch.zeros(3, 3, dtype=torch.uint8)
if len(sys.argv) > 1:
    edge = torch.cat((edge, torch.ones(3, 3, dtype=torch.uint8)))
Net(0)(edge)
"""


def test_what_callers_hand_in_by_way_of_a_list_is_not_cast(tree: Tree) -> None:
    files = apply([tree({"net.py": PYRAMID, "run.py": BYTES})], Settings(), dry_run=True).files
    left = [item for f in files for item in f.left if item.finding.code == "DFX302"]
    assert [item.reason.rpartition(": ")[2] for item in left] == [
        "it is uint8 because of an operation elsewhere"
    ]


SPEECH = """\
import torch
from torch import nn


class Speech:
    def __init__(self):
        self.latents = None

    def random(self):
        if self.latents is None:
            self.latents = nn.Linear(1, 4).eval()
        return self.latents(torch.tensor([0.0]))
"""
ALONE = """\
from speech import Speech

print(Speech().random().shape)
"""
BESIDE = """\
import torch
from torch import nn
from speech import Speech

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
print(net(Speech().random()).shape)
"""


def test_a_module_that_is_made_on_demand_does_not_say_where_it_is_before(tree: Tree) -> None:
    programs = {"speech.py": SPEECH, "alone.py": ALONE, "beside.py": BESIDE}
    files = apply([tree(programs)], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    made = next(line for line in new["speech.py"].splitlines() if "nn.Linear" in line)
    assert made.strip() == "self.latents = nn.Linear(1, 4).to(device).eval()"


UNREACHED = """\
import random
import torch
from torch import nn

net = nn.Linear(3, 2)


def step(x, ratio):
    use = random.random() < ratio
    if True:
        x = x.cuda()
    elif use:
        x = net(x.cuda())
    return net(x)


print(step(torch.ones(3), 0.5))
"""


def test_a_condition_that_nothing_comes_to_is_no_error(tree: Tree) -> None:
    report = apply([tree({"step.py": UNREACHED})], Settings(), dry_run=True)
    assert report.errors == ()


KEPT = f"""\
{"# further down than the other file is long" + chr(10) * 40}
import torch


class Kept:
    def __init__(self):
        self.device = torch.device("cuda")

    def start(self):
        return torch.zeros(2, 3, device=self.device)
"""

KEEPS = """\
import torch
from kept import Kept


class Runner(Kept):
    def __init__(self, net):
        super().__init__()
        self.net = net.cuda()

    def run(self, x):
        return self.net(x.to(self.device) + self.start())


def main():
    print(Runner(torch.nn.Linear(3, 1)).run(torch.ones(2, 3)).cpu())
"""


def test_a_device_that_another_file_chooses_is_judged(tree: Tree) -> None:
    report = apply([tree({"kept.py": KEPT, "keeps.py": KEEPS})], Settings(), dry_run=True)
    assert report.errors == ()
    new = {Path(f.path).name: f.change.after.decode() for f in report.files if f.change is not None}
    assert 'torch.device("cuda" if torch.cuda.is_available() else "cpu")' in new["kept.py"]
    assert "self.net = net.to(self.device)" in new["keeps.py"]


BATCHIFY = """\
import torch


def batchify(data, size, args):
    data = data.view(size, -1).t().contiguous()
    if args.cuda:
        data = data.cuda()
    return data
"""

TRAINS = """\
import argparse

import torch
from torch import nn

from utils import batchify

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

train = batchify(torch.ones(12, 3), 6, args)
model = nn.Linear(6, 1)
if args.cuda:
    model.cuda()
print(model(train.view(-1, 6)).sum().item())
"""


def test_an_option_that_is_given_to_a_function_of_another_file_is_ported_there(tree: Tree) -> None:
    alone = apply([tree({"utils.py": BATCHIFY})], Settings(), dry_run=True).files
    assert [f.change for f in alone] == [None]  # who calls it, and with what, was not seen
    programs = {"utils.py": BATCHIFY, "main.py": TRAINS}
    files = apply([tree(programs)], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    assert "    data = data.to(device)\n" in new["utils.py"]
    assert "\nmodel.to(device)\n" in new["main.py"]


CENTERS = """\
import torch
from torch import nn


class CenterLoss(nn.Module):
    def __init__(self, classes, size, use_gpu=True):
        super().__init__()
        self.use_gpu = use_gpu
        if self.use_gpu:
            self.centers = nn.Parameter(torch.randn(classes, size).cuda())
            self.name = "on the GPU"
        else:
            self.centers = nn.Parameter(torch.randn(classes, size))

    def forward(self, x):
        return (x - self.centers).pow(2).sum()
"""

CENTERED = """\
import argparse

import torch
from torch import nn

from x import CenterLoss

parser = argparse.ArgumentParser()
parser.add_argument("--use-cpu", action="store_true")
args = parser.parse_args()


def main():
    use_gpu = torch.cuda.is_available()
    if args.use_cpu:
        use_gpu = False
    model = nn.Linear(3, 2)
    if use_gpu:
        model = nn.DataParallel(model).cuda()
    loss = CenterLoss(1, 2, use_gpu=use_gpu)
    for x in [torch.ones(2, 3)]:
        if use_gpu:
            x = x.cuda()
        print(loss(model(x)).item())


if __name__ == "__main__":
    main()
"""


def test_a_module_that_places_its_weights_is_where_its_option_says(tree: Tree) -> None:
    programs = {"x.py": CENTERS, "y.py": CENTERED}
    files = apply([tree(programs)], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    assert list(new) == ["y.py"]
    assert 'device = torch.device("cuda" if use_gpu else "cpu")\n' in new["y.py"]
    assert "loss = CenterLoss(1, 2, use_gpu=use_gpu)\n" in new["y.py"]
    assert "x = x.to(device)\n" in new["y.py"]


MODES = """\
import torch

_use_gpu = False
device = None


def set_gpu_mode(mode, gpu_id=0):
    global _use_gpu
    global device
    _use_gpu = mode
    device = torch.device("cuda:" + str(gpu_id) if _use_gpu else "cpu")


def from_numpy(*args, **kwargs):
    return torch.from_numpy(*args, **kwargs).float().to(device)
"""

NORMALIZES = """\
import numpy as np
import torch

import ptu


class Normalizer:
    def __init__(self, size):
        self.mean = np.zeros(size)

    def normalize(self, v):
        mean = ptu.from_numpy(self.mean)
        if v.dim() == 2:
            mean = mean.unsqueeze(0)
        return torch.clamp(v - mean, -1, 1)
"""


def test_a_device_that_may_be_none_does_not_say_where_a_tensor_goes(tree: Tree) -> None:
    programs = {"ptu.py": MODES, "normalizer.py": NORMALIZES}
    report = apply([tree(programs)], Settings(), dry_run=True)
    assert report.errors == ()
    (new,) = [f.change.after.decode() for f in report.files if f.change is not None]
    assert "mean = ptu.from_numpy(self.mean).to(v.device)\n" in new


PICKLED = """\
import pickle
import sys

import numpy as np
import torch


class PCA:
    def fit(self, x):
        mean = x.mean(axis=0)
        self.mean = torch.from_numpy(mean).view(1, -1)

    def to_cuda(self):
        self.mean = self.mean.cuda()

    def apply(self, x):
        x = x - self.mean
        return torch.mm(self.mean, x.transpose(0, 1))


def described(x, pca=None):
    return x if pca is None else pca.apply(x)


if __name__ == "__main__":
    net = torch.nn.Linear(3, 3).cuda()
    if sys.argv[1] == "train":
        pca = PCA()
        pca.fit(np.ones((4, 3), np.float32))
        with open("pca.pickle", "wb") as f:
            pickle.dump(pca, f)
    else:
        with open("pca.pickle", "rb") as f:
            pca = pickle.load(f)
        x = net(torch.ones(2, 3).cuda()).cpu()
        np.save("x.npy", described(x, pca=pca).data.numpy())
"""


def test_what_is_pickled_stays_where_it_is_made(tree: Tree) -> None:
    (file,) = apply([tree({"pca.py": PICKLED})], Settings(), dry_run=True).files
    assert file.change is not None
    new = file.change.after.decode()
    assert "self.mean = torch.from_numpy(mean).view(1, -1)\n" in new
    assert "net = torch.nn.Linear(3, 3).to(device)\n" in new


CHOOSING = """\
import os


def set_devices(ids):
    os.environ["CUDA_VISIBLE_DEVICES"] = ids
"""
CHOSEN = """\
import sys

import torch
from gpus import set_devices


def step(net, x):
    return net(x.cuda())


def main():
    set_devices(sys.argv[1])
    net = torch.nn.Linear(3, 2).cuda()
    print(step(net, torch.ones(2, 3)).shape)


if __name__ == "__main__":
    main()
"""


def test_nothing_asks_for_cuda_before_a_function_chooses_the_gpus(tree: Tree) -> None:
    changed = apply([tree({"gpus.py": CHOOSING, "train.py": CHOSEN})], Settings(), dry_run=True)
    assert [file.change for file in changed.files if file.change is not None] == []
    plain = CHOOSING.replace('os.environ["CUDA_VISIBLE_DEVICES"] = ids', "print(ids)")
    changed = apply([tree({"gpus.py": plain, "train.py": CHOSEN})], Settings(), dry_run=True)
    assert [file.path.endswith("train.py") for file in changed.files if file.change] == [True]


LAYERS = """\
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 2, 3)

    def forward(self, mixture):
        mixture = torch.unsqueeze(mixture, 1)
        return self.conv(mixture)


if __name__ == "__main__":
    print(Encoder()(torch.randint(3, (2, 12))).shape)
"""
DOUBLES = """\
import torch
from layers import Encoder

print(Encoder().double()(torch.rand(2, 12).double()).shape)
"""


def test_a_cast_for_one_caller_is_not_written_where_others_pass_another_dtype(tree: Tree) -> None:
    files = apply([tree({"layers.py": LAYERS, "doubles.py": DOUBLES})], Settings(), dry_run=True)
    new = {Path(f.path).name: f.change.after.decode() for f in files.files if f.change is not None}
    assert ".float()" not in new.get("layers.py", LAYERS)
    found = {f.code for file in files.files for f in file.findings}
    assert "DFX302" in found


REGISTRY = """\
MODELS = {}


def register(name):
    def add(cls):
        MODELS[name] = cls
        return cls

    return add


def build(name):
    return MODELS[name](3)
"""
REGISTERED = """\
from torch import nn

from .registry import register


@register("linear")
class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, 1)

    def forward(self, x):
        return self.fc(x)
"""
BUILDING = """\
import torch

from zoo import build


def main():
    net = build("linear")
    print(net(torch.rand(2, 3)).shape)


main()
"""


@pytest.mark.parametrize("registering", ["from . import net", "import zoo.net"])
def test_a_file_that_is_only_imported_registers_its_classes(tree: Tree, registering: str) -> None:
    package = {
        "zoo/__init__.py": f"from .registry import build\n{registering}\n",
        "zoo/registry.py": REGISTRY,
        "zoo/net.py": REGISTERED,
    }
    files = apply([tree({"a.py": BUILDING, **package})], Settings(), dry_run=True).files
    (new,) = (f.change.after.decode() for f in files if f.change is not None)
    assert 'net = build("linear").to(device)' in new


CONSTANTS = """\
import torch


class Boxes:
    variances = torch.ones(2).cuda()


def decode(x):
    return x * Boxes.variances
"""
DECODING = "import torch\n\n{}\n\nprint(decode(torch.ones(3, 2).cuda()).sum())\n"


@pytest.mark.parametrize(
    ("imported", "known"),
    [
        ("from constants import decode", True),
        pytest.param("from constants import *", False, id="its names would go further"),
    ],
)
def test_what_an_import_moves_gets_a_device_in_its_file(
    tree: Tree, imported: str, known: bool
) -> None:
    programs = {"a.py": DECODING.format(imported), "constants.py": CONSTANTS}
    files = apply([tree(programs)], Settings(), dry_run=True).files
    new = {Path(f.path).name for f in files if f.change is not None}
    assert ("constants.py" in new) is known


ANSWERS = """\
import torch

use_cuda = torch.cuda.is_available()


def generate(model):
    if use_cuda:
        model = model.cuda()
    x = torch.zeros(1, 3)
    if use_cuda:
        x = x.cuda()
    return model(x).cpu().numpy()


def load(path):
    if use_cuda:
        return torch.load(path)
    return torch.load(path, map_location="cpu")
"""
ASKING = """\
import torch

import generating

print(generating.generate(torch.nn.Linear(3, 1).eval().requires_grad_(False)))
"""


def test_a_device_of_an_imported_file_is_built_from_its_answer(tree: Tree) -> None:
    report = apply([tree({"generating.py": ANSWERS, "main.py": ASKING})], Settings(), dry_run=True)
    (new,) = [f.change.after.decode() for f in report.files if f.path.endswith("generating.py")]
    assert 'device = torch.device("cuda" if use_cuda else "cpu")\n' in new
    assert "    model = model.to(device)\n" in new
    assert ".cuda()" not in new


@pytest.mark.parametrize(
    "line", ["generating.use_cuda = False", "from generating import *\ndevice = None"]
)
def test_no_device_is_built_from_an_answer_that_others_change(tree: Tree, line: str) -> None:
    main = ASKING.replace("import generating\n", f"import generating\n{line}\n")
    report = apply([tree({"generating.py": ANSWERS, "main.py": main})], Settings(), dry_run=True)
    changes = [f.change for f in report.files if f.path.endswith("generating.py")]
    assert all(change is None or b"if use_cuda else" not in change.after for change in changes)


MACHINE = """\
import torch


class Machine:
    def __init__(self, width):
        self.model = torch.nn.Linear(width, 2).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())
"""
CRITIC = """\
import torch
from base import Machine


class Critic(Machine):
    def __init__(self, width):
        super().__init__(width)
        self.critic = torch.nn.Linear(2, 1).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.cuda())).sum().item())
"""
STARTS = """\
import torch
from base import Machine
from heir import Critic


def main(name):
    machine = {"plain": Machine, "critic": Critic}[name](4)
    machine.train([torch.ones(3, 4)])


main("critic")
"""


def test_a_class_takes_the_device_that_its_base_in_another_file_sets(tree: Tree) -> None:
    names = {"base.py": MACHINE, "heir.py": CRITIC, "run.py": STARTS}
    files = apply([tree(names)], Settings(), dry_run=True).files
    new = {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}
    chosen = 'self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    begins = "    def __init__(self, width):\n"
    moved = MACHINE.replace(".cuda()", ".to(self.device)")
    assert new["base.py"] == moved.replace(begins, f"{begins}        {chosen}")
    assert new["heir.py"] == CRITIC.replace(".cuda()", ".to(self.device)")


TYPED = """\
import torch
from searching import nearest

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def main():
    table = torch.rand(4, 3)
    print(nearest(table, torch.zeros(3)))


main()
"""
SEARCHING = """\
import torch


def nearest(table, x):
    return (table - x).norm(dim=1).argmin()
"""
COMPARED = """\
import numpy as np
import torch
from searching import nearest

values = np.arange(12.0).reshape(4, 3)
by_numpy = torch.tensor(np.abs(values).sum(1).argmin())
found = nearest(torch.from_numpy(values), torch.zeros(3))
print((by_numpy.double() - found.double()).numpy())
"""


def test_the_default_type_of_a_script_says_nothing_about_another_one(tree: Tree) -> None:
    root = tree({"a_main.py": TYPED, "compare.py": COMPARED, "searching.py": SEARCHING})
    apply([root], Settings())
    assert (root / "a_main.py").read_text() != TYPED
    assert (root / "compare.py").read_text() == COMPARED


def test_the_default_type_holds_for_whoever_imports_a_file_that_sets_it(tree: Tree) -> None:
    setting = 'import torch\ntorch.set_default_tensor_type("torch.cuda.FloatTensor")\n'
    script = "import torch\nimport setting\nprint(torch.rand(3).sum().numpy())\n"
    root = tree({"compare.py": script, "setting.py": setting})
    apply([root], Settings())
    assert ".cpu().numpy()" in (root / "compare.py").read_text()


NETS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, height):
        super().__init__()
        self.last = nn.Linear(width, height)

    def forward(self, x):
        return self.last(x) + torch.ones(3)


class Small(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.last = nn.Linear(3, classes)

    def forward(self, x):
        return self.last(x) + torch.zeros(3)


def small(classes=2, **options):
    return Small(classes)


def count(net):
    return sum(p.numel() for p in net.parameters())
"""
PICKING = """\
import sys

import torch
import nets

net = {}(classes=3).cuda()
print(net(torch.zeros(2, 3).cuda()).sum().item())
"""


@pytest.mark.parametrize("picked", ["getattr(nets, sys.argv[1])", "nets.__dict__[sys.argv[1]]"])
def test_what_a_name_that_is_computed_picks_is_followed_where_it_can_be_called_so(
    tree: Tree, picked: str
) -> None:
    root = tree({"main.py": PICKING.format(picked), "nets.py": NETS})
    apply([root], Settings())
    text = (root / "nets.py").read_text()
    assert "self.last(x) + torch.zeros(3, device=x.device)" in text
    assert "net = " + picked + "(classes=3).to(device)" in (root / "main.py").read_text()


TRAINER = """\
import torch


class Trainer:
    def __init__(self):
        self.seen = []

    def run(self, net):
        self.seen.append(net.cuda()(torch.zeros(2, 3).cuda()).shape)

    def show(self):
        print(torch.ones(2).cuda().sum().item(), self.seen)
"""
TRAINING = """\
import os

from torch import nn

from keeps import Trainer

{}
trainer.run(nn.Linear(3, 1))
trainer.show()
"""
MAKING = "trainer = Trainer()"
CHOICE = 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"'


@pytest.mark.parametrize(("order", "kept"), [((CHOICE, MAKING), True), ((MAKING, CHOICE), False)])
def test_an_object_that_is_made_before_the_gpus_are_chosen_asks_for_none(
    tree: Tree, order: tuple[str, str], kept: bool
) -> None:
    root = tree({"keeps.py": TRAINER, "main.py": TRAINING.format("\n".join(order))})
    apply([root], Settings())
    text = (root / "keeps.py").read_text()
    assert ("self.device = torch.device(" in text) is kept
    assert ".cuda()" not in text


@pytest.mark.parametrize(
    ("imported", "followed"),
    [
        ("from torchvision.models import resnet18\n", False),
        ("from einops import repeat\n\nprint(repeat)\n", True),
    ],
)
def test_what_is_picked_may_be_of_another_library_that_the_file_imports_for_others(
    tree: Tree, imported: str, followed: bool
) -> None:
    met = "print((net(torch.ones(1, 3).cuda()) + torch.arange(3.0)).shape)\n"
    main = PICKING.format("getattr(nets, sys.argv[1])") + met
    root = tree({"main.py": main, "nets.py": imported + NETS})
    apply([root], Settings())
    assert ("torch.arange(3.0, device=device)" in (root / "main.py").read_text()) is followed
