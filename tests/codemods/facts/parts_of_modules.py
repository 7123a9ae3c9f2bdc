# case: the parts that a parameter gives by their names are modules
import torch
from torch import nn


def part_of(module, wanted):
    for name, part in module.named_modules():
        if name == wanted:
            return part
    raise ValueError(wanted)


def linears(module):
    return {name: part for name, part in module.named_modules() if isinstance(part, nn.Linear)}


def scale(module, names):
    for name in names:
        part = part_of(module, name)
        part.cuda()
        print(part.weight.sum().item())
        part.cpu()
    found = linears(module)
    for name in found:
        found[name].cuda()

# output
import torch
from torch import nn


def part_of(module, wanted):
    for name, part in module.named_modules():
        if name == wanted:
            return part
    raise ValueError(wanted)


def linears(module):
    return {name: part for name, part in module.named_modules() if isinstance(part, nn.Linear)}


def scale(module, names):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for name in names:
        part = part_of(module, name)
        part.to(device)
        print(part.weight.sum().item())
        part.cpu()
    found = linears(module)
    for name in found:
        found[name].to(device)

# case: what it gives by another method may be anything
# reports: DFX201
import torch


def scale(module):
    for name, part in module.named_things():
        part.cuda()
        print(name)
