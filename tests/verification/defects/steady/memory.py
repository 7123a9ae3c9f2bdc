"""What it costs: memory, processor time, garbage."""
import gc
import os
import resource
import sys
import tracemalloc

import torch

tracemalloc.start()
x = torch.randn(200, 200)
y = (x @ x.t()).sum()
usage = resource.getrusage(resource.RUSAGE_SELF)
print("resident %.1f MB" % (usage.ru_maxrss / 1024), "user time", usage.ru_utime)
print("traced", tracemalloc.get_traced_memory())
print("collected", gc.collect() >= 0, "counts", len(gc.get_count()))
print("load", os.getloadavg(), "cores", os.cpu_count(), len(os.sched_getaffinity(0)))
print("size", sys.getsizeof(x.storage()) > 0, "sum", round(y.item(), 2))
with open("/proc/self/statm") as statm:
    print("pages", statm.read().split()[1])
