// Elements are made of text nodes and attributes only; no text is ever parsed as markup.

const $ = (id) => document.getElementById(id);

function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// What stands between backticks, single or double, is code.
function words(text) {
  return text.split(/(``.+?``|`[^`]+`)/s).map((part) => {
    const code = /^(`+)(.+)\1$/s.exec(part);
    return code ? h("code", null, visible(code[2])) : visible(part);
  });
}

// Characters that are not seen, or turn the order of others around: Cc, Cf, Co, Cn, lone surrogates
// (https://trojansource.codes). Tabs stay.
const ODD = /(?!\t)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;
const ODDS = new RegExp(`(${ODD.source})`, "gu");

function visible(text) {
  if (!ODD.test(text)) return text;
  return text.split(ODDS).map((part) => (ODD.test(part) ? odd(part) : part));
}

function odd(character) {
  const name = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return h("span", { class: "odd", title: "a character that is not seen" }, name);
}

function prose(markdown) {
  return markdown.split(/```\w*\n?/).map((part, number) =>
    number % 2 ? h("pre", null, visible1(part.trimEnd())) : part.split(/\n\s*\n/).map(paragraph));
}

function paragraph(text) {
  const lines = text.trim();
  if (!lines) return null;
  if (!/^[-*] /.test(lines)) return h("p", null, words(lines.replace(/\s*\n\s*/g, " ")));
  const items = lines.split(/^[-*] /m).filter(Boolean);
  return h("ul", null, items.map((item) => h("li", null, words(item.trim().replace(/\s*\n\s*/g, " ")))));
}

const visible1 = (text) => text.split("\n").flatMap((line, at) => (at ? ["\n", visible(line)] : [visible(line)])).flat();

const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const place = (one, path = true) =>
  [path && one.path, one.cell && `cell ${one.cell}`, one.line, one.column].filter(Boolean).join(":");

let toasting = 0;
function toast(text) {
  const box = $("toast");
  box.replaceChildren(text);
  clearTimeout(toasting);
  toasting = setTimeout(() => box.replaceChildren(), 4500);
}

async function copied(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.replaceChildren("Copied");
  } catch {
    toast("The browser did not allow that: select it and copy.");
  }
}

const command = (text) => {
  const button = h("button", { type: "button" }, "Copy");
  button.addEventListener("click", () => copied(text, button));
  return h("div", { class: "command" }, h("code", null, visible(text)), button);
};
