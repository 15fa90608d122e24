"""The stages below Triton: what Triton compiles each kernel to, without a GPU."""

from __future__ import annotations

import functools
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.cli.doctor import doctor
from pytest_compile_golden.cli.show import show
from pytest_compile_golden.errors import InvalidOption, StageUnavailable
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.features.machine_code.compile_triton import (
    LoadedKernel,
    kernels,
    load,
    triton_irs,
)
from pytest_compile_golden.features.machine_code.vendor_tools import occupancy
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.inductor_module import kernel_files
from pytest_compile_golden.formats.machine_code.instructions import counted
from pytest_compile_golden.goldens.compare_artifact import carry_over, change_edits
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report import json_report
from pytest_compile_golden.stages import get_stage, stages
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.devices import A100_SXM_80GB, H100_SXM
from tests.forked import RunInProject
from tests.mutated import again, change, kind

COMPILED = tuple(
    stage.name
    for stage in stages()
    if stage.compiles and stage.exists_on("cuda", "NVIDIA")
)
WATCH = ["kernel_resources"]
TEXTS = tuple(name for name in COMPILED if name != "kernel_resources")


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x * 2, -1)


@pytest.fixture(scope="module")
def captured() -> Capture:
    return capture(softmax, torch.randn(512, 1000), target="cuda-sm90", watch=WATCH)


def test_nothing_is_compiled_unless_requested() -> None:
    fresh = capture(softmax, torch.randn(512, 1000), target="cuda-sm90")
    assert set(COMPILED) <= set(fresh.stages)
    assert (
        "spills" not in fresh.metrics.values and "spills" in fresh.metrics.unavailable
    )
    assert "machine_code" not in fresh.record.entries
    assert fresh["sass"].text
    assert fresh.record.entries["machine_code"]


def test_metrics_do_not_depend_on_what_else_is_requested(captured: Capture) -> None:
    """They include numbers from the machine code if, and only if, the capture was told to up front."""
    later, unasked = (
        Capture(captured.record),
        Capture(replace(captured.record, unwatched=frozenset(COMPILED))),
    )
    before = later.metrics.text, unasked.metrics.text
    for capture_ in (later, unasked):
        assert capture_["kernel_resources"]["spills"] == 0
    fresh = Capture(captured.record), Capture(unasked.record)
    assert tuple(each.metrics.text for each in fresh) == before
    assert "spills = 0" in before[0] and "spills" not in before[1]


def test_a_cpu_target_has_only_kernel_resources() -> None:
    on_cpu = capture(softmax, torch.randn(8, 8), target="cpu-avx2")
    assert set(COMPILED) & set(on_cpu.stages) == {"kernel_resources"}


def test_resources_match_what_triton_and_ptxas_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kernel is compiled again, in the configuration its line names."""
    from triton import knobs

    captured = capture(
        lambda x: x.cumsum(-1) + x.sum(), torch.randn(64, 4096), target="cuda-sm80"
    )
    lines = captured["kernel_resources"].kernels
    assert len(lines) > 1
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    with get_target("cuda-sm80").active():
        for line, kernel in zip(lines, kernels(captured.record, tmp_path), strict=True):
            config = kernel.autotuner.configs[0]
            binary = kernel.autotuner._precompile_config(config).kernel
            source = tmp_path / "kernel.ptx"
            source.write_text(binary.asm["ptx"])
            command = [
                knobs.nvidia.ptxas.path,
                "-v",
                "--gpu-name=sm_80",
                source,
                "-o",
                tmp_path / "kernel.cubin",
            ]
            stderr = subprocess.run(
                command, capture_output=True, text=True, check=True
            ).stderr
            takes = dict(line.takes)
            assert f"Used {takes['registers']} registers" in stderr
            assert f"{takes['stack']} bytes stack frame" in stderr
            assert takes["shared"] == binary.metadata.shared
            assert takes["threads"] == 32 * config.num_warps
            assert f"num_warps={config.num_warps}" in line.config


def test_uninformative_parts_are_left_out(captured: Capture) -> None:
    for name in TEXTS:
        text = captured[name].text
        kernel = captured["triton_code"].names[0]
        assert text.count(kernel) == 1 and text.startswith(f"# graph_0: {kernel}\n"), (
            name
        )
        assert not re.search(
            r"loc\(|!dbg|DILocation|\.loc\b|\.file|/\*[0-9a-f]{4}\*/|/tmp", text
        ), name
        assert get_format(name).write(get_format(name).read(text)) == text


def test_texts_of_a_kernel_do_not_say_where_it_was_compiled() -> None:
    def put(x: torch.Tensor, rows: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[rows] = values  # asserts on the device that the rows exist
        return y

    inputs = torch.randn(64, 32), torch.randint(0, 64, (16,)), torch.randn(16, 32)
    once, twice = (capture(put, *inputs, target="cuda-sm90") for _ in range(2))
    assert "assertFile_0" in str(once["ptx"])
    for stage in ("llir", "ptx"):
        assert str(once[stage]) == str(twice[stage])


def test_a_different_name_is_cosmetic_and_a_different_constant_is_not(
    captured: Capture,
) -> None:
    renamed = again(
        captured,
        lambda code: re.sub(r"\btmp(\d+)\b", r"value\1", code).replace(
            "softmax", "rows"
        ),
    )
    doubled = again(
        captured, lambda code: code.replace("2.0, tl.float32", "3.0, tl.float32")
    )
    assert len(COMPILED) == 6
    for name in COMPILED:
        old = captured[name].text
        assert renamed[name].text.startswith(
            "# graph_0" if name in TEXTS else "graph_0"
        )
        assert kind(name, old, renamed[name].text) == "cosmetic", name
        if name != "kernel_resources":
            assert kind(name, old, doubled[name].text) == "structural", name


def test_a_new_spill_is_a_regression(captured: Capture) -> None:
    """Rows too long for a block's registers."""
    before = captured["kernel_resources"]
    spilled = again(
        captured,
        lambda code: code.replace("r0_numel = 1000", "r0_numel = 40000").replace(
            "1024", "65536"
        ),
    )
    assert spilled["kernel_resources"]["spills"] > before["spills"] == 0
    assert spilled["kernel_resources"]["store.local"] > 0
    found = change("metrics", captured.metrics.text, spilled.metrics.text)
    assert found is not None
    assert ("spills", "REGRESSION") in [
        (metric.name, metric.verdict) for metric in found.metrics
    ]
    taken = change("kernel_resources", before.text, spilled["kernel_resources"].text)
    assert taken is not None and any(
        "spills" in sentence(edit) for edit in change_edits(taken)
    )


def test_every_configuration_on_request() -> None:
    found = capture(
        lambda x: x.sum(-1),
        torch.randn(64, 8192),
        config={"max_autotune": True},
        kernel_configs="all",
        watch=WATCH,
    )
    offered = next(iter(found.record.get("launches"))).configs
    assert [kernel.config for kernel in found["kernel_resources"].kernels] == list(
        offered
    )
    assert len(offered) > 1
    # The metrics are those of the first configuration, however many were compiled.
    assert (
        found.metrics.registers
        == dict(found["kernel_resources"].kernels[0].takes)["registers"]
    )
    with pytest.raises(InvalidOption, match="'first' or 'all'"):
        capture(softmax, torch.randn(8, 8), kernel_configs="some")  # type: ignore[arg-type]


def test_kernels_that_torch_would_not_launch_are_named() -> None:
    """More shared memory than an A100 gives a block, and a type it does not have."""
    half = [torch.randn(2048, 2048, dtype=torch.bfloat16) for _ in range(2)]
    product = capture(
        torch.mm,
        *half,
        config={"max_autotune": True},
        policy="triton",
        target="cuda-sm80",
    )
    tiles = functools.partial(re.sub, r"(BLOCK_[MNK] : tl.constexpr =) \d+", r"\1 128")
    launch = functools.partial(
        re.sub, r"num_stages=1,\s*num_warps=2,", "num_stages=4, num_warps=8,"
    )
    big = again(product, lambda code: tiles(launch(code)))
    (kernel,) = big["kernel_resources"].kernels
    assert (
        kernel.dropped
        == f"{dict(kernel.takes)['shared']} bytes of shared memory, of 166912 that a block may have"
    )
    small = again(
        capture(softmax, torch.randn(8, 8), target="cuda-sm80"),
        lambda code: code.replace("tl.float32)", "tl.float8e4nv)"),
    )
    (refused,) = small["kernel_resources"].kernels
    assert refused.dropped.startswith("does not compile: ") and not refused.takes
    assert refused.dropped in small["sass"].text


@pytest.mark.parametrize("tool", ["cuobjdump", "nvdisasm"])
def test_a_missing_tool_makes_only_these_stages_unavailable(
    tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triton import knobs

    there = knobs.NvidiaTool.from_path
    monkeypatch.setattr(
        knobs.NvidiaTool,
        "from_path",
        lambda path: None if Path(path).name == tool else there(path),
    )
    found = capture(softmax, torch.randn(8, 8))
    assert set(found.unavailable) == set(COMPILED)
    assert "kernels" in found.metrics.values and "spills" in found.metrics.unavailable
    with pytest.raises(StageUnavailable, match=f"Cannot find {tool}"):
        found["sass"]
    output = CliRunner().invoke(doctor).output
    assert f"unavailable: triton.knobs.nvidia.{tool}: Cannot find {tool}" in output


def test_metrics_in_a_golden_are_kept_when_nothing_is_compiled(
    captured: Capture,
) -> None:
    golden = captured.metrics.text
    uncompiled = Capture(
        replace(captured.record, unwatched=frozenset({"kernel_resources"}))
    ).metrics
    assert "spills" in golden and "spills" not in uncompiled.text
    assert "spills = 0\n" in carry_over(
        get_stage("metrics"), golden, uncompiled.text, uncompiled.unavailable
    )


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "percent"),
    [
        (128, 32, 0, 100),
        (128, 33, 0, 75),
        (128, 255, 0, 12),
        (32, 16, 0, 50),
        (1024, 64, 0, 50),
        (1024, 65, 0, 0),
    ],
)
def test_occupancy(threads: int, registers: int, shared: int, percent: int) -> None:
    assert occupancy(H100_SXM, threads, registers, shared) == percent


def test_shared_memory_limits_occupancy() -> None:
    """Each block takes a kilobyte more than its kernel asks for."""
    assert (
        occupancy(H100_SXM, 128, 32, 100 << 10)
        == occupancy(A100_SXM_80GB, 128, 32, 70 << 10)
        == 12
    )
    assert (
        occupancy(H100_SXM, 128, 32, 113 << 10)
        == 12
        != occupancy(H100_SXM, 128, 32, 114 << 10)
    )
    assert occupancy(A100_SXM_80GB, 128, 32, 164 << 10) == 0


def test_instructions_by_kind() -> None:
    lines = [
        "@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64]",
        "LDG.E.U8 R1, [R2]",
        "LDG.E R1, [R2]",
        "STS.64 [R1], R2",
    ]
    lines += [
        "LDSM.16.M88.4 R4, [R5]",
        "HMMA.16816.F32 R4, R8, R10, R4",
        "ATOMG.E.ADD R1, [R2], R3",
        "STL [R1], R2",
    ]
    assert counted(
        "".join(f"    {line}\n" for line in ["BAR.SYNC 0x0", *lines, ".L_x_0:"])
    ) == {
        "instructions": 9,
        "tensor_core": 1,
        "atomic.global": 1,
        "load.global.128": 1,
        "load.global.32": 1,
        "load.global.8": 1,
        "load.shared.matrix": 1,
        "store.shared.64": 1,
        "store.local.32": 1,
        "barrier": 1,
    }


CASE = """
import torch


def test_{name}(compile_stages, golden):
    captured = compile_stages(lambda x: {program}, torch.randn(512, 1000))
    assert captured["triton_code"] == golden
"""
DOUBLED, SOFTMAX = "x * 2", "torch.softmax(x * 2, -1)"


def test_same_machine_code_is_reported_for_a_rewritten_kernel(
    project: pytest.Pytester, compiling: RunInProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    same, other = (
        CASE.format(name=name, program=DOUBLED) for name in ("same", "other")
    )
    project.makepyfile(test_same=same, test_other=other)
    options = ("--compile-golden-target=cuda-sm90",)
    compiling(*options, "--snapshot-update").assert_outcomes(passed=2)
    for name, written, rewritten in (
        ("same", "tmp2 = tmp0 * tmp1", "tmp2 = tmp0 + tmp0"),
        ("other", "2.0, tl.float32", "3.0, tl.float32"),
    ):
        (golden,) = project.path.glob(f"goldens/**/test_{name}/**/triton_code.py")
        assert written in golden.read_text()
        golden.write_text(golden.read_text().replace(written, rewritten))
    reports = [f"--compile-golden-report=run.{suffix}" for suffix in ("json", "md")]
    result = compiling(*options, "--compile-golden-pending=pending", *reports)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "noted (does not fail; the next --snapshot-update records it): same-machine-code in 1 case."
        ]
    )
    selected = compiling(*options, "-o", "compile_golden_select=same-machine-code")
    selected.assert_outcomes(failed=2)
    selected.stdout.no_fnmatch_line("*torch.__trace*")
    verdict = "same as before, instruction by instruction, on cuda-sm90"
    selected.stdout.fnmatch_lines([f"  machine code      the {verdict}"])
    assert selected.stdout.str().count("  machine code  ") == 1
    report = json_report.read(project.path / "run.json")
    about = {
        case.nodeid.partition("::test_")[2]: [stage.about for stage in case.stages]
        for case in report.cases
    }
    assert (
        about["same[cuda-sm90]"] == ["same machine code"] != about["other[cuda-sm90]"]
    )
    assert "(same machine code)" in (project.path / "run.md").read_text()
    monkeypatch.chdir(project.path)
    assert (
        "same machine code in 1 case"
        in CliRunner().invoke(show, ["--pending=pending"]).output
    )


def test_a_spelling_beside_a_hint_and_a_number_counted_in_the_kernel_are_noted_if_the_machine_code_is_the_same(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    counted = CASE.format(name="counted", program=DOUBLED).replace(
        'captured["triton_code"]', "captured"
    )
    project.makepyfile(
        test_hinted=CASE.format(name="hinted", program=SOFTMAX), test_counted=counted
    )
    options = ("--compile-golden-target=cuda-sm90",)
    compiling(*options, "--snapshot-update").assert_outcomes(passed=2)

    def edit(case: str, stem: str, expression: str, new: str) -> None:
        (golden,) = project.path.glob(f"goldens/**/test_{case}/**/{stem}")
        text, times = re.subn(expression, new, golden.read_text())
        assert times
        golden.write_text(text)

    edit(
        "hinted",
        "triton_code.py",
        "eviction_policy='evict_first'",
        "eviction_policy='evict_last'",
    )
    for case in ("hinted", "counted"):
        edit(case, "triton_code.py", r"tmp2 = tmp0 \* tmp1", "tmp2 = tmp0 + tmp0")
    edit("counted", "metrics.toml", r"flops = \d+", "flops = 1")
    result = compiling(*options)
    result.assert_outcomes(passed=2)
    noted = "hints-changed in 1 case, metric-changed in 1 case, same-machine-code in 2 cases."
    result.stdout.fnmatch_lines([f"noted (*): {noted}"])
    edit(
        "hinted", "triton_code.py", r"tmp2 = tmp0 \+ tmp0", "tmp2 = tmp0 + tmp0 + tmp0"
    )
    edit("counted", "metrics.toml", "kernels = 1\n", "kernels = 2\n")
    compiling(*options).assert_outcomes(failed=2)


def test_kernels_that_no_longer_compile_are_not_reported_as_the_same(
    captured: Capture,
) -> None:
    text = captured["triton_code"].text
    gone = text.replace("triton_heuristics.", "triton_heuristics.older_")
    broken = text.replace("tmp2 = tmp0 * tmp1", "tmp2 = tl.gone(tmp0)")
    assert gone != text != broken
    assert not any(
        captured.same_machine_code(kernels) for kernels in (gone, broken, text + text)
    )


def test_kernels_are_the_same_if_launched_alike(captured: Capture) -> None:
    """Metadata counts by what Inductor's heuristics make of it: the configurations on offer, and the grid."""
    text = captured["triton_code"].text
    assert "'grid_type': 'Grid1D'" in text and "'atomic_add_found': False" in text
    assert captured.same_machine_code(
        text.replace("'atomic_add_found': False", "'atomic_add_found': True")
    )
    assert not captured.same_machine_code(text.replace("Grid1D", "Grid2D"))


def test_rewritten_kernels_are_compared_in_tritons_own_ir(captured: Capture) -> None:
    ((_, module),) = kernel_files(captured.record.get("output_code")[0].code, "triton")
    assert "tmp2 = tmp0 * tmp1" in module

    def ir(text: str) -> list[list[str]]:
        return triton_irs(
            captured.target,
            lambda folder: [
                LoadedKernel(GraphKey(0), "", load(text, folder / "kernel.py"))
            ],
        )

    assert ir(module) == ir(
        module.replace("tmp0", "tmp90").replace(
            "x0 = xindex", "x0 = (xindex).to(tl.int32)"
        )
    )
    assert ir(module) != ir(module.replace("tmp2 = tmp0 * tmp1", "tmp2 = tmp0 + tmp1"))
