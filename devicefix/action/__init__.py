"""The GitHub Action: what `action.yml` runs.

Two commands, each a step of its own: ``look`` finds and verifies, and runs programs of the
repository if it was told to; ``pull-request`` has a token, and runs nothing. With the modes
``propose`` and ``publish`` they are steps of two jobs, and a `Bundle` is all that goes over.
"""
