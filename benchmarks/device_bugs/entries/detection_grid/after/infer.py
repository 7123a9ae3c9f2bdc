import torch
import torch.nn as nn

from head import YoloHead


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.SiLU(), nn.MaxPool2d(2)
        )
        self.head = YoloHead(16, anchors=[(10, 13), (33, 23)], num_classes=3)

    def forward(self, images):
        return self.head(self.stem(images))


def main():
    torch.manual_seed(2)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device).eval()
    images = torch.rand(2, 3, 48, 64)
    with torch.no_grad():
        predictions = model(images.to(device))
    for image in predictions:
        best = image[image[:, 4].argmax()]
        print([round(value, 2) for value in best.tolist()])


main()
