// Creates elements from plain values; text is never parsed as markup.

function el(name, attributes, ...children) {
  const made = document.createElement(name);
  return fill(made, attributes, children);
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return fill(made, attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// A file and line; if it is torch's, as a link to its source if that is known: that of the release it names, if any.
function sourceOf(where) {
  const found = index.source && /^(torch\/[\w/.-]+\.\w+):(\d+)(?:@(\d+\.\d+\.\d+))?$/.exec(where);
  const shown = el("code", { class: "where" }, where);
  const root = found && found[3] ? `https://github.com/pytorch/pytorch/blob/v${found[3]}/` : index.source;
  return found ? el("a", { href: `${root}${found[1]}#L${found[2]}`, rel: "noreferrer" }, shown) : shown;
}

function json(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function plural(number, noun) {
  return number === 1 ? `${number} ${noun}` : `${number} ${noun}s`;
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "copy", title: "copy the command" }, "copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text)) ? "copied" : "press Ctrl+C";
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A file opened from disk may have no clipboard access: select the text, and ask the browser to copy it.
    const field = el("textarea", { class: "offscreen" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

// A row of buttons, one of which is chosen; arrow keys move along it.
function chooser(label, names, chosen, choose) {
  const buttons = names.map((name, at) =>
    el("button", { type: "button", role: "tab", "aria-selected": String(at === chosen), tabindex: at === chosen ? 0 : -1,
      onclick: () => pick(at) }, name));
  function pick(at) {
    buttons.forEach((button, number) => {
      button.setAttribute("aria-selected", String(number === at));
      button.tabIndex = number === at ? 0 : -1;
    });
    choose(at);
  }
  const row = el("div", { class: "tabs", role: "tablist", "aria-label": label }, buttons);
  row.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[at].focus();
    pick(at);
  });
  return row;
}
