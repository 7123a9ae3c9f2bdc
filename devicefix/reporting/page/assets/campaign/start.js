// From the content to the page.

const KEYS = new Map([
  ["/", () => { $("search").focus(); $("search").select(); }],
  ["c", unfilter],
  ["t", turnTheme],
]);

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (!KEYS.has(event.key)) return;
  event.preventDefault();
  KEYS.get(event.key)();
});

const light = h("button", { type: "button", class: "quiet icon", "aria-label": "Light or dark", title: "Light or dark (t)" }, "◐");
light.addEventListener("click", turnTheme);
$("tools").replaceChildren(h("span", { class: "soft as-of" }, campaign.now ? moment(campaign.now) : ""), light);
$("where").replaceChildren(h("bdi", null, visible(campaign.name)));
$("where").title = campaign.plan;
$("foot").replaceChildren(visible(`${campaign.foot}: ${campaign.plan}${campaign.began ? `, begun ${moment(campaign.began)}` : ""}`));
showBanners();
showSummary();
showSide();
refilter();
