import torch
import torch.nn as nn

TEXT = "hello world, hello torch, hello device. " * 6
CHARS = sorted(set(TEXT))
INDEX = {c: i for i, c in enumerate(CHARS)}


class CharRNN(nn.Module):
    def __init__(self, n_chars, hidden_size=48, n_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_layers = n_layers
        self.embedding = nn.Embedding(n_chars, 16)
        self.lstm = nn.LSTM(16, hidden_size, n_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, n_chars)

    def init_hidden(self, batch_size):
        device = self.fc.weight.device
        hidden = torch.zeros(self.n_layers, batch_size, self.hidden_size, device=device)
        cell = torch.zeros(self.n_layers, batch_size, self.hidden_size, device=device)
        return hidden, cell

    def forward(self, x, states):
        out, states = self.lstm(self.embedding(x), states)
        return self.fc(out), states


def train(model, device, steps=25, batch=8, length=20):
    data = torch.tensor([INDEX[c] for c in TEXT])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        starts = torch.randint(0, len(data) - length - 1, (batch,)).tolist()
        x = torch.stack([data[s:s + length] for s in starts]).to(device)
        y = torch.stack([data[s + 1:s + length + 1] for s in starts]).to(device)
        logits, _ = model(x, model.init_hidden(batch))
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


@torch.no_grad()
def generate(model, device, prompt="he", length=20):
    states = model.init_hidden(1)
    out = prompt
    x = torch.tensor([[INDEX[c] for c in prompt]], device=device)
    for _ in range(length):
        logits, states = model(x, states)
        x = logits[:, -1:].argmax(-1)
        out += CHARS[x.item()]
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharRNN(len(CHARS)).to(device)
    train(model, device)
    print(repr(generate(model, device)))
