# trap: "cuda" in texts, choices, comparisons and keys names no place
# covers: names
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser(description="runs with cuda or without: model.cuda()")
# --- stays
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "mps"], help="cuda, if any")
parser.add_argument("--backend", default="cuda")
args = parser.parse_args([])
# x = x.cuda()
SPEED = {"cpu": 1.0, "cuda": 30.0, "cuda:0": 30.0}
note = """model = model.cuda()"""
kind = "cuda" if args.device.startswith("cuda") else "host"
print(args.backend, SPEED[args.device], kind, len(note), "cuda" in SPEED)
assert torch.device(args.device).type != "cuda" or torch.cuda.is_available()
# --- end
device = torch.device(args.device)
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=device)).shape)
