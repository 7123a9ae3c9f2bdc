# trap: `Process(target=..., kwargs=...)` runs a method, with a tensor that both processes see
# covers: worker multiprocessing
import multiprocessing as mp

import torch
from torch import nn


class Collector:
    def __init__(self, queue):
        self.queue = queue
        self.offset = torch.ones(2)  # stays

    def run(self, start, steps):
        # --- stays
        state = start.clone()
        for _ in range(steps):
            state = state + self.offset * torch.tensor([1.0, -1.0])
        self.queue.put(state.numpy())
        # --- end


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue = context.Queue()
    start = torch.zeros(2)  # stays
    process = context.Process(target=Collector(queue).run, kwargs={"start": start, "steps": 3})  # stays
    process.start()
    row = queue.get()
    process.join()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(2, 1).to(device)
    print(model(torch.from_numpy(row)).shape)  # moves
