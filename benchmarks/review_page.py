"""How the page of a review behaves with 2,000 hunks, measured in Chromium.

    python benchmarks/review_page.py [--hunks 2000] [--chromium /usr/bin/chromium]

Needs `pip install 'devicefix[test]'` and a Chromium. Prints milliseconds: how long the page takes
to be there, and how long each filter takes, until the next frame is on the screen,
and until a long list is complete below it; the longest of five times.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

_PER_FILE: Final = 20
_FUNCTION: Final = '''
def step_{n}(x, scale={n}):
    """Scales and shifts what it is given, {n} times."""
    total = 0
    for i in range(scale):
        total += i
    y = x.cuda()
    name = "step {n} of file {file}"
    for i in range(scale):
        total -= i
    print(name, total)
    return y * total

'''
_FLAGS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run")
_MEASURE: Final = """async ([find, change]) => {
  const target = document.querySelector(find);
  const began = performance.now();
  if (change !== null) {
    target.value = change;
    target.dispatchEvent(new Event("input"));
  } else target.click();
  document.body.getBoundingClientRect();
  const laid = performance.now() - began;
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  const seen = performance.now() - began;
  const wanted = Number(document.querySelector("#listhead h2").firstChild.data.split(" ")[0]
    .replace(",", ""));
  const shown = () => document.querySelectorAll(".card:not([hidden])").length;
  while (shown() < wanted) await frame();
  return [laid, seen, performance.now() - began, shown()];
}"""


def project(folder: Path, hunks: int) -> None:
    """Files with 20 changes each, far enough from each other to be hunks of their own."""
    for file in range(-(-hunks // _PER_FILE)):
        count = min(_PER_FILE, hunks - file * _PER_FILE)
        functions = (_FUNCTION.format(n=n, file=file) for n in range(count))
        (folder / f"part_{file:03}.py").write_text("import torch\n\n" + "\n".join(functions))


def measured(page: Any) -> None:
    """One line for each filter."""
    steps = {
        "text, one letter": ("#search", "s"),
        "text, a number": ("#search", "step_17"),
        "text, nothing fits": ("#search", "no such text"),
        "text, cleared": ("#search", ""),
        "verdict": ('[data-key="radio verdict accepted"]', None),
        "verdict, all": ('[data-key="radio verdict "]', None),
        "rule": ('[data-key="checkbox  DFX201"]', None),
        "one file": ('[data-key="checkbox  part_003.py"]', None),
        "one file, off": ('[data-key="checkbox  part_003.py"]', None),
    }
    print(f"{'filter':<22}{'laid out':>10}{'on screen':>11}{'complete':>11}{'shown':>8}")
    for name, step in steps.items():
        runs = [page.evaluate(_MEASURE, step)]
        if step[1] is not None:
            for _ in range(4):
                page.evaluate(_MEASURE, ["#search", "" if "fits" in name else "no such text"])
                runs.append(page.evaluate(_MEASURE, step))
        laid, seen, whole = (max(run[at] for run in runs) for at in (0, 1, 2))
        print(f"{name:<22}{laid:>7.0f} ms{seen:>8.0f} ms{whole:>8.0f} ms{runs[0][3]:>8}")


def main() -> None:
    """Make the project, start a review, look at it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hunks", type=int, default=2000)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        tree.mkdir()
        project(tree, given.hunks)
        environment = {**os.environ, "DEVICEFIX_STATE_DIR": str(Path(folder, "state"))}
        command = (sys.executable, "-m", "devicefix", "review", "--no-browser", ".")
        began = time.perf_counter()
        with subprocess.Popen(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True
        ) as review:
            assert review.stdout is not None
            found = re.search(r"http://\S+", review.stdout.readline())
            print(f"{'analysis':<22}{time.perf_counter() - began:>7.1f} s")
            try:
                _look(found[0] if found else "", given.chromium)
            finally:
                review.terminate()


def _look(address: str, chromium: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        began = time.perf_counter()
        page.goto(address)
        page.wait_for_selector(".card .diff")
        print(f"{'page':<22}{time.perf_counter() - began:>7.1f} s")
        measured(page)
        page.keyboard.press("Escape")
        print(f"{'next fix (j), 50 times':<22}{_keys(page, 'j', 50):>7.0f} ms each")
        print(f"{'accept (a), 50 times':<22}{_keys(page, 'a', 50):>7.0f} ms each")
        browser.close()


def _keys(page: Any, key: str, times: int) -> float:
    script = """async ([key, times]) => {
      const began = performance.now();
      for (let i = 0; i < times; i++) {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        document.body.getBoundingClientRect();
      }
      return (performance.now() - began) / times;
    }"""
    return float(page.evaluate(script, [key, times]))


if __name__ == "__main__":
    main()
