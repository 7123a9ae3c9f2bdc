"""A progress bar on stdout that is drawn over and over."""
import shutil
import sys
import time

import torch

torch.manual_seed(1)
weights = torch.zeros(5, requires_grad=True)
start, total = time.perf_counter(), 30
for step in range(total):
    loss = (weights - torch.arange(5.0)).square().sum()
    (gradient,) = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        weights -= 0.05 * gradient
    rate = (step + 1) / (time.perf_counter() - start)
    done = 20 * (step + 1) // total
    bar = "#" * done + "-" * (20 - done)
    sys.stdout.write(f"\r{100 * (step + 1) // total:3d}%|{bar}| {step + 1}/{total} [{rate:.2f}it/s, loss={loss.item():.3f}]")
    sys.stdout.flush()
print()
print("=" * min(shutil.get_terminal_size().columns, 40))
print("weights", weights.detach().numpy().round(3), end="")
