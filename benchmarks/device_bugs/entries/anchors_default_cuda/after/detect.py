import torch
import torch.nn as nn

from anchors import AnchorGenerator


class AnchorHead(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.generator = AnchorGenerator(stride=4, sizes=(8, 16))
        self.cls = nn.Conv2d(channels, 2, 1)
        self.reg = nn.Conv2d(channels, 8, 1)

    def forward(self, feats):
        return self.cls(feats), self.reg(feats)

    def get_bboxes(self, cls_score, bbox_pred, valid_size, top=3):
        size = cls_score.shape[-2:]
        device = cls_score.device
        anchors = self.generator.grid_anchors(size, device=device)
        flags = self.generator.valid_flags(size, valid_size, device=device)
        results = []
        for scores, deltas in zip(cls_score, bbox_pred):
            scores = scores.permute(1, 2, 0).reshape(-1).sigmoid()
            deltas = deltas.permute(1, 2, 0).reshape(-1, 4)
            scores = scores.masked_fill(~flags, 0.0)
            best, index = scores.topk(top)
            results.append((best, (anchors + deltas * 4)[index]))
        return results


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1)
    ).to(device)
    head = AnchorHead().to(device).eval()
    images = torch.randn(2, 3, 32, 32).to(device)
    with torch.no_grad():
        outputs = head(backbone(images))
        for scores, boxes in head.get_bboxes(*outputs, valid_size=(7, 6)):
            for score, box in zip(scores.tolist(), boxes.tolist()):
                print(f"{score:.3f}", [round(side, 2) for side in box])


main()
