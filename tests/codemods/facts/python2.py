# case: tqdm goes through a range
import torch
from tqdm import tqdm

for number in tqdm(range(3), total=3):
    print number, torch.ones(number)
for one, other in tqdm(zip(range(3), range(3))):
    print one, other

# output
import torch
from tqdm import tqdm

for number in tqdm(range(3), total=3):
    print(number, torch.ones(number))
for one, other in tqdm(list(zip(range(3), range(3)))):
    print(one, other)
