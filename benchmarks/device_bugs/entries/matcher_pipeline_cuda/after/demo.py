import torch

from extractor import Extractor
from matcher import mutual_matches

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_pair():
    image = torch.rand(1, 1, 20, 20)
    return image, torch.roll(image, shifts=(2, 1), dims=(2, 3))


def main():
    torch.manual_seed(5)
    extractor = Extractor().eval().to(device)
    first, second = load_pair()
    with torch.no_grad():
        points0, desc0 = extractor(first.to(device))
        points1, desc1 = extractor(second.to(device))
        matches = mutual_matches(desc0, desc1)
    moved = points1[matches[:, 1]] - points0[matches[:, 0]]
    print("matches", len(matches))
    print("median shift", moved.median(0).values.tolist())


if __name__ == "__main__":
    main()
