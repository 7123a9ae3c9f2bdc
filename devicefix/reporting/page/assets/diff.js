// A hunk, side by side: a table of two numbers and two lines; in a narrow window CSS puts one below the other.

const LONGEST = 1500;
const AROUND = 3;

// The rows of one group in a hunk with a few around them: [[row, …], …]; all of them where `group` is null.
function windows(hunk, group) {
  if (group === null) return [hunk.rows];
  const near = new Array(hunk.rows.length).fill(false);
  hunk.rows.forEach((row, at) => {
    if (isOf(row, group)) near.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const found = [];
  near.forEach((shown, at) => {
    if (shown && !near[at - 1]) found.push([]);
    if (shown) found.at(-1).push(hunk.rows[at]);
  });
  return found;
}

const isContext = (row) => typeof row[0] === "number";
const isOf = (row, group) => !isContext(row) && row[3].includes(group);

function table(hunk, group, label) {
  const shown = new Set();
  const parts = windows(hunk, group);
  parts.forEach((part) => part.forEach((row) => shown.add(row)));
  const body = h("tbody");
  const open = [hunk.open, hunk.open];
  let skipped = 0;
  for (const row of hunk.rows) {
    const made = line(row, open, group);
    if (!shown.has(row)) {
      skipped += 1;
      continue;
    }
    if (skipped && body.childElementCount) body.append(gap(skipped));
    skipped = 0;
    body.append(made);
  }
  return h("table", { class: "diff", "aria-label": label },
    h("colgroup", null, h("col", { class: "n" }), h("col"), h("col", { class: "n" }), h("col")), body);
}

const gap = (count) => h("tr", { class: "skipped" }, h("td", { colspan: 4 }, `${plural(count, "line")} between`));

function line(row, open, group) {
  if (isContext(row)) {
    const [before, after, text] = row;
    const [one, other] = [coloured(text, open[0]), coloured(text, open[1])];
    [open[0], open[1]] = [one.open, other.open];
    return h("tr", null, number(before), h("td", { class: "c" }, code(one.runs, [])),
      number(after, "twin"), h("td", { class: "c twin" }, code(other.runs, [])));
  }
  const cells = ["old", "new"].map((side, at) => half(row[at], side, at, open));
  const other = group !== null && !isOf(row, group);
  return h("tr", { class: other ? "other" : null, title: other ? "another fix changes this line" : null }, cells);
}

function half(side, kind, at, open) {
  if (!side) return [h("td", { class: "n gap" }), h("td", { class: "c gap" })];
  const [digits, text, changed] = side;
  const found = coloured(text, open[at]);
  open[at] = found.open;
  const said = h("span", { class: "unseen" }, kind === "old" ? "removed: " : "added: ");
  return [number(digits, kind), h("td", { class: `c ${kind}` }, said, code(found.runs, changed))];
}

const number = (digits, kind = "") => h("td", { class: `n ${kind}` }, String(digits));

// Colours and changed ranges cut a line in pieces; a very long one is cut off, but never before what changed.
function code(runs, changed) {
  const nodes = [];
  const first = changed.length ? changed[0] : 0;
  const from = first > LONGEST ? first - 200 : 0;
  const to = Math.max(from + LONGEST, Math.min(changed.at(-1) ?? 0, from + 4 * LONGEST));
  let at = 0;
  if (from) nodes.push(h("span", { class: "soft" }, `… ${from.toLocaleString("en")} characters … `));
  for (const [kind, text] of runs) {
    for (const [start, end, marked] of pieces(at, at + text.length, changed)) {
      const [low, high] = [Math.max(start, from), Math.min(end, to)];
      if (low < high) add(nodes, piece(text.slice(low - at, high - at), kind), marked);
    }
    at += text.length;
  }
  if (at > to) nodes.push(h("span", { class: "soft" }, ` … ${(at - to).toLocaleString("en")} more characters`));
  return nodes;
}

function pieces(start, end, changed) {
  const found = [];
  let at = start;
  for (let i = 0; i < changed.length && at < end; i += 2) {
    const [low, high] = [Math.max(at, changed[i]), Math.min(end, changed[i + 1])];
    if (low >= high) continue;
    if (low > at) found.push([at, low, false]);
    found.push([low, high, true]);
    at = high;
  }
  if (at < end) found.push([at, end, false]);
  return found;
}

const piece = (text, kind) => (kind ? h("span", { class: kind }, visible(text)) : visible(text));

// What changed in one go stands in one mark, whatever its colours are.
function add(nodes, shown, marked) {
  if (!marked) nodes.push(shown);
  else if (nodes.at(-1)?.tagName === "MARK") nodes.at(-1).append(...[shown].flat(Infinity));
  else nodes.push(h("mark", null, shown));
}
