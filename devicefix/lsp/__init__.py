"""The language server: what is found, shown where it is written, and mended there.

Only this package knows pygls and the protocol. It is loaded by `devicefix lsp` alone. `session`
lives in the thread of the messages; all analysis is done by the one thread of `worker`, on a
snapshot of the texts.
"""
