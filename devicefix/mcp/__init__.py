"""A server for coding agents (the Model Context Protocol, https://modelcontextprotocol.io).

`server` declares the tools and checks their arguments; `explaining`, `checking` and `applying` ask
the engine in this process, one after the other; `programs` runs `devicefix run` and
`devicefix verify` in processes of their own, as they execute what the user wrote. `root` keeps all
paths inside one folder, and `pages` cuts long lists.
"""
