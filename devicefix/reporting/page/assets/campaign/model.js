// The campaign, and which of its repositories are shown. `campaign` is what reporting/campaign_content.py makes.

const campaign = JSON.parse($("content").textContent);
const all = campaign.repositories.map((one, at) => ({ ...one, at, card: null, text: null }));
let shown = all;

// The name on the page, its colour, what it means. In the order of the way that a repository goes.
const STATES = new Map([
  ["published", ["Published", "good", "the fixes are in a pull request"]],
  ["proven", ["Proven", "fine", "the program passes with the fixes; no pull request was requested yet"]],
  ["rewritten", ["Rewritten", "new", "there are fixes; nothing was executed"]],
  ["nothing", ["Nothing to fix", "calm", "nothing that devicefix fixes was found"]],
  ["left", ["Left alone", "left", "someone else committed to the branch, or closed the pull request"]],
  ["unproven", ["Unproven", "warn", "it is unknown whether the program passes with the fixes"]],
  ["rejected", ["Rejected", "odd-one", "the program does not pass with the fixes"]],
  ["failed", ["Failed", "bad", "a stage failed in every attempt"]],
  ["waiting", ["Waiting", "wait", "not processed yet"]],
]);
const stateOf = (name) => STATES.get(name) ?? [name, "calm", ""];
const TRAITS = new Map([
  ["request", ["A pull request", (one) => one.number !== null || one.request]],
  ["proof", ["A run that passes", (one) => one.proof?.passed]],
  ["idle", ["A run that misses fixes", (one) => one.proof?.passed && one.ran && one.ran[0] < one.ran[1]]],
  ["left", ["Findings that need a decision", (one) => one.left > 0]],
  ["errors", ["Files that could not be read", (one) => one.errors.count > 0]],
  ["retried", ["To be retried", (one) => one.next > 0]],
]);
const ORDERS = new Map([
  ["plan", ["Order of the plan", (one, other) => one.at - other.at]],
  ["name", ["Name", (one, other) => one.name.localeCompare(other.name, "en")]],
  ["state", ["State", (one, other) => rank(one) - rank(other)]],
  ["change", ["Lines changed", (one, other) => lines(other) - lines(one)]],
  ["values", ["Values compared", (one, other) => compared(other) - compared(one)]],
  ["time", ["Time taken", (one, other) => other.seconds - one.seconds]],
]);
const rank = (one) => [...STATES.keys()].indexOf(one.state);
const lines = (one) => one.stat[1] + one.stat[2];
const compared = (one) => one.proof?.compared ?? -1;

const filter = { text: "", states: new Set(), rules: new Set(), traits: new Set(), order: "plan" };
const isFiltered = () => Boolean(filter.text.trim() || filter.states.size || filter.rules.size || filter.traits.size);

// Within one kind of filter any may hold, but a repository has to have every trait that is asked for.
function passes(one, text) {
  if (filter.states.size && !filter.states.has(one.state)) return false;
  if (filter.rules.size && !Object.keys(one.rules).some((code) => filter.rules.has(code))) return false;
  if ([...filter.traits].some((trait) => !TRAITS.get(trait)[1](one))) return false;
  return !text || textOf(one).includes(text);
}

// All that the text filter looks into, in lower case.
function textOf(one) {
  one.text ??= [one.name, one.url, stateOf(one.state)[0], one.reason, one.base, one.commit, one.number ? `#${one.number}` : "",
    ...one.notes, ...one.files.map((file) => file.path), ...Object.keys(one.rules).flatMap((code) => [code, campaign.rules[code]]),
    one.proof?.reason ?? "", one.proof?.entry ?? "", ...one.remaining.flatMap((f) => [f.path, f.message]),
    ...one.errors.shown.map((e) => `${e.path} ${e.reason}`)].join("\n").toLowerCase();
  return one.text;
}

// What is proposed, or could be.
const GOOD = new Set(["published", "proven", "rewritten"]);
const good = all.filter((one) => GOOD.has(one.state));

const sum = (some, of) => some.reduce((total, one) => total + of(one), 0);
const amount = (value) => value.toLocaleString("en");
const moment = (seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

function duration(seconds) {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${amount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  for (; count >= 1000 && at < units.length - 1; at++) count /= 1000;
  return `${count < 10 && at ? count.toFixed(1) : Math.round(count)} ${units[at]}`;
}
