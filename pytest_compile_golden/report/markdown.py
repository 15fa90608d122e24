"""A report as Markdown: a short job summary or comment, with details folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import without_path
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.goldens.ranking import told
from pytest_compile_golden.report import proofs, torch_changes
from pytest_compile_golden.report.case_groups import numbers_in
from pytest_compile_golden.report.failure_text import first_shown
from pytest_compile_golden.report.kernel_rows import cost_columns
from pytest_compile_golden.report.metric_columns import table
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    KernelRow,
    ProvedCause,
    Report,
    ReportedKernel,
    TorchFunction,
)
from pytest_compile_golden.report.run_summary import headline, sides, unavailable
from pytest_compile_golden.report.styled_lines import printable
from pytest_compile_golden.report.terminal_report import is_neutral, remarks
from pytest_compile_golden.report.text_diff import diff, to_compare
from pytest_compile_golden.torch_source.installed_sources import (
    source_link,
    source_root,
)

LIMIT = 60_000
"""In characters. A GitHub comment can hold 65,536; a job summary can hold more, but nobody reads more."""
PROVED = "Proved by undoing it in torch"
_IN_FULL = 8
_DIFF_LINES = 40
_MEMBERS = 12
_UNFOLDED = 12
_EDITS = 6
_COMMITS = 10
_DEFAULTS = 20
_KERNELS = 12
# At most one part in this many of the available room goes to torch's own sources.
_SOURCES = 4
_MARKUP = re.compile(r"([\\`*_{}\[\]#|~@])")
_RUN = re.compile(r"`+")
_LINK = re.compile(r"https://github\.com/[\w./#@%+-]+")


def render(report: Report, limit: int = LIMIT) -> str:
    """The report in at most `limit` characters; whatever does not fit is counted."""
    lines = [
        f"## {_escaped(report.title)}",
        "",
        f"**{_escaped(headline(report))}**",
        "",
    ]
    lines += [
        f"- {_escaped(line)}"
        for line in (*sides(report), *unavailable(report), *report.notes)
    ]
    head = "\n".join(lines) + "\n"
    room = limit // _SOURCES
    functions = (
        f"{_programs(report, room)}{proved(report, room)}{_functions(report, room)}"
    )
    return (
        f"{head}\n{groups(report, limit - len(head) - len(functions) - 200)}{functions}"
    )


def _programs(report: Report, room: int) -> str:
    """The smallest program of each change that has one, folded, in about `room` characters."""
    parts = [
        "\n".join(
            [
                f"<details><summary>{_in_html(group.text)}</summary>",
                "",
                *_fenced(group.program.rstrip(), "python"),
                "</details>",
                "",
            ]
        )
        for group in report.groups
        if group.program
    ]
    return (
        "\n".join(["", "### Smallest programs", "", *_fitting(parts, room)])
        if parts
        else ""
    )


def proved(report: Report, room: int) -> str:
    """The definitions of torch that are proved to have made changes, each once, folded with its diff, in about `room`
    characters, and why others were not proved; empty if nothing was tried."""
    made: dict[ProvedCause, dict[str, None]] = {}
    for group in report.groups:
        for cause in group.proof.causes if group.proof is not None else ():
            # How much of one change it explains is not said of the others.
            texts = made.setdefault(replace(cause, explains=0), {})
            texts |= dict.fromkeys((group.text, *group.edits[:_EDITS]))
    parts = []
    for cause, texts in made.items():
        what = "<br>".join(map(_in_html, texts))
        name = f"<code>{_in_html(proofs.named(cause))}</code>"
        diff_of = _fenced("\n".join(cause.diff), "diff") if cause.diff else [""]
        known = cause.link is not None and _LINK.fullmatch(cause.link)
        link = [f"[at this torch's commit]({cause.link})", ""] if known else []
        lines = [
            f"<details><summary>{what}: {name}</summary>",
            "",
            *link,
            *diff_of,
            "</details>",
            "",
        ]
        parts.append("\n".join(lines))
    shown = _fitting(parts, room)
    more = (
        [f"_{len(parts) - len(shown)} more: see the HTML report._", ""]
        if len(shown) < len(parts)
        else []
    )
    text = "\n".join(["", f"### {PROVED}", "", *shown, *more]) if parts else ""
    tried = [
        (group, group.proof)
        for group in report.groups
        if group.proof is not None and not group.proof.proved
    ]
    why = [
        f"- {_code(group.text)}: {_escaped(proof.why_not)}" for group, proof in tried
    ]
    return text + (
        "\n".join(
            [
                "",
                "### Not proved",
                "",
                *_fitting(why, max(room - len(text), room // 4)),
                "",
            ]
        )
        if why
        else ""
    )


def groups(report: Report, room: int) -> str:
    """The distinct changes in about `room` characters: a line each, with as much detail as fits for those that cost or
    save something; the others are folded."""
    source = source_root(report.new.commit, report.new.torch)
    by_id = {case.nodeid: case for case in report.cases}
    costly = [group for group in report.groups if not is_neutral(group)]
    neutral = [group for group in report.groups if is_neutral(group)]
    lines = [f"- {_title(group, source)}" for group in (*costly, *neutral)]
    # If there are too many to list them all, details of the costliest changes say more than some of the others.
    every = (
        lines if sum(map(len, lines)) < room * 2 // 3 else _fitting(lines, room // 3)
    )
    spare = room - sum(len(line) + 1 for line in every)
    parts = every[: len(costly)]
    for number, group in enumerate(costly[: min(len(parts), _IN_FULL)]):
        text = _group(
            group,
            [by_id[nodeid] for nodeid in group.members if nodeid in by_id],
            source,
        )
        if len(text) - len(parts[number]) <= spare:
            spare -= len(text) - len(parts[number])
            parts[number] = text
    neutral_parts = every[len(costly) :]
    if neutral_parts:
        # If there is nothing else to show, they are not folded away.
        folded = len(costly) > 0 and len(neutral) > _UNFOLDED
        move = "moves" if len(neutral) == 1 else "move"
        changes = quantity(len(neutral), "distinct change")
        summary = f"{changes} that {move} no metric by 1 %"
        parts += (
            [f"<details><summary>{summary}</summary>", ""]
            if folded
            else [f"### {summary}", ""]
        )
        parts += (
            [*neutral_parts, "", "</details>", ""] if folded else [*neutral_parts, ""]
        )
    if len(every) < len(report.groups):
        left_out = len(report.groups) - len(every)
        parts.append(
            f"_{quantity(left_out, 'more distinct change')}: see the HTML report._\n"
        )
    return "\n".join(parts)


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """As many of the first lines as fit into `room` characters."""
    fitting: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _group(group: CaseGroup, cases: Sequence[CaseReport], source: str | None) -> str:
    lines = [f"### {_title(group, source)}", ""]
    lines += [f"- {_code(edit)}" for edit in group.edits[:_EDITS]]
    if len(group.edits) > _EDITS:
        lines.append(f"- {quantity(len(group.edits) - _EDITS, 'more edit')}")
    # Without text in between, Markdown would merge the two lists.
    lines += ["", *(["In:", ""] if group.edits else []), *_members(group, cases), ""]
    if cases:
        lines += _details(
            next((case for case in cases if _numbers(group, case)), cases[0])
        )
    return "\n".join(lines) + "\n"


def _title(group: CaseGroup, source: str | None) -> str:
    where = f" {_location(group.where, source)}" if group.where else ""
    cost = f": {_code(group.consequence)}" if group.consequence else ""
    aside = "".join(f" ({_escaped(remark)})" for remark in remarks(group))
    alone = (
        f" {_code(without_path(group.members[0]))}"
        if len(group.members) == 1 and not cost
        else ""
    )
    return f"{quantity(len(group.members), 'case')}: {_code(group.text)}{cost}{aside}{where}{alone}"


def _location(where: str, source: str | None) -> str:
    """A file and line; if it is torch's, as a link to it below the address `source`."""
    link = source_link(source, where)
    return _code(where) if link is None else f"[{_code(where)}]({link})"


def _functions(report: Report, room: int) -> str:
    """What torch's authors changed, folded, in at most `room` characters; empty if the report has no such changes."""
    parts = [_function(report, function) for function in report.functions]
    if report.defaults:
        defaults = [
            f"- {_code(torch_changes.default_text(default))}"
            for default in report.defaults[:_DEFAULTS]
        ]
        if len(report.defaults) > _DEFAULTS:
            defaults.append(f"- {len(report.defaults) - _DEFAULTS} more")
        parts.append(
            "\n".join([f"{torch_changes.defaults_title(report)}:", "", *defaults, ""])
        )
    shown = 0
    while shown < len(parts) and len(parts[shown]) <= room:
        room -= len(parts[shown])
        shown += 1
    if not parts:
        return ""
    more = (
        [f"_{len(parts) - shown} more: see the HTML report._", ""]
        if shown < len(parts)
        else []
    )
    title = f"{torch_changes.TITLE}: {quantity(len(report.functions), 'function')}"
    return "\n".join(
        [
            "",
            f"<details><summary>{title}</summary>",
            "",
            *parts[:shown],
            *more,
            "</details>",
            "",
        ]
    )


def _function(report: Report, function: TorchFunction) -> str:
    link = torch_changes.link(report, function)
    where = (
        _code(function.where) if link is None else f"[{_code(function.where)}]({link})"
    )
    lines = [f"{_code(torch_changes.title(function))} {where}"]
    lines += (
        _fenced("\n".join(function.diff), "diff")
        if function.diff
        else ["", torch_changes.UNCHANGED, ""]
    )
    if function.commits is not None:
        lines += [proofs.commits_title(function.commits), ""]
        lines += [f"- {_code(commit)}" for commit in function.commits[:_COMMITS]]
        if len(function.commits) > _COMMITS:
            lines.append(f"- {len(function.commits) - _COMMITS} more")
        lines.append("")
    return "\n".join(lines)


def _members(group: CaseGroup, cases: Sequence[CaseReport]) -> Iterator[str]:
    shown = [case for case in cases if _numbers(group, case)][:_MEMBERS]
    if shown:
        yield from ("| case | metrics |", "|---|---|")
        for case in shown:
            numbers = "<br>".join(
                _code(row, table=True) for row in _numbers(group, case)
            )
            yield f"| {_code(case.nodeid, table=True)} | {numbers} |"
    else:
        shown = list(cases[:_MEMBERS])
        yield from (f"- {_code(case.nodeid)}" for case in shown)
    if len(cases) > len(shown):
        yield from ("", f"and {quantity(len(cases) - len(shown), 'more case')}")


def _numbers(group: CaseGroup, case: CaseReport) -> list[str]:
    rows = table(told(numbers_in(group.keys, case)))
    return [" ".join(text.split()) for _, text in rows]


def _details(case: CaseReport) -> Iterator[str]:
    """The first divergence of one of the cases, and the commands to continue from there."""
    yield f"<details><summary>{_in_html(case.nodeid)}</summary>"
    yield ""
    if case.error is not None:
        yield from _fenced(case.error[-4000:], "text")
    stage = first_shown(case)
    if stage is not None and stage.old and stage.new:
        shown = diff(*to_compare(stage), limit=_DIFF_LINES)
        yield f"{_code(stage.file)}"
        yield from _fenced("\n".join(text for _, text in shown), "diff")
    yield from _kernels([row for row in case.kernels if row.changed])
    if case.moved_from is not None:
        yield f"looks moved from {_code(case.moved_from)}"
    for label, command in (
        ("reproduce", case.reproduce),
        ("move", case.move),
        ("accept", case.accept),
    ):
        if command is not None:
            yield f"{label}:"
            yield from _fenced(command, "sh")
    yield "</details>"


def _kernels(rows: Sequence[KernelRow]) -> Iterator[str]:
    """The kernels that changed, folded; nothing if none did."""
    if not rows:
        return
    yield from (
        "",
        f"<details><summary>{quantity(len(rows), 'kernel')} changed</summary>",
        "",
    )
    yield from ("| before | after | launches | costs | why |", "|---|---|---|---|---|")
    for row in rows[:_KERNELS]:
        names = [_kernel(kernel) for kernel in (row.old, row.new)]
        numbers = cost_columns(row.old, row.new)
        cells = [
            *names,
            *(
                "<br>".join(_code(text, table=True) for text in part)
                for part in (*numbers, row.why)
            ),
        ]
        yield f"| {' | '.join(cells)} |"
    if len(rows) > _KERNELS:
        yield from ("", f"and {quantity(len(rows) - _KERNELS, 'more kernel')}")
    yield from ("", "</details>", "")


def _kernel(kernel: ReportedKernel | None) -> str:
    texts = (
        []
        if kernel is None
        else [kernel.name or kernel.kind, ", ".join(kernel.computes)]
    )
    return "<br>".join(_code(text, table=True) for text in texts if text)


def _fenced(text: str, language: str) -> list[str]:
    # The fence is longer than any run of backticks in the text, so nothing in the text can end it.
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [
        "",
        fence + language,
        *(printable(line) for line in split_lines(text)),
        fence,
        "",
    ]


def _code(text: str, table: bool = False) -> str:
    """Inline code, in which nothing is markup, except that a `|` would end a table cell."""
    flat = " ".join(printable(text).split())
    longest = max((len(run) for run in _RUN.findall(flat)), default=0)
    fence = "`" * (longest + 1)
    room = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{room}{flat.replace('|', chr(92) + '|') if table else flat}{room}{fence}"


def _escaped(text: str) -> str:
    return html.escape(_MARKUP.sub(r"\\\1", printable(text)), quote=False)


def _in_html(text: str) -> str:
    """Between tags; no link, wherever Markdown is read even there."""
    return html.escape(printable(text)).replace("](", "]&#40;")
