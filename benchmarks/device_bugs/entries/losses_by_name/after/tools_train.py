import torch
import torch.nn as nn

from losses import build_loss

CONFIG = {
    "heads": [
        {"type": "CrossEntropyLoss", "class_weight": [0.5, 1.0, 2.0]},
        {"type": "BCELossWithLogits", "loss_weight": 0.3},
    ],
    "steps": 6,
}


class Recognizer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(7, 24), nn.ReLU())
        self.heads = nn.ModuleList([nn.Linear(24, 3) for _ in cfg])
        self.losses = nn.ModuleList([build_loss(head) for head in cfg])

    def forward(self, clips, labels):
        x = self.backbone(clips)
        return [loss(head(x), labels) for head, loss in zip(self.heads, self.losses)]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Recognizer(CONFIG["heads"]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(CONFIG["steps"]):
        clips = torch.randn(20, 7)
        labels = clips[:, :3].argmax(1)
        losses = model(clips.to(device), labels.to(device))
        optimizer.zero_grad()
        sum(losses).backward()
        optimizer.step()
        print(step, *(f"{loss.item():.4f}" for loss in losses))


if __name__ == "__main__":
    main()
