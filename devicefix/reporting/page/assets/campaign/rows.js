// One repository: a line that says what became of it, and below it, once somebody asks, all that is known.

function row(one) {
  const [title, kind, what] = stateOf(one.state);
  const open = h("button", { type: "button", class: "open", "aria-expanded": "false" }, visible(one.name || one.url));
  const card = h("article", { class: "card repo", "aria-posinset": one.at + 1, "aria-setsize": all.length },
    h("div", { class: "line" },
      h("div", { class: "state" }, h("span", { class: `badge ${kind}`, title: what }, visible(title))),
      h("div", { class: "who" }, h("h3", null, open), h("p", { class: "reason" }, words(doing(one)))),
      h("div", { class: GOOD.has(one.state) ? "stat" : "stat unused" }, change(one)),
      h("div", { class: "values" }, proof(one)),
      h("div", { class: "request" }, request(one)),
      h("div", { class: "time" }, one.seconds ? duration(one.seconds) : "")));
  card.querySelector(".line").addEventListener("click", (event) => {
    if (!event.target.closest("a") && !String(getSelection())) unfold(one, card, open);
  });
  return card;
}

function unfold(one, card, open) {
  const isOpen = card.classList.toggle("unfolded");
  open.setAttribute("aria-expanded", String(isOpen));
  if (isOpen && card.childElementCount === 1) card.append(h("div", { class: "details" }, details(one)));
}

// What is going on with it, or why it stands where it stands.
function doing(one) {
  const said = one.state === "published" && one.operation ? published(one) : one.reason || (one.running ? "" : standing(one));
  if (one.running) return `Running: ${one.running}${said ? `. ${said}` : ""}`;
  if (one.next) return `Retried at ${moment(one.next)} (${one.failed}, attempt ${one.attempts}). ${said}`;
  return one.failed && one.state === "failed" ? `${one.failed}: ${said}` : said;
}

// That a new one is new goes without saying.
const isNew = (one) => one.state === "published" && one.operation === "created";

const published = (one) => `pull request ${one.operation}${one.reason && !isNew(one) ? `: ${one.reason}` : ""}`;

const standing = (one) => one.proof?.reason ?? stateOf(one.state)[2];

function change(one) {
  const [files, added, removed] = one.stat;
  return files ? [h("span", { class: "lines" }, ...delta(added, removed)), h("span", { class: "soft" }, plural(files, "file"))] : [];
}

function proof(one) {
  if (!one.proof) return [];
  const { compared: count, devices } = one.proof;
  return [h("span", { class: one.proof.passed ? "plus" : one.proof.unknown ? "soft" : "minus" }, one.proof.passed ? plural(count, "value") : one.proof.verdict), ran(one), h("span", { class: "soft" }, visible(devices))];
}

// A program may pass that never comes to what was changed.
const ran = (one) => (one.proof.passed && one.ran && one.ran[0] < one.ran[1]
  ? h("span", { class: "warned", title: "fixes all of whose lines ran in the proof" }, `${amount(one.ran[0])} of ${plural(one.ran[1], "fix", "fixes")} ran`) : null);

function request(one) {
  const name = one.number !== null ? `#${one.number}` : "pull request";
  if (one.request) return link(one.request, name);
  return one.number !== null ? name : "";
}

const link = (to, name) => h("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, visible(name));

function details(one) {
  return [
    facts(one),
    one.proof ? h("section", { class: "part proof" }, h("h4", null, "Proof ", proofBadge(one.proof), ran(one) ?? ""), evidence(one.proof)) : null,
    one.files.length ? h("section", { class: "part" }, h("h4", null, changeTitle(one)), tally(one), one.files.map((file, at) => fileOf(file, at === 0))) : null,
    one.left ? h("section", { class: "part" }, h("h4", null, `Needs your decision (${amount(one.left)})`),
      h("ul", { class: "items" }, one.remaining.map(finding)), rest(one.left - one.remaining.length)) : null,
    one.errors.count ? h("section", { class: "part" }, h("h4", null, `Could not be read (${amount(one.errors.count)})`),
      h("ul", { class: "items" }, one.errors.shown.map((e) => h("li", null, h("span", { class: "at" }, visible(place(e))), words(e.reason)))),
      rest(one.errors.count - one.errors.shown.length)) : null,
    one.events.length ? history(one) : null,
  ];
}

const rest = (count) => (count > 0 ? h("p", { class: "soft" }, `and ${amount(count)} more`) : null);

function facts(one) {
  const pairs = [
    ["From", one.link ? link(one.link, one.url) : visible(one.url)],
    ["Branch", one.base && h("code", null, visible(one.base))],
    ["Commit", one.commit && h("code", { title: one.commit }, visible(one.commit.slice(0, 12)))],
    ["Pull request", (one.request || one.number !== null) && [request(one), one.operation ? [" ", visible(one.operation)] : ""]],
    ["Checked", one.checked && plural(one.checked, "file")],
    ["Clone", one.size && bytes(one.size)],
    ["Took", one.seconds && duration(one.seconds)],
    ["Stage", one.running || one.failed],
    ["Attempts", one.attempts && amount(one.attempts)],
    ["Last step", one.updated && moment(one.updated)],
  ].filter(([, value]) => value);
  return [h("dl", { class: "about" }, pairs.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    one.reason && !isNew(one) ? h("p", { class: `because ${stateOf(one.state)[1]}` }, words(one.reason)) : null,
    one.notes.length ? h("ul", { class: "notes soft" }, one.notes.map((note) => h("li", null, visible(note)))) : null];
}

const CHANGES = new Map([["published", "Changes"], ["proven", "Changes that passed"], ["rewritten", "Changes"]]);
const changeTitle = (one) => `${CHANGES.get(one.state) ?? "Changes, not proposed"} (${plural(one.stat[0], "file")})`;

const tally = (one) => h("ul", { class: "tally" }, Object.entries(one.rules).map(([code, [fixed, left]]) =>
  h("li", null, h("span", { class: "mono" }, visible(code)), " ", visible(campaign.rules[code] ?? ""),
    h("span", { class: "soft" }, ` ${amount(fixed)} fixed${left ? `, ${amount(left)} left` : ""}`))));

const finding = (one) => h("li", null, h("span", { class: "at" }, visible(place(one))), h("span", { class: "mono soft" }, visible(one.code)), " ", words(one.message),
  one.reason ? h("div", { class: "advice" }, words(one.reason)) : null);

function fileOf(file, isOpen) {
  const box = h("details", { class: "file" }, h("summary", null, h("span", { class: "path" }, visible(file.path)), ...delta(file.added, file.removed)));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(...(file.diff === null ? [h("p", { class: "nothing" }, "Too large to show on this page.")] : hunks(file)));
  });
  box.open = isOpen && lines({ stat: [1, file.added, file.removed] }) <= 40;
  return box;
}

const hunks = (file) => parsed(file.diff).map((hunk) => h("div", { class: "hunk" },
  h("div", { class: "hunkhead" }, hunk.cell ? `cell ${hunk.cell}, ` : null, `line ${hunk.first}`, hunk.scope ? h("span", { class: "scope" }, visible(hunk.scope)) : null),
  table(hunk, null, `Change in ${file.path}`)));

const history = (one) => h("details", { class: "history" }, h("summary", null, `What was done (${plural(one.events.length + one.earlier, "step")})`),
  one.earlier ? h("p", { class: "soft" }, `${amount(one.earlier)} before these`) : null,
  h("table", null, h("tbody", null, one.events.map(([time, event, stage, reason]) => h("tr", null,
    h("td", { class: "mono soft" }, moment(time)), h("td", null, visible(stage)), h("td", null, visible(event)), h("td", null, words(reason)))))));
