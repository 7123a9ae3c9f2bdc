"""Each cause of a wrong fix that reviewers have found, put back as it was: the judge refuses it.

A case is a program, what a rule once made of it and called safe, and the check that objects. Beside
it stands a rewrite of the same program that is right, to which nothing objects.
"""

from __future__ import annotations

import difflib
import re
from textwrap import dedent
from typing import NamedTuple

import pytest

from devicefix.findings import Edit
from devicefix.judge import ALL, judge
from devicefix.source import ModuleIndex, Program, Source


class Case(NamedTuple):
    """A program, and a rewrite of it; several files follow each other below ``# file: name``."""

    check: str
    """The check that objects; empty where none does."""
    title: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.check or 'right'}: {self.title}"


def files(text: str) -> dict[str, str]:
    parts = dedent(text).lstrip("\n").split("# file: ")
    if len(parts) == 1:
        return {"train.py": parts[0]}
    return dict(part.split("\n", 1) for part in parts[1:])


def program(texts: dict[str, str]) -> Program:
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    return Program(sources, ModuleIndex(tuple(sources)), lambda _: None)


def edits(before: str, after: str) -> list[tuple[Edit, int]]:
    """The edits that make one text of the other: word by word in lines that differ; each has
    its own number."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Edit] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        start = sum(map(len, old[:a]))
        if tag == "replace" and b - a == d - c:
            for line, other in zip(old[a:b], new[c:d], strict=True):
                found += edits_of_line(start, line, other)
                start += len(line)
        elif tag != "equal":
            found += edits_of_line(start, "".join(old[a:b]), "".join(new[c:d]))
    return [(edit, number) for number, edit in enumerate(found)]


def edits_of_line(start: int, before: str, after: str) -> list[Edit]:
    old, new = words(before), words(after)
    ends = [start]
    for word in old:
        ends.append(ends[-1] + len(word))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(ends[a], ends[b], 0, "".join(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", text)


def objections(case: Case) -> set[str]:
    old, new = files(case.before), files(case.after)
    rounds = {path: [edits(old[path], new[path])] for path in old if old[path] != new[path]}
    return {found.check for found in judge(program(old), program(new), rounds)}


CASES = [
    Case(
        "signature",
        "a class that is handed on as a factory gets a parameter",
        """
        import torch
        from collections import defaultdict

        class Meter:
            def __init__(self, window=20):
                self.total, self.count = 0.0, 0
            def update(self, value):
                self.total += value
                self.count += 1
            def synchronize(self):
                t = torch.tensor([self.count, self.total])
                torch.distributed.all_reduce(t)

        class Logger:
            def __init__(self):
                self.meters = defaultdict(Meter)

        meter = Meter(window=1)
        meter.synchronize()
        """,
        """
        import torch
        from collections import defaultdict

        class Meter:
            def __init__(self, window=20, device=None):
                self.device = device
                self.total, self.count = 0.0, 0
            def update(self, value):
                self.total += value
                self.count += 1
            def synchronize(self):
                t = torch.tensor([self.count, self.total]).to(self.device)
                torch.distributed.all_reduce(t)

        class Logger:
            def __init__(self):
                self.meters = defaultdict(Meter)

        meter = Meter(window=1, device=torch.device("cuda"))
        meter.synchronize()
        """,
    ),
    Case(
        "signature",
        "callers that were not seen get `.to(None)` where `.cuda()` stood",
        """
        # file: lib/__init__.py
        from .loop import train
        # file: lib/loop.py
        import torch

        def train(net, batches):
            for x in batches:
                x = x.cuda()
                print(net(x).sum().item())
        # file: main.py
        import torch
        from lib import train

        net = torch.nn.Linear(3, 1).cuda()
        train(net, [torch.ones(2, 3)])
        """,
        """
        # file: lib/__init__.py
        from .loop import train
        # file: lib/loop.py
        import torch

        def train(net, batches, device=None):
            for x in batches:
                x = x.to(device)
                print(net(x).sum().item())
        # file: main.py
        import torch
        from lib import train

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1).to(device)
        train(net, [torch.ones(2, 3)], device=device)
        """,
    ),
    Case(
        "device",
        "where one module is, for a DataParallel that starts from the first card",
        """
        import torch
        from torch import nn

        def train(net, batches):
            net = net.cuda()
            both = nn.DataParallel(nn.Sequential(net, nn.Linear(3, 1))).cuda()
            return [both(x.cuda()) for x in batches]
        train(nn.Linear(3, 3), [torch.ones(2, 3)])
        """,
        """
        import torch
        from torch import nn

        def train(net, batches):
            net = net.cuda()
            both = nn.DataParallel(nn.Sequential(net, nn.Linear(3, 1))).to(net.weight.device)
            return [both(x.cuda()) for x in batches]
        train(nn.Linear(3, 3), [torch.ones(2, 3)])
        """,
    ),
    Case(
        "",
        "where one module is, for a DataParallel that is told its cards",
        """
        import torch
        from torch import nn

        def train(net, batches):
            net = net.cuda()
            both = nn.DataParallel(nn.Sequential(net, nn.Linear(3, 1)), [0]).cuda()
            return [both(x.cuda()) for x in batches]
        train(nn.Linear(3, 3), [torch.ones(2, 3)])
        """,
        """
        import torch
        from torch import nn

        def train(net, batches):
            net = net.cuda()
            both = nn.DataParallel(nn.Sequential(net, nn.Linear(3, 1)), [0]).to(net.weight.device)
            return [both(x.cuda()) for x in batches]
        train(nn.Linear(3, 3), [torch.ones(2, 3)])
        """,
    ),
    Case(
        "device",
        "a name that some way to the place does not bind",
        """
        import torch

        def main(fast, gpu):
            if fast:
                gpu = True
            model = torch.nn.Linear(3, 1)
            if gpu:
                model.cuda()
            print(model)

        main(False, True)
        """,
        """
        import torch

        def main(fast, gpu):
            if fast:
                device = torch.device("cuda" if gpu and torch.cuda.is_available() else "cpu")
                gpu = True
            model = torch.nn.Linear(3, 1)
            if gpu:
                model.to(device)
            print(model)

        main(False, True)
        """,
    ),
    Case(
        "device",
        "a string is passed where the function asks for `.type`",
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        args = parser.parse_args()

        def main(args):
            scaler = torch.cuda.amp.GradScaler()
            print(scaler.is_enabled())

        main(args)
        """,
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        args = parser.parse_args()

        def main(args, device=None):
            scaler = torch.amp.GradScaler(device.type)
            print(scaler.is_enabled())

        main(args, device=args.device)
        """,
    ),
    Case(
        "signature",
        "the new parameter is overwritten",
        """
        import torch

        def training(steps):
            device = torch.device("cpu")
            print(torch.ones(steps).sum().item())

        training(2)
        """,
        """
        import torch

        def training(steps, device=None):
            device = torch.device("cpu")
            print(torch.ones(steps, device=device).sum().item())

        training(2, device=torch.device("cpu"))
        """,
    ),
    Case(
        "signature",
        "a method that another class has as well, which does not take it",
        """
        import sys
        import torch

        class Plain:
            def make(self, n):
                return torch.zeros(n)

        class Noisy:
            def make(self, n):
                return torch.randn(n)

        maker = {"plain": Plain, "noisy": Noisy}[sys.argv[-1]]()
        print(maker.make(3).sum().item())
        """,
        """
        import sys
        import torch

        class Plain:
            def make(self, n, device=None):
                return torch.zeros(n, device=device)

        class Noisy:
            def make(self, n):
                return torch.randn(n)

        maker = {"plain": Plain, "noisy": Noisy}[sys.argv[-1]]()
        print(maker.make(3, device=torch.device("cpu")).sum().item())
        """,
    ),
    Case(
        "device",
        "a module, asked where it is like a tensor",
        """
        import torch

        def train(net, loader):
            net = net.cuda()
            for x in loader:
                print(net(x.cuda()).sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def train(net, loader):
            net = net.to(device)
            for x in loader:
                print(net(x.to(net.device)).sum().item())
        """,
    ),
    Case(
        "device",
        "an attribute that no class of the hierarchy defines",
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, is_cuda=False):
                super().__init__()
                self.is_cuda = is_cuda
                self.layer = torch.nn.Linear(3, 3)
            def forward(self, x):
                h = torch.zeros(2, 3)
                if self.is_cuda:
                    h = h.cuda()
                return self.layer(x) + h

        print(Net()(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, is_cuda=False):
                super().__init__()
                self.is_cuda = is_cuda
                self.layer = torch.nn.Linear(3, 3)
            def forward(self, x):
                h = torch.zeros(2, 3)
                h = h.to(self.device)
                return self.layer(x) + h

        print(Net()(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "place",
        "the device that a part of a configuration keeps its data on",
        """
        import torch

        class Camera:
            def __init__(self, image, data_device):
                self.data_device = torch.device(data_device)
                self.image = image.to(self.data_device)

        def render(cam, net, device):
            background = torch.ones(3)
            return net(cam.image.to(device)) + background

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 3).to(device)
        cam = Camera(torch.ones(2, 3), "cpu")
        print(render(cam, net, device).sum().item())
        """,
        """
        import torch

        class Camera:
            def __init__(self, image, data_device):
                self.data_device = torch.device(data_device)
                self.image = image.to(self.data_device)

        def render(cam, net, device):
            background = torch.ones(3, device=cam.data_device)
            return net(cam.image.to(device)) + background

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 3).to(device)
        cam = Camera(torch.ones(2, 3), "cpu")
        print(render(cam, net, device).sum().item())
        """,
    ),
    Case(
        "device",
        "a name that exists below `__main__` only, in a method",
        """
        import argparse
        import torch

        class Agent:
            def act(self, net, x):
                h = torch.zeros(2, 3)
                return net(x) + h

        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            parser.add_argument("--device", default="cpu")
            args = parser.parse_args()
            net = torch.nn.Linear(3, 3).to(args.device)
            print(Agent().act(net, torch.ones(2, 3).to(args.device)).sum().item())
        """,
        """
        import argparse
        import torch

        class Agent:
            def act(self, net, x):
                h = torch.zeros(2, 3, device=args.device)
                return net(x) + h

        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            parser.add_argument("--device", default="cpu")
            args = parser.parse_args()
            net = torch.nn.Linear(3, 3).to(args.device)
            print(Agent().act(net, torch.ones(2, 3).to(args.device)).sum().item())
        """,
    ),
    Case(
        "",
        "a name that exists below `__main__` only, where another one is needed anyway",
        """
        import torch

        def fit(x):
            return net(x.cuda())

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        def fit(x):
            return net(x.to(device))

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "device",
        "a name that exists below `__main__` only, where another one may be needed",
        """
        import torch

        def fit(x, plain=True):
            x = x.cuda()
            return x if plain else net(x)

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        def fit(x, plain=True):
            x = x.to(device)
            return x if plain else net(x)

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "device",
        "a name that exists below `__main__` only, and in another function",
        """
        import torch

        def fit(x):
            return x.cuda()

        def move(x, device):
            return x.to(device)

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        def fit(x):
            return x.to(device)

        def move(x, device):
            return x.to(device)

        if __name__ == "__main__":
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = torch.nn.Linear(3, 3).to(device)
            print(fit(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "device",
        "an attribute that the same statement binds first",
        """
        import torch

        class S(torch.nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net or torch.nn.Linear(3, 3)
            def forward(self, x):
                return self.net(x)

        print(S(None)(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        class S(torch.nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net or torch.nn.Linear(3, 3).to(self.net.weight.device)
            def forward(self, x):
                return self.net(x)

        print(S(None)(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "flag",
        "a flag of the signature, whatever the callers give that were seen",
        """
        import torch

        def handle_inputs(inputs, use_cuda):
            if use_cuda:
                inputs = inputs.cuda()
            return inputs

        x = handle_inputs(torch.ones(3), torch.cuda.is_available())
        print(x.sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def handle_inputs(inputs, use_cuda):
            inputs = inputs.to(device)
            return inputs

        x = handle_inputs(torch.ones(3), torch.cuda.is_available())
        print(x.sum().item())
        """,
    ),
    Case(
        "flag",
        "what moved whatever a parameter said asks it now",
        """
        import torch

        def features(model, x, is_image=False):
            if is_image:
                batch = {"x": x}
                batch["x"] = batch["x"].cuda()
            else:
                batch = {"x": x + 1}
                batch["x"] = batch["x"].cuda()
            return model(batch["x"])

        net = torch.nn.Linear(3, 1).cuda()
        print(features(net, torch.ones(3), is_image=True))
        print(features(net, torch.ones(3)))
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def features(model, x, is_image=False):
            place = torch.device("cuda" if is_image and torch.cuda.is_available() else "cpu")
            if is_image:
                batch = {"x": x}
                batch["x"] = batch["x"].to(place)
            else:
                batch = {"x": x + 1}
                batch["x"] = batch["x"].to(place)
            return model(batch["x"])

        net = torch.nn.Linear(3, 1).to(device)
        print(features(net, torch.ones(3), is_image=True))
        print(features(net, torch.ones(3)))
        """,
    ),
    Case(
        "flag",
        "a flag that the object keeps",
        """
        import torch

        class Extractor:
            def __init__(self, model, cuda=False):
                self.model, self.cuda = model, cuda
                if self.cuda:
                    self.model = self.model.cuda()
            def run(self, x):
                if self.cuda:
                    x = x.cuda()
                return self.model(x)

        e = Extractor(torch.nn.Linear(3, 1), torch.cuda.is_available())
        print(e.run(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        class Extractor:
            def __init__(self, model, cuda=False):
                self.model, self.cuda = model, cuda
                self.model = self.model.to(device)
            def run(self, x):
                x = x.to(device)
                return self.model(x)

        e = Extractor(torch.nn.Linear(3, 1), torch.cuda.is_available())
        print(e.run(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "",
        "a device that the object builds from its flag",
        """
        import torch

        class Extractor:
            def __init__(self, model, cuda=False):
                self.model, self.cuda = model, cuda
            def run(self, x):
                if self.cuda:
                    x = x.cuda()
                return x * 2

        print(Extractor(None).run(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        class Extractor:
            def __init__(self, model, cuda=False):
                self.model, self.cuda = model, cuda
            def run(self, x):
                x = x.to(torch.device("cuda" if self.cuda else "cpu"))
                return x * 2

        print(Extractor(None).run(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "gradients",
        "an index was volatile, and the network around it is trained",
        """
        import torch
        from torch.autograd import Variable

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(3, 3)
            def forward(self, x, mask):
                ind = Variable(mask.nonzero(), volatile=True)
                picked = self.head(x[ind[:, 0]])
                return picked.sum()

        net = Net()
        net(torch.ones(4, 3), torch.ones(4)).backward()
        """,
        """
        import torch
        from torch.autograd import Variable

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(3, 3)
            def forward(self, x, mask):
                ind = mask.nonzero()
                with torch.no_grad():
                    picked = self.head(x[ind[:, 0]])
                return picked.sum()

        net = Net()
        net(torch.ones(4, 3), torch.ones(4)).backward()
        """,
    ),
    Case(
        "",
        "an evaluation loop that reads numbers only",
        """
        import torch
        from torch.autograd import Variable

        net = torch.nn.Linear(3, 1)
        total = 0
        for x in [torch.ones(2, 3)]:
            x = Variable(x, volatile=True)
            total += net(x).sum().item()
        print(total)
        """,
        """
        import torch

        net = torch.nn.Linear(3, 1)
        total = 0
        for x in [torch.ones(2, 3)]:
            with torch.no_grad():
                total += net(x).sum().item()
        print(total)
        """,
    ),
    Case(
        "place",
        "a cast that brought its tensor to the CPU",
        """
        import torch

        net = torch.nn.Linear(3, 1).cuda()
        out = net(torch.ones(2, 3).cuda())
        scores = out.detach().type("torch.FloatTensor")
        print(scores.numpy().sum())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1).to(device)
        out = net(torch.ones(2, 3).to(device))
        scores = out.detach().float()
        print(scores.numpy().sum())
        """,
    ),
    Case(
        "place",
        "layers in a plain list: only the head moves",
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = [torch.nn.Linear(3, 3) for _ in range(2)]
                self.head = torch.nn.Linear(3, 1)
            def forward(self, x):
                for layer in self.body:
                    x = layer(x)
                return self.head(x)

        net = Net()
        print(net(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = [torch.nn.Linear(3, 3) for _ in range(2)]
                self.head = torch.nn.Linear(3, 1)
            def forward(self, x):
                for layer in self.body:
                    x = layer(x)
                return self.head(x)

        net = Net().to(device)
        print(net(torch.ones(2, 3, device=device)).sum().item())
        """,
    ),
    Case(
        "place",
        "a moved module is captured by a coroutine that a library runs",
        """
        import torch
        import server

        net = torch.nn.Linear(3, 1)
        print(net(torch.ones(2, 3)).sum().item())

        def install():
            server.route("/predict", lambda request: net(torch.tensor(request.values)).tolist())

        install()
        """,
        """
        import torch
        import server

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1).to(device)
        print(net(torch.ones(2, 3, device=device)).sum().item())

        def install():
            server.route("/predict", lambda request: net(torch.tensor(request.values)).tolist())

        install()
        """,
    ),
    Case(
        "use",
        "a moved module is captured by a function that a table of a library keeps",
        """
        import torch
        import server

        net = torch.nn.Linear(3, 1)
        print(net(torch.ones(2, 3)).sum().item())

        def install():
            server.routes["/predict"] = lambda request: net(torch.tensor(request.values)).tolist()

        install()
        """,
        """
        import torch
        import server

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1).to(device)
        print(net(torch.ones(2, 3, device=device)).sum().item())

        def install():
            server.routes["/predict"] = lambda request: net(torch.tensor(request.values)).tolist()

        install()
        """,
    ),
    Case(
        "branch",
        "the other branch did something else",
        """
        import torch

        x = torch.ones(3)
        if torch.cuda.is_available():
            x = x.cuda()
        else:
            x = x / 2
        print(x.sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        x = torch.ones(3)
        x = x.to(device)
        print(x.sum().item())
        """,
    ),
    Case(
        "kind",
        "a leaf becomes a copy",
        """
        import torch

        w = torch.zeros(3, requires_grad=True)
        (w * 2).sum().backward()
        print(w.grad)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        w = torch.zeros(3, requires_grad=True).to(device)
        (w * 2).sum().backward()
        print(w.grad)
        """,
    ),
    Case(
        "buffer",
        "what is no tensor is registered as a buffer",
        """
        import numpy as np
        import torch

        class Net(torch.nn.Module):
            def __init__(self, scale=None):
                super().__init__()
                self.layer = torch.nn.Linear(3, 1)
                self.scale = np.ones(3)
            def forward(self, x):
                return self.layer(x)

        net = Net()
        print(net(torch.ones(2, 3)).sum().item())
        """,
        """
        import numpy as np
        import torch

        class Net(torch.nn.Module):
            def __init__(self, scale=None):
                super().__init__()
                self.layer = torch.nn.Linear(3, 1)
                self.register_buffer("scale", np.ones(3), persistent=False)
            def forward(self, x):
                return self.layer(x)

        net = Net()
        print(net(torch.ones(2, 3)).sum().item())
        """,
    ),
    Case(
        "buffer",
        "what an option makes a parameter is registered as a buffer",
        """
        import sys
        import torch

        class Net(torch.nn.Module):
            def __init__(self, learned):
                super().__init__()
                self.layer = torch.nn.Linear(3, 1)
                self.scale = torch.nn.Parameter(torch.ones(3)) if learned else torch.ones(3)
            def forward(self, x):
                return self.layer(x * self.scale)

        net = Net(len(sys.argv) > 1)
        print(net(torch.ones(2, 3)).sum().item(), len(list(net.parameters())))
        """,
        """
        import sys
        import torch

        class Net(torch.nn.Module):
            def __init__(self, learned):
                super().__init__()
                self.layer = torch.nn.Linear(3, 1)
                scale = torch.nn.Parameter(torch.ones(3)) if learned else torch.ones(3)
                self.register_buffer("scale", scale, persistent=False)
            def forward(self, x):
                return self.layer(x * self.scale)

        net = Net(len(sys.argv) > 1)
        print(net(torch.ones(2, 3)).sum().item(), len(list(net.parameters())))
        """,
    ),
    Case(
        "condition",
        "a model moves ahead of a call that says no",
        """
        import sys
        import torch

        def brought(x, use_cuda):
            if use_cuda:
                x = x.cuda()
            return x

        use_cuda = "--cuda" in sys.argv and torch.cuda.is_available()
        net = torch.nn.Linear(3, 1)
        x = torch.ones(2, 3)
        print(net(brought(x, False)).sum().item())
        if use_cuda:
            net.cuda()
        print(net(brought(x, use_cuda)).sum().item())
        """,
        """
        import sys
        import torch

        def brought(x, use_cuda):
            device = torch.device("cuda" if use_cuda and torch.cuda.is_available() else "cpu")
            x = x.to(device)
            return x

        use_cuda = "--cuda" in sys.argv and torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        net = torch.nn.Linear(3, 1).to(device)
        x = torch.ones(2, 3)
        print(net(brought(x, False)).sum().item())
        net.to(device)
        print(net(brought(x, use_cuda)).sum().item())
        """,
    ),
    Case(
        "",
        "a model moves when its inputs do",
        """
        import sys
        import torch

        def brought(x, use_cuda):
            if use_cuda:
                x = x.cuda()
            return x

        use_cuda = "--cuda" in sys.argv and torch.cuda.is_available()
        net = torch.nn.Linear(3, 1)
        x = torch.ones(2, 3)
        print(net(brought(x, use_cuda)).sum().item())
        """,
        """
        import sys
        import torch

        def brought(x, use_cuda):
            device = torch.device("cuda" if use_cuda and torch.cuda.is_available() else "cpu")
            x = x.to(device)
            return x

        use_cuda = "--cuda" in sys.argv and torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        net = torch.nn.Linear(3, 1).to(device)
        x = torch.ones(2, 3)
        print(net(brought(x, use_cuda)).sum().item())
        """,
    ),
    Case(
        "condition",
        "a flag of an object that is off",
        """
        import torch

        class Centers(torch.nn.Module):
            def __init__(self, use_gpu=False):
                super().__init__()
                self.use_gpu = use_gpu
                self.linear = torch.nn.Linear(3, 3)
            def forward(self, x):
                steps = torch.arange(3)
                if self.use_gpu:
                    steps = steps.cuda()
                return self.linear(x) * steps

        net = Centers()
        print(net(torch.ones(2, 3)).sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        class Centers(torch.nn.Module):
            def __init__(self, use_gpu=False):
                super().__init__()
                self.use_gpu = use_gpu
                self.linear = torch.nn.Linear(3, 3)
            def forward(self, x):
                device = torch.device("cuda" if self.use_gpu else "cpu")
                steps = torch.arange(3)
                steps = steps.to(device)
                return self.linear(x) * steps

        net = Centers().to(device)
        print(net(torch.ones(2, 3, device=device)).sum().item())
        """,
    ),
    Case(
        "receiver",
        "what a module gives is a tuple for all that one caller tells",
        """
        import torch
        from lib import actor
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def chosen(model, states):
            scores = model(states)
            return scores


        class Uniform(nn.Module):
            def forward(self, x):
                return torch.ones(x.size(0), 2)


        net = nn.Linear(2, 1).to(device)
        print(net(chosen(Uniform(), torch.zeros(3, 4))).sum().item())
        print(chosen(actor(), torch.zeros(3, 4)))
        """,
        """
        import torch
        from lib import actor
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def chosen(model, states):
            scores = model(states).to(device)
            return scores


        class Uniform(nn.Module):
            def forward(self, x):
                return torch.ones(x.size(0), 2)


        net = nn.Linear(2, 1).to(device)
        print(net(chosen(Uniform(), torch.zeros(3, 4))).sum().item())
        print(chosen(actor(), torch.zeros(3, 4)))
        """,
    ),
    Case(
        "",
        "what a module gives is a tensor for each caller",
        """
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def chosen(model, states):
            scores = model(states)
            return scores


        class Uniform(nn.Module):
            def forward(self, x):
                return torch.ones(x.size(0), 2)


        net = nn.Linear(2, 1).to(device)
        print(net(chosen(Uniform(), torch.zeros(3, 4))).sum().item())
        """,
        """
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def chosen(model, states):
            scores = model(states).to(device)
            return scores


        class Uniform(nn.Module):
            def forward(self, x):
                return torch.ones(x.size(0), 2)


        net = nn.Linear(2, 1).to(device)
        print(net(chosen(Uniform(), torch.zeros(3, 4))).sum().item())
        """,
    ),
    Case(
        "receiver",
        "what a registry makes may be a function",
        """
        import torch
        from torch import nn

        LOSSES = {}


        def register(name):
            def add(cls):
                LOSSES[name] = cls
                return cls

            return add


        @register("weighted")
        class Weighted(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(1))

            def forward(self, x):
                return (x * self.scale).mean()


        @register("plain")
        def plain():
            return lambda x: x.mean()


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = nn.Linear(3, 1).to(device)
        for name in ("weighted", "plain"):
            criterion = LOSSES[name]()
            print(criterion(net(torch.rand(2, 3).to(device))).item())
        """,
        """
        import torch
        from torch import nn

        LOSSES = {}


        def register(name):
            def add(cls):
                LOSSES[name] = cls
                return cls

            return add


        @register("weighted")
        class Weighted(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(1))

            def forward(self, x):
                return (x * self.scale).mean()


        @register("plain")
        def plain():
            return lambda x: x.mean()


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = nn.Linear(3, 1).to(device)
        for name in ("weighted", "plain"):
            criterion = LOSSES[name]().to(device)
            print(criterion(net(torch.rand(2, 3).to(device))).item())
        """,
    ),
    Case(
        "device",
        "a device that depends on who imports the file",
        """
        import torch

        def extract(model, frame):
            return model(frame.unsqueeze(0).cuda())

        if __name__ == "__main__":
            model = torch.nn.Linear(3, 2).cuda()
            print(extract(model, torch.ones(3)).sum().item())
        """,
        """
        import torch

        device = torch.device(
            "cuda" if __name__ == "__main__" and torch.cuda.is_available() else "cpu"
        )

        def extract(model, frame):
            return model(frame.unsqueeze(0).to(device))

        if __name__ == "__main__":
            model = torch.nn.Linear(3, 2).to(device)
            print(extract(model, torch.ones(3)).sum().item())
        """,
    ),
    Case(
        "device",
        "an option that lists the numbers of accelerators, for a load and for a tensor",
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--devices", type=str, default="0,1,2,3")
        args = parser.parse_args()
        print(args.devices.split(","))
        net = torch.nn.Linear(3, 2)
        net.load_state_dict(torch.load("net.pt"))
        """,
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--devices", type=str, default="0,1,2,3")
        args = parser.parse_args()
        print(args.devices.split(","))
        net = torch.nn.Linear(3, 2)
        net.load_state_dict(torch.load("net.pt", map_location=args.devices))
        """,
    ),
    Case(
        "device",
        "an option that may be something else than a device, used as one below a condition",
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--place", choices=["cpu", "auto"])
        args = parser.parse_args()
        net = torch.nn.Linear(3, 2)
        if args.place != "auto":
            net.to(args.place)
        print(net(torch.ones(2, 3)))
        """,
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--place", choices=["cpu", "auto"])
        args = parser.parse_args()
        net = torch.nn.Linear(3, 2)
        if args.place != "auto":
            net.to(args.place)
        print(net(torch.ones(2, 3).to(args.place)))
        """,
    ),
    Case(
        "kind",
        "a number for a tensor that was written to a file",
        """
        import torch

        correct = 0
        for _ in range(2):
            correct += (torch.ones(3) == 1).cpu().sum()
        with open("log.txt", "w") as log:
            log.write(str(correct))
        """,
        """
        import torch

        correct = 0
        for _ in range(2):
            correct += (torch.ones(3) == 1).cpu().sum().item()
        with open("log.txt", "w") as log:
            log.write(str(correct))
        """,
    ),
    Case(
        "",
        "a number for a tensor, behind what raises",
        """
        import torch

        total, correct = 0, 0
        for _ in range(2):
            total += torch.nn.functional.mse_loss(torch.ones(3), torch.ones(3)).data[0]
            correct += (torch.ones(3) == 1).cpu().sum()
        print(total, correct)
        """,
        """
        import torch

        total, correct = 0, 0
        for _ in range(2):
            total += torch.nn.functional.mse_loss(torch.ones(3), torch.ones(3)).item()
            correct += (torch.ones(3) == 1).cpu().sum().item()
        print(total, correct)
        """,
    ),
    Case(
        "question",
        "a file that is imported before its program chooses its cards asks for CUDA",
        """
        # file: main.py
        import os
        from library import device

        def work(card):
            os.environ["CUDA_VISIBLE_DEVICES"] = card
            print(device)

        work("1")
        # file: library.py
        import torch

        device = torch.device("cuda")
        """,
        """
        # file: main.py
        import os
        from library import device

        def work(card):
            os.environ["CUDA_VISIBLE_DEVICES"] = card
            print(device)

        work("1")
        # file: library.py
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        """,
    ),
    Case(
        "",
        "a file that is imported after its program has chosen its cards asks for CUDA",
        """
        # file: main.py
        import os
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        from library import device

        print(device)
        # file: library.py
        import torch

        device = torch.device("cuda")
        """,
        """
        # file: main.py
        import os
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        from library import device

        print(device)
        # file: library.py
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        """,
    ),
    Case(
        "",
        "a file asks for CUDA whose program has done so before it chooses its cards",
        """
        # file: main.py
        import os
        import torch
        print(torch.cuda.device_count())
        from library import device
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        print(device)
        # file: library.py
        import torch

        device = torch.device("cuda")
        """,
        """
        # file: main.py
        import os
        import torch
        print(torch.cuda.device_count())
        from library import device
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        print(device)
        # file: library.py
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        """,
    ),
    Case(
        "question",
        "a file asks for CUDA whose program has torch fork processes",
        """
        # file: main.py
        import torch
        import torch.multiprocessing as mp
        from library import device

        def work(rank):
            torch.cuda.set_device(rank)

        mp.start_processes(work, nprocs=2, start_method="fork")
        # file: library.py
        import torch

        device = torch.device("cuda")
        """,
        """
        # file: main.py
        import torch
        import torch.multiprocessing as mp
        from library import device

        def work(rank):
            torch.cuda.set_device(rank)

        mp.start_processes(work, nprocs=2, start_method="fork")
        # file: library.py
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        """,
    ),
    Case(
        "",
        "a file asks for CUDA whose program has torch spawn processes",
        """
        # file: main.py
        import torch
        import torch.multiprocessing as mp
        from library import device

        def work(rank):
            torch.cuda.set_device(rank)

        mp.start_processes(work, nprocs=2, start_method="spawn")
        # file: library.py
        import torch

        device = torch.device("cuda")
        """,
        """
        # file: main.py
        import torch
        import torch.multiprocessing as mp
        from library import device

        def work(rank):
            torch.cuda.set_device(rank)

        mp.start_processes(work, nprocs=2, start_method="spawn")
        # file: library.py
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        """,
    ),
    Case(
        "question",
        "CUDA is asked for in a process that forks others, which use it",
        """
        # file: agent.py
        import torch
        import torch.multiprocessing as mp
        from config import Config, select_device

        class Replay(mp.Process):
            def run(self):
                print(torch.ones(3).to(Config.device).sum())

        select_device(0)
        Replay().start()
        # file: config.py
        import torch

        class Config:
            device = torch.device("cpu")

        def select_device(number):
            Config.device = torch.device("cuda:%d" % number)
        """,
        """
        # file: agent.py
        import torch
        import torch.multiprocessing as mp
        from config import Config, select_device

        class Replay(mp.Process):
            def run(self):
                print(torch.ones(3).to(Config.device).sum())

        select_device(0)
        Replay().start()
        # file: config.py
        import torch

        class Config:
            device = torch.device("cpu")

        def select_device(number):
            Config.device = torch.device(
                "cuda:%d" % number if torch.cuda.is_available() else "cpu"
            )
        """,
    ),
    Case(
        "question",
        "the default of an option is computed where the work is sent from",
        """
        # file: send.py
        import argparse
        import submitit
        import train

        class Trainer:
            def __init__(self, args):
                self.args = args

            def __call__(self):
                train.main(self.args)

        args = argparse.ArgumentParser(parents=[train.options()]).parse_args()
        submitit.AutoExecutor(folder="logs").submit(Trainer(args))
        # file: train.py
        import argparse
        import torch

        def options():
            parser = argparse.ArgumentParser(add_help=False)
            parser.add_argument("--device", default="cuda")
            return parser

        def main(args):
            print(torch.nn.Linear(3, 2).to(args.device))
        """,
        """
        # file: send.py
        import argparse
        import submitit
        import train

        class Trainer:
            def __init__(self, args):
                self.args = args

            def __call__(self):
                train.main(self.args)

        args = argparse.ArgumentParser(parents=[train.options()]).parse_args()
        submitit.AutoExecutor(folder="logs").submit(Trainer(args))
        # file: train.py
        import argparse
        import torch

        def options():
            parser = argparse.ArgumentParser(add_help=False)
            parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
            return parser

        def main(args):
            print(torch.nn.Linear(3, 2).to(args.device))
        """,
    ),
    Case(
        "",
        "processes that are started afresh",
        """
        import torch
        import torch.multiprocessing as mp

        def work(number):
            print(torch.ones(3).cuda(), number)

        if __name__ == "__main__":
            mp.set_start_method("spawn")
            net = torch.nn.Linear(3, 2).cuda()
            mp.Process(target=work, args=(0,)).start()
        """,
        """
        import torch
        import torch.multiprocessing as mp

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def work(number):
            print(torch.ones(3).to(device), number)

        if __name__ == "__main__":
            mp.set_start_method("spawn")
            net = torch.nn.Linear(3, 2).to(device)
            mp.Process(target=work, args=(0,)).start()
        """,
    ),
    Case(
        "receiver",
        "what was brought to the CPU goes back",
        """
        import torch

        def fill(features, index, found, use_cuda):
            if use_cuda:
                features = features.cuda()
                features.index_copy_(0, index, found)
            else:
                features.index_copy_(0, index.cpu(), found.cpu())
            return features
        """,
        """
        import torch

        def fill(features, index, found, use_cuda):
            if use_cuda:
                features = features.cuda()
                features.index_copy_(0, index, found)
            else:
                features.index_copy_(0, index.cpu().to(found.device), found.cpu())
            return features
        """,
    ),
    Case(
        "receiver",
        "the tensor of another framework is brought to the CPU",
        """
        import torch

        class Backend:
            def __init__(self):
                import tinygrad

                self.tinygrad = tinygrad

            def to_numpy(self, x):
                return x.numpy()

        print(torch.ones(3))
        """,
        """
        import torch

        class Backend:
            def __init__(self):
                import tinygrad

                self.tinygrad = tinygrad

            def to_numpy(self, x):
                return x.cpu().numpy()

        print(torch.ones(3))
        """,
    ),
    Case(
        "",
        "a program that moves all of it",
        """
        import torch

        net = torch.nn.Linear(3, 1)
        for step in range(2):
            x = torch.ones(2, 3)
            print(net(x).sum().item())
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1).to(device)
        for step in range(2):
            x = torch.ones(2, 3, device=device)
            print(net(x).sum().item())
        """,
    ),
    Case(
        "need",
        "a guard below an exit that stays",
        """
        import sys
        import torch

        def main():
            if not torch.cuda.is_available():
                sys.exit(1)
            torch.cuda.set_device(0)
            print("CUDA")

        main()
        """,
        """
        import sys
        import torch

        def main():
            if not torch.cuda.is_available():
                sys.exit(1)
            if torch.cuda.is_available():
                torch.cuda.set_device(0)
            print("CUDA")

        main()
        """,
    ),
    Case(
        "need",
        "a loss that needs CUDA where it does not fail, called by a second name",
        """
        # file: main.py
        import torch
        from steps import train, check

        def main():
            net = torch.nn.Linear(3, 1).cuda()
            step = train
            rate = check
            step(net)
            print(rate(net))

        main()
        # file: steps.py
        import torch

        def train(net):
            x = torch.ones(2, 3).cuda()
            net(x).sum().backward()

        def soften(x, deep):
            if deep:
                x = x * torch.cuda.comm.broadcast(torch.arange(1.0), devices=[0])[0]
            else:
                assert 0, "not implemented"
            return x

        def check(net):
            return soften(net(torch.ones(2, 3).cuda()), input())
        """,
        """
        # file: main.py
        import torch
        from steps import train, check

        def main():
            net = torch.nn.Linear(3, 1).cuda()
            step = train
            rate = check
            step(net)
            print(rate(net))

        main()
        # file: steps.py
        import torch

        def train(net):
            x = torch.ones(2, 3).to(next(net.parameters()).device)
            net(x).sum().backward()

        def soften(x, deep):
            if deep:
                x = x * torch.cuda.comm.broadcast(torch.arange(1.0), devices=[0])[0]
            else:
                assert 0, "not implemented"
            return x

        def check(net):
            return soften(net(torch.ones(2, 3).cuda()), input())
        """,
    ),
    Case(
        "need",
        "a tensor below a condition, beside a library for CUDA",
        """
        import sys
        import torch

        net = torch.nn.Linear(3, 1)
        if len(sys.argv) > 1:
            from torch2trt import TRTModule

            other = TRTModule()
            x = torch.ones(2, 3).cuda()
            net(x)
            net = other
        """,
        """
        import sys
        import torch

        net = torch.nn.Linear(3, 1)
        if len(sys.argv) > 1:
            from torch2trt import TRTModule

            other = TRTModule()
            x = torch.ones(2, 3).to("cuda" if torch.cuda.is_available() else "cpu")
            net(x)
            net = other
        """,
    ),
    Case(
        "need",
        "NCCL, joined in another file",
        """
        # file: join.py
        import os
        import sys
        import torch
        import torch.distributed as dist

        def join(args):
            if "RANK" in os.environ:
                args.rank = int(os.environ["RANK"])
            elif torch.cuda.is_available():
                args.rank = 0
            else:
                sys.exit(1)
            dist.init_process_group(backend="nccl", rank=args.rank)
        # file: train.py
        import argparse
        import torch
        from join import join

        def build():
            return torch.nn.Linear(3, 1).cuda()

        def main(args):
            if args.help_only:
                return
            join(args)
            print(build())

        parser = argparse.ArgumentParser()
        parser.add_argument("--help_only", action="store_true")
        main(parser.parse_args())
        """,
        """
        # file: join.py
        import os
        import sys
        import torch
        import torch.distributed as dist

        def join(args):
            if "RANK" in os.environ:
                args.rank = int(os.environ["RANK"])
            elif torch.cuda.is_available():
                args.rank = 0
            else:
                sys.exit(1)
            dist.init_process_group(backend="nccl", rank=args.rank)
        # file: train.py
        import argparse
        import torch
        from join import join

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def build():
            return torch.nn.Linear(3, 1).to(device)

        def main(args):
            if args.help_only:
                return
            join(args)
            print(build())

        parser = argparse.ArgumentParser()
        parser.add_argument("--help_only", action="store_true")
        main(parser.parse_args())
        """,
    ),
    Case(
        "need",
        "a condition that stays has asked already",
        """
        import torch

        net = torch.nn.Linear(3, 1)
        if torch.cuda.is_available():
            net.cuda()
        else:
            print("This takes a while")
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 1)
        if torch.cuda.is_available():
            net.to(device)
        else:
            print("This takes a while")
        """,
    ),
    Case(
        "need",
        "a group of processes, all of which talk over NCCL",
        """
        import os
        import torch
        import torch.distributed as dist

        def mean(values):
            if not dist.is_initialized():
                return sum(values)
            there = torch.cuda.is_available()
            found = torch.tensor([sum(values)], device="cuda")
            dist.all_reduce(found)
            return found.item()

        if "RANK" in os.environ:
            dist.init_process_group("nccl")
        print(mean([1.0]))
        """,
        """
        import os
        import torch
        import torch.distributed as dist

        def mean(values):
            if not dist.is_initialized():
                return sum(values)
            there = torch.cuda.is_available()
            found = torch.tensor([sum(values)], device="cuda" if there else "cpu")
            dist.all_reduce(found)
            return found.item()

        if "RANK" in os.environ:
            dist.init_process_group("nccl")
        print(mean([1.0]))
        """,
    ),
    Case(
        "need",
        "the model still goes to CUDA",
        """
        import torch

        net = torch.nn.Linear(3, 1).cuda()
        loss = torch.zeros(1, device="cuda")
        print(net.weight.storage().cuda(), loss)
        """,
        """
        import torch

        net = torch.nn.Linear(3, 1).cuda()
        loss = torch.zeros(1, device="cuda" if torch.cuda.is_available() else "cpu")
        print(net.weight.storage().cuda(), loss)
        """,
    ),
    Case(
        "need",
        "the card is chosen around it",
        """
        import torch

        def count(net):
            with torch.cuda.device(0):
                print(net.cuda())

        torch.cuda.set_device(1)
        count(torch.nn.Linear(3, 1))
        """,
        """
        import torch

        def count(net):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            with torch.cuda.device(0):
                print(net.to(device))

        torch.cuda.set_device(1)
        count(torch.nn.Linear(3, 1))
        """,
    ),
    Case(
        "need",
        "the card that the user chooses is entered around it",
        """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=-1)
        gpu = parser.parse_args().gpu
        net = torch.nn.Linear(3, 1)
        if gpu >= 0:
            with torch.cuda.device(gpu):
                net = net.cuda()
        print(net)
        """,
        """
        import argparse

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=-1)
        gpu = parser.parse_args().gpu
        net = torch.nn.Linear(3, 1)
        if gpu >= 0:
            with torch.cuda.device(gpu):
                net = net.to(device)
        print(net)
        """,
    ),
    Case(
        "need",
        "a function of a file that compiles kernels on import",
        """
        import torch
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])

        def noise(shape):
            return torch.randn(shape).cuda()
        """,
        """
        import torch
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])

        def noise(shape):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return torch.randn(shape).to(device)
        """,
    ),
    Case(
        "need",
        "a method of what only a program that compiles kernels makes",
        """
        # file: scan.py
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])
        # file: data.py
        import torch

        class Numbers(torch.utils.data.Dataset):
            def __init__(self, size):
                self.size = size

            def __getitem__(self, i):
                return torch.tensor([i], device="cuda")
        # file: train.py
        from scan import scan
        from data import Numbers

        print(scan(Numbers(3)))
        # file: demo.py
        from data import Numbers
        """,
        """
        # file: scan.py
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])
        # file: data.py
        import torch

        class Numbers(torch.utils.data.Dataset):
            def __init__(self, size):
                self.size = size

            def __getitem__(self, i):
                return torch.tensor([i], device="cuda" if torch.cuda.is_available() else "cpu")
        # file: train.py
        from scan import scan
        from data import Numbers

        print(scan(Numbers(3)))
        # file: demo.py
        from data import Numbers
        """,
    ),
    Case(
        "",
        "a method of what another program makes, too",
        """
        # file: scan.py
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])
        # file: data.py
        import torch

        class Numbers(torch.utils.data.Dataset):
            def __init__(self, size):
                self.size = size

            def __getitem__(self, i):
                return torch.tensor([i], device="cuda")
        # file: train.py
        from scan import scan
        from data import Numbers

        print(scan(Numbers(3)))
        # file: demo.py
        from data import Numbers

        print(Numbers(2)[0])
        """,
        """
        # file: scan.py
        from torch.utils.cpp_extension import load

        scan = load(name="scan", sources=["scan.cpp", "scan.cu"])
        # file: data.py
        import torch

        class Numbers(torch.utils.data.Dataset):
            def __init__(self, size):
                self.size = size

            def __getitem__(self, i):
                return torch.tensor([i], device="cuda" if torch.cuda.is_available() else "cpu")
        # file: train.py
        from scan import scan
        from data import Numbers

        print(scan(Numbers(3)))
        # file: demo.py
        from data import Numbers

        print(Numbers(2)[0])
        """,
    ),
    Case(
        "need",
        "a model is loaded to the CPU above a move that stays",
        """
        import torch

        net = torch.nn.Linear(3, 1)
        net.load_state_dict(torch.load("net.pt"))
        net.cuda(torch.distributed.get_rank() + 1)
        print(net)
        """,
        """
        import torch

        net = torch.nn.Linear(3, 1)
        net.load_state_dict(torch.load("net.pt", map_location="cpu"))
        net.cuda(torch.distributed.get_rank() + 1)
        print(net)
        """,
    ),
    Case(
        "",
        "a model is loaded to the CPU, and nothing needs CUDA",
        """
        import torch

        net = torch.nn.Linear(3, 1)
        net.load_state_dict(torch.load("net.pt"))
        print(net)
        """,
        """
        import torch

        net = torch.nn.Linear(3, 1)
        net.load_state_dict(torch.load("net.pt", map_location="cpu"))
        print(net)
        """,
    ),
    Case(
        "need",
        "a library of which nothing is known is given CUDA beside it",
        """
        import torch
        from laboratory.renderer import PerspectiveCameras

        cameras = PerspectiveCameras(device="cuda")
        print(cameras.transform_points(torch.ones(3).cuda()))
        """,
        """
        import torch
        from laboratory.renderer import PerspectiveCameras

        cameras = PerspectiveCameras(device="cuda")
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(cameras.transform_points(torch.ones(3, device=device)))
        """,
    ),
    Case(
        "need",
        "what setup.py builds for CUDA, imported from beside",
        """
        # file: setup.py
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CUDAExtension

        setup(name="points", ext_modules=[CUDAExtension("points_cuda", ["points.cu"])])
        # file: points.py
        import torch
        from . import points_cuda

        def sample(n):
            return points_cuda.sample(torch.zeros(n).cuda())
        """,
        """
        # file: setup.py
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CUDAExtension

        setup(name="points", ext_modules=[CUDAExtension("points_cuda", ["points.cu"])])
        # file: points.py
        import torch
        from . import points_cuda

        def sample(n):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return points_cuda.sample(torch.zeros(n, device=device))
        """,
    ),
    Case(
        "need",
        "all calls give what decides about a move that stays",
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, use_cuda=False):
                super().__init__()
                if use_cuda:
                    self.cuda(torch.distributed.get_rank() + 1)

        torch.cuda.set_device(0)
        print(Net(use_cuda=True))
        """,
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, use_cuda=False):
                super().__init__()
                if use_cuda:
                    self.cuda(torch.distributed.get_rank() + 1)

        if torch.cuda.is_available():
            torch.cuda.set_device(0)
        print(Net(use_cuda=True))
        """,
    ),
    Case(
        "",
        "one call gives another answer",
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, use_cuda=False):
                super().__init__()
                if use_cuda:
                    self.cuda(torch.distributed.get_rank() + 1)

        torch.cuda.set_device(0)
        print(Net(use_cuda=False))

        def other():
            print(Net(use_cuda=True))
        """,
        """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, use_cuda=False):
                super().__init__()
                if use_cuda:
                    self.cuda(torch.distributed.get_rank() + 1)

        if torch.cuda.is_available():
            torch.cuda.set_device(0)
        print(Net(use_cuda=False))

        def other():
            print(Net(use_cuda=True))
        """,
    ),
    Case(
        "need",
        "the same option leads to what needs CUDA",
        """
        def test(config, net):
            if not config["no_cuda"]:
                torch.cuda.set_device(0)
            net.eval()
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1)))
        """,
        """
        def test(config, net):
            if not config["no_cuda"]:
                if torch.cuda.is_available():
                    torch.cuda.set_device(0)
            net.eval()
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1)))
        """,
    ),
    Case(
        "need",
        "a part of the condition leads to what needs CUDA",
        """
        def test(config, net):
            if not config["no_cuda"]:
                torch.cuda.set_device(0)
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1)))
        """,
        """
        def test(config, net):
            if not config["no_cuda"] and torch.cuda.is_available():
                torch.cuda.set_device(0)
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1)))
        """,
    ),
    Case(
        "",
        "another answer by then",
        """
        def test(config, net, options):
            if not config["no_cuda"]:
                torch.cuda.set_device(0)
            for config in options:
                net.eval()
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1), [{"no_cuda": True}]))
        """,
        """
        def test(config, net, options):
            if not config["no_cuda"]:
                if torch.cuda.is_available():
                    torch.cuda.set_device(0)
            for config in options:
                net.eval()
            if not config["no_cuda"]:
                torch.distributed.init_process_group("nccl")
            return net

        import torch
        import json

        print(test(json.load(open("config.json")), torch.nn.Linear(3, 1), [{"no_cuda": True}]))
        """,
    ),
    Case(
        "need",
        "some of what a loop goes through comes by what needs CUDA",
        """
        import json
        import torch

        batch = json.load(open("batch.json"))
        torch.cuda.set_device(0)
        for key in batch:
            if key != "meta":
                torch.distributed.init_process_group("nccl")
        parts = [part for part in batch]
        """,
        """
        import json
        import torch

        batch = json.load(open("batch.json"))
        if torch.cuda.is_available():
            torch.cuda.set_device(0)
        for key in batch:
            if key != "meta":
                torch.distributed.init_process_group("nccl")
        parts = [part for part in batch]
        """,
    ),
    Case(
        "",
        "only a choice of the user leads to what needs CUDA",
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--distributed", action="store_true")
        args = parser.parse_args()
        if args.distributed:
            torch.distributed.init_process_group("nccl")
        net = torch.nn.Linear(3, 1).cuda()
        print(net(torch.ones(2, 3).cuda()))
        """,
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--distributed", action="store_true")
        args = parser.parse_args()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if args.distributed:
            torch.distributed.init_process_group("nccl")
        net = torch.nn.Linear(3, 1).to(device)
        print(net(torch.ones(2, 3).to(device)))
        """,
    ),
    Case(
        "",
        "what was left behind follows a tensor where CUDA is needed, too",
        """
        import torch

        assert torch.cuda.is_available()
        x = torch.ones(3).cuda()
        print(x + torch.zeros(3))
        """,
        """
        import torch

        assert torch.cuda.is_available()
        x = torch.ones(3).cuda()
        print(x + torch.zeros(3, device=x.device))
        """,
    ),
    Case(
        "need",
        "a line does without the name of CUDA, and the one above needs it",
        """
        import torch

        assert torch.cuda.is_available()
        x = torch.ones(3).cuda()
        print(x + torch.zeros(3).cuda(), x + torch.ones(3).to("cuda"))
        """,
        """
        import torch

        assert torch.cuda.is_available()
        x = torch.ones(3).cuda()
        print(x + torch.zeros(3).to(x.device), x + torch.ones(3).to(x.device))
        """,
    ),
    Case(
        "need",
        "the default of a parameter, of a function that needs CUDA",
        """
        import sys

        import torch

        def train(x, device=torch.device("cuda")):
            assert torch.cuda.is_available()
            return x.to(device)

        if len(sys.argv) > 1:
            print(train(torch.ones(3)))
        """,
        """
        import sys

        import torch

        def train(x, device=torch.device("cuda" if torch.cuda.is_available() else "cpu")):
            assert torch.cuda.is_available()
            return x.to(device)

        if len(sys.argv) > 1:
            print(train(torch.ones(3)))
        """,
    ),
    Case(
        "need",
        "a new name that only what has asked would read, and a question of another kind",
        """
        import torch

        net = torch.nn.Linear(3, 1)
        if torch.cuda.is_available():
            net = net.cuda()
            torch.backends.cudnn.benchmark = True
        torch.cuda.synchronize()
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        net = torch.nn.Linear(3, 1)
        if torch.cuda.is_available():
            net = net.to(device)
            torch.backends.cudnn.benchmark = True
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        """,
    ),
    Case(
        "need",
        "each process takes its own device, and that stays",
        """
        import torch

        def work(gpu, group):
            torch.cuda.set_device(gpu)
            if group:
                torch.distributed.init_process_group("nccl")
            net = torch.nn.Linear(3, 1).cuda()
            print(net(torch.ones(2, 3).cuda()))

        work(0, False)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def work(gpu, group):
            torch.cuda.set_device(gpu)
            if group:
                torch.distributed.init_process_group("nccl")
            net = torch.nn.Linear(3, 1).to(device)
            print(net(torch.ones(2, 3).to(device)))

        work(0, False)
        """,
    ),
    Case(
        "need",
        "another method stays with CUDA for the same choice of the user",
        """
        import torch

        class Detector:
            def __init__(self, args):
                self.args = args
                self.net = torch.nn.Linear(3, 1)
                if args.cuda:
                    self.net = self.net.cuda()

            def run(self, images):
                if self.args.cuda:
                    images = images.cuda(self.args.number + 1)
                return self.net(images)
        """,
        """
        import torch

        class Detector:
            def __init__(self, args):
                device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
                self.args = args
                self.net = torch.nn.Linear(3, 1)
                if args.cuda:
                    self.net = self.net.to(device)

            def run(self, images):
                if self.args.cuda:
                    images = images.cuda(self.args.number + 1)
                return self.net(images)
        """,
    ),
    Case(
        "need",
        "a transfer is taken out of a function of a program that needs CUDA",
        """
        import torch

        torch.distributed.init_process_group("nccl")

        def attack(x):
            x = x.cuda()
            return x + torch.zeros_like(x).cuda()

        print(attack(torch.ones(3)))
        """,
        """
        import torch

        torch.distributed.init_process_group("nccl")

        def attack(x):
            x = x.cuda()
            return x + torch.zeros_like(x)

        print(attack(torch.ones(3)))
        """,
    ),
    Case(
        "",
        "another method stays with CUDA for another choice of the user",
        """
        import torch

        class Detector:
            def __init__(self, args):
                self.args = args
                self.net = torch.nn.Linear(3, 1)
                if args.cuda:
                    self.net = self.net.cuda()

            def run(self, images):
                if self.args.cuda and self.args.fast:
                    images = images.cuda(self.args.number + 1)
                return self.net(images)
        """,
        """
        import torch

        class Detector:
            def __init__(self, args):
                device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
                self.args = args
                self.net = torch.nn.Linear(3, 1)
                self.net = self.net.to(device)

            def run(self, images):
                if self.args.cuda and self.args.fast:
                    images = images.cuda(self.args.number + 1)
                return self.net(images)
        """,
    ),
    Case(
        "need",
        "an inner function of an object that needs CUDA to be made",
        """
        import torch

        class Reducer:
            def __init__(self, module):
                self.stream = torch.cuda.Stream()
                self.watch(module)

            def watch(self, module):
                def finish(*unused):
                    torch.cuda.current_stream().wait_stream(self.stream)

                module.register_full_backward_hook(finish)
        """,
        """
        import torch

        class Reducer:
            def __init__(self, module):
                self.stream = torch.cuda.Stream()
                self.watch(module)

            def watch(self, module):
                def finish(*unused):
                    if torch.cuda.is_available():
                        torch.cuda.current_stream().wait_stream(self.stream)

                module.register_full_backward_hook(finish)
        """,
    ),
    Case(
        "answered",
        "a move below a condition that stays",
        """
        import torch

        use_cuda = torch.cuda.is_available()
        x = torch.ones(3)
        y = torch.ones(3, device="cuda" if use_cuda else "cpu")
        if use_cuda:
            x = x.cuda()
            print("on the GPU")
        print(x + y)
        """,
        """
        import torch

        use_cuda = torch.cuda.is_available()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.ones(3)
        y = torch.ones(3, device="cuda" if use_cuda else "cpu")
        if use_cuda:
            x = x.to(device)
            print("on the GPU")
        print(x + y)
        """,
    ),
    Case(
        "answered",
        "a move where an option of the user's says that everything is on the CPU",
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", action="store_true")
        args = parser.parse_args()
        x = torch.ones(3)
        if args.gpu:
            x = x.cuda()
            y = torch.ones(3).cuda()
        else:
            y = torch.ones(3)
        print(x + y)
        """,
        """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", action="store_true")
        args = parser.parse_args()
        device = torch.device("cuda" if args.gpu and torch.cuda.is_available() else "cpu")
        x = torch.ones(3)
        if args.gpu:
            x = x.cuda()
            y = torch.ones(3).cuda()
        else:
            y = torch.ones(3, device=device)
        print(x + y)
        """,
    ),
    Case(
        "",
        "a move that stands below the condition no more",
        """
        import torch

        use_cuda = torch.cuda.is_available()
        x = torch.ones(3)
        y = torch.ones(3).cuda()
        if use_cuda:
            x = x.cuda()
            print("on the GPU")
        print(x + y)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        use_cuda = torch.cuda.is_available()
        x = torch.ones(3)
        y = torch.ones(3, device=device)
        x = x.to(device)
        if use_cuda:
            print("on the GPU")
        print(x + y)
        """,
    ),
    Case(
        "draw",
        "what the CPU drew is drawn by the accelerator",
        """
        import torch

        torch.manual_seed(0)
        net = torch.nn.Linear(3, 1).cuda()
        x = torch.randn(2, 3, requires_grad=True).cuda()
        print(net(x))
        """,
        """
        import torch

        torch.manual_seed(0)
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 1).to(device)
        x = torch.randn(2, 3, requires_grad=True, device=device)
        print(net(x))
        """,
    ),
    Case(
        "draw",
        "what the CPU filled with random numbers is filled by the accelerator",
        """
        import torch

        net = torch.nn.Linear(3, 1).cuda()
        x = torch.empty(2, 3)
        x.normal_()
        print(net(x.cuda()))
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 1).to(device)
        x = torch.empty(2, 3, device=device)
        x.normal_()
        print(net(x))
        """,
    ),
    Case(
        "",
        "what an accelerator drew is drawn there, and what the CPU drew is moved",
        """
        import torch

        net = torch.nn.Linear(3, 1).cuda()
        x = torch.randn(2, 3, requires_grad=True).cuda()
        x = x + torch.randn(2, 3, device="cuda")
        x = x + torch.empty(2, 3).cuda().normal_()
        print(net(x))
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(3, 1).to(device)
        x = torch.randn(2, 3).to(device).requires_grad_()
        x = x + torch.randn(2, 3, device=device)
        x = x + torch.empty(2, 3, device=device).normal_()
        print(net(x))
        """,
    ),
    Case(
        "caller",
        "an object that others make is given the device of the machine",
        """
        import torch

        class Normalizer:
            def __init__(self, x):
                self.mean = torch.mean(x, 0)
            def encode(self, x):
                return x - self.mean
            def cuda(self):
                self.mean = self.mean.cuda()
        """,
        """
        import torch

        class Normalizer:
            def __init__(self, x):
                self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                self.mean = torch.mean(x, 0)
            def encode(self, x):
                return x - self.mean.to(self.device)
            def cuda(self):
                self.mean = self.mean.to(self.device)
        """,
    ),
    Case(
        "caller",
        "what callers pass in is left where it is",
        """
        import torch
        from torch.utils.cpp_extension import load

        kernel = load(name="wkv", sources=["wkv.cu"])

        def run(w, k):
            return kernel.forward(w.cuda(), k.cuda())
        """,
        """
        import torch
        from torch.utils.cpp_extension import load

        kernel = load(name="wkv", sources=["wkv.cu"])

        def run(w, k):
            return kernel.forward(w, k)
        """,
    ),
    Case(
        "",
        "a method that is called to move an object moves it, and casts move with their tensor",
        """
        import torch

        class Normalizer:
            def __init__(self, x):
                self.mean = torch.mean(x, 0)
            def encode(self, x):
                return x.cuda() - self.mean
            def cuda(self):
                self.mean = self.mean.cuda()
        """,
        """
        import torch

        class Normalizer:
            def __init__(self, x):
                self.mean = torch.mean(x, 0)
            def encode(self, x):
                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                return x.to(device) - self.mean
            def cuda(self):
                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                self.mean = self.mean.to(device)
        """,
    ),
    Case(
        "caller",
        "a loss with a weight of its callers is brought to the CPU where a flag is off",
        """
        # file: loss.py
        import torch
        from torch import nn

        class Losses:
            def __init__(self, weight=None, cuda=False):
                self.weight = weight
                self.cuda = cuda
            def entropy(self, logit, target):
                criterion = nn.CrossEntropyLoss(weight=self.weight)
                if self.cuda:
                    criterion = criterion.cuda()
                return criterion(logit, target)
        # file: train.py
        import torch
        from loss import Losses

        print(Losses(cuda=False).entropy(torch.ones(2, 3), torch.tensor([0, 1])))
        """,
        """
        # file: loss.py
        import torch
        from torch import nn

        class Losses:
            def __init__(self, weight=None, cuda=False):
                self.weight = weight
                self.cuda = cuda
                self.device = torch.device("cuda" if self.cuda else "cpu")
            def entropy(self, logit, target):
                criterion = nn.CrossEntropyLoss(weight=self.weight)
                criterion = criterion.to(self.device)
                return criterion(logit, target)
        # file: train.py
        import torch
        from loss import Losses

        print(Losses(cuda=False).entropy(torch.ones(2, 3), torch.tensor([0, 1])))
        """,
    ),
    Case(
        "caller",
        "None, which meant the mean, means the sum",
        """
        import torch
        from torch import nn

        def loss(x, y, average=True):
            return nn.MSELoss(size_average=average)(x, y)

        print(loss(torch.ones(3), torch.zeros(3)))
        """,
        """
        import torch
        from torch import nn

        def loss(x, y, average=True):
            return nn.MSELoss(reduction="mean" if average else "sum")(x, y)

        print(loss(torch.ones(3), torch.zeros(3)))
        """,
    ),
    Case(
        "flag",
        "what followed a tensor asks for parameters, which a copy of the module has none of",
        """
        import torch

        class Drop(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.ones(3))
            def forward(self, x):
                mask = torch.ones(3)
                if x.is_cuda:
                    mask = mask.cuda()
                return mask * self.weight * x
        """,
        """
        import torch

        class Drop(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.ones(3))
            def forward(self, x):
                mask = torch.ones(3, device=next(self.parameters()).device)
                return mask * self.weight * x
        """,
    ),
    Case(
        "",
        "where the original lacked a transfer as well, which an edit has unwrapped",
        """
        import numpy as np
        import torch
        import torch.nn.functional as F
        from torch import nn
        from torch.autograd import Variable
        from torch.utils.data import Dataset

        class STFT(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("basis", torch.ones(4, 1, 2))
            def inverse(self, magnitude):
                result = F.conv_transpose1d(magnitude, Variable(self.basis, requires_grad=False))
                window = torch.from_numpy(np.ones(3, dtype=np.float32))
                window = window.cuda() if magnitude.is_cuda else window
                result[:, :, :3] /= window
                return result

        class Wavs(Dataset):
            def __init__(self):
                self.stft = STFT()
            def __getitem__(self, index):
                return self.stft.inverse(torch.ones(1, 4, 8))

        def vocode(stft, magnitudes):
            return stft.inverse(magnitudes)

        def mask(lengths):
            longest = int(torch.max(lengths))
            ids = torch.arange(0, longest, out=torch.cuda.LongTensor(longest))
            return ids < lengths
        """,
        """
        import numpy as np
        import torch
        import torch.nn.functional as F
        from torch import nn
        from torch.utils.data import Dataset

        class STFT(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("basis", torch.ones(4, 1, 2))
            def inverse(self, magnitude):
                result = F.conv_transpose1d(magnitude, self.basis)
                window = torch.from_numpy(np.ones(3, dtype=np.float32))
                window = window.to(magnitude.device)
                result[:, :, :3] /= window
                return result

        class Wavs(Dataset):
            def __init__(self):
                self.stft = STFT()
            def __getitem__(self, index):
                return self.stft.inverse(torch.ones(1, 4, 8))

        def vocode(stft, magnitudes):
            return stft.inverse(magnitudes)

        def mask(lengths):
            longest = int(torch.max(lengths))
            ids = torch.arange(0, longest, out=torch.LongTensor(longest).to(lengths.device))
            return ids < lengths
        """,
    ),
    Case(
        "version",
        "what came later than the oldest torch, which is 2.4 by default",
        """
        import torch
        torch.cuda.synchronize()
        """,
        """
        import torch
        torch.accelerator.synchronize()
        """,
    ),
    Case(
        "version",
        "a name that an import gives",
        """
        from torch import cuda as runtime
        runtime.synchronize()
        """,
        """
        from torch import accelerator as runtime
        runtime.synchronize()
        """,
    ),
    Case(
        "",
        "what the program needs anyway",
        """
        import torch
        torch.accelerator.synchronize()
        print(torch.zeros(3))
        """,
        """
        import torch
        torch.accelerator.synchronize()
        print(torch.zeros(3, dtype=torch.float32))
        """,
    ),
    Case(
        "device",
        "a module that the statement itself makes for the first time is asked where it is",
        """
        import torch
        from torch import nn

        class Speech:
            def __init__(self):
                self.latents = None
            def random(self):
                if self.latents is None:
                    self.latents = nn.Linear(1, 4).eval()
                return self.latents(torch.tensor([0.0]))

        print(Speech().random())
        """,
        """
        import torch
        from torch import nn

        class Speech:
            def __init__(self):
                self.latents = None
            def random(self):
                if self.latents is None:
                    self.latents = nn.Linear(1, 4).to(next(self.latents.parameters()).device).eval()
                return self.latents(torch.tensor([0.0]))

        print(Speech().random())
        """,
    ),
    Case(
        "",
        "a module that was made before is asked where it is, and made anew there",
        """
        import torch
        from torch import nn

        class Speech:
            def __init__(self):
                self.latents = nn.Linear(1, 4)
            def random(self):
                self.latents = nn.Linear(1, 4).eval()
                return self.latents(torch.tensor([0.0]))

        print(Speech().random())
        """,
        """
        import torch
        from torch import nn

        class Speech:
            def __init__(self):
                self.latents = nn.Linear(1, 4)
            def random(self):
                self.latents = nn.Linear(1, 4).to(next(self.latents.parameters()).device).eval()
                return self.latents(torch.tensor([0.0]))

        print(Speech().random())
        """,
    ),
    Case(
        "device",
        "a tensor that nobody knows where it is, and that is not met on all ways",
        """
        # file: lib.py
        import torch

        def show(x):
            index = torch.arange(3).cuda()
            if len(x) > 2:
                return index + x
            return index
        # file: main.py
        import torch
        from lib import show

        print(show(torch.ones(3).cuda()))
        print(show(torch.zeros(3, device="meta")).shape)
        """,
        """
        # file: lib.py
        import torch

        def show(x):
            index = torch.arange(3).to(x.device)
            if len(x) > 2:
                return index + x
            return index
        # file: main.py
        import torch
        from lib import show

        print(show(torch.ones(3).cuda()))
        print(show(torch.zeros(3, device="meta")).shape)
        """,
    ),
    Case(
        "",
        "the same where each run that works has met it",
        """
        # file: lib.py
        import torch

        def show(x):
            index = torch.arange(3).cuda()
            return index + x
        # file: main.py
        import torch
        from lib import show

        print(show(torch.ones(3).cuda()))
        print(show(torch.zeros(3, device="meta")).shape)
        """,
        """
        # file: lib.py
        import torch

        def show(x):
            index = torch.arange(3).to(x.device)
            return index + x
        # file: main.py
        import torch
        from lib import show

        print(show(torch.ones(3).cuda()))
        print(show(torch.zeros(3, device="meta")).shape)
        """,
    ),
    Case(
        "copy",
        "what was a copy is written while the original is in use",
        """
        import torch

        x = torch.zeros(3)
        y = x.cuda()
        y += 1
        print(x, y)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.zeros(3)
        y = x.to(device)
        y += 1
        print(x, y)
        """,
    ),
    Case(
        "",
        "what was a copy is written, and nothing reads the original any more",
        """
        import torch

        x = torch.zeros(3)
        y = x.cuda()
        y += 1
        print(y)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.zeros(3)
        y = x.to(device)
        y += 1
        print(y)
        """,
    ),
    Case(
        "",
        "an attribute is bound to its copy, and nothing else has the original",
        """
        import torch


        class Store:
            def __init__(self, start):
                self.rows = torch.zeros(3)

            def move(self):
                self.rows = self.rows.cuda()


        start = torch.zeros(3)
        store = Store(start)
        store.move()
        store.rows[0] = 1
        print(store.rows)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Store:
            def __init__(self, start):
                self.rows = torch.zeros(3)

            def move(self):
                self.rows = self.rows.to(device)


        start = torch.zeros(3)
        store = Store(start)
        store.move()
        store.rows[0] = 1
        print(store.rows)
        """,
    ),
    Case(
        "copy",
        "an attribute is bound to its copy, and the caller has the original",
        """
        import torch


        class Store:
            def __init__(self, start):
                self.rows = start

            def move(self):
                self.rows = self.rows.cuda()


        start = torch.zeros(3)
        store = Store(start)
        store.move()
        store.rows[0] = 1
        print(start, store.rows)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Store:
            def __init__(self, start):
                self.rows = start

            def move(self):
                self.rows = self.rows.to(device)


        start = torch.zeros(3)
        store = Store(start)
        store.move()
        store.rows[0] = 1
        print(start, store.rows)
        """,
    ),
    Case(
        "copy",
        "an attribute is bound to its copy, and a name to the original",
        """
        import torch


        class Store:
            def __init__(self, start):
                self.rows = torch.zeros(3)

            def move(self):
                self.rows = self.rows.cuda()


        start = torch.zeros(3)
        store = Store(start)
        first = store.rows
        store.move()
        store.rows[0] = 1
        print(first, store.rows)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Store:
            def __init__(self, start):
                self.rows = torch.zeros(3)

            def move(self):
                self.rows = self.rows.to(device)


        start = torch.zeros(3)
        store = Store(start)
        first = store.rows
        store.move()
        store.rows[0] = 1
        print(first, store.rows)
        """,
    ),
    Case(
        "copy",
        "another name still holds the original of a copy that is written",
        """
        import torch

        x = torch.zeros(3)
        first = x
        x = x.cuda()
        x += 1
        print(first, x)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        x = torch.zeros(3)
        first = x
        x = x.to(device)
        x += 1
        print(first, x)
        """,
    ),
    Case(
        "",
        "another name has held the original of a copy that is written, and is read no more",
        """
        import torch

        x = torch.zeros(3)
        first = x
        print(first)
        x = x.cuda()
        x += 1
        print(x)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        x = torch.zeros(3)
        first = x
        print(first)
        x = x.to(device)
        x += 1
        print(x)
        """,
    ),
    Case(
        "device",
        "an option is asked above the loop that sets it by its name",
        """
        import torch

        class Detector:
            defaults = {"cuda": True}
            def __init__(self, **options):
                self.__dict__.update(self.defaults)
                self.anchors = torch.zeros(3)
                if self.cuda:
                    self.anchors = self.anchors.cuda()

        print(Detector().anchors)
        """,
        """
        import torch

        class Detector:
            defaults = {"cuda": True}
            def __init__(self, **options):
                device = torch.device("cuda" if self.cuda and torch.cuda.is_available() else "cpu")
                self.__dict__.update(self.defaults)
                self.anchors = torch.zeros(3)
                self.anchors = self.anchors.to(device)

        print(Detector().anchors)
        """,
    ),
    Case(
        "",
        "an option is asked below the line that sets it by its name",
        """
        import torch

        class Detector:
            defaults = {"cuda": True}
            def __init__(self, **options):
                self.__dict__.update(self.defaults)
                self.anchors = torch.zeros(3)
                if self.cuda:
                    self.anchors = self.anchors.cuda()

        print(Detector().anchors)
        """,
        """
        import torch

        class Detector:
            defaults = {"cuda": True}
            def __init__(self, **options):
                self.__dict__.update(self.defaults)
                device = torch.device("cuda" if self.cuda and torch.cuda.is_available() else "cpu")
                self.anchors = torch.zeros(3)
                self.anchors = self.anchors.to(device)

        print(Detector().anchors)
        """,
    ),
    Case(
        "caller",
        "a move is gone, and what its result meets is unknown",
        """
        import torch
        import torch.nn as nn
        import torch.nn.functional as F


        def one_hot(indices, depth):
            encoded = torch.zeros(indices.size() + torch.Size([depth]))
            if indices.is_cuda:
                encoded = encoded.cuda()
            return encoded.scatter_(1, indices.unsqueeze(1), 1)


        class Proto(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.args = args
                self.attn = nn.Linear(4, 4)

            def get_proto(self, x_shot, x_pool):
                num_batch, num_shot, num_way, emb_dim = x_shot.shape
                labels = torch.arange(num_way).repeat(num_shot).type(torch.LongTensor)
                onehot = one_hot(labels, num_way)
                if torch.cuda.is_available():
                    onehot = onehot.cuda()
                proto_shot = x_shot.mean(dim=1)
                dis = torch.bmm(x_pool.view(num_batch, -1, emb_dim), proto_shot.permute([0, 2, 1]))
                z_hat = F.softmax(dis, dim=2)
                z = torch.cat([onehot, z_hat], dim=1)
                h = torch.cat([x_shot.view(num_batch, -1, emb_dim), x_pool], dim=1)
                return torch.bmm(z.permute([0, 2, 1]), h)

            def _forward(self, embs, support_idx, query_idx):
                support = embs[support_idx.view(-1)].view(*support_idx.shape + (-1,))
                query = embs[query_idx.view(-1)].view(*query_idx.shape + (-1,))
                proto = self.get_proto(support, query)
                return torch.bmm(query, proto.permute([0, 2, 1]))
        """,
        """
        import torch
        import torch.nn as nn
        import torch.nn.functional as F


        def one_hot(indices, depth):
            encoded = torch.zeros(indices.size() + torch.Size([depth]))
            if indices.is_cuda:
                encoded = encoded.cuda()
            return encoded.scatter_(1, indices.unsqueeze(1), 1)


        class Proto(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.args = args
                self.attn = nn.Linear(4, 4)

            def get_proto(self, x_shot, x_pool):
                num_batch, num_shot, num_way, emb_dim = x_shot.shape
                labels = torch.arange(num_way).repeat(num_shot).type(torch.LongTensor)
                onehot = one_hot(labels, num_way)
                proto_shot = x_shot.mean(dim=1)
                dis = torch.bmm(x_pool.view(num_batch, -1, emb_dim), proto_shot.permute([0, 2, 1]))
                z_hat = F.softmax(dis, dim=2)
                z = torch.cat([onehot, z_hat], dim=1)
                h = torch.cat([x_shot.view(num_batch, -1, emb_dim), x_pool], dim=1)
                return torch.bmm(z.permute([0, 2, 1]), h)

            def _forward(self, embs, support_idx, query_idx):
                support = embs[support_idx.view(-1)].view(*support_idx.shape + (-1,))
                query = embs[query_idx.view(-1)].view(*query_idx.shape + (-1,))
                proto = self.get_proto(support, query)
                return torch.bmm(query, proto.permute([0, 2, 1]))
        """,
    ),
    Case(
        "caller",
        "a constant goes to the device for what unknown callers pass",
        """
        import numpy as np
        import torch
        from torch import nn

        PI = torch.from_numpy(np.asarray(np.pi))


        def log_normal_diag(x, mu, log_var):
            return -0.5 * torch.log(2. * PI) - 0.5 * log_var - torch.exp(-log_var) * (x - mu)**2


        net = nn.Linear(3, 3)
        x = torch.ones(2, 3)
        for i in range(3):
            print(net(x))
        """,
        """
        import numpy as np
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        PI = torch.from_numpy(np.asarray(np.pi)).to(device)


        def log_normal_diag(x, mu, log_var):
            return -0.5 * torch.log(2. * PI) - 0.5 * log_var - torch.exp(-log_var) * (x - mu)**2


        net = nn.Linear(3, 3)
        x = torch.ones(2, 3)
        for i in range(3):
            print(net(x))
        """,
    ),
    Case(
        "need",
        "a new tensor follows a batch that stays on the CPU",
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset


        def train(model, loader):
            for (batch,) in loader:
                if model.dequantization:
                    batch = batch + torch.rand(batch.shape)
                print(model(batch).shape)


        class Net(nn.Linear):
            dequantization = True


        net = Net(2, 2)
        train(net, DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2))
        torch.save(net, "net.model")
        """,
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset


        def train(model, loader):
            for (batch,) in loader:
                if model.dequantization:
                    batch = batch + torch.rand(batch.shape, device=batch.device)
                print(model(batch).shape)


        class Net(nn.Linear):
            dequantization = True


        net = Net(2, 2)
        train(net, DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2))
        torch.save(net, "net.model")
        """,
    ),
    Case(
        "",
        "below a question for CUDA the CPU had one tensor before",
        """
        import torch

        x = torch.zeros(3)
        if torch.cuda.is_available():
            y = x.cuda()
        else:
            y = x
        y += 1
        print(x, y)
        """,
        """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.zeros(3)
        y = x.to(device)
        y += 1
        print(x, y)
        """,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_judge_refuses_what_was_wrong_once(case: Case) -> None:
    found = objections(case)
    assert found >= {case.check} if case.check else not found


def test_each_check_has_a_case() -> None:
    assert {case.check for case in CASES} - {""} == set(ALL)


def test_an_objection_is_to_no_edit_that_only_borders_on_what_it_is_about() -> None:
    """What is around ``x.cuda()``, ``Variable(…)``, is taken away by somebody else."""
    before = dedent("""\
        import torch
        from torch.autograd import Variable

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def batch(x, gpu=True):
            if gpu: x = Variable(x.cuda())
            return x

        print(batch(torch.zeros(2)))
        """)
    pieces = [("if gpu: ", "", 0), ("Variable(", "", 1), ("cuda()", "to(device)", 2), (")", "", 1)]
    at, numbered, after = before.index("    if gpu"), list[tuple[Edit, int]](), before
    for old, new, number in pieces:
        at = before.index(old, at)
        numbered.append((Edit(at, at + len(old), 0, new), number))
        at += len(old)
    for edit, _ in reversed(numbered):
        after = after[: edit.start] + edit.text + after[edit.end :]
    assert "    x = x.to(device)\n" in after
    found = judge(
        program({"train.py": before}), program({"train.py": after}), {"train.py": [numbered]}
    )
    assert [(one.check, one.edits & {1, 2}) for one in found] == [("flag", frozenset({2}))]
