# trap: outputs are brought to the host batch by batch, and put together there
# covers: numpy dataset
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(2, 3).to(device)
features, labels = torch.randn(8, 2), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])  # stays
confusion = torch.zeros(3, 3)  # stays
predictions, truth = [], []
with torch.no_grad():
    for x, y in DataLoader(TensorDataset(features, labels), batch_size=4):  # moves
        guess = model(x).argmax(1).cpu()
        # --- stays
        predictions.append(guess)
        truth.append(y)
        for t, p in zip(y, guess):
            confusion[t, p] += 1
        # --- end
# --- stays
predicted = torch.cat(predictions).numpy()
right = np.mean(predicted == torch.cat(truth).numpy())
# --- end
print(confusion.sum().item(), 0 <= right <= 1)
