// The verification, while it runs and when it is done.

async function verifyNow() {
  if (!tally().accepted) return toast("Nothing is accepted yet.");
  if (status.proof?.running) return toast("It is already running.");
  while (sending || waiting.size) await new Promise((done) => setTimeout(done, 50));
  try {
    await ask("verify", {});
    $("proof").scrollIntoView({ block: "nearest" });
  } catch (error) {
    toast(error.message);
  }
}

const isCurrent = () => Boolean(status.proof?.current && !status.proof.running && status.proof.found);

function showProof() {
  const { proof } = status;
  const section = $("proof");
  section.hidden = !proof;
  section.className = "plain proof";
  showTools(tally());
  if (!proof) return;
  const aside = proof.running ? action("Stop", () => ask("stop", {}))
    : proof.current ? null : action("Verify again", verifyNow);
  section.replaceChildren(h("h2", null, "Verification", badges(proof), aside), ...told(proof).flat(Infinity).filter(Boolean));
}

function badges(proof) {
  if (proof.running) return h("span", { class: "badge unsafe" }, "running");
  if (!proof.found) return h("span", { class: "badge bad" }, "not done");
  return [proofBadge(proof.found), proof.current ? null : h("span", { class: "badge unsafe" }, "outdated: decisions have changed")];
}

function told(proof) {
  if (proof.running) {
    return [h("p", null, h("code", null, visible(app.info.verify))), h("ul", { class: "steps", "aria-live": "polite" },
      proof.steps.slice(-6).map((step, at, all) => h("li", null, visible(step), at === all.length - 1 ? " …" : " ✓")))];
  }
  if (!proof.found) return [h("p", null, visible(proof.error))];
  return [evidence(proof.found), proof.found.idle.length ? [h("h3", { class: "sub" }, "Not covered by this run"),
    h("ul", { class: "notes" }, proof.found.idle.map((one) => h("li", null, visible(place(one.findings[0])), " ",
      words(one.findings[0].message), ": ", visible(one.why))))] : null];
}
