// Syntax colouring for Python, C++, TOML and our own texts, one line at a time.

const TOKENS = new RegExp(
  [
    "(?<comment>(?:^|\\s)(?:#|\\/\\/).*$)",
    "(?<string>'(?:\\\\.|[^'\\\\])*'|\"(?:\\\\.|[^\"\\\\])*\")",
    "(?<keyword>\\b(?:def|return|for|in|if|else|elif|while|import|from|as|with|not|and|or|is|None|True|False|lambda" +
      "|auto|void|float|double|int|bool|char|const|static|template|extern|inline|using|namespace|unsigned|constexpr)\\b)",
    "(?<type>\\b(?:b8|bf16|[fiuc](?:8|16|32|64|128)|[iu]?int\\d+_t)(?![\\w])|\\bSym\\b)",
    "(?<call>\\b[A-Za-z_][\\w.]*(?=\\())",
    "(?<number>\\b\\d[\\d_]*(?:\\.\\d+)?(?:[eE][-+]?\\d+)?[LUuf]*\\b)",
    "(?<decorator>@[\\w.]+)",
  ].join("|"),
  "g",
);

// A coloured line in which the ranges in `marks` are marked; each is [from, to] in characters.
function coloured(line, marks = []) {
  const holder = el("span", {});
  const mark = (at) => marks.find(([from, to]) => from <= at && at < to);
  let marked = null;
  let markedIn = null;
  const put = (from, to, kind) => {
    for (let at = from; at < to;) {
      const own = mark(at);
      const next = own ? own[1] : Math.min(to, ...marks.map(([start]) => start).filter((start) => start > at));
      const text = line.slice(at, Math.min(to, next));
      if (own && own !== markedIn) holder.append((marked = el("mark", {})));
      markedIn = own;
      (own ? marked : holder).append(kind ? el("span", { class: `t-${kind}` }, text) : text);
      at += text.length;
    }
  };
  let done = 0;
  for (const found of line.matchAll(TOKENS)) {
    put(done, found.index, null);
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    put(found.index, found.index + found[0].length, kind);
    done = found.index + found[0].length;
  }
  put(done, line.length, null);
  return [...holder.childNodes];
}
