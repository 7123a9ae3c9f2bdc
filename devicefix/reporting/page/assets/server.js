// The review's side of the page: what is said goes to the server, what changes comes from it.
// Answers show at once; they are sent one after the other, and those that wait go together.

let token = "";
let known = 0;
let waiting = new Map();
let underWay = new Map();
let sending = false;
let ended = false;
let news = null;
let refusal = "";
let leaving = false;
let status = { stale: [], busy: "", proof: null };

class Refusal extends Error {}

// What is on its way goes on when the page is closed; browsers allow that up to 64 kB.
const KEPT_ALIVE = 60_000;

async function ask(name, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(`/api/${name}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    body: text,
    cache: "no-store",
    keepalive: Boolean(text && text.length < KEPT_ALIVE),
  });
  if (response.ok) return response.json();
  const answer = await response.text();
  let reason = answer;
  try {
    reason = JSON.parse(answer).error ?? answer;
  } catch { /* it is no JSON, but words */ }
  throw new Refusal(reason);
}

async function begin() {
  app.live = { tell, tools, keys: liveKeys, showTools, isOver: () => ended };
  token = /^#[\w-]{40,}$/.test(location.hash) ? location.hash.slice(1) : remembered("token") ?? "";
  remember("token", token);
  history.replaceState(null, "", location.pathname);
  addEventListener("hashchange", () => location.hash && !document.getElementById(location.hash.slice(1)) && location.reload());
  try {
    await load();
  } catch (error) {
    return refused(error);
  }
  listen();
}

function refused(error) {
  app.info = { where: "", empty: "This page cannot show the review" };
  ended = true;
  showAll();
  $("empty").replaceChildren(h("h3", null, "This page cannot show the review"), h("p", null,
    error instanceof Refusal ? `${error.message}.` : "The server no longer responds."));
  $("listhead").replaceChildren();
}

async function load() {
  let content;
  // One that was put together before the last answer knows nothing of it.
  do content = await ask("content"); while (content.version < known);
  known = content.version;
  const open = new Map([...underWay, ...waiting]);
  app.info = { ...content.info, verify: content.verify };
  take(content);
  for (const group of app.groups) if (open.has(group.id)) group.verdict = open.get(group.id);
  app.written = content.written;
  document.title = `devicefix review: ${app.info.where}`;
  showAll();
  showBanners();
}

function tell(pairs) {
  for (const [id, verdict] of pairs) waiting.set(id, verdict);
  send();
}

// The page is left: nobody waits for what is answered to that.
addEventListener("pagehide", () => {
  if (waiting.size && !ended) ask("decide", { answers: [...waiting] }).catch(() => {});
});

async function send() {
  if (sending || !waiting.size || ended) return;
  sending = true;
  underWay = waiting;
  waiting = new Map();
  try {
    const { version, unknown } = await ask("decide", { answers: [...underWay] });
    underWay = new Map();
    known = Math.max(known, version);
    if (unknown) toast(`${plural(unknown, "fix", "fixes")} changed in the meantime: please check again.`);
    if (unknown) await load();
  } catch (error) {
    if (!(error instanceof Refusal)) return gone();
    underWay = new Map();
    toast(error.message);
    await load();
  } finally {
    sending = false;
  }
  send();
}

// How things stand comes line by line, as long as the server is there.
async function listen() {
  for (let failures = 0; failures < 3 && !ended && !leaving; failures++) {
    try {
      const response = await fetch("/api/events", { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
      if (!response.ok) break;
      failures = 0;
      await follow(response.body.pipeThrough(new TextDecoderStream()).getReader());
    } catch { /* it has gone, or the network changed */ }
    await new Promise((done) => setTimeout(done, 300));
  }
  gone();
}

async function follow(reader) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    const last = lines.filter(Boolean).at(-1);
    if (last) heard(JSON.parse(last));
  }
}

async function heard(now) {
  const before = status;
  status = now;
  if (JSON.stringify({ ...before, version: 0 }) !== JSON.stringify({ ...now, version: 0 })) {
    showBanners();
    showProof();
  }
  if (now.version > known && !sending && !waiting.size) {
    const before = app.groups;
    await load();
    compared(before);
  }
}

// What came of a rejection is said until somebody has read it.
function compared(before) {
  const ids = new Set(before.map((group) => group.id));
  const now = new Map(app.groups.map((group) => [group.id, group]));
  const fresh = app.groups.filter((group) => !ids.has(group.id)).length;
  const lost = before.filter((group) => group.verdict === "accepted" && now.get(group.id)?.verdict !== "accepted").length;
  if (!fresh && !lost) return;
  news = [fresh ? `${plural(fresh, "fix is", "fixes are")} new or different` : "",
    lost ? `${plural(lost, "fix", "fixes")} that you accepted ${lost === 1 ? "does" : "do"} not apply without it` : ""].filter(Boolean).join(", and ");
  showBanners();
  if (!app.current) step(1, (group) => group.verdict === "pending");
}

function gone() {
  if (ended) return;
  ended = true;
  close();
  showBanners();
}

// From here on one may only look.
function close() {
  app.groups.forEach((group) => group.card && dress(group));
  showTop();
  showListHead();
  showTally();
}

// A banner that says what it said stays the node that it was: a click on its button is not lost.
function showBanners() {
  const now = banners();
  const shown = [...$("banners").children];
  const same = now.length === shown.length && now.every((box, at) => box.isEqualNode(shown[at]));
  if (!same) $("banners").replaceChildren(...now);
}

function banners() {
  if (ended) {
    const end = banner("warn", h("span", null, h("b", null, "The review has ended. "), app.written ? "You can close this page." : ["Your decisions are kept. To continue: ", h("code", null, visible(app.info.again ?? "devicefix review"))]));
    return [end, ...(app.written ? writtenBanners() : [])];
  }
  return app.written ? writtenBanners() : openBanners();
}

function openBanners() {
  const found = [];
  if (status.trouble) found.push(banner("bad", h("span", null, visible(status.trouble)), action("Analyse again", lookAgain)));
  if (status.stale.length) {
    found.push(banner("bad", h("span", null, h("b", null, "Changed on disk since the analysis: "),
      status.stale.slice(0, 8).map((path, at) => [at ? ", " : "", h("code", null, visible(path))]),
      status.stale.length > 8 ? ` and ${status.stale.length - 8} more` : "",
      ". These files are not written. Your decisions about the others are kept."), action("Analyse again", lookAgain)));
  }
  if (refusal) {
    found.push(banner("bad", h("span", null, h("b", null, "Nothing was written: "), visible(refusal)), action("OK", () => { refusal = ""; showBanners(); }, "quiet")));
  }
  if (news) {
    found.push(banner("warn", h("span", null, h("b", null, "Your rejections change other fixes: "), `${news}.`), action("OK", () => { news = null; showBanners(); }, "quiet")));
  }
  if (status.busy) found.push(banner("busy", h("span", null, `${status.busy} …`)));
  else if (app.info.resumed) {
    found.push(banner("good", h("span", null, `${plural(app.info.resumed, "answer")} from an earlier review ${app.info.resumed === 1 ? "is" : "are"} kept.`),
      action("OK", () => { app.info.resumed = 0; showBanners(); }, "quiet")));
  }
  return found;
}

async function lookAgain() {
  app.said = [];
  news = null;
  try {
    await ask("again", {});
    await load();
    toast("Analysed again.");
  } catch (error) {
    toast(error.message);
  }
}

async function quit() {
  while (sending || waiting.size) await new Promise((done) => setTimeout(done, 50));
  leaving = true;
  try {
    await ask("quit", {});
  } catch { /* then it has ended already */ }
  gone();
}

function tools() {
  if (ended || !app.info.again) return [];
  const verify = app.info.verify ? action("Verify", verifyNow) : null;
  const apply = action("Apply", showApply, "main");
  verify?.setAttribute("id", "verify-button");
  apply.setAttribute("id", "apply-button");
  return [action("End", quit, "quiet"), verify, apply].filter(Boolean);
}

function showTools(count) {
  const apply = $("apply-button");
  if (apply) {
    apply.disabled = !count.accepted || Boolean(app.written);
    apply.replaceChildren(count.accepted && !app.written ? `Apply ${count.accepted}` : "Apply");
    apply.title = count.accepted ? "Preview the changes, and write them (w)" : "Nothing is accepted yet";
  }
  const verify = $("verify-button");
  if (verify) verify.disabled = !count.accepted || Boolean(app.written) || Boolean(status.proof?.running);
}

const liveKeys = () => [["Review", [
  [["w"], "preview the changes, and write them", () => showApply()],
  ...(app.info.verify ? [[["v"], "verify what is accepted", () => verifyNow()]] : []),
  [["q"], "end the review", () => quit()],
]]];
