// All repositories together: figures, and a bar of the states that is a filter, too.

function showSummary() {
  const count = counts((one) => [one.state]);
  const names = [...new Set([...STATES.keys(), ...count.keys()])].filter((name) => count.get(name));
  const bar = h("div", { class: "stack", "aria-hidden": "true" }, names.map((name) => h("i", { class: stateOf(name)[1] })));
  names.forEach((name, at) => { bar.children[at].style.flexGrow = count.get(name); });
  $("summary").replaceChildren(h("dl", { class: "tiles" }, tiles().map(([value, name, more]) =>
    h("div", null, h("dd", null, value), h("dt", null, name), h("dd", { class: "more" }, more)))),
  bar, h("div", { class: "legend", role: "group", "aria-label": "Show only a state" }, names.map((name) => legend(name, count.get(name)))));
}

function tiles() {
  const changed = good.filter((one) => one.stat[0]);
  const proofs = all.filter((one) => one.proof);
  const passed = proofs.filter((one) => one.proof.passed && one.state !== "unproven"); // it may run none of the fixes
  const requests = all.filter((one) => one.request || one.number !== null).length;
  const files = sum(changed, (one) => one.stat[0]);
  return [
    [amount(all.length), all.length === 1 ? "repository" : "repositories", `${plural(sum(all, (one) => one.checked), "file")} checked`],
    [amount(changed.length), "with fixes", [`${plural(files, "file")}, `, h("span", { class: "lines" }, ...delta(sum(changed, (one) => one.stat[1]), sum(changed, (one) => one.stat[2])))]],
    [amount(sum(changed, (one) => one.fixed)), "findings fixed", `${amount(sum(all, (one) => one.left))} need a decision`],
    campaign.proves || proofs.length ? [amount(passed.length), "proven", `${amount(sum(passed, (one) => one.proof.compared))} values compared`]
      : ["–", "proven", "the plan requests no proof"],
    [amount(requests), requests === 1 ? "pull request" : "pull requests", requests ? "" : "dry run: none were opened"],
    [duration(sum(all, (one) => one.seconds)), "of work", `${bytes(sum(all, (one) => one.size))} cloned`],
  ];
}

const delta = (added, removed) => [h("span", { class: "plus" }, `+${amount(added)}`), " ", h("span", { class: "minus" }, `−${amount(removed)}`)];

function legend(name, count) {
  const [title, kind, what] = stateOf(name);
  const button = h("button", { type: "button", class: "quiet", title: what, "aria-pressed": "false", "data-state": name },
    h("i", { class: `dot ${kind}` }), visible(title), h("b", null, amount(count)));
  button.addEventListener("click", () => {
    const only = filter.states.size === 1 && filter.states.has(name);
    filter.states = new Set(only ? [] : [name]);
    refilter();
    showSide();
  });
  return button;
}

function counts(keys) {
  const found = new Map();
  for (const one of all) for (const key of keys(one)) found.set(key, (found.get(key) ?? 0) + 1);
  return found;
}

function showBanners() {
  const count = counts((one) => [one.state]);
  const busy = all.filter((one) => one.running).length;
  const waiting = (count.get("waiting") ?? 0) - all.filter((one) => one.running && one.state === "waiting").length;
  const parts = [busy && `${plural(busy, "repository", "repositories")} running`, waiting && `${amount(waiting)} waiting`,
    all.some((one) => one.next) && `${amount(all.filter((one) => one.next).length)} to be retried`].filter(Boolean);
  if (!parts.length) return;
  $("banners").append(h("div", { class: "banner warn", role: "status" }, h("span", null, h("b", null, "The campaign has not finished: "), `${parts.join(", ")}. This page shows it as it was at ${moment(campaign.now)}.`)));
}
