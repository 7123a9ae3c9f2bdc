# trap: what a producer puts into a queue comes out of it on the host, and moves there
# covers: multiprocessing worker
import torch
import torch.multiprocessing as mp
from torch import nn


def produce(queue, count):
    # --- stays
    state = torch.zeros(3)
    for step in range(count):
        state = state + torch.tensor([1.0, 0.0, step])
        queue.put(state.tolist())
    queue.put(None)
    # --- end


if __name__ == "__main__":
    context = mp.get_context("fork")
    queue = context.Queue()
    producer = context.Process(target=produce, args=(queue, 3))
    producer.start()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(device)
    while (item := queue.get()) is not None:
        print(model(torch.tensor(item)).shape)  # moves
    producer.join()
