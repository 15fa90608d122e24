// One stage of a case: its diff, its picture, and for `passes` the ledger.

function stageView(stage, page) {
  const views = [];
  if (stage.stage === "passes" && page.ledger.length) views.push(["ledger", () => ledgerView(page.ledger)]);
  for (const view of stage.views || []) {
    const both = view.old !== null && view.new !== null;
    const several = stage.views.length > 1 ? `diff: ${view.name}` : both ? "diff" : "text";
    views.push([several, () => (both ? diffView(view) : textView(view.new === null ? view.old : view.new))]);
  }
  if (stage.picture) {
    views.push(["picture", () => el("div", {}, pictureView(stage.picture),
      stage.picture.apart && reasonsView(stage.picture.apart))]);
  }
  const holder = el("div", { class: "view" });
  const show = (at) => holder.replaceChildren(views[at][1]());
  if (views.length) show(0);
  else holder.append(el("p", { class: "dim" }, NOTHING[stage.kind] || "The report has no text for this stage."));
  const facts = [stage.about, stage.since && index.goldens && `golden since torch ${stage.since}`, stage.reason].filter(Boolean);
  return el("section", { class: "stage", id: "stage" },
    el("h2", {}, stage.file, el("span", { class: `badge ${stage.kind}` }, stage.kind),
      facts.map((fact) => el("span", { class: "fact" }, fact))),
    views.length > 1 ? chooser("view", views.map(([name]) => name), 0, show) : null, holder);
}

const NOTHING = {
  unavailable: "This torch cannot show the stage; all other stages are compared.",
  same: "As before.",
  cosmetic: "Only names, comments or layout differ; the report omits such texts.",
};

function ledgerView(rows) {
  const busy = rows.filter((row) => row.changed || row.old || row.new);
  const holder = el("tbody", {});
  const fillRows = (all) => {
    let graph = null;
    const made = [];
    for (const row of all ? rows : busy) {
      if (row.graph !== graph) {
        graph = row.graph;
        made.push(el("tr", { class: "graph" }, el("th", { colspan: 4, scope: "colgroup" }, graph)));
      }
      made.push(el("tr", { class: row.changed ? "changed" : "" },
        el("td", { class: "dim" }, row.phase),
        el("td", { title: row.where || "" }, el("span", { class: "code" }, row.name),
          row.changed && row.where ? el("div", {}, sourceOf(row.where)) : null),
        did("old", row), did("new", row)));
    }
    holder.replaceChildren(...made);
  };
  fillRows(false);
  const toggle = el("input", { type: "checkbox" });
  toggle.addEventListener("change", () => fillRows(toggle.checked));
  return el("div", {},
    el("div", { class: "bar" }, el("label", {}, toggle, ` show the ${plural(rows.length - busy.length, "pass").replace(/passs$/, "passes")} that did nothing`)),
    el("div", { class: "scroll" }, el("table", { class: "ledger" },
      el("colgroup", {}, ["phase", "pass", "side", "side"].map((name) => el("col", { class: name }))),
      el("thead", {}, el("tr", {}, ["phase", "pass", ...index.names].map((name) => el("th", { scope: "col" }, name)))),
      holder)));
}

// What a pass did, split into one part per operator; in a changed row, parts that the other side lacks are marked.
function did(side, row) {
  const [text, other] = side === "old" ? [row.old, row.new] : [row.new, row.old];
  if (text === null) return el("td", { class: "dim" }, "did not run");
  if (text === "") return el("td", { class: "dim" }, "·");
  const parts = (line) => line.split(/ (?=[-+]\w)/);
  const said = new Set(other && other.split("\n").flatMap(parts));
  const part = (word) => el(row.changed && !said.has(word) ? "mark" : "span", { class: "part" }, word);
  return el("td", { class: `code ${side}` }, text.split("\n").map((line) => el("div", {}, parts(line).flatMap((word) => [part(word), " "]))));
}
