// The bar at the top, the head of the list, and what is shown instead of an empty one.

function showTop() {
  $("kind").replaceChildren(app.live ? "review" : "report");
  $("where").replaceChildren(h("bdi", null, visible(app.info.where ?? "")));
  $("where").title = app.info.where ?? "";
  const theme = h("button", { type: "button", class: "quiet icon", "aria-label": "Light or dark", title: "Light or dark (t)" }, "◐");
  theme.addEventListener("click", turnTheme);
  const help = h("button", { type: "button", class: "quiet icon", "aria-label": "Keys", title: "Keys (?)" }, "?");
  help.addEventListener("click", showHelp);
  $("tools").replaceChildren(theme, help, ...(app.live?.tools() ?? []));
  $("meter").hidden = !app.live;
  $("foot").replaceChildren(app.info.foot ?? "");
}

function showTally() {
  if (!app.live) return;
  const count = tally();
  const all = app.groups.length || 1;
  const bar = $("bar");
  if (!bar.childElementCount) bar.append(h("i", { class: "accepted" }), h("i", { class: "rejected" }));
  bar.children[0].style.width = `${(100 * count.accepted) / all}%`;
  bar.children[1].style.width = `${(100 * count.rejected) / all}%`;
  const text = `${count.accepted} accepted · ${count.rejected} rejected · ${count.pending} to decide`;
  $("tally").replaceChildren(text);
  $("meter").setAttribute("aria-label", text);
  showSide();
  app.live.showTools(count);
}

function showListHead() {
  const total = app.groups.length;
  const some = app.shown.length;
  const name = isFiltered() ? `${some} of ${plural(total, "fix", "fixes")}` : plural(total, "fix", "fixes");
  const parts = [h("h2", { "aria-live": "polite" }, name, h("span", { class: "soft" }, ` ${extentOf()}`))];
  if (isFiltered()) parts.push(action("Clear filter", unfilter, "quiet"));
  if (app.live && some && !isClosed()) {
    const what = !isFiltered() ? "all" : some === 1 ? "the one shown" : `all ${some} shown`;
    parts.push(action(`Accept ${what}`, () => bulk("accepted")), action(`Reject ${what}`, () => bulk("rejected")));
  }
  $("listhead").replaceChildren(...parts);
}

function extentOf() {
  const files = app.content.files.length;
  return files ? `in ${plural(files, "file")}, ${app.content.checked.toLocaleString("en")} checked` : `${plural(app.content.checked, "file")} checked`;
}

function bulk(verdict) {
  if (isClosed()) return;
  const count = say(app.shown, verdict);
  toast(count ? `${plural(count, "fix", "fixes")} ${verdict}. u reverts this.` : "Nothing to change.");
}

function showEmpty() {
  const box = $("empty");
  document.body.classList.toggle("bare", !app.groups.length);
  box.hidden = app.shown.length > 0;
  if (app.shown.length) return;
  if (app.groups.length) {
    box.replaceChildren(h("h3", null, "No fix matches"), h("p", null, "No proposed fix matches all filters."), action("Clear filter", unfilter));
    return;
  }
  const { left, errors, checked } = app.content;
  const rest = left.length || errors.length;
  box.replaceChildren(h("h3", null, app.info.empty ?? (rest ? "No fix to propose" : "Nothing to fix")),
    h("p", null, rest ? "The findings below need your decision."
      : `${plural(checked, "file")} checked: every tensor that could be analysed is on the right device.`));
}

function banner(kind, ...content) {
  return h("div", { class: `banner ${kind}`, role: kind.includes("bad") ? "alert" : "status" }, content);
}
