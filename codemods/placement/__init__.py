"""DFX1xx: tensors and modules that are not where they have to be."""
