"""The language server: what is found, shown where it is written, and mended there.

Of pygls and the protocol only this room knows. It is loaded by `devicefix lsp` alone.
"""
