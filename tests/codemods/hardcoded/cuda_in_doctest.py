# case: a method and a device that is named
# reports: DFX219
import torch


def double(x):
    """Twice as much.

    >>> double(torch.ones(2).cuda())
    tensor([2., 2.], device='cuda:0')
    >>> double(torch.ones(2, device="cuda:1")).shape
    torch.Size([2])
    """
    return x * 2

# case: in a class and on top of the file
# reports: DFX219
"""Doubling.

>>> x = torch.ones(2)
>>> x.to("cuda")
tensor([1., 1.], device='cuda:0')
"""
import torch


class Doubler:
    """Doubles.

    >>> Doubler()(torch.ones(2))
    tensor([2., 2.])
    """

    def __call__(self, x):
        return x * 2

# case: an example that asks
import torch


def double(x):
    """
    >>> x = torch.ones(2)
    >>> if torch.cuda.is_available(): x = x.cuda()
    >>> double(x).shape
    torch.Size([2])
    """
    return x * 2

# case: text that is no example
import torch


def double(x):
    """Works on what `x.cuda()` gives, and on `torch.ones(2, device="cuda")`.

    >>> double("cuda")
    'cudacuda'
    """
    return x * 2


print(double(torch.ones(2)))
