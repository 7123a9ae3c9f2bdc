"""DFX3xx: dtypes that break, or double, on a device."""
