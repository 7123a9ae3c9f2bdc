// Exactly what would be written, for a last look; and what was.

async function showApply() {
  if (ended || app.written) return;
  if (!tally().accepted) return toast("Nothing is accepted yet.");
  while (sending || waiting.size) await new Promise((done) => setTimeout(done, 50));
  let found;
  try {
    found = await ask("preview", {});
  } catch (error) {
    return error instanceof Refusal ? toast(error.message) : gone();
  }
  const dialog = $("apply");
  if (found.stale.length) return showStale(dialog, found.stale);
  const write = action("Write it", () => writeNow(dialog, found.key, write), "main");
  dialog.replaceChildren(
    h("header", null, h("h2", { id: "apply-title" }, `To be written: ${plural(found.fixes, "fix", "fixes")} in ${plural(found.files.length, "file")}`), closer(dialog, "Cancel")),
    h("div", { tabindex: "0" }, warnings(found), found.files.map((file) =>
      h("div", { class: "hunks" }, file.hunks.map((hunk, at) => hunkOf({ path: file.path, hunk }, null, at > 0))))),
    h("footer", null, h("span", { class: "grow soft" }, said()), write));
  dialog.showModal();
  write.focus();
}

// A file that somebody has changed is never written: there is nothing to confirm.
function showStale(dialog, stale) {
  const again = action("Analyse again", () => { dialog.close(); lookAgain(); }, "main");
  dialog.replaceChildren(
    h("header", null, h("h2", { id: "apply-title" }, "Nothing is written yet"), closer(dialog, "Cancel")),
    h("div", { tabindex: "0" }, h("p", { class: "banner bad" }, h("span", null, h("b", null, "Changed on disk since the analysis: "),
      stale.map((path, at) => [at ? ", " : "", h("code", null, visible(path))]), ". Your decisions about the others are kept."))),
    h("footer", null, h("span", { class: "grow soft" }, "Analyse again to continue with the current files."), again));
  dialog.showModal();
  again.focus();
}

function warnings(found) {
  const notes = [];
  if (found.missing.length) {
    notes.push(h("div", { class: "banner warn" }, h("span", null, h("b", null, "Accepted, but not applied: "), "they depend on fixes that you did not accept.",
      h("ul", null, found.missing.map((one) => h("li", null, visible(place(one.findings[0])), " ", words(one.findings[0].message)))))));
  }
  return notes;
}

function said() {
  const count = tally();
  const rest = [count.pending ? `${count.pending} not decided` : "", count.rejected ? `${count.rejected} rejected` : ""].filter(Boolean).join(", ");
  const proof = !app.info.verify ? "" : isCurrent() ? `Verification of this selection: ${status.proof.found.verdict}.`
    : "This selection is not verified.";
  return [rest ? `Not included: ${rest}. ` : "", proof];
}

async function writeNow(dialog, key, button) {
  button.disabled = true;
  refusal = "";
  try {
    const { written, version } = await ask("write", { key });
    known = Math.max(known, version);
    app.written = written;
    dialog.close();
    close();
    showBanners();
    scrollTo(0, 0);
    $("banners").querySelector("button")?.focus();
  } catch (error) {
    dialog.close();
    if (!(error instanceof Refusal)) return gone();
    refusal = error.message;
    showBanners();
  }
}

function writtenBanners() {
  const { files, fixes, errors, undo } = app.written;
  const failed = errors.length &&
    banner("bad", h("span", null, h("b", null, `${plural(errors.length, "file")} could not be written. `), "Files that share a fix with them were not written either.",
      h("ul", null, errors.map((text) => h("li", null, visible(text))))));
  const done = banner(errors.length ? "warn" : "good", h("span", null,
    h("b", null, files.length ? `Written: ${errors.length ? "" : `${plural(fixes, "fix", "fixes")} in `}${plural(files.length, "file")}. ` : "Nothing was written. "),
    files.slice(0, 12).map((path, at) => [at ? ", " : "", h("code", null, visible(path))]), files.length > 12 ? ` and ${files.length - 12} more` : "",
    files.length ? h("div", { class: "command" }, h("span", null, "To revert it:"), ...command(undo).childNodes) : null),
    ended ? null : [action("Review the remaining fixes", lookAgain), action("End", quit)]);
  return failed ? [failed, done] : [done];
}
