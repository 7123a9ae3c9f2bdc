// From a unified diff to rows that diff.js shows side by side.

const HUNK = /^@@ (?:cell (\d+): )?-(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

function parsed(diff) {
  const found = [];
  let hunk = null, old = 0, now = 0, before = [], after = [];
  const flush = () => {
    for (let at = 0; at < Math.max(before.length, after.length); at++) hunk.rows.push(pair(before[at], after[at]));
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

// Both lines, with what is not the same in them.
function pair(old, now) {
  if (!old || !now) return [old ?? null, now ?? null, "", []];
  const [one, other] = [old[1], now[1]];
  const most = Math.min(one.length, other.length);
  let start = 0, end = 0;
  while (start < most && one[start] === other[start]) start++;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  if (start + end < most / 3) return [old, now, "", []];
  const range = (text) => (text.length - end > start ? [start, text.length - end] : []);
  return [[old[0], one, range(one)], [now[0], other, range(other)], "", []];
}
