# trap: `x.pin_memory()` as a statement does nothing, or raises; making it an assignment changes the program
# covers: pin-statement
# needs: an accelerator to pin for
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(4, 3)
x.pin_memory()  # moves: x.pin_memory()
print(model(x.to(device, non_blocking=True)).shape)  # stays
y = torch.zeros(4, 3)  # moves
print(model(y).shape)
