// Colours for Python, line by line: only what is on the screen is ever looked at, which is why this is done here.

const WORD = new Set(("False None True and as assert async await break case class continue def del elif else except " +
  "finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield " +
  "print exec").split(" "));
const BUILTIN = new Set(("abs all any bool bytes callable dict dir enumerate filter float getattr hasattr int " +
  "isinstance iter len list map max min next object open range repr reversed round self set setattr sorted str " +
  "sum super tuple type zip xrange torch nn").split(" "));
const PIECE = /(#.*)|([rbuft]{0,2})("""|'''|"|')|(@[\w.]+)|(\b\d[\w.]*)|([\p{L}_][\p{L}\p{N}_]*)/giuy;
const SOFT = new Set(["match", "case", "print", "exec", "type"]);

// [[class, text], …] of a line that begins inside a string with the quotes `open`, or outside; and what it ends in.
function coloured(line, open) {
  const runs = [];
  let at = 0, before = "";
  const push = (kind, end) => {
    if (end > at) runs.push([kind, line.slice(at, end)]);
    at = end;
  };
  if (open) {
    const end = closing(line, 0, open);
    push("s", end < 0 ? line.length : end);
    if (end < 0) return { runs, open };
  }
  while (at < line.length) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(line);
    if (!found) {
      let end = at + 1;
      while (end < line.length && !/[\w#"'@\u0080-\uffff]/.test(line[end])) end++;
      push("", end);
      continue;
    }
    const end = at + found[0].length;
    if (found[3]) {
      const close = closing(line, end, found[3]);
      push("s", close < 0 ? line.length : close);
      if (close < 0 && found[3].length === 3) return { runs, open: found[3] };
    } else if (found[1]) push("o", end);
    else if (found[4]) push(line.slice(0, at).trim() ? "" : "d", end);
    else if (found[5]) push("m", end);
    else push(named(found[6], before, line.slice(end)), end);
    before = found[6] ?? before;
  }
  return { runs, open: "" };
}

function named(name, before, rest) {
  if (before === "def" || before === "class") return "f";
  if (SOFT.has(name) && !/^\s+[\w"'(\[]/.test(rest)) return BUILTIN.has(name) ? "b" : "";
  return WORD.has(name) ? "k" : BUILTIN.has(name) ? "b" : "";
}

function closing(line, from, quotes) {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line.startsWith(quotes, at)) return at + quotes.length;
  }
  return -1;
}
