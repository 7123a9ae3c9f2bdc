// One card for each decision. Of a long list only what comes near the screen is built.

const BUILT_AT_ONCE = 150;
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) build(groupOf(entry.target));
}, { rootMargin: "900px 0px" });

// Nothing can be said any more: it is written, or the server has gone.
const isClosed = () => Boolean(app.written || app.live?.isOver());

const groupOf = (card) => app.groups[Number(card.dataset.number)];

function showCards() {
  watcher.disconnect();
  const keep = app.current?.id;
  const top = app.current?.card.getBoundingClientRect().top;
  const hadFocus = $("list").contains(document.activeElement);
  app.current = null;
  $("list").replaceChildren(...app.groups.map(shell));
  app.groups.forEach((group, at) => (at < BUILT_AT_ONCE && app.groups.length <= BUILT_AT_ONCE ? build(group) : watcher.observe(group.card)));
  refilter();
  prepare(app.groups);
  const again = app.groups.find((group) => group.id === keep);
  if (!again || !isShown(again)) return;
  build(again);
  setCurrent(again);
  if (hadFocus) again.card.focus({ preventScroll: true });
  scrollBy(0, again.card.getBoundingClientRect().top - top);
}

function shell(group) {
  group.folded = group.verdict !== "pending";
  group.built = false;
  const card = h("article", { class: "card", tabindex: "-1", "data-number": group.number, "data-id": group.id,
    "aria-posinset": group.number + 1, "aria-setsize": app.groups.length });
  card.style.containIntrinsicSize = `auto ${height(group)}px`;
  card.addEventListener("focusin", () => setCurrent(group));
  group.card = card;
  dress(group);
  return card;
}

function height(group) {
  const head = 66 + (group.findings.length > 1 ? 28 * group.findings.length : 0) + (group.reason ? 50 : 0);
  if (group.folded) return 66;
  return group.parts.reduce((sum, { hunk }) => sum + 30 + 20 * windows(hunk, group.number).reduce((n, rows) => n + rows.length, 0), head);
}

function dress(group) {
  const { card, verdict } = group;
  card.classList.toggle("accepted", verdict === "accepted");
  card.classList.toggle("rejected", verdict === "rejected");
  card.setAttribute("aria-label", `${plainTitle(group)}: ${verdict === "pending" ? "to decide" : verdict}`);
  if (!group.built) return;
  for (const [name, pressed] of [[".yes", "accepted"], [".no", "rejected"]]) {
    card.querySelector(name)?.setAttribute("aria-pressed", String(verdict === pressed));
    card.querySelector(name)?.toggleAttribute("disabled", isClosed());
  }
  fold(group, group.folded);
}

const plainTitle = (group) => group.title.replaceAll("`", "");

function fold(group, folded) {
  group.folded = folded;
  if (!group.built) return;
  if (!folded && !group.filled) fill(group);
  group.card.querySelector(".body").classList.toggle("folded", folded);
  group.card.querySelector(".toggle").setAttribute("aria-expanded", String(!folded));
  group.card.querySelector(".toggle").replaceChildren(folded ? "Show the change" : "Hide");
}

function build(group) {
  if (group.built) return;
  watcher.unobserve(group.card);
  group.built = true;
  group.filled = false;
  group.card.replaceChildren(head(group), h("div", { class: "body" }));
  dress(group);
}

function head(group) {
  const more = group.parts.length || group.findings.length > 1 || !app.info.without;
  const toggle = h("button", { type: "button", class: "link toggle", "aria-expanded": "true", hidden: !more }, "Hide");
  toggle.addEventListener("click", () => fold(group, !group.folded));
  return h("div", { class: "head" },
    h("div", null, h("h3", { class: "title" }, words(group.title)),
      h("div", { class: "facts" }, h("span", { class: `badge ${group.safe ? "safe" : "unsafe"}` }, group.safe ? "Safe" : "Unsafe"),
        group.codes.map(codeButton), h("span", null, extent(group)), toggle)),
    app.live ? buttons(group) : null);
}

function extent(group) {
  const [first] = group.findings;
  if (group.findings.length === 1 && group.paths.length === 1) return visible(place(first));
  return `one group: ${plural(group.findings.length, "finding")} in ${plural(group.paths.length, "file")}`;
}

function codeButton(code) {
  const name = app.content.rules[code]?.name ?? "";
  const button = h("button", { type: "button", class: "code", title: `What ${code} is about${name && `: ${name}`}` }, code);
  button.addEventListener("click", () => showRule(code));
  return button;
}

function buttons(group) {
  const one = (verdict, kind, name, key) => {
    const button = h("button", { type: "button", class: kind, "aria-pressed": "false", "aria-keyshortcuts": key }, name);
    button.addEventListener("click", () => decide(group, group.verdict === verdict ? "pending" : verdict, false));
    return button;
  };
  return h("div", { class: "verdict", role: "group", "aria-label": "Verdict" },
    one("accepted", "yes", "Accept", "a"), one("rejected", "no", "Reject", "r"));
}

function fill(group) {
  group.filled = true;
  const body = group.card.querySelector(".body");
  const why = group.reason ? h("p", { class: "why" }, h("b", null, "Why it is unsafe: "), words(group.reason)) : null;
  const list = group.findings.length > 1 || group.findings.some((f) => f.advice && f.advice !== group.reason) ? findings(group) : null;
  body.append(...[why, list, ...group.parts.map((part, at) => hunkOf(part, group.number, group.parts[at - 1]?.path === part.path))].filter(Boolean));
  if (!group.parts.length && !app.info.without) body.append(h("p", { class: "nothing" }, "It changes nothing that could be shown."));
}

const findings = (group) => h("ul", { class: "findings" }, group.findings.map((finding) => h("li", null,
  h("span", { class: "at" }, visible(place(finding))),
  h("span", { class: "what" }, words(finding.message), finding.advice && finding.advice !== group.reason ? h("span", { class: "soft" }, " (", words(finding.advice), ")") : null))));

function hunkOf({ path, hunk }, group, goesOn = false) {
  const scope = hunk.scope.trim();
  return h("div", { class: `hunk${goesOn ? " more" : ""}` },
    h("div", { class: "hunkhead" }, goesOn ? h("span", { "aria-hidden": "true" }, "⋯") : h("span", { class: "path" }, visible(path)),
      hunk.cell ? h("span", null, `cell ${hunk.cell}`) : null,
      scope ? h("span", { class: "scope", title: scope }, visible(scope)) : null),
    table(hunk, group, `Change in ${path}`));
}

// -- moving and deciding ----------------------------------------------------------------------------

function setCurrent(group) {
  if (app.current === group) return;
  app.current?.card?.classList.remove("current");
  app.current?.card?.removeAttribute("aria-current");
  app.current = group;
  group?.card.classList.add("current");
  group?.card.setAttribute("aria-current", "true");
}

function go(group) {
  if (!group || !isShown(group)) return;
  reveal([group], 1);
  build(group);
  setCurrent(group);
  group.card.focus({ preventScroll: true });
  const { top, bottom } = group.card.getBoundingClientRect();
  const bar = $("top").getBoundingClientRect().bottom;
  if (top < bar || bottom > innerHeight) group.card.scrollIntoView({ block: "start" });
}

function step(by, wanted = () => true) {
  const at = app.shown.indexOf(app.current);
  const rest = at < 0 ? (by > 0 ? app.shown : [...app.shown].reverse())
    : by > 0 ? app.shown.slice(at + 1) : app.shown.slice(0, at).reverse();
  const found = rest.find(wanted);
  if (found) go(found);
  return Boolean(found);
}

function decide(group, verdict, advance) {
  const order = app.shown;
  const at = order.indexOf(group);
  say([group], verdict);
  if (!advance) return;
  const isOpen = (other) => other.verdict === "pending" && isShown(other);
  const next = order.slice(at + 1).find(isOpen) ?? order.slice(0, at).find(isOpen);
  if (next) go(next);
  else if (app.shown.includes(group)) go(group);
  else $("list").focus();
}
