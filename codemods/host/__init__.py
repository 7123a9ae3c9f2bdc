"""DFX4xx: values that cross back to the CPU."""
