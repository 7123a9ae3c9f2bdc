"""Turn a number around: sequence to sequence with attention and teacher forcing."""
import logging
import random
import sys

import torch
from torch import nn

BEGIN, DIGITS, LENGTH = 10, 11, 5


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(DIGITS, hidden)
        self.gru = nn.GRU(hidden, hidden)

    def forward(self, digits, hidden):
        return self.gru(self.embedding(digits), hidden)

    def init_hidden(self, size, device):
        return torch.zeros(1, size, self.hidden, device=device)


class Decoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(DIGITS, hidden)
        self.dropout = nn.Dropout(0.1)
        self.gru = nn.GRU(hidden, hidden)
        self.out = nn.Linear(2 * hidden, DIGITS)

    def forward(self, digit, hidden, states):
        embedded = self.dropout(self.embedding(digit)).unsqueeze(0)
        output, hidden = self.gru(embedded, hidden)
        weights = torch.einsum("obh,lbh->bl", output, states).softmax(dim=1)
        context = torch.einsum("bl,lbh->bh", weights, states)
        return self.out(torch.cat([output[0], context], dim=1)), hidden


def train_step(encoder, decoder, optimizer, source, target, device, forcing=0.5):
    size = source.size(1)
    states, hidden = encoder(source, encoder.init_hidden(size, device))
    digit = torch.full((size,), BEGIN, device=device)
    loss = 0
    teacher = random.random() < forcing
    for position in range(LENGTH):
        scores, hidden = decoder(digit, hidden, states)
        loss = loss + nn.functional.cross_entropy(scores, target[position])
        digit = target[position] if teacher else scores.argmax(dim=1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item() / LENGTH


def translate(encoder, decoder, digits, device):
    with torch.no_grad():
        source = torch.tensor(digits, device=device).unsqueeze(1)
        states, hidden = encoder(source, encoder.init_hidden(1, device))
        digit, said = torch.tensor([BEGIN], device=device), []
        for _ in range(LENGTH):
            scores, hidden = decoder(digit, hidden, states)
            digit = scores.argmax(dim=1)
            said.append(int(digit))
    return said


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s")
    random.seed(1)
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder, decoder = Encoder(20).to(device), Decoder(20).to(device)
    weights = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.Adam(weights, lr=0.02)
    for step in range(12):
        source = torch.randint(10, (LENGTH, 16))
        target = source.flip(0)
        average = train_step(encoder, decoder, optimizer, source.to(device), target.to(device), device)
        if step % 4 == 0:
            logging.info("step %2d loss %.5f", step, average)
    encoder.eval()
    decoder.eval()
    print("1 2 3 4 5 becomes", *translate(encoder, decoder, [1, 2, 3, 4, 5], device))
