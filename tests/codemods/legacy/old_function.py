# case: methods of an object
# reports: DFX613
import torch
from torch.autograd import Function


class Square(Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, grad):
        (x,) = self.saved_tensors
        return 2 * x * grad


print(Square, torch.ones(1))

# case: static methods
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad


print(Square.apply(torch.ones(1)))

# case: a class of the program
import torch


class Function:
    def forward(self, x):
        return x


class Square(Function):
    def forward(self, x):
        return x * x


print(Square().forward(torch.ones(1)))
