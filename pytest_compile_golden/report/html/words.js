// Which lines of the two sides match, and which words of a line are missing from its counterpart.

const PLACE = /(\.(?:pyi?|cpp|cu|h):)\d+/;
const WORDS = /[\w./<>-]+\.(?:pyi?|cpp|cu|h):\d+|[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*|\d[\w.]*(?:(?<=\de)[-+]\d+)?|\s+|[^]/gu;
// Above this many pairs of words, everything between the common start and end of two lines counts as different.
const MOST_PAIRS = 250000;
// Lines that are less alike are two separate lines, not one that changed.
const ALIKE = 0.5;

// How significant a word is: a name more than a bracket, whitespace hardly at all.
function weight(word) {
  return /^\s/.test(word) ? 0.1 : /^\w/.test(word) ? 1 + Math.min(word.length, 8) : 1;
}

// How often each word occurs in a line; the parts of a dotted name are separate words.
function bagOf(line) {
  const bag = new Map();
  for (const word of line.match(/\w+|[^\s\w]/g) || []) bag.set(word, (bag.get(word) || 0) + 1);
  return bag;
}

// How much two lines have in common, from 0 to 1.
function likeness(one, other) {
  let [shared, all] = [0, 0];
  for (const [word, times] of one) {
    shared += 2 * weight(word) * Math.min(times, other.get(word) || 0);
    all += weight(word) * times;
  }
  for (const [word, times] of other) all += weight(word) * times;
  return all ? shared / all : 0;
}

// Pairs of matching lines, as [old, new], in order, chosen for the greatest overall likeness.
function pairs(before, after) {
  if (before.length * after.length > MOST_PAIRS / 20) return [];
  const [old, made] = [before.map(bagOf), after.map(bagOf)];
  const alike = old.map((one) => made.map((other) => likeness(one, other)));
  const best = table(old.length, made.length, (a, b) => (alike[a][b] < ALIKE ? 0 : alike[a][b]));
  return path(best, old.length, made.length, (a, b) => alike[a][b] >= ALIKE);
}

// The greatest total worth of a common subsequence of old[a…] and new[b…].
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

// The words that only one of the two lines has, as [from, to] in characters. Changed line numbers are ignored.
function wordMarks(one, other) {
  const [old, made] = [one, other].map((line) => line.match(WORDS) || []);
  const kept = common(...[old, made].map((words) => words.map((word) => word.replace(PLACE, "$1"))));
  const marks = [marksOf(old, kept[0]), marksOf(made, kept[1])];
  // Whitespace is marked only if nothing else changed.
  const said = marks.map((all, side) => all.filter(([from, to]) => [one, other][side].slice(from, to).trim()));
  return said.some((all) => all.length) ? said : marks;
}

// For each word of both lines, whether it is in the most significant common subsequence.
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

// Whitespace between two marked words is marked too.
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
