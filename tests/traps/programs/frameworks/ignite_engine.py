# trap: the engine is told the device, and moves the batches itself
# covers: framework
# needs: ignite
import torch
from ignite.engine import create_supervised_trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss(), device=device)
trainer.run(DataLoader(data, batch_size=8), max_epochs=1)
