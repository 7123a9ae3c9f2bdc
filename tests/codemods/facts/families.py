# case: one device for a class and those that derive from it, which an option chooses
import argparse

import torch
import torch.nn as nn


class Machine:
    def __init__(self, args):
        self.args = args
        self.model = nn.Linear(4, 2)
        if self.args.gpu:
            self.model.cuda()

    def train(self, batches):
        for inputs in batches:
            if self.args.gpu:
                inputs = inputs.cuda()
            print(self.model(inputs).sum().item())


class GanMachine(Machine):
    def __init__(self, args):
        super().__init__(args)
        self.critic = nn.Linear(2, 1)
        if self.args.gpu:
            self.critic.cuda()

    def train(self, batches):
        for inputs in batches:
            if self.args.gpu:
                inputs = inputs.cuda()
            print(self.critic(self.model(inputs)).sum().item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--gan", action="store_true")
    args = parser.parse_args()
    machine = GanMachine(args) if args.gan else Machine(args)
    machine.train([torch.ones(3, 4)])


if __name__ == "__main__":
    main()

# output
import argparse

import torch
import torch.nn as nn


class Machine:
    def __init__(self, args):
        self.device = torch.device("cuda" if args.gpu and torch.cuda.is_available() else "cpu")
        self.args = args
        self.model = nn.Linear(4, 2)
        self.model.to(self.device)

    def train(self, batches):
        for inputs in batches:
            inputs = inputs.to(self.device)
            print(self.model(inputs).sum().item())


class GanMachine(Machine):
    def __init__(self, args):
        super().__init__(args)
        self.critic = nn.Linear(2, 1)
        self.critic.to(self.device)

    def train(self, batches):
        for inputs in batches:
            inputs = inputs.to(self.device)
            print(self.critic(self.model(inputs)).sum().item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--gan", action="store_true")
    args = parser.parse_args()
    machine = GanMachine(args) if args.gan else Machine(args)
    machine.train([torch.ones(3, 4)])


if __name__ == "__main__":
    main()

# case: the base asks for it first of all
import torch
import torch.nn as nn


class Machine:
    def __init__(self, width):
        self.model = nn.Linear(width, 2).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())


class GanMachine(Machine):
    def __init__(self, width):
        depth = 2 * width
        Machine.__init__(self, width)
        self.critic = nn.Linear(2, depth).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.cuda())).sum().item())


def run(name):
    machine = {"plain": Machine, "gan": GanMachine}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("plain")

# output
import torch
import torch.nn as nn


class Machine:
    def __init__(self, width):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(width, 2).to(self.device)

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.to(self.device)).sum().item())


class GanMachine(Machine):
    def __init__(self, width):
        depth = 2 * width
        Machine.__init__(self, width)
        self.critic = nn.Linear(2, depth).to(self.device)

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.to(self.device))).sum().item())


def run(name):
    machine = {"plain": Machine, "gan": GanMachine}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("plain")

# case: a constructor that uses the object before it runs that of the base
import torch
import torch.nn as nn


class Machine:
    def __init__(self, width):
        self.model = nn.Linear(width, 2).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())


class GanMachine(Machine):
    def __init__(self, width):
        self.critic = nn.Linear(2, 8).cuda()
        self.warm_up()
        Machine.__init__(self, width)

    def warm_up(self):
        print(self.critic(torch.ones(1, 2).cuda()).sum().item())

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.cuda())).sum().item())


def run(name):
    machine = {"plain": Machine, "gan": GanMachine}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("plain")

# output
import torch
import torch.nn as nn


class Machine:
    def __init__(self, width):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(width, 2).to(device)

    def train(self, batches):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        for inputs in batches:
            print(self.model(inputs.to(device)).sum().item())


class GanMachine(Machine):
    def __init__(self, width):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.critic = nn.Linear(2, 8).to(self.device)
        self.warm_up()
        Machine.__init__(self, width)

    def warm_up(self):
        print(self.critic(torch.ones(1, 2, device=self.device)).sum().item())

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.to(self.device))).sum().item())


def run(name):
    machine = {"plain": Machine, "gan": GanMachine}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("plain")

# case: objects that take no new attribute
import torch
from torch import nn


class Slotted:
    __slots__ = ("model",)

    def __init__(self, width):
        self.model = nn.Linear(width, 2).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())


class Strict:
    def __init__(self, width):
        self.model = nn.Linear(width, 2).cuda()

    def __setattr__(self, name, value):
        if name != "model":
            raise AttributeError(name)
        object.__setattr__(self, name, value)

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())


def run():
    for machine in (Slotted(4), Strict(4)):
        machine.train([torch.ones(3, 4)])


def test_it():
    run()

# output
import torch
from torch import nn


class Slotted:
    __slots__ = ("model",)

    def __init__(self, width):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(width, 2).to(device)

    def train(self, batches):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        for inputs in batches:
            print(self.model(inputs.to(device)).sum().item())


class Strict:
    def __init__(self, width):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(width, 2).to(device)

    def __setattr__(self, name, value):
        if name != "model":
            raise AttributeError(name)
        object.__setattr__(self, name, value)

    def train(self, batches):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        for inputs in batches:
            print(self.model(inputs.to(device)).sum().item())


def run():
    for machine in (Slotted(4), Strict(4)):
        machine.train([torch.ones(3, 4)])


def test_it():
    run()

# case: a constructor that moves things before it runs that of the base
import torch
from torch import nn


class Machine:
    def __init__(self, width):
        self.model = nn.Linear(width, 2).cuda()

    def train(self, batches):
        for inputs in batches:
            print(self.model(inputs.cuda()).sum().item())


class Critic(Machine):
    def __init__(self, width):
        self.critic = nn.Linear(2, 1).cuda()
        super().__init__(width)

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.cuda())).sum().item())




def run(name):
    machine = {"plain": Machine, "critic": Critic}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("critic")

# output
import torch
from torch import nn


class Machine:
    def __init__(self, width):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(width, 2).to(device)

    def train(self, batches):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        for inputs in batches:
            print(self.model(inputs.to(device)).sum().item())


class Critic(Machine):
    def __init__(self, width):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.critic = nn.Linear(2, 1).to(self.device)
        super().__init__(width)

    def train(self, batches):
        for inputs in batches:
            print(self.critic(self.model(inputs.to(self.device))).sum().item())




def run(name):
    machine = {"plain": Machine, "critic": Critic}[name](4)
    machine.train([torch.ones(3, 4)])


def test_it():
    run("critic")

# case: an object that chooses its GPUs asks for none before
import os
import sys

import torch
from torch import nn


class Trainer:
    def __init__(self, options):
        self.options = options
        os.environ["CUDA_VISIBLE_DEVICES"] = options[0]
        self.seen = []

    def run(self, net):
        self.seen.append(net.cuda()(torch.zeros(2, 3).cuda()).shape)

    def show(self):
        print(torch.ones(2).cuda().sum().item(), self.seen)


trainer = Trainer(sys.argv[1:] or ["0"])
trainer.run(nn.Linear(3, 1))
trainer.show()

# output
import os
import sys

import torch
from torch import nn


class Trainer:
    def __init__(self, options):
        self.options = options
        os.environ["CUDA_VISIBLE_DEVICES"] = options[0]
        self.seen = []

    def run(self, net):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.seen.append(net.to(device)(torch.zeros(2, 3, device=device)).shape)

    def show(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(torch.ones(2, device=device).sum().item(), self.seen)


trainer = Trainer(sys.argv[1:] or ["0"])
trainer.run(nn.Linear(3, 1))
trainer.show()
