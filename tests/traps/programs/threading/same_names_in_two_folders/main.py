# trap: two programs have a file of one name; what the one needs must not reach the other
# covers: threading numpy
import subprocess
import sys
from pathlib import Path

here = Path(__file__).parent
for name in ("left", "right"):
    command = [sys.executable, str(here / name / "main.py")]
    print(name, subprocess.run(command, capture_output=True, text=True).stdout.strip())
