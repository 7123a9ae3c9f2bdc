// What is proposed and what was said of it. `content` is what reporting/page/content.py makes.

const app = {
  content: { groups: [], files: [], left: [], errors: [], rules: {}, checked: 0 },
  info: {},
  groups: [],
  shown: [],
  current: null,
  live: null,
  said: [],
};

const VERDICTS = ["pending", "accepted", "rejected"];

function take(content) {
  app.content = content;
  app.groups = content.groups.map((group, number) => ({ ...group, number, card: null }));
  for (const group of app.groups) {
    group.parts = partsOf(group);
    group.paths = [...new Set([...group.findings.map((f) => f.path), ...group.parts.map((p) => p.path)])];
    group.text = null;
    group.title = titleOf(group);
  }
}

// Where it changes something: [{path, hunk}, …]. What was rejected has its own, as they are made no more.
function partsOf(group) {
  if (group.kept) return group.kept.flatMap((file) => file.hunks.map((hunk) => ({ path: file.path, hunk })));
  return group.hunks.map(([file, at]) => ({ path: app.content.files[file].path, hunk: app.content.files[file].hunks[at] }));
}

function titleOf(group) {
  const text = group.findings[0]?.message ?? "a change that comes with others";
  return text[0].toUpperCase() + text.slice(1);
}

// All that the text filter looks into, in lower case.
function textOf(group) {
  group.text ??= [
    group.reason,
    ...group.findings.flatMap((f) => [f.path, f.code, f.message, f.advice, app.content.rules[f.code]?.name ?? ""]),
    ...group.parts.flatMap(({ path, hunk }) =>
      [path, hunk.scope, ...windows(hunk, group.number).flat().flatMap((row) => linesOf(row, group.number))]),
  ].join("\n").toLowerCase();
  return group.text;
}

function linesOf(row, group) {
  if (isContext(row)) return [row[2]];
  return isOf(row, group) ? [row[0]?.[1] ?? "", row[1]?.[1] ?? ""] : [];
}

function tally() {
  const count = { pending: 0, accepted: 0, rejected: 0 };
  for (const group of app.groups) count[group.verdict] += 1;
  return count;
}

// Say something of some groups; what was said before comes back by `unsay`.
function say(groups, verdict) {
  if (isClosed()) return 0;
  const changed = groups.filter((group) => group.verdict !== verdict);
  if (!changed.length) return 0;
  app.said.push(changed.map((group) => [group.id, group.verdict]));
  settle(changed.map((group) => [group, verdict]));
  return changed.length;
}

function unsay() {
  if (isClosed()) return;
  const last = app.said.pop();
  if (!last) return toast("There is no answer to undo.");
  const known = new Map(app.groups.map((group) => [group.id, group]));
  const found = last.map(([id, verdict]) => [known.get(id), verdict]).filter(([group]) => group);
  settle(found);
  toast(`Undone: ${plural(found.length, "answer")}.`);
  if (found.length) go(found[0][0]);
}

function settle(pairs) {
  for (const [group, verdict] of pairs) {
    group.verdict = verdict;
    group.folded = verdict !== "pending";
    if (group.card) dress(group);
  }
  app.live?.tell(pairs.map(([group, verdict]) => [group.id, verdict]));
  refilter();
  showTally();
}
