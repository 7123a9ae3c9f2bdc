# run:
# run: --nprocs 2
import argparse
import multiprocessing as mp
import os

from job import Job


def run(job, path):
    with open(path, "w") as f:
        f.write(job.run())


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--nprocs", type=int, default=1)
    n = p.parse_args().nprocs
    jobs = [Job(rank, n) for rank in range(n)]
    procs = [mp.get_context("fork").Process(target=run, args=(j, "out.%d" % j.rank)) for j in jobs]
    [x.start() for x in procs]
    [x.join() for x in procs]
    for j in jobs:
        with open("out.%d" % j.rank) as f:
            print(f.read())
    assert not [x.exitcode for x in procs if x.exitcode], os.getpid()
