# case: what is compared
import torch

x, y = torch.ones(3), torch.zeros(3)
mask = x == y
print((1 - mask).sum().item(), (1 - (x > y)).float(), x * (1 - x.eq(y)), 1 - (x > y) * mask)

# output
import torch

x, y = torch.ones(3), torch.zeros(3)
mask = x == y
print((~mask).sum().item(), (~(x > y)).float(), x * (~x.eq(y)), ~((x > y) * mask))

# case: bytes and numbers
import torch

x = torch.ones(3)
print(1 - (x > 0).byte(), 1 - (x > 0).float(), 1 - x, 1 - 2)

# case: it may be anything
import torch


def turn(mask):
    return 1 - mask


print(turn, torch.ones(1))

# case: a mask in arithmetic with numbers holds integers
import torch

x = torch.linspace(-1, 1, 4)
mask = x > 0
sign = 1 - 2 * mask
same = 1 - (mask * 1)
thrice = 1 - mask.mul(3)
shifted = 1 - (mask << 1)
added = 1 - torch.add(mask, 1)
chosen = 1 - torch.where(mask, 1, 0)
counted = mask
counted = counted + 1
print(sign, same, thrice, shifted, added, chosen, 1 - counted)

# case: a mask beside a truth value is one
import torch

x = torch.linspace(-1, 1, 4)
mask = x > 0
print(1 - (mask & True), 1 - (mask * True))

# output
import torch

x = torch.linspace(-1, 1, 4)
mask = x > 0
print(~(mask & True), ~(mask * True))

# case: below a question about the dtype
import torch

scores = torch.rand(4, 3)
chosen = scores > 0.5
if chosen.dtype == torch.bool:  # since torch 1.2
    others = (~chosen).sum(1)
else:
    others = (1 - chosen).sum(1)
print(others)
