"""DFX7xx: suppression comments."""
