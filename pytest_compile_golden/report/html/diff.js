// Two texts side by side, or one below the other if the window is narrow; unchanged parts are folded.

const CONTEXT = 3;
const AT_ONCE = 400;

function lines(text) {
  if (!text) return [];
  const found = text.split("\n");
  if (found[found.length - 1] === "") found.pop();
  return found;
}

// Rows of [old line number or null, new line number or null, changed, whether the two are one changed line], from 0.
function rowsOf(before, after, blocks) {
  const rows = [];
  let a = 0;
  let b = 0;
  const equal = (to) => { while (a < to) rows.push([a++, b++, false]); };
  const apart = (high, end) => { while (a < high || b < end) rows.push([a < high ? a++ : null, b < end ? b++ : null, true, false]); };
  for (const [low, high, start, end] of blocks) {
    equal(low);
    for (const [one, other] of pairs(before.slice(low, high), after.slice(start, end))) {
      apart(low + one, start + other);
      rows.push([a++, b++, true, true]);
    }
    apart(high, end);
  }
  equal(before.length);
  return rows;
}

// Alternating runs of shown and folded rows.
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
  // A fold that would save no space is left open.
  runs.forEach((run) => { if (run.rows.length < 3) run.folded = false; });
  return runs;
}

function diffView(view) {
  const before = lines(view.old);
  const after = lines(view.new);
  const split = window.innerWidth >= 860;
  const body = el("div", { class: split ? "diff split" : "diff", role: "table", tabindex: 0, "aria-label": "diff" });
  if (split) body.append(el("div", { class: "row head", role: "row" },
    index.names.map((name) => el("div", { class: "cell", role: "columnheader" }, name))));
  for (const run of runsOf(rowsOf(before, after, view.blocks))) {
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

  function rowOf([a, b, changed, paired]) {
    const one = a === null ? null : before[a];
    const other = b === null ? null : after[b];
    if (!changed) {
      const right = cell("new", b, other, "");
      return split ? [rowEl(cell("old", a, one, ""), right)] : [rowEl(right)];
    }
    const marks = paired ? wordMarks(one, other) : [[], []];
    const left = cell("old", a, one, one === null ? "void" : "removed", marks[0]);
    const right = cell("new", b, other, other === null ? "void" : "added", marks[1]);
    if (split) return [rowEl(left, right)];
    return [one !== null && rowEl(left), other !== null && rowEl(right)].filter(Boolean);
  }

  return body;
}

function rowEl(...cells) {
  return el("div", { class: "row", role: "row" }, cells);
}

function cell(side, number, text, kind, marks) {
  return el("div", { class: `cell ${side} ${kind}`, role: "cell" },
    el("span", { class: "number" }, number === null ? "" : String(number + 1)),
    el("code", { class: "code" }, text === null ? null : coloured(text, marks)));
}

// A single text, shown a few screens at a time.
function textView(text) {
  const all = lines(text);
  const body = el("div", { class: "diff", role: "table", tabindex: 0, "aria-label": "text" });
  const show = (from) => {
    all.slice(from, from + AT_ONCE).forEach((line, at) => body.append(rowEl(cell("new", from + at, line, ""))));
    const rest = all.length - from - AT_ONCE;
    if (rest <= 0) return;
    const button = el("button", { type: "button", class: "fold" }, `⋯ ${plural(rest, "more line")}`);
    button.addEventListener("click", () => { button.remove(); show(from + AT_ONCE); });
    body.append(button);
  };
  show(0);
  return body;
}
