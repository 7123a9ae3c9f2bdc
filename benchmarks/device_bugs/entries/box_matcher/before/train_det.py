import torch
import torch.nn as nn

from matching import ArgMaxMatcher, box_iou

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def anchors():
    centers = torch.cartesian_prod(torch.arange(4), torch.arange(4)).float() * 4 + 2
    return torch.cat([centers - 2, centers + 2], dim=1)


def scene(objects):
    corners = torch.rand(objects, 2) * 12
    return torch.cat([corners, corners + 4], dim=1)


class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 6, 4, stride=4), nn.ReLU(), nn.Conv2d(6, 1, 1))

    def forward(self, image):
        return self.conv(image).flatten(1)


def render(boxes):
    image = torch.zeros(1, 1, 16, 16)
    for x0, y0, x1, y1 in boxes.long().tolist():
        image[0, 0, x0:x1, y0:y1] = 1
    return image


def main():
    torch.manual_seed(0)
    grid = anchors().to(device)
    matcher = ArgMaxMatcher(threshold=0.2)
    model = Scores().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(6):
        boxes = scene(objects=step % 3)
        matches = matcher.match(box_iou(boxes.to(device), grid))
        target = (matches >= 0).float().unsqueeze(0)
        logits = model(render(boxes).to(device))
        loss = nn.functional.binary_cross_entropy_with_logits(logits, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {int(target.sum().item())} anchors, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
