// The least time of each case that needs another one now: old against new, on logarithmic scales.

const SIDE = 320;
const EDGE = 60;

function scatterView() {
  const cases = index.cases.map((row, number) => ({ ...row, number })).filter((row) => row.least);
  if (cases.length < 3) return null;
  const times = cases.flatMap((row) => row.least);
  const least = Math.floor(Math.log10(Math.min(...times)));
  const most = Math.max(Math.ceil(Math.log10(Math.max(...times))), least + 1);
  const along = (time) => ((Math.log10(time) - least) * SIDE) / (most - least);
  const x = (time) => EDGE + along(time), y = (time) => 8 + SIDE - along(time);
  const decades = Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at));
  const words = (time) => shown("least_time", time, 0);
  const grid = decades.flatMap((time) => [
    svg("path", { class: "grid", d: `M${x(time)} 8V${8 + SIDE}M${EDGE} ${y(time)}H${EDGE + SIDE}` }),
    svg("text", { x: x(time), y: SIDE + 22, "text-anchor": "middle" }, words(time)),
    svg("text", { x: EDGE - 6, y: y(time) + 3, "text-anchor": "end" }, words(time))]);
  const points = cases.map(({ least: [old, now], nodeid, number }) =>
    svg("a", { href: `#case=${number}` }, svg("circle", { class: now > old ? "worse" : "better", cx: x(old), cy: y(now), r: 3.5 },
      svg("title", {}, `${nodeid}: ${step({ name: "least_time", old, new: now }).join(" → ")}`))));
  return el("section", { class: "scatter" }, el("h2", {}, "least time"),
    el("p", { class: "dim" }, `Of ${plural(cases.length, "case")} that need another one, of ${index.cases.length}: ${index.names[0]} across, ${index.names[1]} up. Above the line is slower.`),
    svg("svg", { viewBox: `0 0 ${SIDE + EDGE + 30} ${SIDE + 30}`, role: "img", "aria-label": "least time, old against new" }, grid,
      svg("path", { class: "even", d: `M${EDGE} ${8 + SIDE}L${EDGE + SIDE} 8` }), points));
}
