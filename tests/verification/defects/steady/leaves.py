"""Ends with a status of its own, and says goodbye on the way out."""
import atexit
import sys
import time

import torch

start = time.time()
atexit.register(lambda: print("goodbye after %.1f s" % (time.time() - start)))
scores = torch.softmax(torch.linspace(-1, 1, 5), dim=0)
print("scores", scores)
try:
    sys.exit(1 if torch.rand(1) < 2 else 0)
except SystemExit:
    print("not yet")
finally:
    print("cleaning up")
sys.exit(3)
