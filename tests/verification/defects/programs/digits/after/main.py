"""Bars at ten places: a small convolutional network that tells where the bar is."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("Using device:", device)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 12, 3, padding=1)
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(12 * 25, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        x = F.relu(self.conv2(x))
        return self.fc(self.dropout(x.flatten(1)))


def make_images(count):
    labels = torch.randint(10, (count,))
    images = 0.4 * torch.randn(count, 1, 10, 10)
    images[torch.arange(count), 0, labels] += 1.5
    return TensorDataset(images, labels)


train_loader = DataLoader(make_images(256), batch_size=64, shuffle=True)
test_loader = DataLoader(make_images(100), batch_size=50)

model = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

start = time.time()
for epoch in range(3):
    model.train()
    total = 0.0
    for images, labels in train_loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("epoch %d (%.1f s), loss %.6f" % (epoch + 1, time.time() - start, total / len(train_loader)))

    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in test_loader:
            images, labels = images.to(device), labels.to(device)
            scores = model(images)
            correct += (scores.argmax(dim=1) == labels).sum().item()
    print("accuracy: %d of %d" % (correct, len(test_loader.dataset)))
