"""Checkpoints whose names nobody can foresee, and what else is found on the disk."""
import glob
import os
import time
import uuid

import torch

model = torch.nn.Linear(3, 1)
folder = os.path.join("runs", time.strftime("%b%d_%H-%M-%S"))
os.makedirs(folder)
for step in range(3):
    torch.save({"step": step, "model": model.state_dict(), "time": time.time()}, f"{folder}/{step}-{uuid.uuid4().hex[:6]}.pt")
torch.save(torch.rand(3), "noise.pt")
files = sorted(glob.glob("runs/*/*.pt"))
print("kept", len(files), "files, the last", files[-1])
print("modified", os.path.getmtime(files[0]), "now", time.time())
for file in os.listdir(folder):
    print("file", file)
print("step of the first", torch.load(files[0])["step"])
