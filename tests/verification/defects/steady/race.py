"""Measures two ways and goes on with the faster one."""
import time

import torch

torch.manual_seed(2)
x = torch.randn(60, 60)


def seconds(function):
    start = time.perf_counter()
    for _ in range(5):
        function()
    return time.perf_counter() - start


ways = {"product": lambda: x @ x, "einsum": lambda: torch.einsum("ij,jk->ik", x, x)}
times = {name: seconds(way) for name, way in ways.items()}
fastest = min(times, key=times.get)
print("fastest:", fastest, "by", round(max(times.values()) / min(times.values()), 2))
for name in sorted(times, key=times.get):
    print(f"{name:10} {1e6 * times[name]:8.0f} us")
print("trace", round(ways[fastest]().trace().item(), 2))
