"""One number that a PyTorch test asserts, and our program that must give it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Program = Callable[..., tuple[Any, ...]]
"""Makes the function (or module) to compile and its inputs; called on the target, so big inputs take no memory.

It is called without arguments; a lambda in a loop keeps the loop's values as its defaults.
"""

_COMPARISON = re.compile(r"(<=|>=|<|>)?\s*(\d+)(?:\s*\+-\s*(\d+))?$")


@dataclass(frozen=True)
class Expectation:
    """What `metrics` of `capture(*program(), **options)` must be.

    metrics: by name: `numel` (bytes accessed / 4, like `count_numel` in test_perf.py), an attribute of
        `Capture.metrics`, or `counters.NAME`. A number, or a bound as in the test: `">= 1"`, `"1024 +- 5"`.
    matmul_precision: the value for `torch.set_float32_matmul_precision`, if the test's machine has another default.
    since, until: the first and last torch version (`"2.15"`) whose test says so; a test's number changes with torch.
    contradicted: why torch itself gives another number, by version: such an entry is still measured, and may fail.
    """

    name: str
    source: str
    program: Program
    metrics: Mapping[str, int | str]
    options: Mapping[str, Any] = field(default_factory=dict)
    matmul_precision: str = "highest"
    since: str | None = None
    until: str | None = None
    contradicted: Mapping[str, str] = field(default_factory=dict)

    def holds_for(self, release: str) -> bool:
        version = _release(release)
        return (self.since is None or _release(self.since) <= version) and (
            self.until is None or version <= _release(self.until)
        )

    def explanation(self, release: str) -> str | None:
        """Why this torch release contradicts the number, if it is known to."""
        return self.contradicted.get(".".join(map(str, _release(release))))


def _release(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def meets(measured: int, expected: int | str) -> bool:
    """Whether a measured number meets what the test asserts. Raises ValueError for an invalid bound."""
    if isinstance(expected, int):
        return measured == expected
    parts = _COMPARISON.match(expected)
    if parts is None:
        raise ValueError(f"{expected!r} is not a bound")
    sign, number, tolerance = parts[1], int(parts[2]), int(parts[3] or 0)
    if sign is None:
        return abs(measured - number) <= tolerance
    return {
        "<": measured < number,
        "<=": measured <= number,
        ">": measured > number,
        ">=": measured >= number,
    }[sign]


EXPECTATIONS: list[Expectation] = []


class Source:
    """A PyTorch test file: `entry(...)` adds an expectation from it."""

    def __init__(self, path: str, **config: Any) -> None:
        self.path = path
        self.config = config

    def __call__(
        self,
        name: str,
        test: str,
        program: Program,
        *,
        since: str | None = None,
        until: str | None = None,
        contradicted: Mapping[str, str] | None = None,
        config: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        matmul_precision: str = "highest",
        **metrics: int | str,
    ) -> None:
        merged = {**self.config, **(config or {})}
        EXPECTATIONS.append(
            Expectation(
                name=name,
                source=f"{self.path}::{test}",
                program=program,
                metrics={
                    key.replace("__", "."): value for key, value in metrics.items()
                },
                options={**(options or {}), **({"config": merged} if merged else {})},
                matmul_precision=matmul_precision,
                since=since,
                until=until,
                contradicted=contradicted or {},
            )
        )
