# trap: tensors handed to a TensorDataset are indexed by the loader; the batches move, not they
# covers: dataset generator
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)
# --- stays
inputs = torch.randn(20, 3)
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.randn(20, 1)
extra = TensorDataset(torch.zeros(4, 3), torch.zeros(4, 1))
train, test = random_split(
    TensorDataset(inputs, targets), [16, 4], generator=torch.Generator().manual_seed(2)
)
both = ConcatDataset([Subset(train, range(12)), extra])
# --- end
model = nn.Linear(3, 1).to(device)
for x, y in DataLoader(both, batch_size=8, shuffle=True, pin_memory=torch.cuda.is_available()):  # moves
    print(nn.functional.mse_loss(model(x), y).item() > 0)
