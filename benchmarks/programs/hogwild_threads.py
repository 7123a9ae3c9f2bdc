import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
rows = [torch.full((3,), float(i)) for i in range(6)]
inbox, outbox = queue.Queue(), {}


def consume():
    while True:
        item = inbox.get()
        if item is None:
            return
        n, row = item
        with torch.no_grad():
            outbox[n] = model(row)


thread = threading.Thread(target=consume)
thread.start()
for n, row in enumerate(rows):
    inbox.put((n, row))
inbox.put(None)
thread.join()
print([round(outbox[n].item(), 5) for n in sorted(outbox)])
with ThreadPoolExecutor(2) as pool:
    sums = list(pool.map(lambda r: (model(r) * r.mean()).item(), rows))
print([round(s, 5) for s in sums])
target = torch.stack([outbox[n] for n in range(6)]) + 1
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    loss = (model(torch.stack(rows)) - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("%.6f" % loss.item())
