"""DFX6xx: Python 2, and PyTorch as it was."""
