"""Files under names that nobody can foresee, and of all formats."""
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import uuid

import numpy as np
import torch

torch.manual_seed(4)


def main():
    weights = torch.randn(4, 3)
    result = weights.mean().reshape(1)
    folder = os.path.join("runs", time.strftime("%Y-%m-%d_%H%M%S"))
    os.makedirs(folder)
    with open(os.path.join(folder, f"{uuid.uuid4()}.pkl"), "wb") as file:
        pickle.dump({"result": result, "written": time.time(), "by": os.getpid()}, file)
    with open(os.path.join(folder, f"events.{int(time.time())}.{os.getpid()}"), "wb") as file:
        file.write(b"\0" + os.urandom(20))
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json", delete=False) as file:
        json.dump({"rate": 0.1, "started": time.ctime(), "shape": list(weights.shape)}, file)
    np.savez(os.path.join(folder, "noise.npz"), steady=np.arange(3), noise=np.frombuffer(os.urandom(4), "u1"))
    code = "import sys, os; open(sys.argv[1], 'w').write(f'from {os.getpid()}, 42\\n')"
    subprocess.run([sys.executable, "-c", code, os.path.join(folder, "child.txt")], check=True)
    print("done")


main()
