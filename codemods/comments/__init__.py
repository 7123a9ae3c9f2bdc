"""DFX7xx: comments for devicefix itself."""
