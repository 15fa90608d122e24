// A layered drawing of a directed graph: boxes in rows, arrows downwards, few crossings.

const GAP_X = 22;
const GAP_Y = 38;
const SWEEPS = 6;
const MOST_BENDS = 6000;

// `boxes` have `width`, `height`, `sources` (indices of earlier boxes) and `input`. Sets the `x` and `y` of each box (its
// upper left corner), and returns { width, height, edges: [{ from, to, points }] }.
function layered(boxes) {
  const level = levels(boxes);
  const rows = [];
  const items = boxes.map((box, at) => ({ at, width: box.width, height: box.height, up: [], down: [], level: level[at] }));
  for (const item of items) (rows[item.level] ||= []).push(item);
  const edges = connect(boxes, items, rows);
  rows.forEach((row, number) => (rows[number] = row || []));
  order(rows);
  place(rows);
  return finish(boxes, rows, edges);
}

// The longest path from a box without sources; inputs are placed directly above their first reader.
function levels(boxes) {
  const level = boxes.map(() => 0);
  boxes.forEach((box, at) => { for (const source of box.sources) level[at] = Math.max(level[at], level[source] + 1); });
  const first = boxes.map(() => Infinity);
  boxes.forEach((box, at) => { for (const source of box.sources) first[source] = Math.min(first[source], level[at]); });
  boxes.forEach((box, at) => { if (box.input && first[at] !== Infinity) level[at] = first[at] - 1; });
  return level;
}

// Arrows that cross rows get a bend in each, so that they can be routed between the boxes.
function connect(boxes, items, rows) {
  const edges = [];
  let bends = 0;
  boxes.forEach((box, at) => {
    for (const source of box.sources) {
      const edge = { from: source, to: at, bends: [] };
      let last = items[source];
      const between = items[at].level - last.level - 1;
      if (bends + between <= MOST_BENDS) {
        bends += between;
        for (let row = last.level + 1; row < items[at].level; row++) {
          const bend = { at: null, width: 2, height: 0, up: [], down: [], level: row };
          rows[row].push(bend);
          edge.bends.push(bend);
          link(last, bend);
          last = bend;
        }
      }
      link(last, items[at]);
      edges.push(edge);
    }
  });
  return edges;
}

function link(upper, lower) {
  upper.down.push(lower);
  lower.up.push(upper);
}

// Moves each item to the mean position of its neighbours, alternating between downward and upward sweeps.
function order(rows) {
  const number = () => rows.forEach((row) => row.forEach((item, at) => (item.order = at)));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const item of row) item.wish = mean(down ? item.up : item.down, (each) => each.order, item.order);
      row.sort((one, other) => one.wish - other.wish || one.order - other.order);
      row.forEach((item, at) => (item.order = at));
    }
  }
}

function mean(items, value, otherwise) {
  return items.length ? items.reduce((sum, item) => sum + value(item), 0) / items.length : otherwise;
}

// Centres each box below its sources, or above its readers, as far as the other boxes in its row allow.
function place(rows) {
  for (const row of rows) {
    let x = 0;
    for (const item of row) { item.x = x + item.width / 2; x += item.width + GAP_X; }
  }
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) settle(row, down);
  }
}

function settle(row, down) {
  const wish = row.map((item) => mean(down ? item.up : item.down, (each) => each.x, item.x));
  const apart = (at) => (row[at - 1].width + row[at].width) / 2 + GAP_X;
  const left = [...wish];
  for (let at = 1; at < row.length; at++) left[at] = Math.max(left[at], left[at - 1] + apart(at));
  const right = [...wish];
  for (let at = row.length - 2; at >= 0; at--) right[at] = Math.min(right[at], right[at + 1] - apart(at + 1));
  row.forEach((item, at) => (item.x = (left[at] + right[at]) / 2));
  for (let at = 1; at < row.length; at++) row[at].x = Math.max(row[at].x, row[at - 1].x + apart(at));
}

function finish(boxes, rows, edges) {
  let y = 0;
  let low = Infinity;
  let high = -Infinity;
  const items = [];
  for (const row of rows) {
    const height = Math.max(0, ...row.map((item) => item.height));
    for (const item of row) {
      item.y = y;
      item.rowHeight = height;
      if (item.at !== null) items[item.at] = item;
      low = Math.min(low, item.x - item.width / 2);
      high = Math.max(high, item.x + item.width / 2);
    }
    y += height + GAP_Y;
  }
  boxes.forEach((box, at) => { box.x = items[at].x - low - box.width / 2; box.y = items[at].y; });
  const drawn = edges.map(({ from, to, bends }) => {
    const points = [[items[from].x - low, items[from].y + items[from].height]];
    for (const bend of bends) points.push([bend.x - low, bend.y], [bend.x - low, bend.y + bend.rowHeight]);
    points.push([items[to].x - low, items[to].y]);
    return { from, to, points };
  });
  return { width: high - low, height: Math.max(0, y - GAP_Y), edges: drawn };
}
