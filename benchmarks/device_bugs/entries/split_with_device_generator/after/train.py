import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split

if torch.cuda.is_available():
    DEVICE = "cuda"
else:
    DEVICE = "cpu"


class Answers(Dataset):
    """Which student answered which question, and whether it was right."""

    def __init__(self, students=20, questions=10, length=8):
        skill = torch.randn(students, 1)
        level = torch.randn(questions)
        self.q = torch.randint(0, questions, (students, length))
        self.r = (skill > level[self.q]).long()
        self.num_q = questions

    def __len__(self):
        return len(self.q)

    def __getitem__(self, index):
        return self.q[index], self.r[index]


class DKT(nn.Module):
    def __init__(self, num_q, emb=16, hidden=24):
        super().__init__()
        self.num_q = num_q
        self.interaction = nn.Embedding(num_q * 2, emb)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True)
        self.out = nn.Linear(hidden, num_q)

    def forward(self, q, r):
        x = q + self.num_q * r
        h, _ = self.lstm(self.interaction(x))
        return torch.sigmoid(self.out(h))


def main():
    torch.manual_seed(0)
    dataset = Answers()
    sizes = [int(len(dataset) * 0.8), len(dataset) - int(len(dataset) * 0.8)]
    generator = torch.Generator().manual_seed(1)
    train_set, test_set = random_split(dataset, sizes, generator=generator)
    model = DKT(dataset.num_q).to(DEVICE)
    opt = torch.optim.Adam(model.parameters(), 0.01)
    for epoch in range(3):
        for q, r in DataLoader(train_set, batch_size=8):
            q, r = q.to(DEVICE), r.to(DEVICE)
            y = model(q[:, :-1], r[:, :-1]).gather(2, q[:, 1:].unsqueeze(2)).squeeze(2)
            loss = nn.functional.binary_cross_entropy(y, r[:, 1:].float())
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"Epoch: {epoch}, Loss: {loss.item():.4f}, held out: {sorted(test_set.indices)}")


if __name__ == "__main__":
    main()
