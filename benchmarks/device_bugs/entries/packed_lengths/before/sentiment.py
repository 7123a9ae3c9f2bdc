import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class Batch:
    """What torchtext would have made: text, its lengths and labels, all on one device."""

    def __init__(self, examples, device):
        texts, labels = zip(*examples)
        self.text = pad_sequence(texts, batch_first=True).to(device)
        self.text_lengths = torch.tensor([len(t) for t in texts]).to(device)
        self.label = torch.tensor(labels).to(device)


class RNN(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.rnn = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden_dim * 2, 1)

    def forward(self, text, text_lengths):
        embedded = self.embedding(text)
        packed = pack_padded_sequence(embedded, text_lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.rnn(packed)
        return self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)).squeeze(1)


def examples(count):
    found = []
    for _ in range(count):
        length = torch.randint(3, 9, (1,)).item()
        text = torch.randint(1, 20, (length,))
        found.append((text, float((text > 10).sum() * 2 > length)))
    return found


def binary_accuracy(predictions, y):
    return (torch.round(torch.sigmoid(predictions)) == y).float().mean()


if __name__ == "__main__":
    torch.manual_seed(1234)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = RNN(20, 12, 16).to(device)
    criterion = nn.BCEWithLogitsLoss().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    data = examples(60)
    for epoch in range(3):
        for start in range(0, 60, 20):
            batch = Batch(data[start:start + 20], device)
            predictions = model(batch.text, batch.text_lengths)
            loss = criterion(predictions, batch.label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = binary_accuracy(predictions, batch.label)
        print(f"epoch {epoch + 1:02} | loss {loss.item():.3f} | acc {accuracy.item() * 100:.2f}%")
