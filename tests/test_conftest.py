"""What a run of the plugin's own tests keeps for the next, and what it leaves out of garbage collection."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked import Forks

OWN = """
import gc
from pathlib import Path

from torch._inductor.codecache import CppCodeCache
from torch._inductor.cpp_builder import CppBuilder


class Object:
    pass


imported = Object()


def test_a_library(monkeypatch):
    build = CppBuilder.build

    def built(self):
        with Path("built").open("a") as file:
            file.write("x")
        build(self)

    monkeypatch.setattr(CppBuilder, "build", built)
    library = CppCodeCache.load('extern "C" int answer() { return 42; }')
    assert library.answer() == 42


def test_garbage():
    assert all(each is not imported for each in gc.get_objects())
"""


def test_a_second_run_builds_nothing_and_what_was_collected_is_not_searched(
    project: pytest.Pytester, forks_with_torch: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.path / "cache"))
    project.makepyfile(test_own=OWN)
    for _ in range(2):
        run = forks_with_torch.run_pytest(project.path, "-p", "tests.conftest")
        run.assert_outcomes(passed=2)
        assert Path("built").read_text() == "x"
