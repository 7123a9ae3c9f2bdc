# trap: what a pool in another file runs has no device, though this file has one
# covers: worker multiprocessing
import torch
from torch import nn

from crops import all_crops

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if __name__ == "__main__":
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 2)).to(device)
    for crop in all_crops(3):
        print(model(torch.as_tensor(crop, device=device)[None]).shape)
