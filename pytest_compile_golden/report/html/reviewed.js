// Reviewed distinct changes: ticked one by one, remembered by the browser, and accepted with one command.

const reviewed = new Set();

function storedAs() {
  return `compile-golden-reviewed ${index.title}`;
}

// Restores the ticks from the last time the page was open.
function recall() {
  const known = new Set(index.groups.flatMap((group) => group.digests));
  try {
    const stored = localStorage.getItem(storedAs());
    for (const digest of stored ? JSON.parse(stored) : []) if (known.has(digest)) reviewed.add(digest);
  } catch {
    // Some browsers have no storage for files on disk: the ticks then last as long as the page.
  }
}

function keep() {
  try {
    localStorage.setItem(storedAs(), JSON.stringify([...reviewed]));
  } catch {
    // As above.
  }
}

function isReviewed(group) {
  return group.digests.length > 0 && group.digests.every((digest) => reviewed.has(digest));
}

// A checkbox for a distinct change; `changed` is called afterwards.
function reviewedBox(group, changed) {
  if (!group.digests.length) return el("span", {});
  const box = el("input", { type: "checkbox", checked: isReviewed(group), title: "reviewed", "aria-label": `reviewed: ${group.text}` });
  box.addEventListener("change", () => {
    for (const digest of group.digests) {
      if (box.checked) reviewed.add(digest);
      else reviewed.delete(digest);
    }
    keep();
    changed();
  });
  return box;
}

// How many were reviewed, and the command that accepts exactly those.
function reviewedView() {
  const every = index.groups.filter((group) => group.digests.length);
  const done = every.filter(isReviewed);
  if (!done.length) return [];
  const command = ["compile-golden accept", ...done.flatMap((group) => group.digests.map((digest) => `--change ${digest}`))].join(" ");
  return [el("span", {}, `${done.length} of ${plural(every.length, "distinct change")} reviewed`),
    index.goldens ? el("span", { class: "label" }, "accept these") : null,
    index.goldens ? el("code", {}, command) : null,
    index.goldens ? copyButton(command) : null].filter(Boolean);
}
