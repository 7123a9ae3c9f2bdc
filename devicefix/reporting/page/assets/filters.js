// Which fixes are shown. Within one kind of filter any may hold, of each kind one has to.

const filter = { text: "", verdict: "", safety: new Set(), rules: new Set(), paths: new Set() };
const MOST_FILES = 12;
const FIRST = 60;
const EACH_FRAME = 300;
let allFiles = false;
let inList = new Set();

const isShown = (group) => inList.has(group);

// What is on the screen comes at once, the rest of a long list frame by frame.
function reveal(shown, count, from = 0) {
  for (const group of shown.slice(from, from + count)) group.card.hidden = false;
  if (from + count < shown.length) {
    // behind the frame, so that it has not to wait for them
    requestAnimationFrame(() => setTimeout(() => shown === app.shown && reveal(shown, EACH_FRAME, from + count)));
  }
}

function refilter() {
  const text = filter.text.trim().toLowerCase();
  const shown = app.groups.filter((group) => passes(group, text));
  app.shown = shown;
  inList = new Set(shown);
  app.groups.forEach((group) => {
    if (!inList.has(group)) group.card.hidden = true;
  });
  reveal(shown, FIRST);
  if (app.current && !isShown(app.current)) setCurrent(null);
  showListHead();
  showEmpty();
}

function passes(group, text) {
  if (filter.verdict && group.verdict !== filter.verdict) return false;
  if (filter.safety.size && !filter.safety.has(group.safe ? "safe" : "unsafe")) return false;
  if (filter.rules.size && !group.codes.some((code) => filter.rules.has(code))) return false;
  if (filter.paths.size && !group.paths.some((path) => filter.paths.has(path))) return false;
  return !text || textOf(group).includes(text);
}

// The texts are put together while nobody waits, so that the first letter is as quick as the next.
function prepare(groups, at = 0) {
  const whenIdle = window.requestIdleCallback ?? ((does) => setTimeout(does, 20, { timeRemaining: () => 8 }));
  whenIdle((time) => {
    const until = performance.now() + Math.min(time.timeRemaining(), 8);
    while (at < groups.length && performance.now() < until) textOf(groups[at++]);
    if (at < groups.length && groups === app.groups) prepare(groups, at);
  });
}

const isFiltered = () =>
  Boolean(filter.text.trim() || filter.verdict || filter.safety.size || filter.rules.size || filter.paths.size);

function unfilter() {
  Object.assign(filter, { text: "", verdict: "", safety: new Set(), rules: new Set(), paths: new Set() });
  showSide();
  refilter();
}

function showSide() {
  fillSide("Filter by text", ...(app.live ? verdicts() : []), ...safety(), ...rules(), ...paths(), ...jumps());
}

function verdicts() {
  const count = tally();
  const pick = (value, name, number) => choice("radio", "verdict", value, [name], number, filter.verdict === value, () => {
    filter.verdict = value;
  });
  return [h("h2", null, "Verdict"), h("div", { class: "segments", role: "radiogroup", "aria-label": "Verdict" },
    pick("", "All", app.groups.length), pick("pending", "To decide", count.pending),
    pick("accepted", "Accepted", count.accepted), pick("rejected", "Rejected", count.rejected))];
}

function safety() {
  const safe = app.groups.filter((group) => group.safe).length;
  return [h("h2", null, "Safety"), h("div", { class: "segments" },
    tick(filter.safety, "safe", ["Safe"], safe), tick(filter.safety, "unsafe", ["Unsafe"], app.groups.length - safe))];
}

function rules() {
  const count = counted((group) => group.codes);
  return [heading("Rules", filter.rules), ...[...count.keys()].sort().map((code) =>
    tick(filter.rules, code, [h("span", { class: "mono" }, code), " ", app.content.rules[code]?.name ?? ""], count.get(code)))];
}

function paths() {
  const count = counted((group) => group.paths);
  const names = [...count.keys()].sort();
  const few = allFiles || names.length <= MOST_FILES + 3;
  const shown = names.filter((name, at) => few || at < MOST_FILES || filter.paths.has(name));
  const more = few ? null : h("button", { class: "link more", type: "button", "data-key": "more" }, `All ${names.length} files`);
  more?.addEventListener("click", () => {
    allFiles = true;
    showSide();
  });
  return [heading("Files", filter.paths), ...shown.map((path) => tick(filter.paths, path, fileName(path), count.get(path), path)), more].filter(Boolean);
}

function fileName(path) {
  const cut = path.lastIndexOf("/") + 1;
  return [h("span", { class: "mono" }, h("span", { class: "soft" }, visible(path.slice(0, cut))), visible(path.slice(cut)))];
}

function counted(keys) {
  const count = new Map();
  for (const group of app.groups) for (const key of keys(group)) count.set(key, (count.get(key) ?? 0) + 1);
  return count;
}

function jumps() {
  const to = (id, name, number) => (number ? h("li", null, h("a", { href: `#${id}` }, name, h("span", { class: "count" }, number))) : null);
  const found = [to("left", "Needs your decision", app.content.left.length), to("errors", "Not processed", app.content.errors.length)];
  return found.some(Boolean) ? [h("h2", null, "Besides"), h("ul", { class: "jumps" }, found)] : [];
}
