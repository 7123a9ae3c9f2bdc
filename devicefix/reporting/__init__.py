"""Showing what the engine found and did: one file per output format."""
