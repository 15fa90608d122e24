"""What the tests share: throw-away projects that are run through pytest itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.paper import PaperProject


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty project in a folder of its own, as a person would run it: no CI, no outer xdist."""
    for name in [*os.environ]:
        if name == "CI" or name.startswith("PYTEST_XDIST"):
            monkeypatch.delenv(name)
    # pytester moves HOME; what is built once per machine should stay built.
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(_HOME / ".cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(_REPOSITORY), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester


@pytest.fixture
def paper(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> PaperProject:
    """A project whose targets and stages are made of paper: everything after the compile is real, and takes no time."""
    return PaperProject(project, monkeypatch)


_HOME = Path.home()
_REPOSITORY = Path(__file__).parents[1]
