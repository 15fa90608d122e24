// Two texts side by side, or one under the other where the window is narrow; what did not change is folded.

const CONTEXT = 3;
const AT_ONCE = 400;

function lines(text) {
  if (!text) return [];
  const found = text.split("\n");
  if (found[found.length - 1] === "") found.pop();
  return found;
}

// Rows of [old line number or null, new line number or null, changed], from 0.
function rowsOf(oldCount, newCount, blocks) {
  const rows = [];
  let a = 0;
  let b = 0;
  const equal = (to) => { while (a < to) rows.push([a++, b++, false]); };
  for (const [low, high, start, end] of blocks) {
    equal(low);
    const both = Math.max(high - low, end - start);
    for (let n = 0; n < both; n++) rows.push([low + n < high ? low + n : null, start + n < end ? start + n : null, true]);
    a = high;
    b = end;
  }
  equal(oldCount);
  return rows;
}

// Runs of rows that are shown, and of rows that are folded.
function runsOf(rows) {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, at) => {
    if (row[2]) for (let n = Math.max(0, at - CONTEXT); n <= Math.min(rows.length - 1, at + CONTEXT); n++) near[n] = 1;
  });
  const runs = [];
  for (let at = 0; at < rows.length; at++) {
    const folded = !near[at];
    const last = runs[runs.length - 1];
    if (last && last.folded === folded) last.rows.push(rows[at]);
    else runs.push({ folded, rows: [rows[at]] });
  }
  // A fold that hides less than it takes is none.
  runs.forEach((run) => { if (run.rows.length < 3) run.folded = false; });
  return runs;
}

function diffView(view) {
  const before = lines(view.old);
  const after = lines(view.new);
  const split = window.innerWidth >= 860;
  const body = el("div", { class: split ? "diff split" : "diff", role: "table", tabindex: 0, "aria-label": "difference" });
  for (const run of runsOf(rowsOf(before.length, after.length, view.blocks))) {
    if (run.folded) body.append(fold(run.rows));
    else append(body, run.rows);
  }

  function fold(rows) {
    const button = el("button", { type: "button", class: "fold" }, `⋯ ${plural(rows.length, "unchanged line")}`);
    button.addEventListener("click", () => {
      const holder = document.createDocumentFragment();
      append(holder, rows);
      button.replaceWith(holder);
    });
    return button;
  }

  function append(holder, rows) {
    for (const row of rows.slice(0, AT_ONCE)) holder.append(...rowOf(row));
    const rest = rows.slice(AT_ONCE);
    if (!rest.length) return;
    const button = el("button", { type: "button", class: "fold" }, `⋯ ${plural(rest.length, "more line")}`);
    button.addEventListener("click", () => {
      const more = document.createDocumentFragment();
      append(more, rest);
      button.replaceWith(more);
    });
    holder.append(button);
  }

  function rowOf([a, b, changed]) {
    const one = a === null ? null : before[a];
    const other = b === null ? null : after[b];
    if (!changed) {
      const right = cell("new", b, other, "", null);
      return split ? [rowEl(cell("old", a, one, "", null), right)] : [rowEl(right)];
    }
    const left = cell("old", a, one, one === null ? "void" : "removed", other);
    const right = cell("new", b, other, other === null ? "void" : "added", one);
    if (split) return [rowEl(left, right)];
    return [one !== null && rowEl(left), other !== null && rowEl(right)].filter(Boolean);
  }

  return body;
}

function rowEl(...cells) {
  return el("div", { class: "row", role: "row" }, cells);
}

function cell(side, number, text, kind, counterpart) {
  const code = el("code", { class: "code" });
  if (text !== null) code.append(...(counterpart === null ? coloured(text) : marked(text, counterpart)));
  return el("div", { class: `cell ${side} ${kind}`, role: "cell" },
    el("span", { class: "number" }, number === null ? "" : String(number + 1)), code);
}

// The part of a line that differs from its counterpart: all between what both begin and end with.
function marked(text, other) {
  let start = 0;
  while (start < Math.min(text.length, other.length) && text[start] === other[start]) start++;
  let end = 0;
  const most = Math.min(text.length, other.length) - start;
  while (end < most && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  // Whole words, and no mark where little is left in common.
  while (start > 0 && /\w/.test(text[start - 1])) start--;
  while (end > 0 && /\w/.test(text[text.length - end])) end--;
  if (start + end < 0.3 * text.length || start + end === text.length) return coloured(text);
  const middle = el("mark", {}, coloured(text.slice(start, text.length - end)));
  return [...coloured(text.slice(0, start)), middle, ...coloured(text.slice(text.length - end))];
}

// One text alone, shown some screens at a time.
function textView(text) {
  const all = lines(text);
  const body = el("div", { class: "diff", role: "table", tabindex: 0, "aria-label": "text" });
  const show = (from) => {
    all.slice(from, from + AT_ONCE).forEach((line, at) => body.append(rowEl(cell("new", from + at, line, "", null))));
    const rest = all.length - from - AT_ONCE;
    if (rest <= 0) return;
    const button = el("button", { type: "button", class: "fold" }, `⋯ ${plural(rest, "more line")}`);
    button.addEventListener("click", () => { button.remove(); show(from + AT_ONCE); });
    body.append(button);
  };
  show(0);
  return body;
}
