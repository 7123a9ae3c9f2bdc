# trap: lengths of the CTC loss are read on the host
# covers: lengths
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(4, 5).to(device)
criterion = nn.CTCLoss()
frames = torch.rand(7, 2, 4)  # moves
targets = torch.tensor([[1, 2, 3], [4, 2, 0]])
# --- stays
frame_lengths = torch.full((2,), 7, dtype=torch.long)
target_lengths = torch.tensor([3, 2])
# --- end
loss = criterion(model(frames).log_softmax(2), targets, frame_lengths, target_lengths)
print(loss.item() > 0)
