// All cases: tests as rows, targets as columns, changed ones first; the distinct changes above them.

const ORDER = ["error", "changed", "noted", "missing", "failing", "fixed", "new", "cosmetic", "unchecked", "same"];
// Words for outcomes whose names do not say it.
const SAID = { failing: "fails on both", unchecked: "assertions only" };
const filter = { text: "", outcomes: new Set(), group: null, unfolded: false };
// How many tests the table lists at first, and how many more each time that more are asked for.
const ROWS = 200;
let listed = ROWS;
// What else a case is chosen by: what its numbers come to, which is its verdict in every report.
const VERDICTS = { regressions: ["REGRESSION", "down", "▼"], wins: ["WIN", "up", "▲"], mixed: ["mixed", "mixed", "◆"], small: ["small", "dim", ""] };

function verdictsOf(row) {
  return Object.keys(VERDICTS).filter((name) => VERDICTS[name][0] === row.verdict);
}

// What a row is counted as, as in the headline: a test file that could not be collected is no case.
function countedAs(row) {
  return [row.target ? row.outcome : "not collected", ...verdictsOf(row)];
}

// The topics of distinct changes that are not listed.
const hidden = new Set();
// Refreshes the overview after the filter was changed from elsewhere.
let refilter = () => {};

function testOf(row) {
  // A target is the last parameter: `test_softmax[cuda-sm90]`, `test_softmax[f16-cuda-sm90]`.
  const end = `${row.target}]`;
  if (!row.target || !row.nodeid.endsWith(end)) return row.nodeid;
  const rest = row.nodeid.slice(0, -end.length);
  return rest.endsWith("[") ? rest.slice(0, -1) : `${rest.replace(/-$/, "")}]`;
}

// By outcome, then by what got worse, then by what got better.
function rank(row) {
  const verdict = ["REGRESSION", "mixed", "WIN"].indexOf(row.verdict);
  return ORDER.indexOf(row.outcome) + (verdict < 0 ? 0.6 : 0.2 * verdict);
}

// Tests with their case for each target, the most severe outcomes and regressions first.
function testsOf(cases) {
  const tests = new Map();
  cases.forEach((row, number) => {
    const name = testOf(row);
    if (!tests.has(name)) tests.set(name, { name, cells: new Map(), best: ORDER.length });
    const test = tests.get(name);
    test.cells.set(row.target, { ...row, number });
    test.best = Math.min(test.best, rank(row));
  });
  return [...tests.values()].sort((one, other) => one.best - other.best || (one.name < other.name ? -1 : 1));
}

function matches(row, number) {
  if (filter.outcomes.size && !countedAs(row).some((name) => filter.outcomes.has(name))) return false;
  if (filter.group !== null && !membersOf(index.groups[filter.group]).has(number)) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  row.said ||= `${row.nodeid} ${row.first} ${row.where || ""} ${row.outcome} ${row.words}`.toLowerCase();
  return words.every((word) => row.said.includes(word));
}

function membersOf(group) {
  group.numbers ||= new Set(group.members);
  return group.numbers;
}

function filtered() {
  return Boolean(filter.text || filter.outcomes.size || filter.group !== null);
}

function overview() {
  const bar = el("div", { class: "bar filters" });
  const table = el("div", { class: "scroll", id: "cases" });
  const count = el("span", { class: "dim", id: "count", "aria-live": "polite" });
  const search = el("input", { type: "search", id: "search", placeholder: "test, pass, edit, metric …  ( / )", "aria-label": "search" });
  search.addEventListener("input", () => { filter.text = search.value; refresh(); });
  const outcomes = outcomeButtons(() => refresh());
  const group = el("button", { type: "button", class: "chip", id: "way", title: "show all distinct changes again" });
  group.addEventListener("click", () => { filter.group = null; refresh(); search.focus(); });
  const clear = el("button", { type: "button", id: "clear", title: "Esc" }, "all cases");
  clear.addEventListener("click", () => { unfilter(); search.focus(); });
  bar.append(search, outcomes, group, count, clear);
  const choose = (number) => {
    filter.group = filter.group === number ? null : number;
    refresh();
    // The cases are below all the changes: scroll to them.
    if (filter.group !== null) bar.scrollIntoView();
  };

  function refresh() {
    const shown = new Set(index.cases.flatMap((row, number) => (matches(row, number) ? [number] : [])));
    table.replaceChildren(casesTable(shown));
    count.textContent = filtered() ? `${shown.size} of ${plural(index.cases.length, "case")}` : plural(index.cases.length, "case");
    if (search.value !== filter.text) search.value = filter.text;
    for (const button of outcomes.children) button.setAttribute("aria-pressed", String(filter.outcomes.has(button.dataset.outcome)));
    for (const button of made.querySelectorAll(".group")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.number) === filter.group));
    }
    group.hidden = filter.group === null;
    group.replaceChildren(...(group.hidden ? [] : [el("span", { class: "what" }, index.groups[filter.group].text), " ✕"]));
    clear.hidden = !filtered();
  }

  const made = el("div", { class: "overview" },
    el("h1", {}, index.title), el("p", { class: "headline" }, index.headline),
    index.facts.length ? el("ul", { class: "facts" }, index.facts.map((fact) => el("li", {}, fact))) : null,
    index.groups.length ? groupsView(choose) : null,
    scatterView(),
    sourcesView(index.functions, true),
    bar, table);
  refilter = refresh;
  refresh();
  return made;
}

function smallest(group) {
  if (!group.program) return null;
  return el("details", {}, el("summary", { class: "dim" }, "smallest program"), el("pre", {}, group.program));
}

function proved(group) {
  if (!group.proof) return null;
  const { causes, tries, why_not } = group.proof;
  if (!causes.length) return el("span", { class: "dim", title: why_not }, group.where ? "not proved: it shows there" : "not proved");
  const names = causes.map((cause) => cause.name).join(", ");
  const diffs = causes.map((cause) => [cause.where, ...cause.diff].join("\n")).join("\n\n");
  return el("span", { class: "dim", title: diffs }, `proved by undoing ${names} (${tries === 1 ? "1 try" : `${tries} tries`})`);
}

function unfilter() {
  filter.text = "";
  filter.outcomes.clear();
  filter.group = null;
  refilter();
}

function outcomeButtons(refresh) {
  const counts = new Map();
  for (const row of index.cases) {
    for (const name of countedAs(row)) {
      counts.set(name, (counts.get(name) || 0) + 1);
    }
  }
  return el("div", { class: "outcomes" }, [...ORDER, "not collected", ...Object.keys(VERDICTS)].filter((name) => counts.has(name)).map((outcome) => {
    const button = el("button", { type: "button", class: `badge ${VERDICTS[outcome]?.[1] || outcome}`, "data-outcome": outcome },
      `${SAID[outcome] || outcome} ${counts.get(outcome)}`);
    button.addEventListener("click", () => {
      if (!filter.outcomes.delete(outcome)) filter.outcomes.add(outcome);
      refresh();
    });
    return button;
  }));
}

function groupsView(choose) {
  // About one screenful: changes that affect no metric take one line.
  const most = 17;
  const holder = el("div", { class: "groups" });
  const status = el("div", { class: "command reviewed", "aria-live": "polite" });
  const update = () => status.replaceChildren(...reviewedView());
  update();
  const made = index.groups.map((group, number) =>
    el("div", { class: "decided" }, reviewedBox(group, update), el("button", { type: "button", class: `group ${group.outcome} ${group.consequence ? "" : "neutral"}`, "data-number": number, title: "show only these cases",
      onclick: () => choose(number) },
      el("span", { class: "size" }, plural(group.members.length, "case")),
      el("span", { class: "what" }, el("strong", {}, group.text),
        group.consequence ? el("span", { class: `edit ${group.worse ? "worse" : "better"}` }, group.consequence) : null,
        group.same_machine_code ? el("span", { class: "dim" }, "same machine code") : null,
        proved(group),
        group.where ? el("span", { class: "where" }, group.where) : null,
        group.edits.slice(0, 3).map((edit) => el("span", { class: "edit" }, edit)),
        group.edits.length > 3 ? el("span", { class: "dim" }, `and ${plural(group.edits.length - 3, "more edit")}`) : null)), smallest(group)));
  const list = () => {
    const wanted = made.filter((_, number) => !hidden.has(index.groups[number].topic));
    const listed = filter.unfolded ? wanted.length : most;
    holder.replaceChildren(...wanted.slice(0, listed));
    if (wanted.length > listed) {
      const more = el("button", { type: "button", class: "fold" }, `⋯ ${plural(wanted.length - listed, "more distinct change")}`);
      more.addEventListener("click", () => { filter.unfolded = true; list(); });
      holder.append(more);
    }
  };
  list();
  return el("section", {}, el("h2", {}, "what changed"), topicButtons(list), holder, status);
}

// A switch for each topic that changes are about, such as guards.
function topicButtons(list) {
  const topics = [...new Set(index.groups.map((group) => group.topic))].filter(Boolean).sort();
  if (topics.length < 2) return null;
  return el("div", { class: "topics", role: "group", "aria-label": "changes about" }, topics.map((topic) => {
    const button = el("button", { type: "button", class: "chip", "data-topic": topic, "aria-pressed": String(!hidden.has(topic)),
      title: "list or leave out changes about this" }, topic);
    button.addEventListener("click", () => {
      if (!hidden.delete(topic)) hidden.add(topic);
      button.setAttribute("aria-pressed", String(!hidden.has(topic)));
      list();
    });
    return button;
  }));
}

function casesTable(shown) {
  const targets = [...new Set(index.cases.map((row) => row.target))].sort();
  const rows = [];
  for (const test of tests) {
    const cells = [...test.cells.values()].filter((cell) => shown.has(cell.number));
    if (cells.length) rows.push([test, cells, targets]);
  }
  if (!rows.length) return el("p", { class: "dim none" }, index.cases.length ? "No case matches." : "No case was compared.");
  const body = el("tbody", {});
  const more = el("button", { type: "button", class: "fold" });
  const list = () => {
    body.append(...rows.slice(body.rows.length, listed).map((row) => testRow(...row)));
    more.hidden = rows.length <= listed;
    more.textContent = `⋯ ${plural(rows.length - body.rows.length, "more test")}`;
  };
  more.addEventListener("click", () => { listed += ROWS; list(); });
  list();
  return el("div", {}, el("table", { class: "cases" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "test"),
      targets.map((target) => el("th", { scope: "col" }, target || "collection")), el("th", { scope: "col" }, "first divergence"))),
    body), more);
}

function testRow(test, cells, targets) {
  const [file, ...names] = test.name.split("::");
  const firsts = [...new Set(cells.map((cell) => cell.first).filter(Boolean))];
  const byTarget = new Map(cells.map((cell) => [cell.target, cell]));
  return el("tr", {},
    el("th", { scope: "row" }, el("span", { class: "dim" }, names.length ? `${file}::` : ""), names.join("::") || file),
    targets.map((target) => el("td", { "data-target": target }, byTarget.has(target) ? cellView(byTarget.get(target)) : null)),
    el("td", { class: "firsts" }, firsts.map((first) => el("div", {}, first))));
}

function cellView(row) {
  return el("a", { class: `badge ${row.outcome}`, href: `#case=${row.number}`, title: row.nodeid }, SAID[row.outcome] || row.outcome,
    verdictsOf(row).map((name) => VERDICTS[name]).filter(([, , sign]) => sign).map(([verdict, kind, sign]) =>
      el("span", { class: kind, title: verdict }, ` ${sign}`)));
}
