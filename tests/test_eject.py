"""`compile-golden eject`: a pass or stage as a script that runs by itself, does what it did, and can be edited."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import ExitStack

import pytest
import torch
import triton
import triton.language
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden import capture
from pytest_compile_golden.eject.probe import EjectProbe
from pytest_compile_golden.formats.code import read_module
from pytest_compile_golden.observe.probe import registered

LIMIT = 6.0
TARGETS = {"cuda-sm90": "triton_code", "cpu-avx2": "cpp_code"}


def program(x, y, weight):
    joined = torch.cat([x, y]).relu().clone()
    return torch.softmax((joined @ weight).view(-1, 64).relu(), -1) * 1.0


def clamp_relu(graph):
    """Every relu also clamps."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.relu.default):
        with graph.inserting_after(node):
            clamp = graph.call_function(torch.ops.aten.clamp_max.default, (node, LIMIT))
        node.replace_all_uses_with(clamp, delete_user_cb=lambda user, clamp=clamp: user is not clamp)
        clamp.meta.update(node.meta)


# The kind of pass: its name, an edit of its script, and what the edited script shows that the other does not.
PASSES = {
    "pre-grad": ("sink_cat_after_pointwise", ("'relu', 'relu', cat", "'relu', 'sin', cat"), "(no change)"),
    "joint": ("remove_noop_ops", ("aten.clone.default", "aten.sin.default"), "call_function aten.sin.default"),
    "pattern": ("early_patterns", ("the_pass = joint_graph.early_patterns.apply", "the_pass = str"), "(no change)"),
    "constants": ("constant_fold_uniform_value", (", 1.0)", ", 3.0)"), "(no change)"),
    "post-grad": ("reinplace_inplaceable_ops", ("aten.relu.default", "aten.sin.default"), "aten.sin.default"),
    "a lambda": ("group_batch_fusion_passes", ("pre_grad=", "not_an_argument="), "not_an_argument"),
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
import contextlib, importlib.machinery, io, json, runpy, sys, traceback

# As if these were not installed.
find, gone = importlib.machinery.PathFinder.find_spec, ("triton", "pytest_compile_golden", "pytest")
importlib.machinery.PathFinder.find_spec = classmethod(
    lambda cls, name, *rest: None if name.partition(".")[0] in gone else find(name, *rest)
)
said = {}
for path in sys.argv[2:]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception:
            traceback.print_exc(file=out)
    said[path] = out.getvalue()
open(sys.argv[1], "w").write(json.dumps(said))
"""


@pytest.fixture(scope="module", params=list(TARGETS))
def ejected(request, tmp_path_factory):
    """The capture, and what each script and its edited copy print in a process that has torch and nothing of ours."""
    probes = {kind: EjectProbe(name, None) for kind, (name, _, _) in PASSES.items()}
    probes |= {stage: EjectProbe(None, stage) for stage in STAGES}
    inputs = torch.randn(8, 64), torch.randn(8, 64), torch.randn(64, 64)
    with ExitStack() as stack:
        for probe in probes.values():
            stack.enter_context(registered(probe))
        config = {"post_grad_custom_post_pass": clamp_relu}
        captured = capture(program, *inputs, target=request.param, config=config, dynamic=True)
    folder = tmp_path_factory.mktemp("scripts")
    paths = {}
    for kind, probe in probes.items():
        one = next((each for each in probe.found if each.changed), probe.found[0])
        assert one.script, one.refused
        old, new = PASSES[kind][1] if kind in PASSES else STAGES[kind][0]
        assert old in one.script, (kind, old)
        for name, text in ((kind, one.script), (f"{kind} edited", one.script.replace(old, new))):
            paths[name] = folder / f"{re.sub('[^a-z]', '_', name)}.py"
            paths[name].write_text(text)
    done = folder / "said.json"
    command = [sys.executable, "-I", "-W", "ignore", "-c", DRIVER, str(done), *map(str, paths.values())]
    subprocess.run(command, check=True, cwd=folder)
    said = json.loads(done.read_text())
    return captured, {name: said[str(path)] for name, path in paths.items()}, paths


def difference(said):
    return said.rpartition("---- difference")[2]


@pytest.mark.parametrize("kind", PASSES)
def test_a_pass_does_by_itself_what_it_did_in_the_compile(ejected, kind):
    captured, said, _ = ejected
    name, _, effect = PASSES[kind]
    rows = [row for row in captured["passes"].passes if name in (row.name, row.name.rpartition(" / ")[2])]
    row = next((row for row in rows if row.changed), rows[0])
    shown = difference(said[kind])
    assert shown.startswith(f": {row.before} -> {row.after} nodes\n"), said[kind][-2000:]
    assert ("(no change)" in shown) is not row.changed
    for operator, times in row.removed.items():
        assert len(re.findall(rf"^-.*{re.escape(operator)}\(", shown, re.M)) >= times
    assert effect not in (shown if "no change" in effect and row.changed else "")
    edited = said[f"{kind} edited"]
    assert effect in edited and edited != said[kind]


def bodies(kernels):
    """Kernels without their names, which tell of operators before decomposition, and without which arguments are
    aligned, which is said in the words of a Triton that is not there."""
    return {re.sub(r"\n *'configs': .*", "", kernel.source.replace(kernel.name, "kernel")) for kernel in kernels}


def test_lowering_fusion_and_code_are_those_of_the_compile(ejected):
    captured, said, _ = ejected
    code = said["codegen"].partition("---- code\n")[2]
    assert code, said["codegen"][-2000:]
    kernels = bodies(captured[TARGETS[captured.target]].kernels)
    assert bodies(read_module(code).kernels) == kernels and kernels
    groups = [row for row in captured["passes"].passes if row.name == "fuse_nodes"]
    assert groups[0].before > groups[0].after
    before, after = said["fusion"].partition("---- after\n")[::2]
    assert before.count(".unmet_dependencies") > 1 and "FusedSchedulerNode" in after
    assert said["lowering"].startswith("---- lowered\n") and "---- code\n" in said["lowering"]
    assert "FusedSchedulerNode" not in said["fusion edited"] and "---- code\n" in said["fusion edited"]
    for stage in ("lowering", "codegen"):
        effect = STAGES[stage][1]
        assert effect in said[f"{stage} edited"] and effect not in said[stage], stage


def test_a_script_is_short_and_says_what_it_sets_up(ejected):
    captured, _, paths = ejected
    text = paths["pre-grad"].read_text()
    assert f"target {captured.target}" in text and "no data, no GPU" in text
    assert "g.input(" in text and "S.s" in text  # the first size is symbolic
    lines = text.partition("# ---- set-up")[0].splitlines()
    assert len(lines) < 60


def run_script(path):
    """What a script prints in a process without our package."""
    done = subprocess.run([sys.executable, "-I", "-W", "ignore", path], capture_output=True, text=True, cwd=path.parent)
    assert done.returncode == 0 and not done.stderr, done.stderr[-2000:]
    return done.stdout


def checkpointed(x, weight):
    recomputed = checkpoint(lambda x: (x @ weight).sin().exp(), x, use_reentrant=False)
    return recomputed.cos() @ weight


def test_the_partitioner_by_itself_splits_as_it_did_in_the_compile(tmp_path):
    probe = EjectProbe("min_cut_rematerialization_partition", None)
    with registered(probe):
        captured = capture(checkpointed, torch.randn(32, 64), torch.randn(64, 64), target="cuda-sm90", train=True)
    (one,) = probe.found
    assert one.script, one.refused
    path = tmp_path / "partition.py"
    path.write_text(one.script)
    said = run_script(path)
    forward, backward = captured["forward_graph"], captured["backward_graph"]
    assert f"---- forward: {forward.nodes} nodes" in said and f"---- backward: {backward.nodes} nodes" in said
    (saves,) = re.findall(r"_saves = \[(.*)\]", str(forward))
    shown = said.partition("---- saved\n")[2].splitlines()
    assert {line.partition(":")[0] for line in shown[:-1]} == set(saves.split(", "))
    # What was to be computed again is saved where nothing says so.
    assert "CheckpointPolicy" in one.script
    path.write_text(re.sub(r"\n *g\.tag\('recompute'[^\n]*", "", one.script))
    edited = run_script(path).partition("---- saved\n")[2]
    assert int(edited.split()[-2]) > int(shown[-1].split()[0])


SCALE = triton.language.constexpr(3)


@triton.jit
def scale_kernel(source, out, count, BLOCK: triton.language.constexpr):
    index = triton.language.program_id(0) * BLOCK + triton.language.arange(0, BLOCK)
    inside = index < count
    triton.language.store(out + index, triton.language.load(source + index, mask=inside) * SCALE, mask=inside)


def calls_a_kernel(x):
    x, out = x.sin(), torch.empty_like(x)
    scale_kernel[(4,)](x, out, x.numel(), BLOCK=256)
    return out.cos()


def test_kernels_of_the_users_come_with_the_script(tmp_path):
    probes = {
        "pass": EjectProbe("decompose_triton_kernel_wrapper_functional", None),
        "code": EjectProbe(None, "codegen"),
    }
    with registered(probes["pass"]), registered(probes["code"]):
        capture(calls_a_kernel, torch.randn(1000), target="cuda-sm90")
    said = {}
    for name, probe in probes.items():
        assert probe.found[0].script, probe.found[0].refused
        path = tmp_path / f"{name}.py"
        path.write_text(probe.found[0].script)
        said[name] = run_script(path)
    assert "+triton_kernel_wrapper_mutation" in difference(said["pass"])
    assert "* SCALE" in said["code"] and "scale_kernel_0.run(" in said["code"]
    path.write_text(probes["code"].found[0].script.replace("* SCALE", "+ SCALE"))
    assert "+ SCALE" in run_script(path)


PROGRAM = """
import torch

def block():
    return (lambda x: x.clone().relu() + 1), (torch.randn(8),)
"""
COMMAND = "from pytest_compile_golden.cli import main; main(prog_name='compile-golden')"


def test_the_command_writes_a_script_that_runs(project: pytest.Pytester):
    project.makepyfile(program=PROGRAM)
    eject = (sys.executable, "-W", "ignore", "-c", COMMAND, "eject", "program.py::block", "--target", "cpu-avx2")
    result = project.run(*eject, "--pass", "remove_noop_ops", "-o", "one.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["wrote one.py: remove_noop_ops on graph_0. Run it: python one.py"])
    script = project.run(sys.executable, "-I", "-W", "ignore", "one.py")
    script.stdout.fnmatch_lines(["---- difference: 5 -> 4 nodes", "-clone: *aten.clone.default*"])
    result = project.run(*eject, "--pass", "dead_node_elimination", "-o", "two.py")
    assert result.ret == 0 and "Inductor's fusion by itself" in (project.path / "two.py").read_text()
    result = project.run(*eject, "--pass", "remove_nothing")
    assert result.ret == 1
    result.stderr.fnmatch_lines(["Error: no graph pass 'remove_nothing' ran; these did: *remove_noop_ops*"])
