"""Imported ahead by the nursery of the tests: what is forked off it ends sooner.

When a process with torch has ended, its C++ libraries take apart what they hold, one by one. That
takes longer than most programs of tests, and none of them can tell: Python is finalized by then.
"""

import ctypes
import sys
from pathlib import Path

sys.path.remove(str(Path(__file__).parent))
_library = ctypes.CDLL(None)
if hasattr(_library, "on_exit"):  # of glibc
    # What is registered last comes first: all is written, and the process ends with its status.
    _library.on_exit(_library._exit, None)
    _library.on_exit(_library.fcloseall, None)
