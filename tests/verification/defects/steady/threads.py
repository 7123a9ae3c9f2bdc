"""Threads that print as they come, and a queue between them."""
import queue
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import torch

torch.manual_seed(0)
data = torch.randn(8, 64)
results = queue.Queue()


def work(index):
    value = (data[index] @ data[index]).item()
    print("thread", index, "has", round(value, 3), flush=True)
    results.put((index, value))


threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
found = dict(results.get() for _ in threads)
print("together", sum(found[index] for index in sorted(found)))

with ThreadPoolExecutor(3) as pool:
    futures = {pool.submit(lambda row: row.square().sum().item(), data[n]): n for n in range(8)}
    for future in as_completed(futures):
        print("row", futures[future], "done")
    print("best", max(futures, key=lambda future: future.result()).result())
