# trap: the same through concurrent.futures; what is submitted has to be on the host
# covers: worker multiprocessing
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch


def smooth(signal, kernel):
    padded = torch.cat([torch.zeros(1), signal, torch.zeros(1)])
    return torch.stack([(padded[k : k + 3] * kernel).sum() for k in range(len(signal))])


if __name__ == "__main__":
    kernel = torch.tensor([0.25, 0.5, 0.25])
    signals = [torch.arange(5.0) * k for k in range(3)]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as executor:
        futures = [executor.submit(smooth, signal, kernel) for signal in signals]
        print([future.result().sum().item() for future in futures])
