"""Takes noise out of small pictures; edges count more than the middle."""
import torch
from torch import nn


class BorderLoss(nn.Module):
    """Mean squared error with a weight for every pixel."""

    def __init__(self, size, factor):
        super().__init__()
        weight = torch.full((size, size), factor)
        weight[1:-1, 1:-1] = 1.0
        self.register_buffer("weight", weight / weight.mean())

    def forward(self, output, wanted):
        return (self.weight * (output - wanted) ** 2).mean()


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 6, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(6, 1, 4, stride=2, padding=1), nn.Sigmoid())

    def forward(self, x):
        return self.up(self.down(x))


torch.manual_seed(30)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
y, x = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
centres = torch.randint(2, 6, (64, 2, 1, 1)).float()
images = torch.exp(-((y - centres[:, :1]) ** 2 + (x - centres[:, 1:]) ** 2) / 4)

images = images.to(device)
model = Autoencoder().to(device)
criterion = BorderLoss(8, 3.0).to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)

for epoch in range(15):
    noisy = images.clone()
    noisy += 0.3 * torch.randn_like(noisy)
    restored = model(noisy)
    loss = criterion(restored, images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

print("clean pictures", images.sum().item())
print("last loss", loss.item(), "at rate", scheduler.get_last_lr()[0])
print("keys", sorted(criterion.state_dict()))
worst = ((restored - images) ** 2).flatten(1).mean(dim=1).detach()
torch.save(model, "model.pt")
print("worst three", worst.topk(3).indices.cpu().numpy())
