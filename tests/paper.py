"""A throwaway project with its own targets and stages, registered the way any user registers theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked import Forks

INI = """
[pytest]
addopts = -p no:cacheprovider -p no:hypothesispytest -p no:anyio --import-mode=importlib
compile_golden_target = paper-gpu, paper-cpu
compile_golden_stages = ink, press, tally
"""

CONFTEST = '''
import contextlib, os

import pytest

from pytest_compile_golden import Capture
from pytest_compile_golden.facts.record import Environment, Record
from pytest_compile_golden.formats import Artifact, Format
from pytest_compile_golden.formats.metrics import MetricsFormat
from pytest_compile_golden.stages import Stage, register_stage
from pytest_compile_golden.targets import Target, register_target


class Paper(Target):
    virtual = True

    def __init__(self, name, device_type):
        self.name, self.device_type = name, device_type

    def _enter(self):
        return contextlib.nullcontext()

    def place(self, tree):
        return tree


class PaperText(Format):
    def render(self, record, stage):
        return Artifact(stage, record.get(stage)[0]) if record.get(stage) else None

    def canonical(self, text):
        return [line.partition("#")[0].strip() for line in text.splitlines()]


class Numbers(PaperText, MetricsFormat):
    pass


register_target(Paper("paper-gpu", "cuda"))
register_target(Paper("paper-cpu", "cpu"))
register_stage(Stage("ink", "ink", PaperText(), "py"))
register_stage(Stage("press", "press", PaperText()))
register_stage(Stage("tally", "tally", Numbers(), "toml"))
register_stage(Stage("foil", "foil", PaperText(), "cpp", devices=frozenset({"cuda"})))


@pytest.fixture
def draw(compile_target):
    """What a capture would hold, written down instead of compiled."""

    def draw(unavailable=(), target=compile_target, **texts):
        environment = Environment(os.environ.get("PAPER_TORCH", "2.13.0+cpu"), "3.7.1", "3.11.0")
        record = Record(target, "cuda", False, environment, unavailable=dict(unavailable))
        for stage, text in texts.items():
            record.add(stage, text)
        return Capture(record)

    return draw
'''


class PaperProject:
    """Runs pytest on the project in a separate process."""

    def __init__(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, forks: Forks
    ) -> None:
        self.pytester = pytester
        self.path: Path = pytester.path
        self.goldens = pytester.path / "goldens"
        self._monkeypatch = monkeypatch
        self._forks = forks
        self._python: Path | None = forks.python
        pytester.makeini(INI)
        pytester.makeconftest(CONFTEST)

    def test(self, source: str, name: str = "cases/test_paper.py") -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return path

    def run(
        self, *arguments: str, torch: str = "2.13.0+cpu", **environment: str
    ) -> pytest.RunResult:
        """Run `pytest --compile-golden ARGUMENTS`, as if with this torch."""
        return self.plain("--compile-golden", *arguments, torch=torch, **environment)

    def update(
        self, *arguments: str, torch: str = "2.13.0+cpu", **environment: str
    ) -> pytest.RunResult:
        return self.run("--snapshot-update", *arguments, torch=torch, **environment)

    def plain(
        self, *arguments: str, torch: str = "2.13.0+cpu", **environment: str
    ) -> pytest.RunResult:
        with self._monkeypatch.context() as patch:
            patch.setenv("PAPER_TORCH", torch)
            for name, value in environment.items():
                patch.setenv(name, value)
            return self._forks.run_pytest(self.path, *arguments, python=self._python)

    def compiles(self, forks_with_torch: Forks) -> None:
        """From now on, what is run, and what that starts, finds torch imported."""
        self._forks, self._python = forks_with_torch, forks_with_torch.python

    def starts_afresh(self) -> None:
        """From now on, what pytest starts is a process of its own, not a fork."""
        self._python = None

    def command(self, *arguments: str) -> pytest.RunResult:
        """Run `compile-golden ARGUMENTS` in the project's folder."""
        return self._forks.run_command(self.path, *arguments, python=self._python)

    def files(self) -> dict[str, str]:
        """Every file in the goldens folder, with its text."""
        return {
            path.relative_to(self.goldens).as_posix(): path.read_bytes().decode()
            for path in sorted(self.goldens.rglob("*"))
            if path.is_file()
        }
