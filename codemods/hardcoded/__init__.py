"""DFX2xx: code that is hard-coded to CUDA."""
