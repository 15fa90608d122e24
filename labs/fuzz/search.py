"""Inductor's settings as torch's fuzzer would vary them, tried in pairs, and which does harm; kept in a file."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pytest_compile_golden.common.json_files import Document, render
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.torch_internals import inductor
from pytest_compile_golden.torch_internals import numerics as torch_names

_ASIDE = re.compile(
    # What is built, cached, launched, timed and shown, and how; or what a check sets itself.
    r"TYPE_CHECKING|_TESTING_ONLY|cache|debug|log|progress|profil|autotun|benchmark|subproc|parallel|thread|worker"
    r"|proton|timeout|dump|metric|save_args|search_|harness|_backend$|cpp_wrapper|fx_wrapper|fallback_random|cubin"
    r"|cudagraph|launch|quiesce|names$|name_max|hook|warn|origin$|nightly|device_detection|multi_kernel|coordinate"
    r"|supplement|are_deterministic|for_aot|compiled_regions"
    # Collectives, of which a check has none.
    r"|bucket|reduce_scatters|_bw$|prefetch|_for_comp"
    # Promises that a program may break, and numbers that must be powers of two.
    r"|fast_math|unsafe|^assume_|_alignment_|simdlen|[xr]block$|split_size$|min_partitions"
)
# Other devices, compilers that are not installed, packaging, and switches of torch's own tests.
_GROUPS = (
    "aot_inductor",
    "aten_dist",
    "autoheur",
    "cuda",
    "cutlass",
    "halide",
    "lookup",
    "mtia",
    "rocm",
    "test_configs",
    "trace",
    "xpu",
)
_OF_DEVICE = {"cpu": "cpp.", "cuda": "triton."}
Value = bool | int | float | str | None
Pair = tuple[str, ...]
_FORMAT = 1


def settings(device_type: str, seed: int) -> dict[str, Any]:
    """A non-default value, by name, for each of Inductor's settings that may affect what code computes.

    Switches are toggled, named choices are replaced with another one, and numbers are drawn the way torch draws them.
    """
    config = inductor.CONFIG.get()
    sampling = torch_names.FUZZER_SAMPLING.get()
    sample = sampling.dispatch(sampling.TOGGLE)
    values = {}
    before = random.getstate()
    try:
        for name in sorted(config._config):
            entry = config._config[name]
            hint = config.get_type(name)
            if torch_names.DEPRECATED.of(entry) or not (
                _varied(name, device_type) and _enumerable(hint)
            ):
                continue
            # Independent of which other settings this torch has.
            random.seed(f"{seed} {name}")
            value = sample(name, hint, entry.default)
            if value != getattr(config, name):
                values[name] = value
    finally:
        random.setstate(before)
    return values


def _varied(name: str, device_type: str) -> bool:
    group = name.partition(".")[0] if "." in name else ""
    others = {prefix for device, prefix in _OF_DEVICE.items() if device != device_type}
    return not (
        name[0] == "_"
        or name in torch_names.FUZZER_DEFAULTS.get()[inductor.CONFIG.at]
        or f"{group}." in others
        or group.startswith(_GROUPS)
        or _ASIDE.search(name)
    )


def _enumerable(hint: Any) -> bool:
    """Whether made-up values of a type mean anything to the code that reads the setting: no text, function or table."""
    if get_origin(hint) in (Union, type(int | None)):
        return all(kind is type(None) or _enumerable(kind) for kind in get_args(hint))
    return hint in (bool, int, float) or get_origin(hint) is Literal


@dataclass(frozen=True)
class SettingsTrial:
    """The outcome of running a program with some settings."""

    settings: dict[str, Value]
    outcome: str
    """`right`, or one of a trial's other outcomes."""
    harm: bool
    """Whether that is the compiler's fault."""
    text: str
    same_code: bool
    """Whether the settings made no difference to the code that was generated."""


@dataclass(frozen=True)
class _Facts:
    format: int
    program: str
    tried: list[SettingsTrial]


_DOCUMENT = Document(
    _Facts,
    _FORMAT,
    CompileGoldenError,
    outdated="Pass --fresh to start over.",
    advice="Pass --fresh to start over.",
)


@dataclass
class Fuzz:
    """Pairs of settings to try on one program, in an order that depends on a seed."""

    settings: Mapping[str, Value]
    seed: int
    path: Path
    """The file that trials are recorded in."""
    code: str
    """A digest of the program's code without any of the settings: trials of another program are ignored."""
    remembered: int = 0
    _tried: dict[frozenset[str], SettingsTrial] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.path.exists():
            return
        document = _DOCUMENT.parse(
            self.path.read_bytes(), str(self.path), lambda facts: facts
        )
        if document.program == self._program:
            self._tried = {frozenset(trial.settings): trial for trial in document.tried}
            self.remembered = len(self._tried)

    @property
    def tried(self) -> Sequence[SettingsTrial]:
        return [*self._tried.values()]

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.settings) * (len(self.settings) - 1) // 2

    @property
    def findings(self) -> list[SettingsTrial]:
        """What does harm: a single setting, or a pair of settings that are harmless alone."""
        return [
            trial
            for trial in self._tried.values()
            if trial.harm
            and not any(alone.harm for alone in self._alone(trial.settings))
        ]

    @property
    def omitted(self) -> list[SettingsTrial]:
        """Settings that cannot be judged, each with the reason; they are not part of any pair."""
        return [
            trial
            for trial in self._tried.values()
            if len(trial.settings) == 1 and trial.outcome != "right" and not trial.harm
        ]

    def run(
        self,
        judge: Callable[[Mapping[str, Value]], SettingsTrial],
        time_left: Callable[[], bool],
    ) -> None:
        """Try what has not been tried yet while there is time; if a pair is not right, also try each setting alone."""
        for pair in self._in_order():
            known = frozenset(pair) in self._tried
            if known or any(alone.outcome != "right" for alone in self._alone(pair)):
                continue
            if not time_left():
                return
            if self._try(pair, judge).outcome != "right" and len(pair) > 1:
                for name in pair:
                    self._try((name,), judge)

    def _alone(self, names: Collection[str]) -> list[SettingsTrial]:
        """The trials of each of several settings alone, as far as they were made."""
        keys = [frozenset((name,)) for name in names] if len(names) > 1 else []
        return [self._tried[key] for key in keys if key in self._tried]

    def _try(
        self, names: Pair, judge: Callable[[Mapping[str, Value]], SettingsTrial]
    ) -> SettingsTrial:
        key = frozenset(names)
        if key not in self._tried:
            self._tried[key] = judge({name: self.settings[name] for name in names})
            self._remember()
        return self._tried[key]

    def _in_order(self) -> Iterator[Pair]:
        """First each setting once, then the pairs of settings that change the code, then the others."""
        first, *others = [*rounds(sorted(self.settings), self.seed)] or [[]]
        yield from first
        known = (self._tried.get(frozenset(pair)) for pair in first)
        idle = {
            name
            for trial in known
            if trial is not None and trial.same_code
            for name in trial.settings
        }
        yield from sorted(
            (pair for group in others for pair in group),
            key=lambda pair: len(idle.intersection(pair)),
        )

    @property
    def _program(self) -> str:
        return hashlib.sha256(
            f"{self.code} {self.seed} {dict(self.settings)}".encode()
        ).hexdigest()[:16]

    def _remember(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(
            render(_Facts(_FORMAT, self._program, [*self._tried.values()])),
            encoding="utf-8",
        )
        new.replace(self.path)


def rounds(names: Sequence[str], seed: int) -> Iterator[list[Pair]]:
    """Every pair once, in rounds that contain every name once; with an odd number, each is alone in one round."""
    circle: list[str | None] = [*names]
    random.Random(seed).shuffle(circle)
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        yield [tuple(name for name in pair if name is not None) for pair in pairs]
        circle.insert(1, circle.pop())
