"""An incident's assertion fails on the torch versions named by its mark, and holds on all others."""

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.errors import CaptureFailed


def pytest_itemcollected(item: pytest.Item) -> None:
    incident = item.get_closest_marker("incident")
    installed = torch_version()
    fails = incident.kwargs.get("fails") if incident else None
    if incident and fails and installed and Version(Version(installed).base_version) in SpecifierSet(fails):
        wrong = (AssertionError, CaptureFailed)
        item.add_marker(pytest.mark.xfail(strict=True, raises=wrong, reason=incident.args[0]))
