"""Some of the traps are test files themselves: they are not ours to run."""

collect_ignore_glob = ["programs/*"]
