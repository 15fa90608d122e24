"""`compile-golden eject`: a pass or stage as a standalone script that does what it did, and can be edited."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language
from click.testing import CliRunner
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.cli import main
from pytest_compile_golden.features.eject.eject_script import EjectProbe
from pytest_compile_golden.features.eject.graph_source import pass_expression
from pytest_compile_golden.features.eject.script_source import CannotEject, Source
from pytest_compile_golden.formats.inductor_module import (
    KernelsArtifact,
    PrintedKernel,
    read_module,
)
from pytest_compile_golden.observe.probe import registered
from tests import users_passes
from tests.forked import Forks

LIMIT = 6.0
TARGETS = {"cuda-sm90": "triton_code", "cpu-avx2": "cpp_code"}
RunScript = Callable[[Path], str]
Ejected = tuple[Capture, dict[str, str], dict[str, Path]]
"""A capture, what the scripts of its passes and stages print, and their files."""


def program(x: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    joined = torch.cat([x, y]).relu().clone()
    return torch.softmax((joined @ weight).view(-1, 64).relu(), -1) * 1.0


def clamp_relu(graph):
    """Every relu also clamps."""
    for node in graph.find_nodes(
        op="call_function", target=torch.ops.aten.relu.default
    ):
        with graph.inserting_after(node):
            clamp = graph.call_function(torch.ops.aten.clamp_max.default, (node, LIMIT))
        node.replace_all_uses_with(
            clamp, delete_user_cb=lambda user, clamp=clamp: user is not clamp
        )
        clamp.meta.update(node.meta)


# By kind of pass: its name, an edit of its script, and what the edited script shows that the original does not.
PASSES = {
    "pre-grad": (
        "sink_cat_after_pointwise",
        ("'relu', 'relu', cat", "'relu', 'sin', cat"),
        "(no change)",
    ),
    "joint": (
        "remove_noop_ops",
        ("aten.clone.default", "aten.sin.default"),
        "call_function aten.sin.default",
    ),
    "pattern": (
        "early_patterns",
        ("the_pass = joint_graph.early_patterns.apply", "the_pass = str"),
        "(no change)",
    ),
    "constants": ("constant_fold_uniform_value", (", 1.0)", ", 3.0)"), "(no change)"),
    "post-grad": (
        "reinplace_inplaceable_ops",
        ("aten.relu.default", "aten.sin.default"),
        "aten.sin.default",
    ),
    "a lambda": (
        "group_batch_fusion_passes",
        ("pre_grad=", "not_an_argument="),
        "not_an_argument",
    ),
    "the user's": ("clamp_relu", ("LIMIT = 6.0", "LIMIT = 7.0"), "7.0)"),
}
PASSES["pattern"] = ("joint_graph.early_patterns", *PASSES["pattern"][1:])
FUSE_LESS = ("CONFIG = {", "CONFIG = {'max_fusion_size': 1, ")
STAGES = {
    "lowering": (("aten.relu.default", "aten.sin.default"), "ops.sin("),
    "fusion": (FUSE_LESS, ""),
    "codegen": (("aten.relu.default", "aten.sin.default"), "sin("),
}
DRIVER = """
import contextlib, io, json, os, runpy, sys, traceback

def run(path):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception:
            traceback.print_exc(file=out)
    return out.getvalue()

outputs = {}
for path in sys.argv[2:]:
    if "declare(" not in open(path).read():
        outputs[path] = run(path)
        continue
    if os.fork() == 0:  # an operator can be declared once in a process
        open(path + ".out", "w").write(run(path))
        os._exit(0)
    os.wait()
    outputs[path] = open(path + ".out").read()
open(sys.argv[1], "w").write(json.dumps(outputs))
"""


@pytest.fixture(scope="module")
def bare() -> Iterator[Forks]:
    """For scripts in a process that has torch, but neither Triton, pytest nor anything of ours."""
    forks = Forks("tests.bare", ours=False)
    yield forks
    forks.close()


def outputs_of(
    scripts: dict[str, str], folder: Path, bare: Forks
) -> tuple[dict[str, str], dict[str, Path]]:
    """What each of these scripts prints, all run by one process, and the file it is in."""
    paths = {name: folder / f"{re.sub('[^a-z]', '_', name)}.py" for name in scripts}
    for name, text in scripts.items():
        paths[name].write_text(text)
    driver, answer = folder / "driver.py", folder / "outputs.json"
    driver.write_text(DRIVER)
    done = bare.run_script(
        folder, driver, str(answer), *map(str, paths.values()), isolated=True
    )
    assert done.ret == 0, done.stderr.str()
    outputs = json.loads(answer.read_text())
    return {name: outputs[str(path)] for name, path in paths.items()}, paths


def captured_with(
    probes: Iterable[EjectProbe],
    program: Callable[..., Any],
    *inputs: Tensor,
    **options: Any,
) -> Capture:
    with ExitStack() as stack:
        for probe in probes:
            stack.enter_context(registered(probe))
        return capture(program, *inputs, **options)


def script_of(probe: EjectProbe) -> str:
    one = next((each for each in probe.candidates if each.changed), probe.candidates[0])
    assert one.script, one.refused
    return one.script


@pytest.fixture(scope="module", params=list(TARGETS))
def ejected(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    bare: Forks,
) -> Ejected:
    """The capture, and what each script and its edited copy print in a process that has torch but nothing of ours."""
    probes = {kind: EjectProbe(name, None) for kind, (name, _, _) in PASSES.items()}
    probes |= {stage: EjectProbe(None, stage) for stage in STAGES}
    inputs = torch.randn(8, 64), torch.randn(8, 64), torch.randn(64, 64)
    config = {"post_grad_custom_post_pass": clamp_relu}
    captured = captured_with(
        probes.values(),
        program,
        *inputs,
        target=request.param,
        config=config,
        dynamic=True,
    )
    scripts = {}
    for kind, probe in probes.items():
        script = scripts[kind] = script_of(probe)
        old, new = PASSES[kind][1] if kind in PASSES else STAGES[kind][0]
        assert old in script, (kind, old)
        scripts[f"{kind} edited"] = script.replace(old, new)
    return captured, *outputs_of(scripts, tmp_path_factory.mktemp("scripts"), bare)


def difference(output: str) -> str:
    return output.rpartition("---- difference")[2]


@pytest.mark.parametrize("kind", PASSES)
def test_an_ejected_pass_does_what_it_did_in_the_compile(
    ejected: Ejected, kind: str
) -> None:
    captured, outputs, _ = ejected
    name, _, effect = PASSES[kind]
    rows = [
        row
        for row in captured["passes"].passes
        if name in (row.name, row.name.rpartition(" / ")[2])
    ]
    row = next((row for row in rows if row.changed), rows[0])
    shown = difference(outputs[kind])
    assert shown.startswith(f": {row.before} -> {row.after} nodes\n"), outputs[kind][
        -2000:
    ]
    assert ("(no change)" in shown) is not row.changed
    for operator, times in row.removed.items():
        assert len(re.findall(rf"^-.*{re.escape(operator)}\(", shown, re.M)) >= times
    assert effect not in (shown if "no change" in effect and row.changed else "")
    edited = outputs[f"{kind} edited"]
    assert effect in edited and edited != outputs[kind]


def bodies(kernels: Iterable[PrintedKernel]) -> set[str]:
    """Kernels without their names, which mention operators before decomposition, and without the alignment of their
    arguments, which is written in the notation of a Triton that is not installed there."""
    return {
        re.sub(r"\n *'configs': .*", "", kernel.source.replace(kernel.name, "kernel"))
        for kernel in kernels
    }


def test_lowering_fusion_and_code_are_those_of_the_compile(ejected: Ejected) -> None:
    captured, outputs, _ = ejected
    code = outputs["codegen"].partition("---- code\n")[2]
    assert code, outputs["codegen"][-2000:]
    compiled = captured[TARGETS[captured.target]]
    assert isinstance(compiled, KernelsArtifact)
    kernels = bodies(compiled.kernels)
    assert bodies(read_module(code).kernels) == kernels and kernels
    groups = [row for row in captured["passes"].passes if row.name == "fuse_nodes"]
    assert groups[0].before > groups[0].after
    before, after = outputs["fusion"].partition("---- after\n")[::2]
    assert before.count(".unmet_dependencies") > 1 and "FusedSchedulerNode" in after
    assert (
        outputs["lowering"].startswith("---- lowered\n")
        and "---- code\n" in outputs["lowering"]
    )
    assert (
        "FusedSchedulerNode" not in outputs["fusion edited"]
        and "---- code\n" in outputs["fusion edited"]
    )
    for stage in ("lowering", "codegen"):
        effect = STAGES[stage][1]
        assert effect in outputs[f"{stage} edited"] and effect not in outputs[stage], (
            stage
        )


def test_a_script_is_short_and_says_what_it_sets_up(ejected: Ejected) -> None:
    captured, _, paths = ejected
    text = paths["pre-grad"].read_text()
    assert f"target {captured.target}" in text and "no data, no GPU" in text
    assert "g.input(" in text and "S.s" in text  # the first size is symbolic
    lines = text.partition("# ---- set-up")[0].splitlines()
    assert len(lines) < 64


@pytest.fixture
def run_script(forks_with_bare_torch: Forks) -> RunScript:
    """What a script prints in a process without our package."""

    def run(path: Path) -> str:
        done = forks_with_bare_torch.run_script(path.parent, path, isolated=True)
        assert done.ret == 0, done.stderr.str()[-2000:]
        return f"{done.stdout.str()}\n"

    return run


def checkpointed(x: Tensor, weight: Tensor) -> Tensor:
    recomputed = checkpoint(lambda x: (x @ weight).sin().exp(), x, use_reentrant=False)
    return recomputed.cos() @ weight


def test_the_ejected_partitioner_splits_as_it_did_in_the_compile(
    tmp_path: Path, run_script: RunScript
) -> None:
    probe = EjectProbe("min_cut_rematerialization_partition", None)
    with registered(probe):
        captured = capture(
            checkpointed,
            torch.randn(32, 64),
            torch.randn(64, 64),
            target="cuda-sm90",
            train=True,
        )
    (one,) = probe.candidates
    assert one.script, one.refused
    path = tmp_path / "partition.py"
    path.write_text(one.script)
    output = run_script(path)
    forward, backward = captured["forward_graph"], captured["backward_graph"]
    assert (
        f"---- forward: {forward.nodes} nodes" in output
        and f"---- backward: {backward.nodes} nodes" in output
    )
    (saves,) = re.findall(r"_saves = \[(.*)\]", str(forward))
    shown = output.partition("---- saved\n")[2].splitlines()
    assert {line.partition(":")[0] for line in shown[:-1]} == set(saves.split(", "))
    # Without the tags, what was to be recomputed is saved.
    assert "CheckpointPolicy" in one.script
    path.write_text(re.sub(r"\n *g\.tag\('recompute'[^\n]*", "", one.script))
    edited = run_script(path).partition("---- saved\n")[2]
    assert int(edited.split()[-2]) > int(shown[-1].split()[0])


SCALE = triton.language.constexpr(3)


@triton.jit
def scale_kernel(source, out, count, BLOCK: triton.language.constexpr):
    index = triton.language.program_id(0) * BLOCK + triton.language.arange(0, BLOCK)
    inside = index < count
    triton.language.store(
        out + index,
        triton.language.load(source + index, mask=inside) * SCALE,
        mask=inside,
    )


def calls_a_kernel(x: Tensor) -> Tensor:
    x, out = x.sin(), torch.empty_like(x)
    scale_kernel[(4,)](x, out, x.numel(), BLOCK=256)
    return out.cos()


def test_user_kernels_come_with_the_script(
    tmp_path: Path, run_script: RunScript
) -> None:
    probes = {
        "pass": EjectProbe("decompose_triton_kernel_wrapper_functional", None),
        "code": EjectProbe(None, "codegen"),
    }
    with registered(probes["pass"]), registered(probes["code"]):
        capture(calls_a_kernel, torch.randn(1000), target="cuda-sm90")
    outputs = {}
    for name, probe in probes.items():
        assert probe.candidates[0].script, probe.candidates[0].refused
        path = tmp_path / f"{name}.py"
        path.write_text(probe.candidates[0].script)
        outputs[name] = run_script(path)
    assert "+triton_kernel_wrapper_mutation" in difference(outputs["pass"])
    assert "* SCALE" in outputs["code"] and "scale_kernel_0.run(" in outputs["code"]
    path.write_text(probes["code"].candidates[0].script.replace("* SCALE", "+ SCALE"))
    assert "+ SCALE" in run_script(path)


USERS = {
    "joint_custom_pre_pass": (users_passes.limits, "limit_to.<locals>.limited"),
    "joint_custom_post_pass": (
        functools.partial(users_passes.scaled, by=3.0),
        "scaled",
    ),
    "post_grad_custom_pre_pass": (
        users_passes.Clamp(users_passes.Limits(7.0)),
        "Clamp",
    ),
    "post_grad_custom_post_pass": (users_passes.reads_its_module, "reads_its_module"),
    # In a separate capture: they would match nothing that the others leave.
    "own patterns": (users_passes.with_own_patterns, "with_own_patterns"),
    "a matcher": (users_passes.own.apply, "own"),
}


def test_user_code_comes_with_the_script(tmp_path: Path, bare: Forks) -> None:
    """The user's base classes, dataclasses, closures, caches, modules, patterns, operators and lowerings."""
    slots = list(USERS)[:4]
    probes = {slot: EjectProbe(USERS[slot][1], None) for slot in USERS} | {
        "code": EjectProbe(None, "lowering")
    }
    config = {slot: USERS[slot][0] for slot in slots}
    first = captured_with(
        [probes[slot] for slot in slots],
        users_passes.program,
        torch.randn(8, 64),
        config=config,
    )
    config = {
        "joint_custom_pre_pass": USERS["own patterns"][0],
        "post_grad_custom_post_pass": USERS["a matcher"][0],
    }
    rest = [probes[name] for name in ("own patterns", "a matcher", "code")]
    second = captured_with(
        rest, users_passes.program, torch.randn(8, 64), config=config
    )
    outputs, _ = outputs_of(
        {name: script_of(probe) for name, probe in probes.items()}, tmp_path, bare
    )
    for name, (_, own) in USERS.items():
        rows = (first if name in slots else second)["passes"].passes
        row = next(
            row
            for row in rows
            if row.name.rpartition(" / ")[2].rpartition(".")[2]
            == own.rpartition(".")[2]
        )
        shown = difference(outputs[name])
        assert shown.startswith(f": {row.before} -> {row.after} nodes\n"), outputs[
            name
        ][-2000:]
        added = Counter(re.findall(r"^\+.* ((?:aten|users)\.\w+\.\w+)\(", shown, re.M))
        gone = Counter(re.findall(r"^-.* ((?:aten|users)\.\w+\.\w+)\(", shown, re.M))
        assert added - gone == Counter(row.added), name
    # Two closures of one function.
    assert "aten.clamp_max.default(relu, 2.5)" in outputs["joint_custom_pre_pass"]
    # Two globals of one name.
    assert difference(outputs["post_grad_custom_post_pass"]).count(", 6.0)\n") == 1
    assert (
        "aten.div.Tensor(twice, 2)" in outputs["own patterns"]
        and "users.quarter.default(clipped)" in outputs["own patterns"]
    )
    code = outputs["code"].partition("---- code\n")[2]
    kernels = bodies(second["triton_code"].kernels)
    assert bodies(read_module(code).kernels) == kernels and "2.5" in "".join(kernels), (
        outputs["code"][-2000:]
    )


class Holder:
    def __init__(self, held: object) -> None:
        self.held = held

    def __call__(self, graph: torch.fx.Graph) -> None:
        pass


def reads(table: Tensor) -> Callable[..., Any]:
    def reader(graph: torch.fx.Graph) -> Tensor:
        return table

    return reader


REFUSED = {
    "an attribute": (
        Holder(each for each in ""),
        r"it is a Holder \(of .*test_eject\.py\) whose held is a builtins\.generator",
    ),
    "a tensor": (
        reads(torch.randn(9, 9)),
        r"^table \(.*test_eject\.py\), which reads.*reader uses, cannot .*\[9, 9\]",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refusal_names_the_variable_its_file_and_a_workaround(kind: str) -> None:
    run, message = REFUSED[kind]
    with pytest.raises(CannotEject, match=rf"{message}.* Create it inside the pass"):
        pass_expression(run, Source())


PROGRAM = """
import torch

def own_pass(graph):
    print("compiled")

def remove_noop_op(graph):
    print("compiled")

def block():
    config = {"post_grad_custom_post_pass": own_pass}
    return (lambda x: x.clone().relu() + 1), (torch.randn(8),), {"config": config}

def test_block(compile_stages):
    fn, inputs, options = block()
    compile_stages(fn, *inputs, **options)
"""


def test_the_command_writes_a_script_that_runs(
    project: pytest.Pytester, forks_with_torch: Forks, run_script: RunScript
) -> None:
    project.makepyfile(test_program=PROGRAM)

    def eject(program: str, name: str, *more: str) -> tuple[int, str]:
        result = CliRunner().invoke(
            main, ["eject", program, "--target", "cpu-avx2", "--pass", name, *more]
        )
        return result.exit_code, " ".join(result.output.split())

    block = "test_program.py::block"
    status, output = eject(block, "remove_noop_ops", "-o", "one.py")
    assert (
        status == 0
        and "wrote one.py: remove_noop_ops on graph_0. Run it: python one.py" in output
    )
    output = run_script(project.path / "one.py")
    assert "\n---- difference: 5 -> 4 nodes\n" in output and re.search(
        r"^-clone: .*aten\.clone\.default", output, re.M
    )
    status, _ = eject(block, "dead_node_elimination", "-o", "two.py")
    assert (
        status == 0
        and "Inductor's fusion on its own" in (project.path / "two.py").read_text()
    )
    # A near miss of one of torch's names is answered before anything is compiled, unless the user has a pass so named.
    near = "_".join(("remove", "nop", "ops"))  # in pieces, as this file is loaded too
    status, output = eject(block, near)
    assert status == 2 and "compiled" not in output
    assert (
        f"there is no pass '{near}'; did you mean 'remove_noop_ops'" in output
        and "`compile-golden trace" in output
    )
    status, output = eject(block, "remove_noop_op")
    assert status == 2 and "compiled" in output
    assert (
        "no graph pass 'remove_noop_op' ran; did you mean 'remove_noop_ops'" in output
        and "own_pass" in output
    )
    case = "test_program.py::test_block"
    one = forks_with_torch.run_command(project.path, "eject", case, "--pass", near)
    one.stderr.fnmatch_lines(
        [f"Error: there is no pass '{near}'; did you mean 'remove_noop_ops'*"]
    )
    assert one.ret == 2 and "compiled" not in one.stdout.str()
