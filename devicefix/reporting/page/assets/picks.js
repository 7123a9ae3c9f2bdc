// What filters are made of: boxes to tick, with how many there are. A page says what `refilter` and `showSide` do.

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
