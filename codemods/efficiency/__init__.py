"""DFX5xx: right, but slow; found on request only (``--select DFX5``)."""
