"""All ways to stdout, at once."""
import contextlib
import io
import os
import sys
import warnings

import torch

print("a line")
sys.stdout.write("written")
sys.stdout.write(" in parts\n")
sys.stdout.writelines(["one\n", "two\n"])
sys.stdout.flush()
sys.stdout.buffer.write("bytes: äöü €\n".encode())
sys.stdout.buffer.flush()
os.write(1, b"from the file descriptor\n")
print("ünïcode ☃ 漢字", "tabs\tand\x1b[1m colours\x1b[0m", sep=" | ")
with contextlib.redirect_stdout(io.StringIO()) as kept:
    print(torch.ones(2))
print("kept", repr(kept.getvalue()))
print("to stderr", file=sys.stderr)
warnings.warn("to stderr, too")
for number in range(300):
    print(number, number**2, end=";" if number % 10 else "\n")
print()
print(torch.eye(2).tolist(), end="")
