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
