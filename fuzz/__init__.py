"""Coverage-guided fuzzing of what devicefix reads and writes: ``python -m fuzz`` (docs/fuzzing.md).

A target gets bytes and looks at what devicefix makes of them. It knows nothing of the fuzzer, which
is atheris (https://github.com/google/atheris, libFuzzer for Python); so the test-suite replays the
seeds without it.
"""
