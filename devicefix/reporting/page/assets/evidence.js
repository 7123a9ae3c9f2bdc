// What a verification found, as reporting/page/evidence.py and reporting/campaign_proof.py tell it.

function evidence(found) {
  return [
    h("p", null, h("code", null, visible(found.entry)), found.devices ? ` on ${found.devices}: ` : ": ", words(found.reason), "."),
    found.rows.length ? h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, found.heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, found.rows.map((row) => h("tr", null, row.map((cell) => h("td", null, visible(cell)))))))) : null,
    h("ul", { class: "notes" }, found.agreements.map((text) => h("li", null, words(text)))),
    found.differences.map(difference),
    found.notes.length ? h("ul", { class: "notes" }, found.notes.map((note) => h("li", null, visible(note)))) : null,
  ];
}

const difference = (one) => [
  h("h3", { class: "sub" }, `First difference on ${one.devices}: `, words(one.what)),
  h("div", { class: "scroll" }, h("table", null, h("tbody", null, one.sides.map(([name, value, where, source]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "wide" }, visible(value || "nothing")),
      h("td", { class: "wide" }, visible(where)), h("td", { class: "wide" }, visible(source))))))),
  one.detail ? h("p", null, visible(one.detail)) : null,
];

const proofBadge = (found) => h("span", { class: `badge ${found.passed ? "safe" : found.unknown ? "unsafe" : "bad"}` }, found.verdict);
