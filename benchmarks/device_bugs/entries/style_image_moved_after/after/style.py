import torch
import torch.nn as nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 12, 3, padding=1)
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        return x, torch.relu(self.conv2(nn.functional.avg_pool2d(x, 2)))


def gram(maps):
    flat = maps.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.size(2)


def style_loss(features, image, targets):
    grams = [gram(maps) for maps in features(image)]
    return sum((g - t).pow(2).sum() for g, t in zip(grams, targets))


def stylize(style, steps=12):
    features = Features().to(device)
    with torch.no_grad():
        targets = [gram(maps) for maps in features(style.to(device))]
    image = torch.rand(1, 3, 16, 16, device=device, requires_grad=True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    for step in range(steps):
        loss = style_loss(features, image, targets)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        if step % 4 == 3:
            print(f"step {step + 1}: {loss.item():.5f}")
    return image.detach()


if __name__ == "__main__":
    stripes = torch.zeros(1, 3, 16, 16)
    stripes[:, :, ::4] = 1.0
    result = stylize(stripes)
    print(f"mean {result.mean().item():.4f} std {result.std().item():.4f}")
