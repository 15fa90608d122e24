// The kernels of a case before and after: what each computes and costs, and why it was split or merged.

const COSTS = [["bytes", "bytes_accessed"], ["flops", "flops"], ["least_ns", "least_time"]];

function kernelsView(rows) {
  if (!rows.length) return null;
  const changed = rows.filter((row) => row.changed);
  const same = rows.length - changed.length;
  const costs = COSTS.filter(([field]) => rows.some((row) => SIDES.some((side) => row[side] && row[side][field] !== null)));
  const labels = ["kernel", "computes", "why", "launches", ...costs.map(([, name]) => name.replace(/_/g, " "))];
  const body = el("tbody", {});
  const show = (all) => {
    let graph = null;
    const made = [];
    for (const row of all ? rows : changed) {
      if (row.graph !== graph) {
        graph = row.graph;
        made.push(el("tr", { class: "graph" }, el("th", { colspan: labels.length, scope: "colgroup" }, graph)));
      }
      made.push(kernelRow(row, labels, costs));
    }
    body.replaceChildren(...made);
  };
  show(false);
  const toggle = el("input", { type: "checkbox", onchange: () => show(toggle.checked) });
  return el("details", { class: "kernels", open: changed.length > 0 },
    el("summary", {}, `kernels: ${changed.length} changed, ${same} unchanged`),
    same ? el("div", { class: "bar" }, el("label", {}, toggle, ` show the ${plural(same, "unchanged kernel")}`)) : null,
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "kernels" },
      el("table", {}, el("thead", {}, el("tr", {}, labels.map((label) => el("th", { scope: "col" }, label)))), body)));
}

function kernelRow(row, labels, costs) {
  const became = !row.old ? "new" : !row.new ? "gone" : row.changed ? "changed" : "unchanged";
  const cells = [
    [el("span", { class: "became" }, became), ...beforeAfter(row, (each) => each.name || each.kind)],
    beforeAfter(row, (each) => each.computes.join(", ")),
    row.why.map((why) => el("div", {}, why)),
    numbers(row, "launches", "launches"),
    ...costs.map(([field, name]) => numbers(row, field, name)),
  ];
  return el("tr", { class: row.changed ? "changed" : "" }, cells.map((cell, at) =>
    el(at ? "td" : "th", { scope: at ? null : "row", "data-label": labels[at], class: at > 2 ? "number-cell" : "" }, cell)));
}

// One line if both sides say the same, or only one says anything; otherwise a line for each, with the sign of a diff.
function beforeAfter(row, textOf) {
  const [old, now] = SIDES.map((side) => row[side] && textOf(row[side]));
  if (!old || !now || old === now) return now || old ? [el("div", { class: "code" }, now || old)] : [];
  return [["−\u00a0", old, index.names[0]], ["+\u00a0", now, index.names[1]]].map(([sign, text, title]) =>
    el("div", { class: "code", title }, sign, text));
}

function numbers(row, field, name) {
  const [old, now] = SIDES.map((side) => (row[side] ? row[side][field] : null));
  if (old === null && now === null) return "";
  if (!row.old || !row.new || old === now) return shown(name, row.new ? now : old);
  const by = old === null || now === null ? null : `${now > old ? "+" : "−"}${shown(name, Math.abs(now - old))}`;
  return [el("div", {}, `${shown(name, old)} → ${shown(name, now)}`), by && el("div", { class: "dim" }, by)];
}
