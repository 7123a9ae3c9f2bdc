"""DFX4xx: values that must be on the CPU: reads, copies, other processes."""
