// Routing by the URL's fragment, keyboard shortcuts, and the dark and light themes.

const index = { ...json("index"), cases: [] };
const main = document.getElementById("main");
let current = null;
// Whether to focus the search box when the overview is shown.
let searching = false;
// The overview's scroll position when it was left.
let scrolled = 0;

// Tests and their cases in the order of the overview, so that "next" follows the table; all are there once unpacked.
let tests = [];
let sequence = [];

const unpacked = new Map();

// A case's page. Cases are compressed in packs, which stay unpacked once one of their cases was viewed.
async function pageOf(number) {
  const pack = Math.floor(number / index.pack);
  if (!unpacked.has(pack)) unpacked.set(pack, unpack(document.getElementById(`pack-${pack}`).textContent));
  return (await unpacked.get(pack))[number % index.pack];
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function start() {
  const columns = Object.entries(await unpack(document.getElementById("rows").textContent));
  index.cases = (columns[0]?.[1] ?? []).map((_, at) => Object.fromEntries(columns.map(([name, values]) => [name, values[at]])));
  tests = testsOf(index.cases);
  sequence = tests.flatMap((test) => [...test.cells.values()].map((cell) => cell.number));
  await show();
}

// `#case=3`, or `#case=3&stage=triton_code.py` for one stage of it.
async function show() {
  const asked = /^#case=(\d+)(?:&stage=([\w.-]+))?$/.exec(location.hash);
  const left = current;
  if (left === null) scrolled = window.scrollY;
  current = asked && index.cases[Number(asked[1])] ? Number(asked[1]) : null;
  const row = current === null ? null : index.cases[current];
  document.getElementById("crumb").textContent = row ? `${sequence.indexOf(current) + 1} of ${sequence.length}` : "";
  document.title = row ? row.nodeid : index.title;
  for (const id of ["previous", "next"]) document.getElementById(id).hidden = row === null && id === "previous";
  if (row) {
    const number = current;
    const page = await pageOf(number);
    if (number !== current) return; // another page was opened in the meantime
    main.replaceChildren(caseView(row, page, asked[2], remember));
    window.scrollTo(0, 0);
  } else {
    main.replaceChildren(overview());
    window.scrollTo(0, scrolled);
    const link = main.querySelector(`a[href="#case=${left}"]`);
    (searching ? document.getElementById("search") : link)?.focus();
  }
  searching = false;
}

// Put the current stage into the URL, so that it can be shared.
function remember(stage) {
  history.replaceState(null, "", `#case=${current}&stage=${stage.file}`);
}

function go(step) {
  const shown = sequence.filter((number) => matches(index.cases[number], number));
  const along = shown.includes(current) || current === null ? shown : sequence;
  const at = current === null ? (step > 0 ? 0 : along.length - 1) : along.indexOf(current) + step;
  if (along[at] !== undefined) location.hash = `#case=${along[at]}`;
}

function theme(name) {
  if (name) document.documentElement.dataset.theme = name;
  try {
    if (name) localStorage.setItem("compile-golden-theme", name);
    else return localStorage.getItem("compile-golden-theme");
  } catch {
    // Some browsers have no storage for files on disk.
  }
  return null;
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  theme(dark ? "light" : "dark");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
  if (event.key === "Escape") {
    if (current !== null) location.hash = "#";
    else if (typing && filter.text) {
      // The browser's own Esc would only clear the box.
      event.preventDefault();
      filter.text = "";
      refilter();
    } else unfilter();
    if (typing) event.target.blur();
    return;
  }
  if (typing && event.key === "Enter") go(1);
  if (typing) return;
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "t") toggleTheme();
  else if (event.key === "/") {
    event.preventDefault();
    searching = true;
    if (current === null) document.getElementById("search").focus();
    else location.hash = "#";
  }
});
document.getElementById("previous").addEventListener("click", () => go(-1));
document.getElementById("next").addEventListener("click", () => go(1));
document.getElementById("theme").addEventListener("click", toggleTheme);
window.addEventListener("hashchange", show);
history.scrollRestoration = "manual";
theme(theme());
recall();
start();
