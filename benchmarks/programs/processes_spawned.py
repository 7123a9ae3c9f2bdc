import torch
import torch.multiprocessing as mp
from torch import nn


def worker(rank, model, queue):
    torch.manual_seed(rank)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 2)
    for _ in range(3):
        loss = model(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    queue.put((rank, loss.item(), model.weight.detach().clone().numpy()))


def main():
    torch.manual_seed(0)
    model = nn.Linear(2, 2)
    model.share_memory()
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    process = ctx.Process(target=worker, args=(0, model, queue))
    process.start()
    rank, loss, weight = queue.get()
    process.join()
    print(rank, "%.6f" % loss, weight.round(4).tolist())
    print("shared", [round(v, 4) for v in model.weight.flatten().tolist()])


if __name__ == "__main__":
    main()
