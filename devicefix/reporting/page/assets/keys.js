// Everything can be done by keyboard. Single keys do nothing while somebody writes.

const KEYS = [
  ["Move", [
    [["j", "↓"], "next fix", () => step(1)],
    [["k", "↑"], "previous fix", () => step(-1)],
    [["s"], "skip to the next undecided fix", () => step(1, (group) => group.verdict === "pending") || toast("No undecided fix below.")],
    [["]"], "first fix of the next file", () => step(1, (group) => group.paths[0] !== app.current?.paths[0])],
    [["["], "last fix of the previous file", () => step(-1, (group) => group.paths[0] !== app.current?.paths[0])],
    [["g"], "first fix", () => go(app.shown[0])],
    [["G"], "last fix", () => go(app.shown.at(-1))],
  ]],
  ["Decide", [
    [["a", "y"], "accept and go to the next", () => withCurrent((group) => decide(group, "accepted", true)), true],
    [["r", "n"], "reject and go to the next", () => withCurrent((group) => decide(group, "rejected", true)), true],
    [["p"], "back to undecided", () => withCurrent((group) => decide(group, "pending", false)), true],
    [["A"], "accept all shown", () => bulk("accepted"), true],
    [["R"], "reject all shown", () => bulk("rejected"), true],
    [["u"], "undo the last answer", () => unsay(), true],
  ]],
  ["Look", [
    [["/"], "filter by text", () => { $("search").focus(); $("search").select(); }],
    [["o", "Enter"], "open or fold the fix", () => withCurrent((group) => fold(group, !group.folded))],
    [["x"], "explain its rule", () => withCurrent((group) => showRule(group.codes[0]))],
    [["c"], "clear all filters", () => unfilter()],
    [["t"], "light or dark", () => turnTheme()],
    [["?"], "these keys", () => showHelp()],
    [["Esc"], "leave a field, close a window", null],
  ]],
];

const live = (row) => row[3] !== true || app.live;
const sections = () => [...KEYS, ...(app.live?.keys() ?? [])]
  .map(([title, rows]) => [title, rows.filter(live)]).filter(([, rows]) => rows.length);

function withCurrent(does) {
  const group = app.current ?? app.shown[0];
  if (!group) return toast("No fix is shown.");
  if (!app.current) setCurrent(group);
  return does(group);
}

function showHelp() {
  const dialog = $("help");
  dialog.replaceChildren(h("header", null, h("h2", { id: "help-title" }, "Keys"), closer(dialog)),
    h("div", { tabindex: "0" }, h("div", { class: "keys" }, sections().map(([title, rows]) => h("section", null, h("h3", null, title),
      h("dl", null, rows.map(([keys, what]) => [h("dt", null, keys.map((key) => h("kbd", null, key))), h("dd", null, what)])))))));
  dialog.showModal();
}

const ALIASES = { ArrowDown: "↓", ArrowUp: "↑" };

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target;
  if (document.querySelector("dialog[open]")) return;
  if (target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) {
    if (event.key === "Escape" || event.key === "Enter") leave(event);
    return;
  }
  const key = ALIASES[event.key] ?? event.key;
  // A button or a box answers to these itself.
  if (key === "Enter" && target.matches("button, a, summary, input")) return;
  if ((key === "↓" || key === "↑") && target.matches("input")) return;
  const row = sections().flatMap(([, rows]) => rows).find(([keys]) => keys.includes(key));
  if (!row?.[2]) return;
  event.preventDefault();
  row[2]();
}

function leave(event) {
  event.preventDefault();
  event.target.blur();
  if (!step(0, () => true)) go(app.current ?? app.shown[0]);
}

addEventListener("keydown", onKey);
