# case: the workers of a loader
# reports: DFX404
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
points = torch.ones(8, 3).to(device)
for (x,) in DataLoader(TensorDataset(points), batch_size=4, num_workers=2):
    x = x.to(device)
    print(model(x).sum().item())

# case: samples that are made on the device
# reports: DFX404
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3).to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
for x in DataLoader(Points(), batch_size=4, num_workers=2):
    x = x.to(device)
    print(model(x).sum().item())

# case: a collate function that moves
# reports: DFX404
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def collate(samples):
    return torch.stack([sample[0] for sample in samples]).to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
dataset = TensorDataset(torch.ones(8, 3))
for x in DataLoader(dataset, batch_size=4, num_workers=2, collate_fn=collate):
    print(model(x).sum().item())

# case: processes and pools
# reports: DFX404
import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work(x):
    return x.sum()


if __name__ == "__main__":
    x = torch.ones(3, device=device)
    process = multiprocessing.Process(target=work, args=(x,))
    process.start()
    print(multiprocessing.Pool(2).map(work, [x, x]))

# case: a queue gets a list that holds tensors of the device
# reports: DFX404
import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
queue = multiprocessing.Queue()
rows = [torch.ones(3, device=device) for _ in range(2)]
queue.put(rows)

# case: a queue gets what is brought back to the CPU
import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
queue = multiprocessing.Queue()
queue.put((torch.ones(3, device=device).cpu(), "first"))

# case: no workers
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
points = torch.ones(8, 3).to(device)
for (x,) in DataLoader(TensorDataset(points), batch_size=4, num_workers=0):
    x = x.to(device)
    print(model(x).sum().item())

# case: data of the host
import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
queue = multiprocessing.Queue()
for (x,) in DataLoader(TensorDataset(torch.ones(8, 3)), batch_size=4, num_workers=2):
    y = model(x.to(device))
    queue.put(y.detach().cpu())
    queue.put(y.sum().item())

# case: processes that start afresh
import torch
import torch.multiprocessing as mp

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work(x):
    return x.sum()


if __name__ == "__main__":
    mp.set_start_method("spawn")
    process = mp.Process(target=work, args=(torch.ones(3, device=device),))
    process.start()
    process.join()

# case: threads
import queue
from concurrent.futures import ThreadPoolExecutor

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
tasks = queue.Queue()
tasks.put(x)
with ThreadPoolExecutor() as pool:
    print(pool.submit(torch.sum, x).result())
