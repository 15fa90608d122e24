// What torch's authors changed: functions that changes are blamed on, before and after.

// functions: the report's functions to show here. defaults: whether to show differing configuration defaults too.
function sourcesView(functions, defaults) {
  const listed = defaults ? index.defaults : [];
  if (!functions.length && !listed.length) return null;
  const what = [functions.length && plural(functions.length, "function"), listed.length && plural(listed.length, "default")];
  return el("details", { class: "sources" },
    el("summary", {}, `what torch's authors changed: ${what.filter(Boolean).join(", ")}`),
    functions.map(functionView),
    listed.length ? el("h3", {}, "torch configuration defaults that differ") : null,
    listed.length ? el("ul", { class: "code" }, listed.map((text) => el("li", {}, text))) : null);
}

function functionView(each) {
  const where = el("code", { class: "where" }, each.where);
  const [title, ...commits] = each.commits || [];
  return el("section", {},
    el("h3", {}, el("code", {}, each.title), " ", each.link ? el("a", { href: each.link, rel: "noreferrer" }, where) : where),
    each.diff ? el("div", { class: "diff", tabindex: 0, role: "table", "aria-label": `diff of ${each.title}` }, each.diff.map(sourceLine))
      : el("p", { class: "dim" }, each.unchanged),
    title ? el("p", {}, title) : null,
    commits.length ? el("ul", { class: "code" }, commits.map((commit) => el("li", {}, commit))) : null);
}

function sourceLine(line) {
  const kind = { "+": "added", "-": "removed" }[line[0]] || "";
  return el("div", { class: "row", role: "row" }, el("div", { class: `cell new ${kind}`, role: "cell" },
    el("span", { class: "number" }), el("code", { class: "code" }, coloured(kind || line[0] === " " ? line.slice(1) : line))));
}
