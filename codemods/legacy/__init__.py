"""DFX6xx: idioms of old PyTorch and Python 2."""
