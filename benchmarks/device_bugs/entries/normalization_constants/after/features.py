import torch
import torch.nn as nn


class Normalize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, image):
        return (image - self.mean) / self.std


class PerceptualLoss(nn.Module):
    """Distance of images in the features of a fixed network."""

    def __init__(self):
        super().__init__()
        self.normalize = Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        self.blocks = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU()),
                nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()),
            ]
        )
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def forward(self, output, target):
        x, y = self.normalize(output), self.normalize(target)
        loss = 0.0
        for block in self.blocks:
            x, y = block(x), block(y)
            loss = loss + (x - y).abs().mean()
        return loss


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loss_fn = PerceptualLoss().to(device)
    target = torch.rand(1, 3, 16, 16, device=device)
    image = torch.full_like(target, 0.5).requires_grad_()
    optimizer = torch.optim.Adam([image], lr=0.05)
    for step in range(12):
        loss = loss_fn(image, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 3:
            print(f"step {step + 1}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
