# moves
from concurrent.futures import ThreadPoolExecutor
import torch
model = torch.nn.Linear(3, 2)
def score(x):
    return model(x).sum().item()
print(score(torch.zeros(1, 3)))
with ThreadPoolExecutor(1) as pool:
    print(pool.submit(score, torch.ones(1, 3)).result())
