"""DFX6xx: Python 2 and legacy PyTorch."""
