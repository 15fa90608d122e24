"""Which functions of torch's compiler each case calls, recorded once: a change runs only the cases that reach it."""

from __future__ import annotations

import cProfile
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

_COMPILER = (
    "_inductor/",
    "_dynamo/",
    "_functorch/",
    "_decomp/",
    "fx/",
    "_higher_order_ops/",
)


class Recorder:
    """A pytest plugin that appends a line per case to a file: the functions it calls, by file, without class names."""

    def __init__(self, into: Path) -> None:
        self.into = into

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        profile = cProfile.Profile(builtins=False, subcalls=False)
        profile.enable()
        try:
            return (yield)
        finally:
            profile.disable()
            reached: dict[str, set[str]] = {}
            for entry in profile.getstats():
                if not isinstance(entry.code, str):
                    file = entry.code.co_filename.rpartition("/torch/")[2]
                    if file.startswith(_COMPILER):
                        reached.setdefault(file, set()).add(entry.code.co_name)
            line = {
                "case": item.nodeid,
                "reached": {file: sorted(names) for file, names in reached.items()},
            }
            with self.into.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line) + "\n")


class Reach:
    """The recording: which cases call a function. A case missing for one GPU uses the recording for the other."""

    def __init__(self, file: Path) -> None:
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        records = (json.loads(line) for line in lines)
        self.cases: dict[str, dict[str, frozenset[str]]] = {
            record["case"]: {
                file: frozenset(names) for file, names in record["reached"].items()
            }
            for record in records
        }

    def reached(self, case: str, function: str) -> bool | None:
        """Whether a case calls `package.module:Qualified.name`; None if unknown."""
        calls = self.cases.get(case) or self.cases.get(case.replace("sm100", "sm90"))
        if calls is None or not function:
            return None
        module, _, name = function.partition(":")
        file = module.removeprefix("torch.").replace(".", "/") + ".py"
        return name.rpartition(".")[2] in calls.get(file, ())
