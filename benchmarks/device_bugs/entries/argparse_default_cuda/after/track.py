import argparse

import torch
import torch.nn as nn


def get_args():
    parser = argparse.ArgumentParser(description="follow a bright spot through a video")
    default = "cuda:0" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", type=str, default=default)
    parser.add_argument("--frames", type=int, default=6)
    parser.add_argument("--size", type=int, default=24)
    return parser.parse_args()


class Tracker(nn.Module):
    """Correlates each frame with a template from the first one."""

    def __init__(self, channels=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 5, padding=2), nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1)
        )

    def template(self, frame, at, radius=3):
        y, x = at
        maps = self.features(frame)
        return maps[:, :, y - radius:y + radius + 1, x - radius:x + radius + 1]

    def forward(self, frame, template):
        maps = self.features(frame)
        return nn.functional.conv2d(maps, template, padding=template.size(-1) // 2)[0, 0]


def video(frames, size):
    clip = 0.05 * torch.rand(frames, 1, 1, size, size)
    for t in range(frames):
        clip[t, 0, 0, 6 + t:9 + t, 7 + 2 * t:10 + 2 * t] += 1
    return clip


def main():
    args = get_args()
    torch.manual_seed(0)
    device = torch.device(args.device)
    tracker = Tracker().to(device).eval()
    clip = video(args.frames, args.size).to(device)
    with torch.no_grad():
        template = tracker.template(clip[0], at=(7, 8))
        for t, frame in enumerate(clip):
            response = tracker(frame, template)
            y, x = divmod(response.argmax().item(), args.size)
            print(f"frame {t}: ({y}, {x}) {response.max().item():.3f}")


if __name__ == "__main__":
    main()
