"""Other processes that print, in turn and together."""
import multiprocessing
import os
import subprocess
import sys

import torch


def square(number):
    return (torch.tensor(float(number)) ** 2).item()


def main():
    code = "import random, os; print('child', os.getpid(), random.random()); print('fixed', 6 * 7)"
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", code], check=True)
    said = subprocess.run([sys.executable, "-c", "print(2 + 2)"], capture_output=True, text=True, check=True)
    print("it said", said.stdout.strip())
    os.system("echo from the shell $$")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("squares", pool.map(square, range(5)))
        print("as they come", sorted(pool.imap_unordered(square, range(4))))


if __name__ == "__main__":
    main()
