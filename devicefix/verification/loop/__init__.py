"""``apply --run``: what reading the sources leaves, a run on the simulated accelerator shows.

`looping` runs the program in a copy with the fixes so far, and asks `symptoms` what is wrong:
tensors on two devices, or modules that stayed on the CPU. `repairs` proposes edits, the best first:
fixes that the rules call unsafe (`static`), then a transfer where the run saw the tensor or the
module made, bound or used (`sites`), with the device that `naming` finds there. A repair stays if
the program comes further with it. The last word has the verification.
"""
