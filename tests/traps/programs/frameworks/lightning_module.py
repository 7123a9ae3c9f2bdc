# trap: Lightning moves the module and the batches
# covers: framework
# needs: lightning
import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 2)
        self.register_buffer("weight", torch.ones(2))

    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y, weight=self.weight)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    pl.Trainer(max_epochs=1).fit(Classifier(4), DataLoader(data, batch_size=8))
