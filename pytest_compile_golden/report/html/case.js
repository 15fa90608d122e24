// A case's page: its name, where it changed first, the pipeline as a strip, and the selected stage.

// asked: the file of the stage to open first. chosen: called with the stage that was chosen.
function caseView(row, page, asked, chosen) {
  const first = page.divergence;
  const named = page.stages.findIndex((stage) => stage.file === asked);
  const changed = page.stages.findIndex((stage) => !["same", "unavailable"].includes(stage.kind));
  const at = Math.max(0, named >= 0 ? named : page.shown !== null ? page.shown : changed);
  const holder = el("div", {});
  const show = (number) => holder.replaceChildren(stageView(page.stages[number], page));
  const choose = (number) => {
    show(number);
    chosen(page.stages[number]);
  };
  if (page.stages.length) show(at);
  const [file, ...names] = row.nodeid.split("::");
  return el("article", { class: "case" },
    el("h1", {}, el("span", { class: "dim" }, names.length ? `${file}::` : ""), names.join("::") || file,
      el("span", { class: `badge ${row.outcome}` }, SAID[row.outcome] || row.outcome)),
    el("p", { class: "dim" }, [row.target, row.seconds !== null && `${row.seconds} s`].filter(Boolean).join(" · ")),
    first ? firstView(first) : null,
    sourcesView(page.functions.map((at) => index.functions[at]), false),
    page.moved_from ? el("p", {}, "looks moved from ", el("code", {}, page.moved_from)) : null,
    page.error ? el("pre", { class: `error ${row.outcome}`, tabindex: 0 }, page.error) : null,
    metricsView(page.metrics),
    page.stages.length ? el("h2", {}, "pipeline") : null,
    page.stages.length ? strip(page.stages, page.shown, at, choose) : null,
    holder, kernelsView(page.kernels), linkedView(page), commandsView(page));
}

function firstView(first) {
  return el("div", { class: "first" },
    el("div", {}, el("span", { class: "label" }, "first divergence"), el("strong", {}, first.text)),
    first.where ? el("div", {}, el("span", { class: "label" }, "at"), sourceOf(first.where)) : null,
    first.also ? el("div", {}, el("span", { class: "label" }, "also (unrelated)"), el("strong", {}, first.also)) : null,
    first.also_where ? el("div", {}, el("span", { class: "label" }, "at"), sourceOf(first.also_where)) : null,
    first.then.length ? el("div", {}, el("span", { class: "label" }, "then"), first.then.join(", ")) : null);
}

function strip(stages, first, chosen, choose) {
  const found = chooser("pipeline", stages.map((stage) => stageName(stage)), chosen, choose);
  found.className = "strip";
  [...found.children].forEach((button, at) => {
    button.classList.add(stages[at].kind);
    const flagged = at === first;
    if (flagged) button.prepend(el("span", { class: "flag", title: "first divergence" }, "⚑ "));
    button.title = `${stages[at].kind}${stages[at].about ? `: ${stages[at].about}` : ""}${flagged ? ", first divergence" : ""}`;
  });
  return found;
}

// `post_grad_graph.decode` for `post_grad_graph.decode.py`.
function stageName(stage) {
  return stage.file.replace(/\.[a-z0-9]+$/, "");
}

function commandsView(page) {
  if (!page.commands.length) return null;
  return el("section", { class: "commands" }, el("h2", {}, "commands"), page.commands.map(([label, shown, command]) =>
    el("div", { class: "command" }, el("span", { class: "label" }, label), el("code", {}, shown), copyButton(command))));
}
