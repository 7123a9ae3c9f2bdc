# trap: a model in shared memory, trained by processes that fork; on a device they could not
# covers: multiprocessing worker
import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, model, losses):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), torch.zeros(8, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.put(loss.item())


if __name__ == "__main__":
    context = mp.get_context("fork")
    model = nn.Linear(4, 1)
    model.share_memory()
    losses = context.Queue()
    processes = [context.Process(target=train, args=(rank, model, losses)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(losses.get() >= 0, losses.get() >= 0)
