"""Runs the cases once per change, each time in a fork of one process that has imported torch and collected the cases.

Nothing is compiled before the fork: torch registers patterns and fills its caches in the process that has the change.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sensitivity.mutation import Mutation, Neutral
from benchmarks.sensitivity.rewrite import Change, NotThere

_FIRST = re.compile(r"^ *first divergence +(.+)", re.M)
TIMEOUT = 600
"""Seconds that one change may take."""


@dataclass
class Verdict:
    """What the cases said to one change."""

    name: str
    state: str = "ran"
    """`ran`; `not there`, where this torch has no such place; `broken`, where the change could not be made."""
    note: str = ""
    cases: int = 0
    """Cases that ran."""
    changed: dict[str, str] = field(default_factory=dict)
    """Case to its first divergence."""
    errors: dict[str, str] = field(default_factory=dict)
    """Case to the error that it ended with: the compile failed, or an invariant of the test."""
    seconds: float = 0.0

    @property
    def seen(self) -> bool:
        return bool(self.changed or self.errors)


class _Watch:
    """Notes how each case ended, and stops at the first change where that is enough."""

    def __init__(self, verdict: Verdict, stop: bool) -> None:
        self.verdict, self.stop = verdict, stop

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call":
            self.verdict.cases += 1
        if not report.failed:
            return
        said = [str(getattr(report, "compile_golden_headline", None) or report.longrepr)]
        # What an invariant of the test stopped says it in a section of its own.
        said += [text for title, text in report.sections if title == "compile-golden"]
        found = next((each for text in said if (each := _FIRST.search(text))), None)
        if found is not None:
            self.verdict.changed[report.nodeid] = found[1]
        else:
            self.verdict.errors[report.nodeid] = said[0].strip().splitlines()[-1]

    def done(self) -> bool:
        return self.stop and bool(self.verdict.changed)


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


def _warm() -> None:
    """Import what compiling imports. Compile nothing, register nothing."""
    import importlib
    import pkgutil

    import torch._inductor.compile_fx
    import torch._inductor.fx_passes
    import torch._inductor.kernel
    import torch._inductor.lowering

    for name in (
        "torch._inductor.codegen.cpp",
        "torch._inductor.codegen.triton",
        "torch._inductor.codegen.cuda_combined_scheduling",
        "torch._inductor.runtime.triton_heuristics",
        "torch._dynamo.variables.builder",
        "torch._higher_order_ops.flex_attention",
        "torch.testing._internal.inductor_utils",
        "transformers.models.llama.modeling_llama",
        "pytest_compile_golden.observe.probes",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for package in (torch._inductor.fx_passes, torch._inductor.kernel):
        for found in pkgutil.iter_modules(package.__path__):
            with contextlib.suppress(Exception):
                importlib.import_module(f"{package.__name__}.{found.name}")


def _run_cases(session: pytest.Session, items: Sequence[pytest.Item], watch: _Watch) -> None:
    session.config.pluginmanager.register(watch)
    for place, item in enumerate(items):
        following = items[place + 1] if place + 1 < len(items) and not watch.done() else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if watch.done():
            return


def _child(session: pytest.Session, items: Sequence[pytest.Item], name: str, change: Change, stop: bool) -> Verdict:
    verdict = Verdict(name)
    began = time.monotonic()
    try:
        change()
    except NotThere as error:
        verdict.state, verdict.note = "not there", str(error)
        return verdict
    except Exception:
        verdict.state, verdict.note = "broken", traceback.format_exc(limit=-2)
        return verdict
    _run_cases(session, items, _Watch(verdict, stop))
    verdict.seconds = time.monotonic() - began
    return verdict


def _forked(make: Callable[[], Verdict], name: str) -> Verdict:
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
                pipe.write(json.dumps(asdict(make())))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if not text:
        return Verdict(name, "broken", f"the process ended with status {os.waitstatus_to_exitcode(status)}")
    return Verdict(**json.loads(text))


def _order(items: Sequence[pytest.Item], near: str, saw: Counter[str]) -> list[pytest.Item]:
    """First the cases that use the changed place, then those that saw most changes and those that saw none in turn."""
    first = [item for item in items if near and re.search(near, item.nodeid)]
    rest = [item for item in items if item not in first]
    often = sorted((item for item in rest if saw[item.nodeid]), key=lambda item: -saw[item.nodeid])
    never = [item for item in rest if not saw[item.nodeid]]
    return first + [item for pair in zip_longest(often, never) for item in pair if item is not None]


def run(
    changes: Sequence[Mutation | Neutral],
    *,
    arguments: Sequence[str] = (),
    stop: bool = True,
    at_most: int | None = None,
    seen: Callable[[Verdict], object] = lambda verdict: None,
) -> list[Verdict]:
    """Make each change in a process of its own and run the cases there.

    arguments: what pytest gets besides: test files, `-k`, `--compile-golden-dir`.
    stop: leave the rest of the cases out once one has changed.
    at_most: how many cases to run.
    seen: called with each verdict as it comes.

    Raises RuntimeError where cases fail without any change, or there are none.
    """
    verdicts: list[Verdict] = []
    problems: list[str] = []
    saw: Counter[str] = Counter()

    def work(session: pytest.Session) -> None:
        if not session.items:
            problems.append("no cases were collected")
            return
        _warm()
        for each in changes:
            near = each.near if isinstance(each, Mutation) else ""
            items = _order(session.items, near, saw)[:at_most]
            verdict = _forked(partial(_child, session, items, each.name, each.change, stop), each.name)
            verdicts.append(verdict)
            saw.update(list(verdict.changed))
            seen(verdict)

    # There torch refuses a fallback beside a decomposition (torch/_inductor/lowering.py, make_fallback).
    os.environ.pop("CI", None)
    given = ["--compile-golden", "-q", "-n0", "-p", "no:cacheprovider", "--compile-golden-pending=", *arguments]
    plugin = _InPlaceOfTheTests(work)
    with _quiet():
        status = pytest.main(given, plugins=[plugin])
    if plugin.error is not None:
        raise plugin.error
    if problems or not verdicts:
        raise RuntimeError("; ".join(problems) or f"pytest ended with {status!r} before any case ran")
    return verdicts


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """pytest's own output to nowhere; what this program prints goes to stderr or comes after."""
    sys.stdout.flush()
    kept = os.dup(1)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
