# trap: pixels for an image library, bytes for a file, numbers for json
# covers: host-only numpy
import json
import struct

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Conv2d(1, 1, 1).to(device)
# --- stays
picture = torch.linspace(0, 255, 16).view(4, 4)
pixels = picture.to(torch.uint8).numpy()
pixels.tofile("pixels.bin")
header = struct.pack("<2f", *torch.tensor([4.0, 4.0]))
text = json.dumps({"mean": picture.mean().item(), "rows": picture[:1].tolist()})
back = torch.from_numpy(np.fromfile("pixels.bin", dtype=np.uint8))
print(len(header), text, int(back.sum()), bytes(torch.arange(3, dtype=torch.uint8)))
# --- end
x = torch.ones(1, 1, 4, 4)  # moves
print(model(x).shape)
