"""`pytest --compile-golden-watch`: what `compile-golden warm --watch` does, where pytest's own options are typed."""

from __future__ import annotations

import pytest

from pytest_compile_golden.common.constants import SWITCH

_WATCH = f"{SWITCH}-watch"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("compile-golden").addoption(
        _WATCH,
        action="store_true",
        default=False,
        dest="compile_golden_watch",
        help="run again at each save, with what the edit affects, in forks of a process that has imported torch",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if not config.getoption("compile_golden_watch"):
        return None
    from pytest_compile_golden.features.warm.warm_command import run

    return run(
        [
            word
            for word in config.invocation_params.args
            if word not in (SWITCH, _WATCH)
        ],
        watch=True,
    )
