# case: of a mean, as in programs of torch 0.3
import torch
from torch.autograd import Variable

w = torch.ones(3, requires_grad=True)
one = torch.FloatTensor([1])
mone = one * -1
x = Variable(torch.ones(3))
(w * x).mean().backward(one)
loss = (w * x).mean()
loss.backward(gradient=mone)
print(w.grad)

# output
import torch

w = torch.ones(3, requires_grad=True)
one = torch.FloatTensor([1])
mone = one * -1
x = torch.ones(3)
(w * x).mean().backward(one[0])
loss = (w * x).mean()
loss.backward(gradient=mone[0])
print(w.grad)

# case: computed where it is given, and kept for more
import torch

w = torch.ones(3, requires_grad=True)
one = torch.FloatTensor([1])
loss = (w * 2).sum()
loss.backward(one * -1, retain_graph=True)
loss.backward(torch.tensor([2.0]))

# output
import torch

w = torch.ones(3, requires_grad=True)
one = torch.FloatTensor([1])
loss = (w * 2).sum()
loss.backward((one * -1)[0], retain_graph=True)
loss.backward(torch.tensor([2.0])[0])

# case: the tensor has a dimension, too
import torch

w = torch.ones(3, requires_grad=True)
one = torch.FloatTensor([1])
w.view(1, 3).mean(1).view(1).backward(one)
w.view(1, 3).mean(1).backward(one)

# case: the gradient has no dimension
import torch

w = torch.ones(3, requires_grad=True)
one = torch.tensor(1.0)
(w * 2).mean().backward(one)
(w * 2).mean().backward(torch.FloatTensor([1])[0])
(w * 2).mean().backward(torch.FloatTensor([1]).squeeze())
(w * 2).mean().backward(None)

# case: it may have a dimension
import torch


def learn(loss, one=torch.FloatTensor([1])):
    loss.backward(one)


def mean(net, gradient):
    net(torch.ones(4, 3)).mean().backward(gradient)


print(learn, mean)

# case: not the method of a tensor
import torch


class Loss:
    def backward(self, gradient):
        return gradient


print(Loss().backward(torch.FloatTensor([1])))
