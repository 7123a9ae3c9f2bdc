"""DFX3xx: dtypes that fail or are slow on an accelerator."""
