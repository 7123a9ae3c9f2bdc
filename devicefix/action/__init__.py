"""The GitHub Action: what `action.yml` runs.

Two commands, each a step of its own: ``look`` finds and verifies, and runs programs of the
repository if it was told to; ``propose`` has a token, and runs nothing.
"""
