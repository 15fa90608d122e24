// Which lines of two sides belong together, and which words of a line are not in its counterpart.

const PLACE = /(\.(?:pyi?|cpp|cu|h):)\d+/;
const WORDS = /[\w./<>-]+\.(?:pyi?|cpp|cu|h):\d+|[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*|\d[\w.]*(?:(?<=\de)[-+]\d+)?|\s+|[^]/gu;
// Beyond this many pairs of words, all between what both lines begin and end with is taken to differ.
const MOST_PAIRS = 250000;
// Lines with less in common are two lines, not one that changed.
const ALIKE = 0.5;

// How much a word says: a name more than a bracket, a blank nearly nothing.
function weight(word) {
  return /^\s/.test(word) ? 0.1 : /^\w/.test(word) ? 1 + Math.min(word.length, 8) : 1;
}

// A line's words with how often each is in it; of a dotted name each part.
function bagOf(line) {
  const bag = new Map();
  for (const word of line.match(/\w+|[^\s\w]/g) || []) bag.set(word, (bag.get(word) || 0) + 1);
  return bag;
}

// What part of two lines is in both, from 0 to 1.
function likeness(one, other) {
  let [shared, all] = [0, 0];
  for (const [word, times] of one) {
    shared += 2 * weight(word) * Math.min(times, other.get(word) || 0);
    all += weight(word) * times;
  }
  for (const [word, times] of other) all += weight(word) * times;
  return all ? shared / all : 0;
}

// Pairs of lines that belong together, as [old, new], in order: those that are most alike over all.
function pairs(before, after) {
  if (before.length * after.length > MOST_PAIRS / 20) return [];
  const [old, made] = [before.map(bagOf), after.map(bagOf)];
  const alike = old.map((one) => made.map((other) => likeness(one, other)));
  const best = table(old.length, made.length, (a, b) => (alike[a][b] < ALIKE ? 0 : alike[a][b]));
  return path(best, old.length, made.length, (a, b) => alike[a][b] >= ALIKE);
}

// The most that a common sequence of old[a…] and new[b…] can be worth.
function table(high, wide, worth) {
  const best = Array.from({ length: high + 1 }, () => new Float64Array(wide + 1));
  for (let a = high - 1; a >= 0; a--) {
    for (let b = wide - 1; b >= 0; b--) {
      const both = worth(a, b);
      best[a][b] = Math.max(both && best[a + 1][b + 1] + both, best[a + 1][b], best[a][b + 1]);
    }
  }
  return best;
}

function path(best, high, wide, matching) {
  const found = [];
  for (let a = 0, b = 0; a < high && b < wide;) {
    if (matching(a, b) && best[a][b] > Math.max(best[a + 1][b], best[a][b + 1])) found.push([a++, b++]);
    else if (best[a + 1][b] >= best[a][b + 1]) a++;
    else b++;
  }
  return found;
}

// The words of both lines that the other lacks, as [from, to] in letters. A line number that moved does not count as a word.
function wordMarks(one, other) {
  const [old, made] = [one, other].map((line) => line.match(WORDS) || []);
  const kept = common(...[old, made].map((words) => words.map((word) => word.replace(PLACE, "$1"))));
  const marks = [marksOf(old, kept[0]), marksOf(made, kept[1])];
  // Another indentation is worth a mark where it is all that changed.
  const said = marks.map((all, side) => all.filter(([from, to]) => [one, other][side].slice(from, to).trim()));
  return said.some((all) => all.length) ? said : marks;
}

// For each word of both whether it is in what they have in common: the common sequence that says most.
function common(old, made) {
  const kept = [new Uint8Array(old.length), new Uint8Array(made.length)];
  const least = Math.min(old.length, made.length);
  let start = 0;
  while (start < least && old[start] === made[start]) { kept[0][start] = 1; kept[1][start++] = 1; }
  let end = 0;
  while (end < least - start && old[old.length - 1 - end] === made[made.length - 1 - end]) {
    kept[0][old.length - 1 - end] = 1;
    kept[1][made.length - 1 - end++] = 1;
  }
  const [high, wide] = [old.length - start - end, made.length - start - end];
  if (high * wide > MOST_PAIRS) return kept;
  const same = (a, b) => old[start + a] === made[start + b];
  const best = table(high, wide, (a, b) => (same(a, b) ? weight(old[start + a]) : 0));
  for (const [a, b] of path(best, high, wide, same)) kept[0][start + a] = kept[1][start + b] = 1;
  return kept;
}

// A blank between two marked words is marked with them.
function marksOf(words, kept) {
  const marks = [];
  let at = 0;
  words.forEach((word, number) => {
    const blank = /^\s/.test(word) && number > 0 && number < words.length - 1 && !kept[number - 1] && !kept[number + 1];
    const last = marks[marks.length - 1];
    if (!kept[number] || blank) {
      if (last && last[1] === at) last[1] = at + word.length;
      else marks.push([at, at + word.length]);
    }
    at += word.length;
  });
  return marks;
}
