import torch
import torch.nn as nn

from triplet import batch_all_triplet_loss


class EmbeddingNet(nn.Module):
    def __init__(self, n_in=6, n_out=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 24), nn.PReLU(), nn.Linear(24, n_out))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = EmbeddingNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    centers = torch.randn(4, 6)
    for step in range(6):
        labels = torch.arange(16) % 4
        x = centers[labels] + 0.5 * torch.randn(16, 6)
        loss, positive = batch_all_triplet_loss(labels.to(device), model(x.to(device)), margin=0.3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.4f} triplets {int(positive.item())}")


if __name__ == "__main__":
    main()
