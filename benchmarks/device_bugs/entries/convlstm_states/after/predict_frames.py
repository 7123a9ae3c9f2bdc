import torch
import torch.nn as nn

from convlstm import ConvLSTM


def moving_dots(batch, frames=5, size=8):
    video = torch.zeros(batch, frames, 1, size, size)
    rows = torch.randint(0, size, (batch,)).tolist()
    for clip, row in zip(video, rows):
        for t in range(frames):
            clip[t, 0, row, t] = 1.0
    return video[:, :-1], video[:, -1]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(ConvLSTM(1, [6, 4]), nn.Conv2d(4, 1, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(6):
        past, future = moving_dots(4)
        loss = nn.functional.binary_cross_entropy_with_logits(model(past.to(device)), future.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step} {loss.item():.4f}")


if __name__ == "__main__":
    main()
