// A graph or the fusion groups, before and after: boxes and arrows in SVG.

const LETTER = 6.7;
const LINE = 15;
const LONGEST = 44;
const NEAR = 2;
// A box with more arrows, such as a graph's output, is near everything: boxes beyond it do not count as near.
const HUB = 12;
const MANY = 45;
const SMALLEST = 0.1;
const READABLE = 0.72;

function pictureView(picture) {
  const names = [...new Set([...Object.keys(picture.old), ...Object.keys(picture.new)])];
  const holder = el("div", {});
  const draw = (at) => holder.replaceChildren(graphView(names[at], picture.old[names[at]], picture.new[names[at]]));
  const changed = names.map((name) => marks(picture.old[name]) || marks(picture.new[name]));
  const first = Math.max(0, changed.indexOf(true));
  draw(first);
  const tabs = names.length > 1 ? chooser("graph", names, first, draw) : null;
  if (tabs) [...tabs.children].forEach((button, at) => button.classList.toggle("differs", changed[at]));
  return el("div", { class: "pictures" }, tabs, holder);
}

// Whether a box of a graph is on one side only.
function marks(boxes) {
  return Boolean(boxes) && boxes.some((box) => box[4]);
}

function graphView(name, before, after) {
  const marked = marks(before) || marks(after);
  const many = Math.max((before || []).length, (after || []).length) > MANY;
  const panes = el("div", { class: "panes" });
  let zoom = 1;
  let near = marked && many;
  const draw = () => {
    const one = !before || !after || (!marked && before.length === after.length);
    const [left, right] = near ? around(before, after) : [before, after];
    const sides = one ? [["", right || left, before ? "removed" : "added"]]
      : [[index.names[0], left, "removed"], [index.names[1], right, "added"]];
    panes.replaceChildren(...sides.map((side) => pane(...side)));
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
    button("+", "zoom in (+, or Ctrl and wheel)", () => zoomBy(1.25)), button("−", "zoom out (-)", () => zoomBy(0.8)),
    button("fit", "fit to width (0)", () => fit(SMALLEST)));
  if (marked && many) {
    const toggle = el("input", { type: "checkbox", checked: true });
    toggle.addEventListener("change", () => { near = toggle.checked; draw(); });
    bar.append(el("label", {}, toggle, " show only what is near a change"));
  }
  if (marked) {
    bar.append(el("span", { class: "legend" },
      el("i", { class: "key removed" }), `only in ${index.names[0]}`, el("i", { class: "key added" }), `only in ${index.names[1]}`));
  }
  draw();
  // Once it is on the page and has a width, fit as much of it as stays readable.
  requestAnimationFrame(() => {
    if (!panes.isConnected) return;
    fit(READABLE);
    for (const each of panes.querySelectorAll(".pane")) {
      centre(each, each.querySelector(".box.removed, .box.added") || (near && each.querySelector("svg")));
    }
  });
  return el("div", { class: "picture", "aria-label": name }, bar, panes);
}

function centre(pane, box) {
  if (!box) return;
  const [around, at] = [pane.getBoundingClientRect(), box.getBoundingClientRect()];
  pane.scrollLeft += at.left + at.width / 2 - around.left - around.width / 2;
  pane.scrollTop += at.top + at.height / 2 - around.top - around.height / 2;
}

function pane(label, boxes, mark) {
  return el("figure", { class: "pane", tabindex: 0 }, label && el("figcaption", {}, label),
    boxes && boxes.length ? drawing(boxes, mark) : el("p", { class: "dim" }, "none"));
}

// The boxes of both sides that are at most NEAR arrows from a box that only one side has, and their counterparts.
function around(before, after) {
  if (!before || !after) return [before, after];
  // Common boxes are in the same order on both sides, so they correspond by position.
  const [old, made] = [before, after].map((boxes) => boxes.flatMap((box, at) => (box[4] ? [] : [at])));
  const [left, right] = [nearMarks(before), nearMarks(after)];
  old.forEach((at, number) => {
    if (!left.has(at) && !right.has(made[number])) return;
    left.add(at);
    right.add(made[number]);
  });
  return [only(before, left), only(after, right)];
}

function nearMarks(boxes) {
  const next = boxes.map(() => []);
  boxes.forEach((box, at) => { for (const source of box[3]) { next[at].push(source); next[source].push(at); } });
  const kept = new Set(boxes.flatMap((box, at) => (box[4] ? [at] : [])));
  let edge = [...kept];
  for (let step = 0; step < NEAR; step++) {
    const passed = edge.filter((at) => boxes[at][4] || (next[at].length <= HUB && boxes[at][1] !== "output"));
    edge = passed.flatMap((at) => next[at]).filter((at) => !kept.has(at) && kept.add(at));
  }
  return kept;
}

// The kept boxes and the arrows between them.
function only(boxes, kept) {
  const moved = new Map([...kept].sort((one, other) => one - other).map((at, index) => [at, index]));
  return [...moved.keys()].map((at) => {
    const [title, kind, text, sources, only] = boxes[at];
    return [title, kind, text, sources.filter((source) => moved.has(source)).map((source) => moved.get(source)), only];
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

// Which pairs were not fused, and why; rows that only one side has are marked.
function reasonsView(rows) {
  if (!rows.length) return null;
  return el("details", { open: rows.some(([kind]) => kind) },
    el("summary", {}, `why pairs were not fused (${rows.length})`),
    el("div", { class: "scroll" }, el("table", { class: "plain" }, rows.map(([kind, pair, reason]) =>
      el("tr", { class: kind }, el("td", {}, kind === "removed" ? "−" : kind ? "+" : ""),
        el("td", { class: "code" }, pair), el("td", {}, reason))))));
}
