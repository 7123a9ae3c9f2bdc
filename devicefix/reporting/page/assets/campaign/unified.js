// From a unified diff to rows that diff.js shows side by side.

const HUNK = /^@@ (?:cell (\d+): )?-(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

function parsed(diff) {
  const found = [];
  let hunk = null, old = 0, now = 0, before = [], after = [];
  const flush = () => {
    hunk.rows.push(...paired(before, after).map(([one, other]) => pair(one, other)));
    [before, after] = [[], []];
  };
  for (const full of diff.replace(/\n$/, "").split("\n").slice(2)) {
    const head = HUNK.exec(full);
    const text = full.slice(1).replace(/\r$/, "");
    if (head) {
      if (hunk) flush();
      [old, now] = [Number(head[2]), Number(head[3])];
      hunk = { cell: head[1] ?? null, first: now, scope: head[4].replace(/^,?\s*/, ""), open: "", rows: [] };
      found.push(hunk);
    } else if (!hunk || full[0] === "\\") continue;
    else if (full[0] === "-") {
      if (after.length) flush();
      before.push([old++, text, []]);
    } else if (full[0] === "+") after.push([now++, text, []]);
    else {
      flush();
      hunk.rows.push([old++, now++, text]);
    }
  }
  if (hunk) flush();
  return found;
}

const MOST_PAIRS = 20000;
const ALIKE = .35;

// Which line became which: those that are most alike, in their order; the others stand alone.
function paired(before, after) {
  const [m, n] = [before.length, after.length];
  if (m * n > MOST_PAIRS) return Array.from({ length: Math.max(m, n) }, (_, at) => [before[at], after[at]]);
  const best = Array.from({ length: m + 1 }, () => new Float64Array(n + 1));
  const alike = before.map((old) => after.map((now) => likeness(old[1], now[1])));
  for (let i = m - 1; i >= 0; i--) {
    for (let j = n - 1; j >= 0; j--) {
      const together = alike[i][j] < ALIKE ? 0 : alike[i][j] + best[i + 1][j + 1];
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], together);
    }
  }
  const found = [];
  let i = 0, j = 0;
  while (i < m && j < n) {
    if (alike[i][j] >= ALIKE && best[i][j] === alike[i][j] + best[i + 1][j + 1]) found.push([before[i++], after[j++]]);
    else if (best[i][j] === best[i + 1][j]) found.push([before[i++], undefined]);
    else found.push([undefined, after[j++]]);
  }
  return [...found, ...before.slice(i).map((old) => [old, undefined]), ...after.slice(j).map((now) => [undefined, now])];
}

// How much of the longer line is at both ends of both.
function likeness(one, other) {
  const [a, b] = [one.trim(), other.trim()];
  const [start, end] = common(a, b);
  return (start + end) / Math.max(a.length, b.length, 1);
}

function common(one, other) {
  const most = Math.min(one.length, other.length);
  let start = 0, end = 0;
  while (start < most && one[start] === other[start]) start++;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return [start, end];
}

// Both lines, with what is not the same in them.
function pair(old, now) {
  if (!old || !now) return [old ?? null, now ?? null, "", []];
  const [one, other] = [old[1], now[1]];
  const [start, end] = common(one, other);
  const range = (text) => (text.length - end > start ? [start, text.length - end] : []);
  return [[old[0], one, range(one)], [now[0], other, range(other)], "", []];
}
