"""Matrix factorisation by hand: two tables, what is known of them, and a pickle."""
import pickle

import torch


def main():
    generator = torch.Generator().manual_seed(74)
    wanted = torch.rand(12, 9, generator=generator)
    known = (torch.rand(12, 9, generator=generator) < 0.7)
    left = torch.rand(12, 3, generator=generator).requires_grad_()
    right = torch.rand(9, 3, generator=generator).requires_grad_()
    optimizer = torch.optim.Adam([left, right], lr=0.05)
    best = {"loss": float("inf")}
    for step in range(10):
        loss = (left @ right.t() - wanted).masked_fill(~known, 0.0).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < best["loss"]:
            best = {"loss": loss.item(), "left": left.detach().numpy().copy()}
    with open("best.pickle", "wb") as file:
        pickle.dump(best, file)


main()
