"""DFX2xx: code that is nailed to CUDA."""
