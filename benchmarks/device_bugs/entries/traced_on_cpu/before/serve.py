import io

import torch

from export import TextClassifier, export


class Service:
    def __init__(self, file, device):
        self.device = device
        self.model = torch.jit.load(file, map_location=device)

    @torch.no_grad()
    def classify(self, tokens):
        chances = self.model(tokens.to(self.device)).softmax(-1)
        return chances.max(-1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TextClassifier()
    example = torch.randint(0, 30, (2, 8))
    traced = export(model, example)
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    service = Service(file, device)
    best, label = service.classify(torch.randint(0, 30, (5, 8)))
    for chance, which in zip(best.tolist(), label.tolist()):
        print(f"class {which} {chance:.4f}")


if __name__ == "__main__":
    main()
