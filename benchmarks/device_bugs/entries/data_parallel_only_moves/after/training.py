import argparse
import logging
import sys

import torch
import torch.nn as nn
from torch.optim import SGD
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(stream=sys.stderr, level=logging.INFO)
log = logging.getLogger(__name__)


class NoduleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 4, 3, padding=1)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).mean(dim=(2, 3, 4)))


class TrainingApp:
    def __init__(self, argv=None):
        parser = argparse.ArgumentParser()
        parser.add_argument("--batch-size", type=int, default=8)
        parser.add_argument("--epochs", type=int, default=2)
        self.args = parser.parse_args(argv)
        self.use_cuda = torch.cuda.is_available()
        self.device = torch.device("cuda" if self.use_cuda else "cpu")
        self.model = self.init_model()
        self.optimizer = SGD(self.model.parameters(), lr=0.5, momentum=0.9)

    def init_model(self):
        model = NoduleModel()
        if self.use_cuda:
            log.info("Using CUDA; %d devices.", torch.cuda.device_count())
            if torch.cuda.device_count() > 1:
                model = nn.DataParallel(model)
            model = model.to(self.device)
        return model

    def init_loader(self):
        labels = torch.arange(32) % 2
        chunks = torch.randn(32, 1, 6, 6, 6) * (1 + labels).view(-1, 1, 1, 1, 1)
        return DataLoader(TensorDataset(chunks, labels), batch_size=self.args.batch_size)

    def main(self):
        loader = self.init_loader()
        for epoch in range(1, self.args.epochs + 1):
            for chunks, labels in loader:
                chunks = chunks.to(self.device, non_blocking=True)
                labels = labels.to(self.device, non_blocking=True)
                loss = nn.functional.cross_entropy(self.model(chunks), labels)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"Epoch {epoch}, loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    TrainingApp().main()
