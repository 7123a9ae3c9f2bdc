"""first draft"""
from __future__ import annotations
import sys, tempfile, time
from collections import Counter
from pathlib import Path
from benchmarks.synthetic.company import Company
from benchmarks.synthetic.ends import ends, wrong
from benchmarks.synthetic.kinds import KINDS, SMALL, drawn

def main() -> int:
    count = int(sys.argv[1])
    kinds = SMALL if len(sys.argv) > 2 else tuple(KINDS)
    with tempfile.TemporaryDirectory() as name:
        t = time.monotonic()
        made = drawn(count, 1, kinds)
        company = Company(Path(name), made)
        print("made", time.monotonic() - t, flush=True)
        with company.site("whole", "jobs = 2") as site:
            print("site", time.monotonic() - t, flush=True)
            site.run()
            print("ran", time.monotonic() - t, flush=True)
            end = ends(site)
            for one in made:
                for line in wrong(one, end[one.entry], site):
                    print(line)
            print(Counter(e["state"] for e in end.values()), list((site.folder / "tmp").iterdir()))
    return 0
if __name__ == "__main__":
    sys.exit(main())
