"""A torch whose internals moved: what is lost is named, nothing else is lost, and torch is not accused of it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_compile_golden
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.torch_internals import subjects
from tests.forked import Forks

PACKAGE = Path(pytest_compile_golden.__file__).parent

CASES = """
import torch


def test_product(compile_stages, golden):
    x = torch.randn(64, 48)

    def program(x):
        y = torch.relu(x @ x.T)
        print()
        return torch.softmax(y, -1).sum()

    assert compile_stages(program, x, fullgraph=False) == golden
"""
RUN = """
import sys

import pytest
import torch._inductor.choices
import torch._inductor.codegen.cpp
import torch._inductor.codegen.cuda_combined_scheduling
import torch._inductor.fx_passes.pad_mm
import torch._inductor.scheduler
from tests.renamed import rename

for name in {names}:
    rename(name, name + "_moved")
sys.exit(pytest.main(["--compile-golden", "--compile-golden-target", "cpu-avx2", "--compile-golden-stages", "{stages}",
                      "-q", *sys.argv[1:]]))
"""
# One run each: what only one of them hides must not be needed for another.
LOST = (
    {
        # The key that tells graphs apart, a hooked function, an attribute of objects.
        "call_user_compiler": "OutputGraph.call_user_compiler is gone",
        "get_verbose_code_parts": "guards is unavailable on torch {torch}: torch._dynamo.guards.get_verbose_code_parts",
        "real_stack": "graph_breaks is unavailable on torch {torch}: torch._dynamo.exc.Unsupported.real_stack is",
        "log_ir_post_fusion": "scheduler_nodes is unavailable on torch {torch}: torch._inductor.debug.log_ir",
    },
    {
        # A part of a stage, which is compared without it.
        "WhyNoFuse": "why operations were not fused is unavailable on torch {torch}: torch._inductor.scheduler.WhyNo",
        "SHAPE_ENV": "guards is unavailable on torch {torch}: torch._dynamo.guards.GuardBuilder.SHAPE_ENV is",
        "_post_fusion_custom_pass": "passes is unavailable on torch {torch}: torch._inductor.config._post_fusion",
        # A feature of the target; the case does not reach it.
        "_should_pad": "padding of matrix products is unavailable on torch {torch}: torch._inductor.fx_passes.pad_mm._",
    },
    {
        # An import.
        "min_cut_rematerialization_partition": "min_cut_rematerialization_partition is gone",
        "python_kernel_name": "ExternKernelOut has no python_kernel_name",
        # A number alone: its golden stays as it is, and the run says so once.
        "get_read_write_buffers_sizes": "bytes_accessed is unavailable on torch {torch}: torch._inductor.scheduler",
    },
)


@pytest.mark.wide
def test_what_moved_is_named_and_torch_is_not_accused(
    project: pytest.Pytester, forks_with_bare_torch: Forks, subtests: pytest.Subtests
) -> None:
    project.makepyfile(test_moved=CASES)

    def run(names: list[str], *arguments: str) -> pytest.RunResult:
        script = Path(
            project.makepyfile(
                run=RUN.format(names=names, stages="+guards, +graph_breaks")
            )
        )
        return forks_with_bare_torch.run_script(project.path, script, *arguments)

    run([], "--snapshot-update").assert_outcomes(passed=1)
    for lost in LOST:
        text = run([*lost]).stdout.str()
        assert "1 case: 1 unchanged, 0 changed." in text
        assert "WhyNoFuse" not in lost or "scheduler_nodes is unavailable" not in text
        for name, reason in lost.items():
            with subtests.test(name):
                assert reason.format(torch=torch_version()) in text


# What cannot use the room.
WITHOUT_ROWS = {
    "api/compat_check/__main__.py": "has programs as users write them, with torch._dynamo.graph_break()",
    "features/triage/judge_script.py": "runs in environments that have torch and nothing else",
    "targets/cuda_api.py": "puts a GPU's part of torch._C there, whether or not the wheel has the names",
    "features/virtual_gpu/torch_cuda.py": "puts a running GPU's part of torch._C there, as well",
}
_PRIVATE = re.compile(
    r"torch\.(?:\w+\.)*_(?!_)\w+|triton\.(?:runtime|compiler|backends|knobs|tools|_(?!_)\w+)\b"
)
_SPELLED = re.compile(r"(?:torch|triton)(?:\.\w+)+:[\w.]*|torch:_\w+")


def _private(path: Path) -> Iterator[str]:
    """Where a module imports, reads through attributes, or spells something private of torch or Triton."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in (
        each for each in ast.walk(tree) if isinstance(each, (ast.stmt, ast.expr))
    ):
        named: list[str] = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            named = [ast.unparse(node)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            "import_module"
        ):
            named = [
                each.value
                for each in node.args
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _SPELLED.fullmatch(node.value)
        ):
            yield f"{path.name}:{node.lineno}: {node.value}"
        yield from (
            f"{path.name}:{node.lineno}: {name}" for name in named if _is_private(name)
        )


def _is_private(name: str) -> bool:
    # Operators are public, also those whose names begin with an underscore.
    return bool(_PRIVATE.match(name)) and not name.startswith("torch.ops.")


def test_the_room_is_the_only_place_that_names_what_is_private() -> None:
    outside = [
        path for path in PACKAGE.rglob("*.py") if path.parent.name != "torch_internals"
    ]
    found = {
        path.relative_to(PACKAGE).as_posix(): [*_private(path)] for path in outside
    }
    assert {
        name: places
        for name, places in found.items()
        if places and name not in WITHOUT_ROWS
    } == {}
    assert all(found[name] for name in WITHOUT_ROWS)


def test_a_name_has_one_row() -> None:
    rows = Counter(row.at for rows in subjects().values() for row in rows)
    assert [name for name, number in rows.items() if number > 1] == []


@pytest.mark.parametrize(
    "line",
    [
        "import torch._dynamo",
        "from torch._inductor import config",
        "from torch.utils import _pytree",
        "config = torch._inductor.config",
        "importlib.import_module('torch._inductor.scheduler')",
        "HOOKED = 'torch._inductor.graph:GraphLowering.run'",
        "from triton.runtime import interpreter",
    ],
)
def test_what_goes_round_the_room_is_seen(line: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(line)
    assert [*_private(module)]


def test_what_is_public_needs_no_row(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import torch.fx\nimport triton.language\ntorch.ops.aten._softmax\ntorch.Tensor.__deepcopy__\n"
    )
    assert [*_private(module)] == []


# Read with a default from objects that are not torch's, are public, or may be anything. Other names have rows.
NOT_A_NAME_OF_TORCH = {
    "of Python's objects": (
        "co_freevars",
        "co_qualname",
        "fget",
        "cache_clear",
        "monitoring",
        "sched_getaffinity",
    ),
    "of a syntax tree": ("attr", "id", "lineno"),
    "of pytest's objects": ("fixturenames",),
    "ours": ("known", "properties"),
    "of a backend, which may be the user's": ("name", "compiler_name"),
    "of torch.export's public signature, whose kinds differ": ("persistent", "value"),
    "of any value that a program has": ("requires_grad", "free_symbols"),
    "of a value in a Triton kernel, which may be constant": ("value", "values"),
    "of whatever a Triton kernel may be given as a pointer": ("data_ptr",),
    "of a Triton kernel, which may be wrapped, and of the frames of its compiler": (
        "fn",
        "jit_fn",
    ),
    "of whatever a pass is given, which may be the user's": (
        "graph",
        "gm",
        "owning_module",
        "meta",
    ),
    "of torch's operators, where functions of any kind are called": ("tags",),
    "of torch.cpu, which is public": ("get_capabilities",),
}


def _read_by_default(path: Path) -> Iterator[str]:
    """The literal names that a module reads with `getattr(x, name, default)`, or asks for with `hasattr`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr")
        ):
            name = node.args[1]
            defaulted = node.func.id == "hasattr" or len(node.args) == 3
            if (
                defaulted
                and isinstance(name, ast.Constant)
                and not str(name.value).startswith("__")
            ):
                yield str(name.value)


def test_a_default_never_stands_for_what_torch_renamed() -> None:
    rooms = [
        PACKAGE / folder
        for folder in ("api", "formats", "observe", "targets", "features")
    ]
    modules = [
        path
        for room in rooms
        for path in ([room] if room.suffix else room.rglob("*.py"))
    ]
    # The programs that these read are not torch's: transformers' models, and a torch with nothing of ours beside it.
    modules = [path for path in modules if not {"starter", "triage"} & {*path.parts}]
    found = {name for path in modules for name in _read_by_default(path)}
    assert found == set().union(*NOT_A_NAME_OF_TORCH.values())
