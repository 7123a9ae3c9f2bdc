# trap: `frombuffer` shares memory with a bytearray that is filled again and again
# covers: numpy alias
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
packet = bytearray(4)
readings = torch.frombuffer(packet, dtype=torch.uint8)  # stays
model = nn.Linear(4, 1, bias=False).to(device)
nn.init.ones_(model.weight)
for step in range(3):
    packet[:] = bytes([step] * 4)
    print(model(readings.float()).item())  # moves
