import torch
from torch import nn, optim


class Fusion(nn.Module):
    """Sums what an encoder for each modality makes of its input."""

    def __init__(self, sizes, width=16):
        super().__init__()
        self.encoders = {
            name: nn.Sequential(nn.Linear(size, width), nn.ReLU()) for name, size in sizes.items()
        }
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, 2)

    def parameters_of_all(self):
        params = list(self.norm.parameters()) + list(self.classifier.parameters())
        for encoder in self.encoders.values():
            params += list(encoder.parameters())
        return params

    def forward(self, inputs):
        total = sum(self.encoders[name](x) for name, x in inputs.items())
        return self.classifier(self.norm(total))


def synthetic(count):
    video = torch.randn(count, 12)
    audio = torch.randn(count, 5)
    labels = (video[:, 0] + audio[:, 0] > 0).long()
    return {"video": video, "audio": audio}, labels


def to_device(inputs, device):
    return {name: value.to(device) for name, value in inputs.items()}


if __name__ == "__main__":
    torch.manual_seed(10)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = Fusion({"video": 12, "audio": 5})
    model.to(device)
    optimizer = optim.Adam(model.parameters_of_all(), lr=0.01)
    for step in range(6):
        inputs, labels = synthetic(32)
        logits = model(to_device(inputs, device))
        loss = nn.functional.cross_entropy(logits, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step}: {loss.item():.4f}")
