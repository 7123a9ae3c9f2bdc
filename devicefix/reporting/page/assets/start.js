// From the content to the page; a report has all of it, a review asks for it.

function showAll() {
  showTop();
  showSide();
  showCards();
  showLeft();
  showErrors();
  showRemains();
  showTally();
}

const embedded = JSON.parse($("content").textContent);
if (embedded) {
  app.info = embedded.info;
  take(embedded);
  showAll();
  if (app.info.without) $("banners").append(banner("warn", h("span", null, words(app.info.without))));
  if (embedded.proof) {
    $("proof").hidden = false;
    $("proof").className = "plain proof";
    $("proof").replaceChildren(h("h2", null, "Verification", proofBadge(embedded.proof)), ...evidence(embedded.proof).flat(Infinity).filter(Boolean));
  }
} else begin();
