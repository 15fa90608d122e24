"""What happens when torch moves a private name: `python -m benchmarks.moved [--only REGEX] [--every N] [--into FILE]`.

Each move is made in a fork of a process that has imported torch's compiler, and none of our modules that use it. A name
that torch changes looks to us as one that our row spells otherwise: the row of `torch_names` is given a spelling that
does not exist, and torch itself keeps working. For a signature, the function is replaced by one that has it and calls
the original. Three tiny programs are then captured.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import select
import signal
import sys
import traceback
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden import api
from pytest_compile_golden.canary.programs import PROGRAMS
from pytest_compile_golden.captured import Capture
from pytest_compile_golden.errors import CompileGoldenError, chain
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.targets import loading
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import subjects
from pytest_compile_golden.torch_names.name import Attribute, MissingName, Name

TARGETS = ("cpu-avx2", "cuda-sm90")
PROMISED, CLEAR, OURS, ACCUSED, NONE = (
    "named, everything else as before",
    "clear end",
    "traceback of ours",
    "torch accused",
    "no effect",
)
_ORDER = (OURS, ACCUSED, CLEAR, PROMISED, NONE)
_PATIENCE = 300
_PACKAGE = str(Path(api.__file__).parent)


@dataclass(frozen=True)
class Move:
    """One thing that another torch does to one name."""

    kind: str
    row: Name
    make: Callable[[Name], None]

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.row.at}"

    @property
    def words(self) -> tuple[str, ...]:
        """One of these is in whatever names what is missing."""
        return self.row.at.rpartition(":")[2].rpartition(".")[2], self.row.feature or "\0"


@dataclass(frozen=True)
class Outcome:
    move: str
    effect: str
    detail: str = ""


def moves() -> Iterator[Move]:
    """Every name gone; and every function with a parameter more, renamed, keyword-only, without its `self`, or with a
    tuple as its result."""
    for rows in subjects().values():
        for row in rows:
            if row.missing():
                continue
            yield Move("gone", row, _gone)
            if not isinstance(row, Attribute) and isinstance(row.get(), types.FunctionType):
                yield from (Move(kind, row, make) for kind, make in _SIGNATURES.items())
                if next(iter(inspect.signature(inspect.unwrap(row.get())).parameters), "") == "self":
                    yield Move("a method became a function", row, _with_parameters(lambda parameters: parameters[1:]))


def _gone(row: Name) -> None:
    object.__setattr__(row, "at", f"{row.at}_that_moved")
    object.__setattr__(row, "others", ())


def _with_parameters(
    change: Callable[[list[inspect.Parameter]], Sequence[inspect.Parameter]],
) -> Callable[[Name], None]:
    def make(row: Name) -> None:
        owner, attribute = row.resolve()
        original = inspect.unwrap(getattr(owner, attribute))
        parameters = list(inspect.signature(original).parameters.values())

        def function(*args: Any, **kwargs: Any) -> Any:
            return original(*args, **kwargs)

        function.__signature__ = inspect.Signature(change(parameters))  # type: ignore[attr-defined]
        function.__name__, function.__qualname__ = original.__name__, original.__qualname__
        own = inspect.getattr_static(owner, attribute)
        wrapped = type(own)(function) if isinstance(own, (staticmethod, classmethod)) else function
        setattr(owner, attribute, wrapped)

    return make


def _more(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    added = inspect.Parameter("a_new_one", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    at = 1 if parameters and parameters[0].name in ("self", "cls") else 0
    kept = [each.replace(default=inspect.Parameter.empty) for each in parameters[:at]]
    rest = [each for each in parameters[at:] if each.kind is not inspect.Parameter.POSITIONAL_ONLY]
    return [*kept, added, *rest]


def _renamed(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return [
        each if each.name in ("self", "cls") else each.replace(name=f"{each.name}_that_moved") for each in parameters
    ]


def _keyword_only(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    kind = inspect.Parameter.KEYWORD_ONLY
    own = [each for each in parameters if each.name in ("self", "cls")]
    moved = [each.replace(kind=kind) if each.kind is plain else each for each in parameters if each not in own]
    return [*own, *sorted(moved, key=lambda each: each.kind)]


def _tuple_result(row: Name) -> None:
    owner, attribute = row.resolve()
    wrap = Patches.wrap

    def of_tuples(self: Patches, at: Any, name: str, make: Callable[..., Any]) -> None:
        if (at, name) != (owner, attribute):
            return wrap(self, at, name, make)

        def made(original: Callable[..., Any]) -> Callable[..., Any]:
            ours = make(lambda *args, **kwargs: (original(*args, **kwargs), None))
            # Torch's own callers know of the tuple.
            return lambda *args, **kwargs: ours(*args, **kwargs)[0]

        return wrap(self, at, name, made)

    Patches.wrap = of_tuples  # type: ignore[method-assign, assignment]


_SIGNATURES: dict[str, Callable[[Name], None]] = {
    "a parameter more": _with_parameters(_more),
    "parameters renamed": _with_parameters(_renamed),
    "keyword-only": _with_parameters(_keyword_only),
    "result is a tuple": _tuple_result,
}

Seen = dict[str, dict[str, Any]]


def capture_all() -> Seen:
    """What each program shows on each target: texts of stages, what is unavailable, or the error."""
    seen: Seen = {}
    for target in TARGETS:
        for program in PROGRAMS:
            try:
                seen[f"{target} {program.name}"] = _texts(api.capture(target=target, **program.options()))
            except BaseException as error:
                seen[f"{target} {program.name}"] = _failed(error)
    return seen


def _texts(captured: Capture) -> dict[str, Any]:
    texts = {name: _COMMENT.sub("", str(captured[name])) for name in captured.stages if name not in _COMPILED}
    missing = {**captured.unavailable, **captured.lacks}
    return {"texts": texts, "unavailable": missing, "notes": _notes(captured)}


_COMMENT = re.compile(r" +#.*$", re.M)  # times, among others
_COMPILED = ("ttir", "ttgir", "llir", "ptx", "sass", "assembly", "kernel_resources", "amdgcn")


def _notes(captured: Capture) -> str:
    """Whatever else a case says about what is unknown or lacking in it."""
    artifacts = (captured[name] for name in captured.stages if name not in _COMPILED)
    parts = [part for artifact in artifacts for part in artifact.unavailable]
    return " ".join([*parts, *captured.lacks])


def _failed(error: BaseException) -> dict[str, Any]:
    causes = list(chain(error))
    frames = [traceback.extract_tb(cause.__traceback__) for cause in causes if cause.__traceback__ is not None]
    deepest = frames[-1][-1].filename if frames and frames[-1] else ""
    named = any(isinstance(cause, MissingName) for cause in causes)
    ours = deepest.startswith(_PACKAGE) and not isinstance(causes[-1], CompileGoldenError)
    text = " | ".join(f"{type(cause).__name__}: {cause}"[:300] for cause in causes)
    return {"error": text, "clear": named or (isinstance(error, CompileGoldenError) and not ours), "ours": ours}


def judged(move: Move, before: Seen, after: Seen) -> Outcome:
    """The worst that the move does to any program."""
    effects = [_effect(move, before[program], seen) for program, seen in after.items()]
    effect, detail = min(effects, key=lambda each: _ORDER.index(each[0]))
    return Outcome(move.name, effect, detail)


def _effect(move: Move, before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str]:
    def named(text: str) -> bool:
        return any(word in text for word in move.words)

    if "error" in after:
        text = after["error"]
        if after["ours"] or not after["clear"]:
            return (OURS if after["ours"] else ACCUSED), text
        return (PROMISED if move.row.feature and named(text) else CLEAR), text
    lost = {stage: why for stage, why in after["unavailable"].items() if stage not in before["unavailable"]}
    for stage, text in before["texts"].items():
        now = after["texts"].get(stage)
        if now is None and stage not in lost:
            return ACCUSED, f"{stage} is silently absent"
        if now is not None and now != text:
            fewer = set(now.splitlines()) <= set(text.splitlines())
            if not (fewer and (named(after["notes"]) or lost or move.row.facts)):
                new = next((line for line in now.splitlines() if line not in text.splitlines()), "fewer lines")
                return ACCUSED, f"{stage}: {new}"
    unnamed = [f"{stage}: {why}" for stage, why in lost.items() if not named(why)]
    if unnamed:
        return CLEAR, unnamed[0]
    return (PROMISED, "; ".join(f"{stage}: {why}" for stage, why in lost.items())) if lost else (NONE, "")


def in_fork(work: Callable[[], Any]) -> Any:
    """What `work` returns in a fork of this process; an error text if the fork dies or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with os.fdopen(writing, "w") as file:
                json.dump(work(), file)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        ready, _, _ = select.select([file], [], [], _PATIENCE)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def run(chosen: Sequence[Move], tell: Callable[[Outcome], object] = lambda outcome: None) -> list[Outcome]:
    """Make each move in a fork of its own, and judge what it does."""
    with loading.compiler():
        pass  # Not our own modules: some keep what a row is when they are imported, which has to be in the fork.
    in_fork(capture_all)
    before = in_fork(capture_all)
    if before is None or any("error" in seen for seen in before.values()):
        raise SystemExit(f"the programs cannot be captured as torch is: {before}")
    outcomes = []
    for move in chosen:

        def moved(move: Move = move) -> Seen:
            move.make(move.row)
            return capture_all()

        after = in_fork(moved)
        died = Outcome(move.name, OURS, "the process died, or did not end")
        outcomes.append(died if after is None else judged(move, before, after))
        tell(outcomes[-1])
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    """As Markdown: how many moves of each kind had which effect."""
    shown = (PROMISED, CLEAR, OURS, ACCUSED, NONE)
    counts = Counter((outcome.move.partition(":")[0], outcome.effect) for outcome in outcomes)
    lines = [f"| what moved | tried | {' | '.join(shown)} |", f"|---|{'---|' * (len(shown) + 1)}"]
    for kind in dict.fromkeys(outcome.move.partition(":")[0] for outcome in outcomes):
        numbers = [counts[kind, effect] for effect in shown]
        lines.append(f"| {kind} | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.moved", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression over moves")
    parser.add_argument("--every", type=int, default=1, help="make every EVERY-th move only")
    parser.add_argument("--into", type=Path, help="a file for the outcome of each move, as JSON lines")
    arguments = parser.parse_args()
    chosen = [move for move in moves() if re.search(arguments.only, move.name)][:: arguments.every]

    def tell(outcome: Outcome) -> None:
        if outcome.effect in (OURS, ACCUSED, CLEAR):
            print(f"{outcome.effect}: {outcome.move}\n    {outcome.detail[:400]}", file=sys.stderr)
        if arguments.into:
            with arguments.into.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(vars(outcome)) + "\n")

    outcomes = run(chosen, tell)
    print(f"torch {torch_version()}, {len(outcomes)} moves\n\n{table(outcomes)}")
    return 1 if any(outcome.effect in (OURS, ACCUSED) for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
