// What filters are made of: boxes to tick, with how many there are. A page has a `filter`, and says what `refilter` and
// `showSide` do.

function action(name, does, kind = "") {
  const button = h("button", { type: "button", class: kind }, name);
  button.addEventListener("click", does);
  return button;
}

function heading(name, chosen) {
  const clear = h("button", { class: "link", type: "button", "data-key": `clear ${name}` }, "All");
  clear.addEventListener("click", () => {
    chosen.clear();
    showSide();
    refilter();
  });
  return h("h2", null, name, chosen.size ? clear : null);
}

const tick = (chosen, value, name, number, title) => choice("checkbox", "", value, name, number, chosen.has(value), (on) => {
  if (on) chosen.add(value);
  else chosen.delete(value);
}, title);

function choice(type, group, value, name, number, checked, change, title) {
  const input = h("input", { type, name: group || null, "data-key": `${type} ${group} ${value}` });
  input.checked = checked;
  input.addEventListener("change", () => {
    change(input.checked);
    refilter();
    showSide();
  });
  return h("label", { class: `pick${number ? "" : " none"}`, title }, input, h("span", { class: "name" }, name),
    h("span", { class: "count" }, number.toLocaleString("en")));
}

function search(label) {
  const input = h("input", { type: "search", id: "search", placeholder: "Filter by text", "aria-label": label,
    autocomplete: "off", spellcheck: "false", "data-key": "search" });
  input.value = filter.text;
  input.addEventListener("input", () => {
    filter.text = input.value;
    refilter();
  });
  return h("label", { class: "search" }, input, h("kbd", { "aria-hidden": "true" }, "/"));
}

// Makes the column of filters anew; who was in it stays where he was.
function fillSide(label, ...parts) {
  const side = $("side");
  const hadFocus = side.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const top = side.scrollTop;
  const fold = h("button", { class: "fold quiet", type: "button", "aria-expanded": String(!side.classList.contains("folded")) }, "Filters");
  fold.addEventListener("click", () => fold.setAttribute("aria-expanded", String(!side.classList.toggle("folded"))));
  side.replaceChildren(search(label), fold, ...parts);
  side.scrollTop = top;
  if (hadFocus) side.querySelector(`[data-key="${CSS.escape(hadFocus)}"]`)?.focus();
}
