"""Whether an existing suite's tests fail on wrong code: `python -m benchmarks.wrong_code_in_suites PYTEST ARGUMENTS`.

Each test that compiles kernels runs on a virtual H100 as it is, and then once for each edit in `EDITS`, with the code
that Inductor has written changed before it runs, and `--virtual-gpu-values both`. Prints how many edits changed
something, how many of those were found, and what the test itself did with those that were not.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.torch_internals import kernels

_KERNEL = re.compile(
    r"(async_compile\.triton\(.*?@triton\.jit)(.*?)(''', device_str)", re.DOTALL
)
Edit = Callable[[str], str]


def in_kernels(old: str, new: str) -> Edit:
    """The first match of a regular expression in each kernel is replaced."""
    return lambda code: _KERNEL.sub(
        lambda kernel: kernel[1] + re.sub(old, new, kernel[2], count=1) + kernel[3],
        code,
    )


def in_wrapper(old: str, new: Callable[[re.Match[str]], str]) -> Edit:
    """The first match of a regular expression in the function that calls the kernels is replaced."""

    def edit(code: str) -> str:
        before, definition, call = code.partition("def call(")
        return before + definition + re.sub(old, new, call, count=1)

    return edit


def half_of_the_elements(code: str) -> str:
    """Only in kernels that mask what they store: others have a size that their blocks divide."""

    def halved(kernel: re.Match[str]) -> str:
        body = kernel[2]
        if re.search(r"tl\.store\([^\n]*xmask", body):
            body = re.sub(
                r"xnumel = (\d+)",
                lambda size: f"xnumel = {max(1, int(size[1]) // 2)}",
                body,
                count=1,
            )
        return kernel[1] + body + kernel[3]

    return _KERNEL.sub(halved, code)


def without_the_last_launch(code: str) -> str:
    launches = [*re.finditer(r"triton_\w+\.run\([^\n]*", code)]
    return (
        f"{code[: launches[-1].start()]}pass{code[launches[-1].end() :]}"
        if launches
        else code
    )


EDITS: dict[str, Edit] = {
    "stores one more": in_kernels(r"(tl\.store\([^\n]*?), (tmp\d+), ", r"\1, \2 + 1, "),
    "minus for plus": in_kernels(r"(tmp\d+ = tmp\d+) \+ (tmp\d+)", r"\1 - \2"),
    "another function": in_kernels(
        r"(libdevice|tl_math)\.(exp|rsqrt|sqrt|tanh|sin|cos)\(", "tl_math.abs("
    ),
    "maximum for sum": in_kernels(r"tl\.sum\(", "triton_helpers.max2("),
    "a factor of two": in_kernels(r"(tmp\d+ = tmp\d+) \* (tmp\d+)", r"\1 * 2 * \2"),
    "greater for less": in_kernels(r"(tmp\d+ = tmp\d+) < (tmp\d+)", r"\1 > \2"),
    "reads one further": in_kernels(
        r"tl\.load\((in_ptr\d+) \+ \(([^,\n]*)\)", r"tl.load(\1 + (\2 + 1)"
    ),
    "stores one further": in_kernels(
        r"tl\.store\((\w+) \+ \(([^,\n]*)\)", r"tl.store(\1 + (\2 + 1)"
    ),
    "half of the elements": half_of_the_elements,
    "allocates half": in_wrapper(
        r"= empty_strided_cuda\(\((\d+), (\d+)\)",
        lambda sizes: (
            f"= empty_strided_cuda(({max(1, int(sizes[1]) // 2)}, {sizes[2]})"
        ),
    ),
    "last launch left out": without_the_last_launch,
}


class WrongCode:
    """A pytest plugin: runs the body of each test for each edit."""

    def __init__(self) -> None:
        self.edit: Edit | None = None
        self.edited = 0
        self.made = self.found = 0
        self.missed: list[str] = []

    def pytest_configure(self) -> None:
        owner, name = kernels.COMPILE_TO_MODULE_LINES.resolve()
        original = getattr(owner, name)

        def compiled(graph: Any, wrapper_code: Any) -> Any:
            if self.edit is not None:
                code = self.edit(wrapper_code.value)
                self.edited += code != wrapper_code.value
                wrapper_code = dataclasses.replace(wrapper_code, value=code)
            return original(graph, wrapper_code)

        setattr(owner, name, compiled)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        body = item.obj

        def with_each_edit(*args: Any, **kwargs: Any) -> None:
            body(*args, **kwargs)
            for name, self.edit in EDITS.items():
                self.edited = 0
                torch.compiler.reset()
                try:
                    body(*args, **kwargs)
                    outcome = "passes"
                except CompileGoldenError:
                    outcome = ""
                except Exception as error:
                    outcome = f"fails itself: {error}".split("\n", 1)[0][:200]
                self.edit = None
                if self.edited:
                    self.made += 1
                    self.found += not outcome
                    self.missed += (
                        [f"{item.nodeid}, {name}: {outcome}"] if outcome else []
                    )

        item.obj = with_each_edit

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"{self.found} of {self.made} edits found")
        for line in self.missed:
            terminalreporter.write_line(line)


if __name__ == "__main__":
    options = ["--virtual-gpu", "h100", "--virtual-gpu-values", "both"]
    sys.exit(pytest.main([*options, *sys.argv[1:]], plugins=[WrongCode()]))
