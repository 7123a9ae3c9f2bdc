# trap: two programs have a file of one name; what the one needs must not reach the other
# covers: threading numpy
import os
import runpy
import sys
from pathlib import Path

here = Path(__file__).parent
for name in ("left", "right"):
    child = os.fork()
    if child == 0:
        sys.path.insert(0, str(here / name))
        runpy.run_path(str(here / name / "main.py"), run_name="__main__")
        break
    assert os.waitpid(child, 0)[1] == 0
