// What stands around the fixes: what is left for a person, what could not be processed, the proof, a rule.

function showLeft() {
  const section = $("left");
  section.hidden = !app.content.left.length;
  section.className = "plain";
  section.replaceChildren(h("h2", { id: "left-title" }, `Needs your decision (${app.content.left.length})`),
    h("p", { class: "soft" }, "devicefix changes nothing here: decide, or edit the code yourself."),
    h("ul", { class: "items" }, app.content.left.map((one) => h("li", null,
      h("span", { class: "at" }, visible(place(one))), codeButton(one.code), " ", words(one.message),
      h("div", { class: "advice" }, words(one.reason))))));
}

function showErrors() {
  const section = $("errors");
  section.hidden = !app.content.errors.length;
  section.className = "plain";
  section.replaceChildren(h("h2", { id: "errors-title" }, `Not processed (${app.content.errors.length})`),
    h("p", { class: "soft" }, "These files are not changed; the others are not affected."),
    h("ul", { class: "items" }, app.content.errors.map((one) => h("li", null,
      h("span", { class: "at" }, visible(place(one))), words(one.reason)))));
}

function showRemains() {
  const section = $("remains");
  const remains = app.content.remains;
  section.hidden = !remains;
  if (!remains) return;
  section.className = "plain";
  section.replaceChildren(h("h2", { id: "remains-title" }, "Remaining uses of CUDA"), h("p", { class: "soft" }, visible(remains.said)),
    h("ul", { class: "items" }, remains.uses.map((one) => h("li", null,
      h("span", { class: "at" }, visible(one.at)), h("code", null, visible(one.text)), " ", visible(one.why)))));
}

function showRule(code) {
  const rule = app.content.rules[code];
  const dialog = $("rule");
  const only = h("button", { type: "button" }, "Show only this rule");
  only.addEventListener("click", () => {
    filter.rules = new Set([code]);
    dialog.close();
    showSide();
    refilter();
  });
  dialog.replaceChildren(h("header", null, h("h2", { id: "rule-title" }, `${code} ${rule?.name ?? ""}`), only, closer(dialog)),
    h("div", { class: "prose", tabindex: "0" }, rule ? [h("p", null, words(rule.summary)),
      rule.sections.map(([title, text]) => [h("h3", null, title), prose(text)]),
      rule.url && h("p", null, h("a", { href: rule.url, target: "_blank", rel: "noopener noreferrer" }, "Documentation"))] : "Nothing is known about this rule."));
  dialog.showModal();
}

function closer(dialog, name = "Close") {
  const button = h("button", { type: "button" }, name);
  button.addEventListener("click", () => dialog.close());
  return button;
}
