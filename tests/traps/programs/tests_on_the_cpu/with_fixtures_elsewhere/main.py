# trap: tests and their helpers in two files, beside nothing that runs on a device
# covers: cpu-tests
from test_model import run_all

if __name__ == "__main__":
    run_all()
    print("passed")
