"""Where it is, as which process, on which machine."""
import getpass
import os
import platform
import socket
import sys
import tempfile
import threading
from pathlib import Path

import torch

print("file", __file__, Path(__file__).resolve().parent, os.path.basename(__file__))
print("cwd", os.getcwd(), Path.cwd().name, os.path.abspath("data"))
print("argv", sys.argv, sys.path[0])
print("pid", os.getpid(), os.getppid(), threading.get_ident())
print("host", socket.gethostname(), platform.platform(), platform.processor())
print("python", sys.executable, sys.version.split()[0], torch.__version__, torch.get_num_threads())
with tempfile.TemporaryDirectory(prefix="run-") as folder:
    print("writing to", folder)
    file = os.path.join(folder, "weights.pt")
    torch.save({"weight": torch.ones(3)}, file)
    print("wrote", file, os.path.getsize(file), "bytes")
    print("read", torch.load(file)["weight"].sum().item())
with tempfile.NamedTemporaryFile(suffix=".log") as log:
    print("log in", log.name)
print("home", Path.home(), "user", os.environ.get("USER", "nobody"))
