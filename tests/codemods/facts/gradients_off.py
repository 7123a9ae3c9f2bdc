
# case: what is only computed with where gradients are off
import torch
from torch.autograd import Variable


def evaluate(net, loader, device):
    for data in loader:
        with torch.no_grad():
            image, label = Variable(data[0].to(device)), Variable(data[1].to(device))
            out = net(image)
            print((out.argmax(1) == label).sum().item())

# output
import torch


def evaluate(net, loader, device):
    for data in loader:
        with torch.no_grad():
            image, label = data[0].to(device), data[1].to(device)
            out = net(image)
            print((out.argmax(1) == label).sum().item())

# case: what is kept beyond that, or asked for its gradient
import torch
from torch.autograd import Variable


def collected(net, loader, seen):
    for data in loader:
        with torch.no_grad():
            image = Variable(data[0])
            seen.append(image)
            print(net(image))


def returned(net, data):
    with torch.no_grad():
        image = Variable(data[0])
        out = net(image)
    return out, image


def asked(net, data):
    with torch.no_grad():
        image = Variable(data[0])
        return net(image), image.requires_grad

# output
import torch


def collected(net, loader, seen):
    for data in loader:
        with torch.no_grad():
            image = data[0].detach()
            seen.append(image)
            print(net(image))


def returned(net, data):
    with torch.no_grad():
        image = data[0].detach()
        out = net(image)
    return out, image


def asked(net, data):
    with torch.no_grad():
        image = data[0].detach()
        return net(image), image.requires_grad
