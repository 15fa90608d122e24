// Metrics, each with a small chart over torch versions.

const WIDE = 150;
const HIGH = 36;

function metricsView(metrics) {
  const changed = metrics.filter((each) => each.verdict !== "same");
  const same = metrics.filter((each) => each.verdict === "same");
  if (!metrics.length) return null;
  return el("section", { class: "metrics" }, el("h2", {}, "metrics"),
    changed.length ? el("div", { class: "cards" }, changed.map(card)) : null,
    same.length ? el("p", { class: "dim same" }, same.map((each) => `${each.name} ${shown(each.name, each.new)}`).join(" · ")) : null);
}

function card(metric) {
  const kind = { REGRESSION: "bad", WIN: "good" }[metric.verdict] || "";
  return el("div", { class: `card ${kind}` },
    el("div", { class: "name" }, metric.name),
    el("div", { class: "numbers" },
      el("span", { class: "value" }, `${step(metric).join(" → ")}${share(metric)}`),
      el("span", { class: "verdict" }, metric.verdict === "changed" ? "neutral" : metric.verdict)),
    chart(metric));
}

// Steps from version to version; the last point is the new side.
function chart(metric) {
  const known = metric.history.length ? metric.history : [[index.names[0], metric.old]];
  const points = [...known, [index.names[1], metric.new]].filter(([, value]) => typeof value === "number");
  if (points.length < 2) return null;
  const values = points.map(([, value]) => value);
  const [least, highest] = [Math.min(...values), Math.max(...values)];
  // A change of a few in a thousand is no cliff.
  const range = Math.max(highest - least, 0.2 * Math.abs(highest)) || 1;
  const most = highest + (range - (highest - least)) / 2;
  const x = (at) => 6 + (at * (WIDE - 12)) / (points.length - 1);
  const y = (value) => 6 + ((most - value) / range) * (HIGH - 14);
  let path = "";
  points.forEach(([, value], at) => (path += at ? `H${x(at)}V${y(value)}` : `M${x(at)} ${y(value)}`));
  const words = points.map(([torch, value]) => `${torch}: ${shown(metric.name, value)}`).join(", ");
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH + 10}`, role: "img", "aria-label": words },
    svg("title", {}, words),
    svg("path", { class: "line", d: path }),
    points.map(([, value], at) => svg("circle", { cx: x(at), cy: y(value), r: at === points.length - 1 ? 3 : 2 })),
    points.map(([torch], at) => (at % Math.ceil(points.length / 4) && at < points.length - 1) ? null : svg("text", { x: x(at), y: HIGH + 7,
      "text-anchor": at === 0 ? "start" : at === points.length - 1 ? "end" : "middle" }, torch)));
}

// By how much a quantity went up or down; empty for a count, which says it itself.
function share({ name, old, new: now }) {
  if (!index.scales[name] || typeof old !== "number" || typeof now !== "number" || !old) return "";
  const percent = (100 * (now - old)) / old;
  const digits = Math.abs(percent) < 100 ? Number(percent.toPrecision(2)) : Math.round(percent);
  return ` (${percent > 0 ? "+" : ""}${digits} %)`;
}

// The number before and after, with as many digits as it takes to tell the two apart.
function step({ name, old, new: now }) {
  for (let digits = 1; ; digits++) {
    const both = [old, now].map((value) => shown(name, value, digits));
    if (both[0] !== both[1] || digits === 9) return both;
  }
}

function shown(name, value, digits = 1) {
  if (value === null || value === undefined) return "none";
  const scale = index.scales[name];
  if (!scale || typeof value !== "number") return String(value);
  const [base, units] = scale;
  let left = value, at = 0;
  for (; Math.abs(left) >= base && at < units.length - 1; at++) left /= base;
  return `${at ? left.toFixed(digits) : left} ${units[at]}`;
}
