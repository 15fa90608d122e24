// Line by line: the user's source, the graph, the groups and the kernels of both sides, one below the other. The chosen
// line highlights related lines in all others.

const SIDES = ["old", "new"];
// How many unrelated lines of a long text to show around each line that has related lines.
const AROUND = 2;

function linkedView(page) {
  if (!page.linked) return null;
  const holder = el("div", {});
  const details = el("details", { class: "linked" },
    el("summary", {}, "line by line: your source, the graph, groups and kernels, before and after"), holder);
  details.addEventListener("toggle", () => {
    if (details.open && !holder.childNodes.length) holder.append(...linkedPanes(page));
  });
  return details;
}

function linkedPanes(page) {
  const rows = [];
  const said = el("p", { class: "said", "aria-live": "polite" }, "Click a line, or use the arrow keys, to see related lines.");
  const choose = (row) => {
    const chosen = new Set(row.all);
    for (const each of rows) {
      const lit = each === row || each.own.some((number) => chosen.has(number));
      each.element.classList.toggle("lit", lit);
      each.element.setAttribute("aria-selected", String(lit));
      each.mark.textContent = each === row ? "▶" : lit ? "●" : "";
    }
    for (const pane of panes) if (pane !== row.pane) reveal(pane, rows);
    said.replaceChildren(...linkedWords(row, rows));
  };
  const panes = [];
  const files = Object.keys(page.linked.new.texts);
  const grid = el("div", { class: "linked-grid" }, index.names.map((name) => el("div", { class: "linked-side dim" }, name)),
    files.flatMap((file) => SIDES.map((side, at) => {
      const pane = linkedPane(page, file, side, `${file === "source" ? "your source" : file}, ${index.names[at]}`, choose);
      panes.push(pane.element);
      rows.push(...pane.rows);
      return el("div", { class: `linked-cell ${side}` }, el("h3", {}, file === "source" ? "your source" : file), pane.element);
    })));
  return [said, grid];
}

// One text of one side, in which lines with related lines can be chosen.
function linkedPane(page, file, side, label, choose) {
  const element = el("div", { class: "linked-pane code", role: "listbox", "aria-label": label, "aria-multiselectable": "true" });
  const rows = linesOf(page, file, side).map(({ text, own, all, by }) => {
    const mark = el("span", { class: "mark", "aria-hidden": "true" });
    const line = el("div", { class: "line", role: "option", tabindex: all ? -1 : null, "aria-selected": "false", title: by ? by.filter(Boolean).join("  ") : null },
      mark, el("code", { class: "code" }, coloured(text)));
    element.append(line);
    return { element: line, mark, pane: element, side, file, text, own: own || [], all, by };
  }).filter((row) => row.all);
  const pick = (row) => {
    for (const each of rows) each.element.tabIndex = each === row ? 0 : -1;
    row.element.focus({ preventScroll: true });
    row.element.scrollIntoView({ block: "nearest" });
    choose(row);
  };
  if (rows.length) rows[0].element.tabIndex = 0;
  else element.append(el("p", { class: "dim" }, "no related lines"));
  element.addEventListener("click", (event) => {
    const row = rows.find((each) => each.element.contains(event.target));
    if (row) pick(row);
  });
  element.addEventListener("keydown", (event) => {
    const at = rows.findIndex((each) => each.element === event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, Enter: at, " ": at }[event.key];
    if (to === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (rows[to]) pick(rows[to]);
  });
  return { element, rows };
}

// The lines of a pane, without unrelated lines that are far from any line with related lines.
function linesOf(page, file, side) {
  const links = page.linked[side].texts[file] || [];
  if (file === "source") return links.map(([text, all]) => ({ text, own: all, all }));
  const stage = page.stages.find((each) => each.file === file);
  const written = stage.views.find((view) => view.name === "as written");
  const texts = lines(side === "old" && written.old !== null ? written.old : written.new);
  const known = new Map(links.map(([at, own, all, by]) => [at, { own, all, by: page.linked[side].authors[by] }]));
  const near = (at) => { for (let n = at - AROUND; n <= at + AROUND; n++) if (known.has(n)) return true; return false; };
  const made = [];
  texts.forEach((text, at) => {
    if (near(at)) made.push({ text, ...known.get(at) });
    else if (made.length && made[made.length - 1].text !== "⋯") made.push({ text: "⋯" });
  });
  return made;
}

// Scrolls only this pane, to the first of the highlighted lines with the fewest nodes.
function reveal(pane, rows) {
  const lit = rows.filter((row) => row.pane === pane && row.element.classList.contains("lit"));
  const fewest = Math.min(...lit.map((row) => row.own.length));
  const first = lit.find((row) => row.own.length === fewest);
  if (first) pane.scrollTop = first.element.offsetTop - pane.clientHeight / 3;
}

// A description of what is highlighted: the number of lines per pane and side, and the torch function that wrote the line.
function linkedWords(row, rows) {
  const lit = rows.filter((each) => each !== row && each.element.classList.contains("lit"));
  const parts = SIDES.map((side, at) => {
    const counts = new Map();
    for (const each of lit.filter((other) => other.side === side)) counts.set(each.file, (counts.get(each.file) || 0) + 1);
    const counted = [...counts].map(([file, count]) => `${plural(count, "line")} of ${file === "source" ? "your source" : file}`);
    return `${index.names[at]}: ${counted.join(", ") || "no other line"}`;
  });
  const words = [el("code", {}, row.text.trim()), ` ${parts.join("; ")}.`];
  if (row.by) {
    const [name, where] = row.by;
    words.push(" Written by ", el("code", {}, name), " ", where ? sourceOf(where) : "");
  }
  return words;
}
