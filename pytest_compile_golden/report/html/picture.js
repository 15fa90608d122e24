// A graph or the fusion groups, before and after: boxes and arrows in SVG.

const LETTER = 6.7;
const LINE = 15;
const LONGEST = 44;
const NEAR = 2;
const MANY = 45;
const SMALLEST = 0.1;
const READABLE = 0.72;

function pictureView(picture) {
  const names = [...new Set([...Object.keys(picture.old), ...Object.keys(picture.new)])];
  const holder = el("div", {});
  const draw = (at) => holder.replaceChildren(graphView(names[at], picture.old[names[at]], picture.new[names[at]]));
  draw(0);
  const tabs = names.length > 1 ? chooser("graph", names, 0, draw) : null;
  return el("div", { class: "pictures" }, tabs, holder);
}

function graphView(name, before, after) {
  const marked = [before, after].some((boxes) => boxes && boxes.some((box) => box[4]));
  const many = Math.max((before || []).length, (after || []).length) > MANY;
  const panes = el("div", { class: "panes" });
  let zoom = 1;
  let near = marked && many;
  const draw = () => {
    const one = !before || !after || (!marked && before.length === after.length);
    const sides = one ? [["", after || before]] : [["before", before], ["after", after]];
    panes.replaceChildren(...sides.map(([label, boxes]) => pane(label, near ? around(boxes) : boxes)));
    panes.classList.toggle("one", one);
    scale();
  };
  const scale = () => {
    for (const drawing of panes.querySelectorAll("svg")) {
      drawing.style.width = `${drawing.viewBox.baseVal.width * zoom}px`;
      drawing.style.height = `${drawing.viewBox.baseVal.height * zoom}px`;
    }
  };
  const zoomBy = (factor) => { zoom = Math.min(4, Math.max(SMALLEST, zoom * factor)); scale(); };
  const fit = (smallest) => {
    const widest = Math.max(...[...panes.querySelectorAll("svg")].map((drawing) => drawing.viewBox.baseVal.width));
    zoom = Math.min(1, Math.max(smallest, (panes.querySelector(".pane").clientWidth - 20) / widest));
    scale();
  };
  panes.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }, { passive: false });
  panes.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") zoomBy(1.25);
    else if (event.key === "-") zoomBy(0.8);
    else if (event.key === "0") fit(SMALLEST);
  });
  const button = (label, title, act) => el("button", { type: "button", title, onclick: act }, label);
  const bar = el("div", { class: "bar" },
    button("+", "larger (+, or Ctrl and wheel)", () => zoomBy(1.25)), button("−", "smaller (-)", () => zoomBy(0.8)),
    button("fit", "the whole width (0)", () => fit(SMALLEST)));
  if (marked && many) {
    const toggle = el("input", { type: "checkbox", checked: true });
    toggle.addEventListener("change", () => { near = toggle.checked; draw(); });
    bar.append(el("label", {}, toggle, " only what is near a change"));
  }
  if (marked) {
    bar.append(el("span", { class: "legend" },
      el("i", { class: "key removed" }), "only before", el("i", { class: "key added" }), "only after"));
  }
  draw();
  // Once it is on the page and has a width: as much of it as can still be read.
  requestAnimationFrame(() => panes.isConnected && fit(READABLE));
  return el("div", { class: "picture", "aria-label": name }, bar, panes);
}

function pane(label, boxes) {
  return el("figure", { class: "pane", tabindex: 0 }, label && el("figcaption", {}, label),
    boxes && boxes.length ? drawing(boxes, label === "before" ? "removed" : "added") : el("p", { class: "dim" }, "none"));
}

// The boxes at most NEAR arrows away from one that is on this side only, or all where none is.
function around(boxes) {
  if (!boxes || !boxes.some((box) => box[4])) return boxes;
  const next = boxes.map(() => []);
  boxes.forEach((box, at) => { for (const source of box[3]) { next[at].push(source); next[source].push(at); } });
  const kept = new Set(boxes.flatMap((box, at) => (box[4] ? [at] : [])));
  let edge = [...kept];
  for (let step = 0; step < NEAR; step++) {
    edge = edge.flatMap((at) => next[at]).filter((at) => !kept.has(at) && kept.add(at));
  }
  const places = new Map([...kept].sort((one, other) => one - other).map((at, place) => [at, place]));
  return [...places.keys()].map((at) => {
    const [title, kind, text, sources, only] = boxes[at];
    return [title, kind, text, sources.filter((source) => places.has(source)).map((source) => places.get(source)), only];
  });
}

function drawing(boxes, mark) {
  const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
  const sized = boxes.map(([title, kind, text, sources, only]) => {
    const shown = [title, ...text.slice(0, 9), ...(text.length > 9 ? [`… ${text.length - 9} more`] : [])].map(short);
    return { shown, whole: [title, ...text].join("\n"), kind, sources, only, input: kind === "input",
      width: 16 + LETTER * Math.max(...shown.map((line) => line.length)), height: 10 + LINE * shown.length };
  });
  const { width, height, edges } = layered(sized);
  const room = 8;
  const made = svg("svg", { viewBox: `${-room} ${-room} ${width + 2 * room} ${height + 2 * room}`, role: "img" });
  for (const { from, to, points } of edges) {
    const touched = sized[from].only || sized[to].only;
    made.append(svg("path", { class: touched ? `edge ${mark}` : "edge", d: curve(points) }));
  }
  for (const box of sized) {
    const text = box.shown.map((line, at) =>
      svg("text", { x: box.x + 8, y: box.y + 16 + LINE * at, class: at ? "detail" : "name" }, line));
    made.append(svg("g", { class: `box ${box.kind}${box.only ? ` ${mark}` : ""}` }, svg("title", {}, box.whole),
      svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.input ? box.height / 2 : 4 }), text));
  }
  return made;
}

function curve(points) {
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let at = 1; at < points.length; at++) {
    const [x, y] = points[at];
    const [px, py] = points[at - 1];
    path += x === px ? `V${y}` : `C${px} ${(py + y) / 2} ${x} ${(py + y) / 2} ${x} ${y}`;
  }
  return path;
}

// Which pairs stayed apart, and why; what only one side says is marked.
function reasonsView([before, after]) {
  const key = (pair) => pair.join(": ");
  const had = new Set(before.map(key));
  const has = new Set(after.map(key));
  const rows = [...before.filter((pair) => !has.has(key(pair))).map((pair) => ["removed", pair]),
    ...after.map((pair) => [had.has(key(pair)) || !before.length ? "" : "added", pair])];
  if (!rows.length) return null;
  return el("details", { open: rows.some(([kind]) => kind) },
    el("summary", {}, `why pairs were not fused (${rows.length})`),
    el("div", { class: "scroll" }, el("table", { class: "plain" }, rows.map(([kind, [pair, reason]]) =>
      el("tr", { class: kind }, el("td", {}, kind === "removed" ? "−" : kind ? "+" : ""),
        el("td", { class: "code" }, pair), el("td", {}, reason))))));
}
