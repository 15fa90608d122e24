// Colours of Python, C++, TOML and our own texts, one line at a time.

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

function coloured(line) {
  const parts = [];
  let done = 0;
  for (const found of line.matchAll(TOKENS)) {
    if (found.index > done) parts.push(line.slice(done, found.index));
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    parts.push(el("span", { class: `t-${kind}` }, found[0]));
    done = found.index + found[0].length;
  }
  if (done < line.length) parts.push(line.slice(done));
  return parts;
}
