"""Numbers that do not equal themselves, and numbers that are hard to compare."""
import math

import numpy as np
import torch

x = torch.tensor([0.0, -0.0, 1.0, -1.0])
print("nan", x / x, torch.log(x), float("nan"), math.inf, -math.inf)
print("numpy", np.float64("nan"), np.array([np.nan, np.inf, -0.0]), np.float32(0.1))
print("halves", torch.tensor([1.5, 65504.0]).half(), torch.tensor([3.14159]).bfloat16())
print("wide", torch.tensor([1 / 3], dtype=torch.float64), 2**80, 1e-320, 123456789.123456789)
print("complex", torch.tensor([1 + 2j, complex("nan")]), torch.fft.fft(torch.ones(4)))
print("empty", torch.zeros(0), torch.zeros(2, 0, 3), [], {}, torch.tensor([]).sum().item())
print("large", torch.arange(5000), torch.zeros(40, 40))
print("bits", torch.tensor([True, False]), torch.tensor(255, dtype=torch.uint8), "0x1F", "1e5", "v1.2.3-rc4")
loss = torch.tensor(float("nan"), requires_grad=True)
(loss * 2).backward()
print("gradient", loss.grad, not math.isnan(loss.item()))
sparse = torch.eye(3).to_sparse()
print("sparse", sparse.values().tolist(), sparse.to_dense().diagonal())
