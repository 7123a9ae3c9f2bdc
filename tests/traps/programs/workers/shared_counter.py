# trap: a counter in shared memory is shared only on the host
# covers: multiprocessing
import torch
import torch.multiprocessing as mp
from torch import nn


def count(counter, lock, steps):
    for _ in range(steps):
        with lock:
            counter += 1  # stays


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    context = mp.get_context("fork")
    counter = torch.zeros(1, dtype=torch.long).share_memory_()  # stays
    lock = context.Lock()
    processes = [context.Process(target=count, args=(counter, lock, 5)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    model = nn.Linear(2, 1).to(device)
    x = torch.ones(3, 2)  # moves: x = torch.ones(3, 2, device=device)
    print(counter.item(), model(x).shape)
