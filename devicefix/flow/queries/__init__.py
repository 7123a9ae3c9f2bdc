"""Questions about one body of the intermediate representation; the answers are facts of its text.

- `settled`: whether a name or attribute surely has a value at a moment (definite assignment)
- `reaching`: the definitions that reach a moment, and the loads that a definition reaches
- `liveness`: what still reads a variable after a moment
- `control`: under which conditions something runs
- `loops`: what runs again, and what stays the same meanwhile
- `paths`: what all ways to a moment, or from it on, come by
- `congruence`: whether two expressions have the same value
- `terms`: what an expression computes, in one body or with what a caller gives
- `access`: which operations mean ``self.device``
- `between`: what may run between two operations
"""
