# trap: a forked process gets what is put into the queue; it cannot touch a device tensor
# covers: multiprocessing worker
import torch
import torch.multiprocessing as mp
from torch import nn


def judge(inbox, outbox):
    # --- stays
    total = torch.zeros(1)
    while True:
        message = inbox.get(timeout=30)
        if message is None:
            break
        scores, labels = message
        total += (scores.argmax(1) == labels).sum()
    outbox.put(total.item())
    # --- end


def main():
    torch.manual_seed(0)
    context = mp.get_context("fork")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=judge, args=(inbox, outbox))  # stays
    process.start()
    model = nn.Linear(2, 2)  # moves: model = nn.Linear(2, 2).to(device)
    for _ in range(2):
        scores = model(torch.ones(3, 2))  # moves: scores = model(torch.ones(3, 2, device=device))
        labels = torch.ones(3, dtype=torch.long)  # stays
        inbox.put((scores.detach(), labels))  # moves: inbox.put((scores.detach().cpu(), labels))
    inbox.put(None)
    print(outbox.get(timeout=30))
    process.join()


main()
