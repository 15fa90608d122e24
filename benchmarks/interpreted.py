"""How the suite's kernels fare in Triton's interpreter: `python -m benchmarks.interpreted [PYTEST OPTIONS]`.

Every case for cuda-sm90 is captured and checked as with `--compile-golden-numerics`. Prints Markdown: kernels by kind
and verdict, checks by subject, what could not be interpreted and why, what is blamed, and CPU seconds. With
`--kept FILE`, the result of each case is appended to the file when it ends, and cases in the file are not run again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_compile_golden import api
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import EagerFailed, NotInterpretable
from pytest_compile_golden.facts.numerics import Numerics

TARGET = "cuda-sm90"
_WIDTH = 160
VERDICTS = ("right", "strides", "wrong", "not interpreted", "not reached")
KINDS = {
    "pointwise": "pointwise",
    "reduction": "reduction",
    "persistent_reduction": "reduction in one block",
    "cooperative_reduction": "cooperative reduction",
    "split_scan": "scan with look-back",
    "template": "template",
    "user_autotune": "the user's own",
    "fixed": "the user's own",
}


@dataclass
class Check:
    """One capture compared with eager."""

    case: str
    kernels: dict[str, str] = field(default_factory=dict)
    """The kind of each kernel that was loaded."""
    launches: Counter[str] = field(default_factory=Counter)
    verdict: str = "right"
    message: str = ""
    compared: int = 0
    seconds: float = 0.0
    """CPU seconds."""

    def verdict_of(self, kernel: str) -> str:
        if self.verdict == "not interpreted":
            return (
                "not interpreted"
                if self.message.startswith(f"{kernel}: ")
                else "not reached"
            )
        return self.verdict if self.launches[kernel] else "not reached"


class Checks:
    """A pytest plugin that watches every check and everything that the interpreter is given."""

    def __init__(self, kept: Path | None = None) -> None:
        self.all: list[Check] = []
        self.seconds: dict[str, float] = {}
        """CPU seconds of each case: capture, checks and comparison."""
        self._kept = kept
        for line in (
            kept.read_text().splitlines() if kept is not None and kept.exists() else []
        ):
            case = json.loads(line)
            self.seconds[case["case"]] = case["seconds"]
            self.all += [
                Check(**check | {"launches": Counter(check["launches"])})
                for check in case["checks"]
            ]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.seconds]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before, began = len(self.all), time.process_time()
        try:
            with pytest.MonkeyPatch.context() as patch:
                self._watch(patch, item.nodeid)
                return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - began
            if self._kept is not None:
                checks = [vars(check) for check in self.all[before:]]
                line = {
                    "case": item.nodeid,
                    "seconds": self.seconds[item.nodeid],
                    "checks": checks,
                }
                with self._kept.open("a") as file:
                    file.write(json.dumps(line) + "\n")

    def _watch(self, patch: pytest.MonkeyPatch, case: str) -> None:
        from pytest_compile_golden.features.numerics.interpreter.machine import Machine

        numerics, load, launch = api.numerics, Machine.kernel, Machine.launch

        def watched(*args: Any, **kwargs: Any) -> Any:
            check = Check(case)
            self.all.append(check)
            with self._verdict_into(check):
                result = numerics(*args, **kwargs)
                check.verdict, check.compared = _verdict(result), result.compared
                check.message = (
                    "" if result else str(result.first or result.findings[0])
                )
                return result

        def loaded(machine: Machine, name: str, source: str) -> Any:
            kernel = load(machine, name, source)
            kind = str(getattr(kernel.heuristic, "name", kernel.heuristic)).lower()
            self.all[-1].kernels[name] = KINDS.get(kind, kind)
            return kernel

        def launched(machine: Machine, kernel: Any, *args: Any) -> None:
            launch(machine, kernel, *args)
            self.all[-1].launches[kernel.name] += 1

        patch.setattr(api, "numerics", watched)
        patch.setattr(Machine, "kernel", loaded)
        patch.setattr(Machine, "launch", launched)

    @contextlib.contextmanager
    def _verdict_into(self, check: Check) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        except NotInterpretable as error:
            check.verdict, check.message = "not interpreted", str(error)
            raise
        except EagerFailed as error:
            check.verdict, check.message = "no eager side", str(error)
            raise
        except Exception as error:
            check.verdict, check.message = "failed", f"{type(error).__name__}: {error}"
            raise
        finally:
            check.seconds = time.process_time() - began


def _verdict(result: Numerics) -> str:
    kinds = {difference.kind for difference in result.differences}
    return (
        "right"
        if result
        else "strides"
        if kinds == {"strides"} and not result.findings
        else "wrong"
    )


def table(checks: Checks) -> Iterator[str]:
    """Kernels by kind and verdict, as Markdown."""
    counts: dict[str, Counter[str]] = {}
    launches: Counter[str] = Counter()
    for check in checks.all:
        for kernel, kind in check.kernels.items():
            counts.setdefault(kind, Counter())[check.verdict_of(kernel)] += 1
            launches[kind] += check.launches[kernel]
    shown = list(
        dict.fromkeys(
            [*VERDICTS, *(verdict for row in counts.values() for verdict in row)]
        )
    )
    yield f"| kernels | {' | '.join(shown)} | launches |"
    yield "|---" * (len(shown) + 2) + "|"
    for kind, row in sorted(counts.items(), key=lambda item: -item[1].total()):
        yield f"| {kind} | {' | '.join(str(row[verdict] or '') for verdict in shown)} | {launches[kind]} |"
    total = sum(counts.values(), Counter())
    yield f"| all | {' | '.join(str(total[verdict] or '') for verdict in shown)} | {launches.total()} |"


def subjects(checks: Checks) -> Iterator[str]:
    """Checks by file of the case and by verdict, with the CPU seconds of the file's cases."""
    counts: dict[str, Counter[str]] = {}
    seconds: dict[str, float] = {}
    for case, spent in checks.seconds.items():
        seconds[_subject(case)] = seconds.get(_subject(case), 0.0) + spent
    for check in checks.all:
        counts.setdefault(_subject(check.case), Counter())[check.verdict] += 1
    shown = list(dict.fromkeys(check.verdict for check in checks.all))
    yield f"| cases | {' | '.join(shown)} | CPU seconds |"
    yield "|---" * (len(shown) + 2) + "|"
    for subject, row in sorted(counts.items()):
        numbers = " | ".join(str(row[verdict] or "") for verdict in shown)
        yield f"| `{subject}` | {numbers} | {seconds[subject]:.0f} |"


def _subject(case: str) -> str:
    path = Path(case.partition("::")[0])
    return (
        path.parent.name
        if path.parent.name == "incidents"
        else path.stem.removeprefix("test_")
    )


def others(checks: Checks) -> Iterator[str]:
    """The checks that are not right, grouped by verdict and reason, with the cases of each group."""
    cases_of: dict[tuple[str, str], list[str]] = {}
    for check in checks.all:
        if check.verdict != "right":
            cases_of.setdefault((check.verdict, _first(check.message)), []).append(
                check.case
            )
    for (verdict, reason), cases in sorted(cases_of.items()):
        names = ", ".join(
            f"`{re.sub(r'.*::', '', case)}`" for case in dict.fromkeys(cases)
        )
        yield f"| {verdict} | {reason} | {names} |"


def _first(text: str) -> str:
    return textwrap.shorten(
        (split_lines(text) or [""])[0], _WIDTH, placeholder=" ..."
    ).replace("|", "\\|")


def main() -> None:
    """Run the suite, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--kept",
        type=Path,
        help="a file for the result of each case; a later run continues from it",
    )
    arguments, chosen = parser.parse_known_args()
    checks = Checks(arguments.kept)
    options = [
        "--compile-golden",
        f"--compile-golden-target={TARGET}",
        "--compile-golden-numerics",
        "-q",
    ]
    pytest.main([*options, *(chosen or ["cases"])], plugins=[checks])
    verdicts = Counter(check.verdict for check in checks.all)
    print(f"\n{len(checks.seconds)} cases, {len(checks.all)} checks: ", end="")
    print(
        ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()),
        end="; ",
    )
    print(f"{sum(check.compared for check in checks.all)} values compared")
    print(
        f"CPU seconds: {sum(check.seconds for check in checks.all):.0f} for the checks, ",
        end="",
    )
    print(f"{sum(checks.seconds.values()):.0f} for the cases\n")
    print(
        "\n".join(
            [
                *table(checks),
                "",
                *subjects(checks),
                "",
                "| verdict | reason | cases |",
                "|---|---|---|",
                *others(checks),
            ]
        )
    )


if __name__ == "__main__":
    main()
