// The filters, and the list that they leave.

const FIRST = 80;
const EACH_FRAME = 400;

function refilter() {
  const text = filter.text.trim().toLowerCase();
  const now = all.filter((one) => passes(one, text)).sort(ORDERS.get(filter.order)[1]);
  shown = now;
  $("list").replaceChildren();
  reveal(now, FIRST);
  showListHead();
  showEmpty();
  for (const button of document.querySelectorAll(".legend button")) {
    button.setAttribute("aria-pressed", String(filter.states.has(button.dataset.state)));
  }
}

// What is on the screen comes at once, the rest of a long list frame by frame.
function reveal(some, count, from = 0) {
  $("list").append(...some.slice(from, from + count).map((one) => (one.card ??= row(one))));
  if (from + count < some.length) {
    // behind the frame, so that it has not to wait for them
    requestAnimationFrame(() => setTimeout(() => some === shown && reveal(some, EACH_FRAME, from + count)));
  }
}

function unfilter() {
  Object.assign(filter, { text: "", states: new Set(), rules: new Set(), traits: new Set() });
  refilter();
  showSide();
}

function showListHead() {
  const name = plural(all.length, "repository", "repositories");
  const select = h("select", { "aria-label": "Order" }, [...ORDERS].map(([key, [title]]) => h("option", { value: key, selected: key === filter.order }, title)));
  select.addEventListener("change", () => {
    filter.order = select.value;
    refilter();
    document.querySelector("#listhead select").focus();
  });
  $("listhead").replaceChildren(h("h2", { "aria-live": "polite" }, isFiltered() ? `${amount(shown.length)} of ${name}` : name),
    ...(isFiltered() ? [action("Clear filter", unfilter, "quiet")] : []), h("label", { class: "order" }, h("span", { class: "soft" }, "Order"), select));
}

function showEmpty() {
  const box = $("empty");
  box.hidden = shown.length > 0;
  if (shown.length) return;
  box.replaceChildren(...(all.length ? [h("h3", null, "No repository matches"), h("p", null, "No repository matches all filters."), action("Clear filter", unfilter)]
    : [h("h3", null, "No repositories"), h("p", null, "The plan has none.")]));
}

function showSide() {
  fillSide("Filter by text: names, reasons, files", ...states(), ...traits(), ...rules());
}

function states() {
  const count = counts((one) => [one.state]);
  const names = [...STATES.keys(), ...[...count.keys()].filter((name) => !STATES.has(name))].filter((name) => count.get(name));
  return [heading("State", filter.states), ...names.map((name) =>
    tick(filter.states, name, [h("i", { class: `dot ${stateOf(name)[1]}` }), visible(stateOf(name)[0])].flat(), count.get(name), stateOf(name)[2]))];
}

function traits() {
  const found = [...TRAITS].map(([key, [name, holds]]) => [key, name, all.filter(holds).length]).filter(([, , count]) => count);
  return found.length ? [heading("With", filter.traits), ...found.map(([key, name, count]) => tick(filter.traits, key, [name], count))] : [];
}

function rules() {
  const count = counts((one) => Object.keys(one.rules));
  if (!count.size) return [];
  return [heading("Rules", filter.rules), ...[...count.keys()].sort().map((code) =>
    tick(filter.rules, code, [h("span", { class: "mono" }, visible(code)), " ", visible(campaign.rules[code] ?? "")].flat(), count.get(code), campaign.rules[code]))];
}
