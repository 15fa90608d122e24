"""After a capture the process is as it was, and captures do not affect each other."""

from __future__ import annotations

import gc
import logging
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
import torch._dynamo.config
import torch._functorch.config
import torch._inductor.config
import torch._inductor.metrics
from torch import Tensor
from torch._dynamo.utils import counters
from torch._inductor.choices import InductorChoices
from torch._inductor.graph import GraphLowering
from torch._inductor.pattern_matcher import PatternMatcherPass
from torch.fx.passes.graph_transform_observer import GraphTransformObserver

from pytest_compile_golden import capture
from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.observe.compile_isolation import isolated
from pytest_compile_golden.targets import get_target
from tests.forked import Forks
from tests.programs import broken_graph, layer_norm_gelu, layer_norm_inputs, mlp

ROOT = Path(__file__).parents[1]


def process_state() -> dict[str, Any]:
    configs = (torch._inductor.config, torch._dynamo.config, torch._functorch.config)
    return {
        "config": [module.save_config_portable() for module in configs],
        "python random": random.getstate(),
        "torch random": torch.get_rng_state().tolist(),
        "numpy random": numpy.random.get_state(legacy=False)["state"]["key"].tolist(),
        "counters": {name: dict(counter) for name, counter in counters.items()},
        "metrics": {
            k: v for k, v in vars(torch._inductor.metrics).items() if type(v) is int
        },
        # Each module that torch imports late creates a logger: one that nobody has configured does not count.
        "logging": {
            name: (logger.level, tuple(logger.handlers), logger.propagate)
            for name, logger in logging.Logger.manager.loggerDict.items()
            if name.startswith("torch")
            and isinstance(logger, logging.Logger)
            and (logger.level, logger.handlers, logger.propagate)
            != (logging.NOTSET, [], True)
        },
        "functions": (
            GraphLowering._compile_to_module_lines,
            PatternMatcherPass.apply,
            GraphTransformObserver.apply_graph_pass,
            torch._inductor.compile_fx._recursive_post_grad_passes,
        ),
        "cuda": torch.cuda.is_available(),
        "grad": torch.is_grad_enabled(),
        "threads": torch.get_num_threads(),
        "environment": dict(os.environ),
    }


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_everything_is_restored(target: str) -> None:
    capture(torch.sin, torch.randn(3), target=target)  # what torch itself sets up once
    counters["inductor"]["mine"] = 7
    torch._inductor.metrics.generated_kernel_count = 5
    model, x = mlp(), torch.randn(4, 16)
    before = process_state()
    capture(model, x, target=target, train=True)
    after = process_state()
    for name, value in before.items():
        assert after[name] == value, name


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_everything_is_restored_when_the_program_fails(target: str) -> None:
    x = torch.randn(3)
    capture(torch.sin, x, target=target)
    before = process_state()
    with pytest.raises(CaptureFailed, match="no such"):
        capture(lambda x: getattr(x, "no such"), x, target=target)
    after = process_state()
    for name, value in before.items():
        assert after[name] == value, name


def test_training_leaves_the_module_without_gradients_and_the_inputs_as_they_were() -> (
    None
):
    model, x = mlp(), torch.randn(4, 16)
    weights = [parameter.clone() for parameter in model.parameters()]
    capture(model, x, target="cpu-avx2", train=True)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(
        torch.equal(a, b) for a, b in zip(weights, model.parameters(), strict=True)
    )
    assert x.grad is None and not x.requires_grad


def test_a_second_capture_gives_what_the_first_gave() -> None:
    inputs = layer_norm_inputs()
    first = capture(layer_norm_gelu, *inputs, target="cuda-sm90")
    capture(broken_graph, torch.randn(4), target="cpu-avx2")
    second = capture(layer_norm_gelu, *inputs, target="cuda-sm90")
    for stage in first.stages:
        assert str(first[stage]) == str(second[stage]), stage


class NeverFuse(InductorChoices):
    @staticmethod
    def can_fuse(*args: object) -> bool:
        return False


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_threads_capture_one_after_the_other(target: str) -> None:
    """In a target that another thread has entered, and in none."""
    x = torch.randn(4, 8)

    def captured() -> list[list[str]]:
        with ThreadPoolExecutor(2) as pool:
            each = pool.map(
                lambda fn: capture(fn, x, target=target), (torch.sin, torch.cos)
            )
        return [list(of["post_grad_graph"].operators) for of in each]

    with get_target(target).active():
        inside = captured()
    assert inside == captured() == [["aten.sin.default"], ["aten.cos.default"]]


def test_an_operator_that_was_called_by_name_can_get_a_lowering_later() -> None:
    """torch remembers an operator that it finds without a lowering; the next capture used to inherit that."""
    from torch._inductor import lowering

    tables = [lowering.lowerings, lowering.fallbacks, lowering.needs_realized_inputs]
    before = [len(table) for table in tables]
    with torch.library._scoped_library("isolation", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
        library.impl("twice", torch.empty_like, "Meta")
        called = capture(
            lambda x: torch.ops.isolation.twice(x) + 1,
            torch.randn(8),
            target="cpu-avx2",
        )
        assert called.metrics.extern_kernels == 1
    assert [len(table) for table in tables] == before


def test_a_choices_handler_applies_to_its_capture_only() -> None:
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.sin(), x.cos()

    fused = [
        capture(
            f, torch.randn(64), target="cpu-avx2", config=config
        ).metrics.fused_nodes
        for config in ({}, {"inductor_choices_class": NeverFuse}, {})
    ]
    assert fused == [1, 0, 1]


SCRIPT = """
import re
import sys
from contextlib import suppress
from functools import partial
sys.path.insert(0, {root!r})
import torch
from torch.nn.functional import scaled_dot_product_attention
from tests.failing import FAILING
from tests.programs import broken_graph, layer_norm_gelu, layer_norm_inputs, mlp, scaled_by_length
from pytest_compile_golden import capture
from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.stages import get_stage

torch.set_num_threads({threads})
capture = partial(capture, watch=["cache_key", "compile_cost"])
cases = {{
    "norm": lambda t: capture(layer_norm_gelu, *layer_norm_inputs(), target=t),
    "break": lambda t: capture(broken_graph, torch.randn(8, 8), target=t),
    "sizes": lambda t: capture(scaled_by_length, calls=[(torch.randn(5, 4),), (torch.randn(7, 4),)], target=t),
    "mlp": lambda t: capture(mlp(), torch.randn(4, 16), target=t, train=True),
    "attention": lambda t: capture(scaled_dot_product_attention, *[torch.ones(2, 4, 16, 64)] * 3, target=t),
}}
made = {{}}
for target in {targets!r}:
    for failing in FAILING if {failing} else ():
        with suppress(CaptureFailed):
            capture(FAILING[failing], torch.ones(4, 4), target=target)
            raise AssertionError(failing + " compiles")
    for name in {order!r}:
        captured = cases[name](target)
        # One program's kernels through the Triton compiler; those of the others are compared as they enter it.
        stages = [stage for stage in captured.stages if name == "norm" or not get_stage(stage).compiles]
        made[target, name] = {{stage: str(captured[stage]) for stage in stages}}
for key in sorted(made):
    for stage, text in made[key].items():
        print("=====", *key, stage)
        print(re.sub("  # \\d+ ms", "", text))
"""


def all_stages(
    forks: Forks,
    folder: Path,
    threads: int,
    targets: Sequence[str],
    order: Sequence[str],
    patch: pytest.MonkeyPatch,
    failing: bool = False,
) -> str:
    folder.mkdir()
    script = folder / f"program_{folder.name}.py"
    script.write_text(
        SCRIPT.format(
            root=str(ROOT),
            threads=threads,
            targets=targets,
            order=order,
            failing=failing,
        ),
        encoding="utf-8",
    )
    with patch.context() as patched:
        patched.chdir(folder)
        patched.setenv(
            "XDG_CACHE_HOME",
            os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        )
        patched.setenv("TORCHINDUCTOR_CACHE_DIR", str(folder / "cache"))
        patched.setenv("HOME", str(folder))
        done = forks.run_script(folder, script)
    assert done.ret == 0, done.stderr.str()
    return done.stdout.str()


@pytest.mark.wide
def test_no_artifact_depends_on_process_order_failures_seed_folder_threads_or_host_cpu(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forks_with_bare_torch: Forks,
    forks_on_another_machine: Forks,
) -> None:
    cases = ["norm", "break", "sizes", "mlp", "attention"]
    targets = ["cuda-sm90", "cpu-avx2"]
    one = all_stages(
        forks_with_bare_torch, tmp_path / "one", 1, targets, cases, monkeypatch
    )
    two = all_stages(
        forks_on_another_machine,
        tmp_path / "two",
        2,
        targets[::-1],
        cases[::-1],
        monkeypatch,
        failing=True,
    )
    assert one.splitlines() == two.splitlines() and len(one) > 100_000
    assert "===== cuda-sm90 mlp cache_key" in one and "cacheable" in one
    assert str(tmp_path) not in one


def test_only_the_first_compile_of_a_process_adds_a_guard_and_every_capture_is_the_first() -> (
    None
):
    from torch._dynamo.variables import functions

    def f(x: Tensor, flag: Tensor) -> Tensor:
        return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos(), (x,))

    functions.get_pytree_SUPPORTED_NODES_source.cache_clear()
    first, second = (
        str(capture(f, torch.randn(8), torch.tensor(True))["guards"]) for _ in range(2)
    )
    assert first == second


LIBRARY = """
_kinds, _seen, _ready = {}, [], False

def kind_of(value):
    global _ready
    _ready = True
    if type(value) not in _kinds:
        _kinds[type(value)] = "a tensor"
        _seen.append(value)
    return _kinds[type(value)]
"""
WRITTEN: dict[str, int] = {}


def test_what_a_program_writes_to_a_library_is_put_back_and_what_it_writes_to_its_own_module_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_library_with_a_cache.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    import a_library_with_a_cache as library  # type: ignore[import-not-found]

    def f(x: Tensor) -> Tensor:
        WRITTEN["calls"] = WRITTEN.get("calls", 0) + 1
        return x.sin() if library.kind_of(x) else x

    first = str(capture(f, torch.randn(8), target="cpu-avx2")["guards"])
    assert (library._kinds, library._seen, library._ready) == ({}, [], False)
    assert WRITTEN.pop("calls") == 1
    second = str(capture(f, torch.randn(8), target="cpu-avx2")["guards"])
    assert "_kinds" in first and first == second


def test_a_stack_in_a_reason_has_neither_folders_nor_line_numbers() -> None:
    from pytest_compile_golden.formats.dynamo import scrub

    stack = 'File "/home/me/my größer project/a/test_it.py", line 12, in f\n  return x.item()'
    assert scrub(stack) == 'File "test_it.py", in f\n  return x.item()'


def test_a_module_of_a_package_is_the_same_wherever_it_is_installed() -> None:
    from pytest_compile_golden.formats.dynamo import scrub

    reason = (
        "file matches MOD_SKIPLIST ({}/lib/python3.11/site-packages/torch/_compile)"
    )
    assert (
        scrub(reason.format("/home/me/.venv"))
        == "file matches MOD_SKIPLIST (torch/_compile)"
    )


def test_an_object_in_generated_code_has_one_text() -> None:
    from pytest_compile_golden.formats.inductor_module import scrubbed

    call = "assert_size_stride(buf0, (8, 4), (4, 1), '<function qlinear at {}>')"
    assert scrubbed(call.format("0x7f00aa11bb22")) == scrubbed(
        call.format("0x7f00cc33dd44")
    )


def test_sets_and_process_wide_names_have_one_text() -> None:
    from pytest_compile_golden.formats.dynamo import renumber, scrub

    one = "f == frozenset({<class 'list'>, <function g at 0x7f00aa11bb22>, <class 'dict'>})"
    other = "f == frozenset({<function g at 0x7f00cc33dd44>, <class 'dict'>, <class 'list'>})"
    assert scrub(one) == scrub(other)
    assert renumber(
        "STORE ___context_manager_0_83\nLOAD ___context_manager_0_83"
    ) == renumber("STORE ___context_manager_0_7\nLOAD ___context_manager_0_7")


def test_graphs_of_compiled_autograd_have_the_same_names_whatever_was_compiled_before() -> (
    None
):
    def step(x: Tensor) -> Tensor | None:
        x.sin().sum().backward()
        return x.grad

    def graphs() -> str:
        x = torch.randn(8, requires_grad=True)
        config = {"dynamo.compiled_autograd": True}
        return capture(
            step, x, train=True, fullgraph=False, config=config, target="cpu-avx2"
        )["dynamo_graph"].text

    first = graphs()
    assert "aot0_" in first and graphs() == first


def test_what_a_failed_compile_leaves_is_collected_before_the_next_one_and_changes_nothing() -> (
    None
):
    def curvature(x: Tensor) -> Tensor:
        return torch.func.vmap(torch.func.hessian(lambda y: (y**3).sum() * y[0]))(x)

    def keys() -> tuple[str, str]:
        return str(torch._C._dispatch_tls_local_include_set()), str(
            torch._C._dispatch_tls_local_exclude_set()
        )

    before = keys()
    gc.disable()  # else it may be collected wherever there is enough of it
    try:
        with pytest.raises(CaptureFailed):
            capture(curvature, torch.ones(8, 5), target="cpu-avx2")
        capture(torch.sin, torch.ones(2), target="cpu-avx2")
        gc.collect()
        assert keys() == before
    finally:
        gc.enable()


def test_a_compile_that_was_begun_and_not_ended_is_not_the_current_one_of_later_captures() -> (
    None
):
    from torch._guards import CompileContext, CompileId, compile_context

    begun = compile_context(CompileContext(CompileId(frame_id=3, frame_compile_id=0)))

    with isolated():
        begun.__enter__()
    assert CompileContext.try_get() is None


def test_guards_contain_no_values_of_the_objects_they_check() -> None:
    from pytest_compile_golden.facts.guards import Guards
    from pytest_compile_golden.facts.record import Environment, Record
    from pytest_compile_golden.formats.dynamo import GUARDS

    record = Record("cpu-avx2", "cpu", False, Environment("2.11.0", None, "3.11"))
    guard = "___check_obj_id(L['p'][0], 140), type=Parameter containing:\ntensor([[-1.12,\n 0.3]], requires_grad=True)"
    # Debian's Python has its objects at addresses of as few digits.
    group = "___check_fake_script_type(G['group'], 745680880)   (HINT: type)"
    metadata = "___check_metadata_12582912_c0(L['t'])"
    record.add(
        "guards", Guards("step", (guard, "L['p'][0].grad is not None", group, metadata))
    )
    lines = ["step:", "___check_obj_id(L['p'][0])", "L['p'][0].grad is not None"]
    lines += [
        "___check_fake_script_type(G['group']) (HINT: type)",
        "___check_metadata(L['t'])\n",
    ]
    assert str(GUARDS.render(record, "guards")).split("\n  ") == lines


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_no_cache_answers_where_the_program_turns_them_on(target: str) -> None:
    """Neither one graph of the program from another, nor the program from what was compiled before."""

    def twice(x: Tensor) -> Tensor:
        x = x.sin() + 1
        torch._dynamo.graph_break()
        x = x.sin() + 1
        torch._dynamo.graph_break()
        return x.sin() + 1

    on = {
        "fx_graph_cache": True,
        "functorch.enable_autograd_cache": True,
        "dynamo.caching_precompile": True,
    }
    for _ in range(2):
        captured = capture(twice, torch.randn(8), target=target, config=on)
        assert captured.kernels == 3


CACHED = """
import os, sys
sys.path.insert(0, {root!r})
before = dict(os.environ)
import torch
from pytest_compile_golden import capture
from tests.programs import layer_norm_gelu, layer_norm_inputs

caches = {{"fx_graph_cache": True, "functorch.enable_autograd_cache": True}}
for target in ("cuda-sm90", "cpu-avx2"):
    captured = capture(layer_norm_gelu, *layer_norm_inputs(), target=target, config=caches)
    for stage in captured.stages:
        print("=====", target, stage)
        print(captured[stage])
    print({{"unavailable": dict(captured.unavailable)}})
after = dict(os.environ)
print(dict(set(before.items()) ^ set(after.items())))
"""


@pytest.mark.wide
def test_caches_of_real_programs_are_neither_written_nor_read_and_variables_stay_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    script, caches = tmp_path / "program.py", tmp_path / "caches"
    script.write_text(CACHED.format(root=str(ROOT)))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(caches / "inductor"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(caches / "triton"))
    texts = []
    for _ in range(2):
        done = forks_with_bare_torch.run_script(tmp_path, script)
        assert done.ret == 0, done.stderr.str()
        texts.append(done.outlines)
    assert texts[0] == texts[1]
    assert "===== cuda-sm90 triton_code" in texts[0] and texts[0][-1] == "{}", texts[0][
        -5:
    ]
    assert not [path for path in caches.rglob("*") if path.is_file()]


def test_a_case_passes_where_warnings_are_errors(
    project: pytest.Pytester, forks_with_bare_torch: Forks
) -> None:
    project.makepyfile(
        """
        import torch

        def test_one(compile_stages):
            assert compile_stages(lambda x: x.sin(), torch.randn(8)).metrics.kernels == 1
        """
    )
    arguments = ("--compile-golden", "--compile-golden-target=cuda-sm90", "-W", "error")
    done = forks_with_bare_torch.run_pytest(project.path, *arguments)
    done.assert_outcomes(passed=1)
    done.stdout.no_fnmatch_line("*warnings summary*")


@pytest.mark.wide
def test_numpy_is_needed_by_the_interpreter_only() -> None:
    script = (
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        "import torch, torch.distributed.tensor\n"
        "from pytest_compile_golden import capture, errors, numerics\n"
        "for target in ('cuda-sm90', 'cpu-avx2'):\n"
        "    print(capture(torch.sin, torch.randn(4), target=target).metrics.kernels)\n"
        "try:\n"
        "    numerics(torch.sin, torch.randn(4), target='cuda-sm90')\n"
        "except errors.NotInterpretable as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[:2] == ["1", "1"], done.stderr
    assert done.stdout.splitlines()[2].endswith("pip install numpy.")


@pytest.mark.wide
def test_torch_logs_at_exit_without_an_error(project: pytest.Pytester) -> None:
    """Its handlers were made while pytest captured stderr, in a process of their own: it logs when Python exits."""
    project.makepyfile("""
import torch
def test_case(compile_stages):
    compile_stages(torch.sin, torch.ones(3))
""")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--compile-golden",
        "--compile-golden-target=cpu-avx2",
    ]
    run = subprocess.run(
        command,
        env={**os.environ, "TORCH_LOGS": "+inductor"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    assert "Cache Metrics" in run.stderr and "Logging error" not in run.stderr
