import torch
import torch.nn as nn

from heads import PatchLinearHead


class SegmentationProbe(nn.Module):
    def __init__(self, backbone, num_classes):
        super().__init__()
        self.backbone = backbone
        for parameter in backbone.parameters():
            parameter.requires_grad_(False)
        self.head = PatchLinearHead(num_classes)

    def forward(self, images):
        return self.head(self.backbone(images), size=images.shape[-2:])


def tiles(count):
    images = torch.rand(count, 3, 16, 16)
    return images, (images.mean(1) > 0.5).long()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(nn.Conv2d(3, 12, 4, stride=4), nn.ReLU())
    model = SegmentationProbe(backbone, num_classes=2).to(device)
    images, masks = tiles(4)
    model(images.to(device))  # builds the head
    optimizer = torch.optim.Adam(model.head.parameters(), lr=0.05)
    for step in range(5):
        images, masks = (part.to(device) for part in tiles(4))
        loss = nn.functional.cross_entropy(model(images), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
