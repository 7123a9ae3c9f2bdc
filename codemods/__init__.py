"""What devicefix fixes: one file is one offence with one code; its docstring documents the rule."""
