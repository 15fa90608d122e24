"""Runs the cases once per change, each time in a fork of a process that has imported torch and collected the cases.

Nothing is compiled before the fork: torch registers patterns and fills its caches in the process with the change.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sampled import sample
from benchmarks.sensitivity.mutation import Mutation, Neutral
from benchmarks.sensitivity.reach import Reach, Recorder
from benchmarks.sensitivity.rewrite import Change, NotThere
from benchmarks.verdicts.planted import Keeper

# Without the place in torch, which stands apart.
_FIRST = re.compile(r"^ *first divergence +(.+?)(?: {3}\S+)?$", re.M)
TIMEOUT = 1800
"""Wall-clock seconds that one change may take."""
LIMIT = 120
"""CPU seconds after which no further case is started."""
ENOUGH = 6
"""The number of cases after which one that changed is enough; before that, it takes two."""
NOTED = 12
"""The number of noted cases after which a change that fails none is only noted."""


@dataclass
class Verdict:
    """The result of the cases for one change."""

    name: str
    state: str = "ran"
    """`ran`; `not there` if this torch lacks what the change is about; `broken` if the change could not be made."""
    note: str = ""
    cases: int = 0
    """Cases that ran."""
    changed: dict[str, str] = field(default_factory=dict)
    """The first divergence of each case."""
    errors: dict[str, str] = field(default_factory=dict)
    """The error that each case ended with: the compile failed, or an invariant of the test."""
    noted: dict[str, str] = field(default_factory=dict)
    """The codes of the changes for which a case is noted and passes: hints, spelling, equal machine code."""
    seconds: float = 0.0
    """CPU seconds."""

    @property
    def seen(self) -> bool:
        return bool(self.changed or self.errors)


class _Watch:
    """Notes how each case ended; with `stop`, ends the run once enough cases changed or LIMIT is reached."""

    def __init__(self, verdict: Verdict, stop: bool) -> None:
        self.verdict, self.stop = verdict, stop
        self.began = time.process_time()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call":
            self.verdict.cases += 1
        if not report.failed:
            if (
                codes := getattr(report, "compile_golden", {})
                .get("weights", {})
                .get("note")
            ):
                self.verdict.noted[report.nodeid] = ", ".join(codes)
            return
        texts = [str(report.longrepr)]
        # If an invariant of the test failed, the first divergence is in a separate section.
        texts += [text for title, text in report.sections if title == "compile-golden"]
        first = next((match for text in texts if (match := _FIRST.search(text))), None)
        if first is not None:
            self.verdict.changed[report.nodeid] = first[1]
        else:
            headline = getattr(report, "compile_golden_headline", None)
            self.verdict.errors[report.nodeid] = (
                headline or texts[0].strip().splitlines()[-1]
            )

    def done(self) -> bool:
        if not self.stop:
            return False
        changed = len(self.verdict.changed)
        enough = changed > 1 or (changed == 1 and self.verdict.cases >= ENOUGH)
        if not changed and not self.verdict.errors and len(self.verdict.noted) >= NOTED:
            return True
        return enough or time.process_time() - self.began > LIMIT


class _InPlaceOfTheTests:
    """A pytest plugin that hands the collected tests to `work`."""

    def __init__(self, work: Callable[[pytest.Session], None]) -> None:
        self.work = work
        self.error: Exception | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        try:
            self.work(session)
        except Exception as error:
            self.error = error  # pytest would only print it
        return True


def _warm(session: pytest.Session) -> None:
    """Import what compiling for each kind of target imports, as reported by a fork that did. Compile nothing here."""
    kinds = {item.nodeid.rpartition("[")[2]: item for item in reversed(session.items)}

    def imported() -> list[str]:
        _run_cases(session, list(kinds.values())[:6], _Watch(Verdict(""), stop=False))
        return sorted(sys.modules)

    names, _ = _forked(imported)
    for name in names or ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def _run_cases(
    session: pytest.Session, items: Sequence[pytest.Item], watch: _Watch
) -> None:
    session.config.pluginmanager.register(watch)
    for index, item in enumerate(items):
        following = (
            items[index + 1] if index + 1 < len(items) and not watch.done() else None
        )
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if watch.done():
            return


def record(arguments: Sequence[str], into: Path) -> None:
    """Append to a file which functions each case calls, except for cases already in it."""
    there = Reach(into).cases

    def work(session: pytest.Session) -> None:
        session.config.pluginmanager.register(Recorder(into))
        _run_cases(
            session,
            [item for item in session.items if item.nodeid not in there],
            _Watch(Verdict(""), stop=False),
        )

    _with_the_cases(work, arguments)


def _child(
    session: pytest.Session,
    items: Sequence[pytest.Item],
    name: str,
    change: Change,
    stop: bool,
    keep: Path | None,
) -> dict[str, Any]:
    verdict = Verdict(name)
    began = time.process_time()
    try:
        change()
    except NotThere as error:
        verdict.state, verdict.note = "not there", str(error)
        return asdict(verdict)
    except Exception:
        verdict.state, verdict.note = "broken", traceback.format_exc(limit=-2)
        return asdict(verdict)
    if keep is not None:
        session.config.pluginmanager.register(Keeper(keep, name))
    _run_cases(session, items, _Watch(verdict, stop))
    verdict.seconds = time.process_time() - began
    return asdict(verdict)


def _forked(make: Callable[[], Any]) -> tuple[Any, int]:
    """What `make` returns in a fork of this process, passed as JSON, or None; and the exit status of the fork."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            signal.alarm(TIMEOUT)
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            if not os.environ.get("SENSITIVITY_DEBUG"):
                os.dup2(silent, 2)
            with os.fdopen(writing, "w") as pipe:
                pipe.write(json.dumps(make()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, ended = os.waitpid(child, 0)
    return json.loads(text) if text else None, os.waitstatus_to_exitcode(ended)


def _trails() -> set[str]:
    """The cases whose goldens show what each step did; others can only blame the stages that they compare."""
    goldens = Path(__file__).parents[2] / "goldens"
    files = goldens.rglob("evidence*.jsonl")
    return {
        str(file.parent.relative_to(goldens))
        for file in files
        if '{"trail":' in file.read_text()
    }


def _folder(case: str) -> str:
    """`cases/test_x.py::test_y[3-cuda-sm90]`: `cases/test_x/test_y[3]/cuda-sm90`."""
    file, _, test = case.partition("::")
    name, _, parameters = test.rstrip("]").partition("[")
    *parts, maker, chip = parameters.split("-")
    return f"{file.removesuffix('.py')}/{name}{'[' + '-'.join(parts) + ']' if parts else ''}/{maker}-{chip}"


def _in_turn(*lists: Sequence[pytest.Item]) -> list[pytest.Item]:
    return [item for group in zip_longest(*lists) for item in group if item is not None]


def _by_file(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """One case of each test file, then the next of each."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    return _in_turn(*files.values())


def _order(
    items: Sequence[pytest.Item],
    change: Mutation | Neutral,
    saw: Counter[str],
    reach: Reach,
) -> list[pytest.Item]:
    """The cases to run, those most likely to see the change first; without those recorded as not reaching it.

    Cases that legitimately show a neutral change are left out too. First come, alternating, the cases meant for the
    change and those that reach it, then those for which that is unknown.
    """
    near = change.near if isinstance(change, Mutation) else ""
    left_out = change.left_out if isinstance(change, Neutral) else ""
    items = [
        item for item in items if not (left_out and re.search(left_out, item.nodeid))
    ]
    reached = {
        item.nodeid: reach.reached(item.nodeid, change.change.function)
        for item in items
    }
    # Called once per process, or has another name in the recording.
    if not any(reached.values()):
        reached = dict.fromkeys(reached, None)
    meant = [item for item in items if near and re.search(near, item.nodeid)]
    often = sorted(items, key=lambda item: -saw[item.nodeid])
    reaching = _by_file([item for item in often if reached[item.nodeid]])
    unknown = [item for item in often if reached[item.nodeid] is None]
    known_to_see = [item for item in unknown if saw[item.nodeid]]
    order = _in_turn(_by_file(meant), reaching)
    order += _in_turn(
        known_to_see, _by_file([item for item in unknown if not saw[item.nodeid]])
    )
    return list(dict.fromkeys(order))


def run(
    changes: Sequence[Mutation | Neutral],
    *,
    arguments: Sequence[str] = (),
    stop: bool = True,
    at_most: int | None = None,
    every: int = 1,
    only: Mapping[str, Collection[str]] | None = None,
    reach: Reach,
    keep: Path | None = None,
    seen: Callable[[Verdict], object] = lambda verdict: None,
) -> list[Verdict]:
    """Make each change in its own process and run the cases there.

    arguments: more arguments for pytest: test files, `-k`, `--compile-golden-dir`.
    stop: skip the remaining cases once enough of them changed, see ENOUGH.
    at_most: the maximum number of cases to run.
    every: run only every `every`-th case of each test file and target.
    only: the cases to run for each change, by its name; without it, all.
    reach: which cases call which functions, as far as known.
    keep: a file that gains what each case captured that has another text than its golden, see `benchmarks.verdicts`.
    seen: called with each verdict as it comes.

    Raises RuntimeError if no cases were collected, or pytest ended before any case ran.
    """
    verdicts: list[Verdict] = []
    problems: list[str] = []
    saw: Counter[str] = Counter()

    def work(session: pytest.Session) -> None:
        if not session.items:
            problems.append("no cases were collected")
            return
        _warm(session)
        trails = _trails()
        best = sorted(
            sample(session.items, every),
            key=lambda item: _folder(item.nodeid) not in trails,
        )
        for change in changes:
            these = best
            if only is not None:
                these = [item for item in best if item.nodeid in only[change.name]]
            items = _order(these, change, saw, reach)[:at_most]
            answer, status = _forked(
                partial(_child, session, items, change.name, change.change, stop, keep)
            )
            ended = {
                "name": change.name,
                "state": "broken",
                "note": f"the process ended with status {status}",
            }
            verdict = Verdict(**(answer or ended))
            verdicts.append(verdict)
            saw.update(case for case in verdict.changed if _folder(case) in trails)
            seen(verdict)

    _with_the_cases(work, arguments)
    if problems or not verdicts:
        raise RuntimeError("; ".join(problems) or "pytest ended before any case ran")
    return verdicts


def _with_the_cases(
    work: Callable[[pytest.Session], None], arguments: Sequence[str]
) -> None:
    """Have pytest collect the cases and hand them to `work`."""
    # In CI torch rejects a fallback for an operator with a decomposition (torch/_inductor/lowering.py: make_fallback).
    os.environ.pop("CI", None)
    options = [
        "--compile-golden",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "--compile-golden-pending=",
        *arguments,
    ]
    plugin = _InPlaceOfTheTests(work)
    with _quiet():
        pytest.main(options, plugins=[plugin])
    if plugin.error is not None:
        raise plugin.error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Discard pytest's own output; this program prints to stderr, or afterwards."""
    sys.stdout.flush()
    stdout = os.dup(1)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.close(stdout)
