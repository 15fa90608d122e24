"""AMD's GPUs: code as Inductor and Triton's AMD backend write it, in processes without other vendors' targets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compile_golden import capture
from pytest_compile_golden.errors import TargetUnavailable
from pytest_compile_golden.features.machine_code.vendor_tools import wave_occupancy
from pytest_compile_golden.formats.machine_code.instructions import counted
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES
from pytest_compile_golden.targets.devices import MI300X, MI355X

# Nothing may import Inductor beforehand, so this runs in a process of its own.
PROGRAM = """
import pytest, sys, torch
from pytest_compile_golden import capture
from pytest_compile_golden.errors import StageNotCaptured, TargetUnavailable
from pytest_compile_golden.targets import get_target

target = get_target(sys.argv[1])
target.prepare()

def product(x, y):
    return torch.relu(x @ y)

x = torch.empty(512, 512, dtype=torch.float16)
captured = capture(product, x, x, target=target.name, policy="triton", config={"max_autotune": True})
(name,) = captured["triton_code"].names
text = captured["triton_code"].text
assert "tem_fused_mm_relu" in name, name
for of_amd in ("matrix_instr_nonkdim", "waves_per_eu", "'tt.pointer_range', 32"):
    assert of_amd in text, of_amd
assert f"for {target.properties.architecture})" in captured["amdgcn"].text
assert "v_mfma" in captured["amdgcn"].text and ".loc" not in captured["amdgcn"].text
resources = captured["kernel_resources"]
assert resources["tensor_core"] > 0 and resources["registers"] > 0 and resources["spills"] == 0, resources
assert resources["threads"] == 64  # one wave
assert {"ttir", "ttgir", "llir", "amdgcn"} <= {*captured.stages} and not {"ptx", "sass"} & {*captured.stages}
with pytest.raises(StageNotCaptured, match="only exists on NVIDIA GPUs"):
    captured["sass"]

# Convolutions keep their layout there, and rows have as many threads as a wave.
assert not torch._inductor.config.layout_optimization
softmax = capture(lambda x: torch.softmax(x, -1), torch.empty(128, 1024), target=target.name, train=True)
assert softmax.metrics.kernels == 2 and softmax.metrics.least_time > 0

for other in ("cuda-sm90", "cpu-avx2"):
    with pytest.raises(TargetUnavailable, match=f"{other} and {target.name} cannot be compiled for in one process"):
        capture(product, x, x, target=other)
"""


@pytest.mark.wide
def test_code_is_for_amds_gpus() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, "rocm-gfx942"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_process_that_compiles_for_others_cannot_use_them() -> None:
    import torch._inductor.config

    with pytest.raises(TargetUnavailable, match=r"--compile-golden-target=rocm-gfx942"):
        capture(torch.sin, torch.empty(4), target="rocm-gfx942")
    assert torch.version.hip is None


SUITE = """
import pytest
import torch


def test_softmax(amdgcn, golden):
    assert amdgcn(torch.softmax, torch.empty(8, 64), -1) == golden


def test_sass(sass):
    pytest.fail("no such stage on AMD's GPUs")
"""


@pytest.mark.wide
def test_they_need_a_run_of_their_own(project: pytest.Pytester) -> None:
    project.makepyfile(test_suite=SUITE)
    options = ["--compile-golden", "--compile-golden-target=rocm-gfx950"]
    result = project.runpytest_subprocess(*options, "--snapshot-update")
    result.assert_outcomes(passed=1, deselected=1)
    golden = (
        project.path
        / "goldens"
        / "test_suite"
        / "test_softmax"
        / "rocm-gfx950"
        / "amdgcn.txt"
    )
    assert "s_endpgm" in golden.read_text()

    both = project.runpytest_subprocess(*options, "--compile-golden-target=cuda-sm90")
    both.stderr.fnmatch_lines(
        ["ERROR: * and * cannot be compiled for in one process*a separate run*"]
    )


AMDGCN = """
\t.text
kernel:                                 ; @kernel
.Lfunc_begin0:
\t.loc\t1 18 0 prologue_end             ; kernel.py:18:0
\ts_load_dwordx2 s[2:3], s[0:1], 0x0
.Ltmp0:
.LBB0_0:                                ; =>This Inner Loop Header
\tglobal_load_dwordx4 v[2:5], v1, s[0:3]
\tbuffer_load_ushort v1, v2, s[0:3], 0 offen
\tbuffer_load_dwordx4 v1, s[0:3], 0 offen lds
\tds_read_b128 v[0:3], v4
\tds_read_b64_tr_b16 v[0:1], v4
\tds_write_b32 v4, v5
\tds_add_u32 v4, v5
\tds_bpermute_b32 v1, v2, v3
\tv_add_f32_dpp v1, v1, v1 row_shr:1
\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
\tglobal_atomic_add_f32 v1, v2, s[0:1]
\tscratch_store_dword off, v1, off
\tv_cvt_f16_f32_e32 v1, v1
\tv_exp_f32_e32 v1, v1
\ts_barrier
\ts_cbranch_scc1 .LBB0_0
\tglobal_store_short v1, v2, s[0:1]
\ts_endpgm
\t.section\t.rodata,"a",@progbits
\t.amdhsa_next_free_vgpr 12
\t.quad\t.Ltmp0
"""


def test_instructions_in_amd_assembly() -> None:
    text = LANGUAGES["amdgcn"].cleaned(AMDGCN, "kernel")
    assert [line for line in text.splitlines() if line.endswith(":")] == [".LBB0_0:"]
    assert text.endswith("    s_endpgm\n") and ";" not in text and ".loc" not in text
    assert counted(text, "amdgcn") == {
        "instructions": 19,
        "tensor_core": 1,
        "copy.global.shared": 1,
        "atomic.global": 1,
        "atomic.shared": 1,
        "load.global.128": 1,
        "load.global.16": 1,
        "store.global.16": 1,
        "load.shared.128": 1,
        "load.shared.matrix": 1,
        "store.shared.32": 1,
        "store.local.32": 1,
        "barrier": 1,
        "shuffle": 2,
        "conversion": 1,
        "special_function": 1,
    }


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "percent"),
    [
        (
            256,
            64,
            0,
            100,
        ),  # 8 waves in each of four parts, each with 64 of 512 registers
        (256, 65, 0, 87),  # 72 are allocated
        (256, 512, 0, 12),
        (64, 118, 16384, 12),  # 4 blocks of one wave in 64 KiB
        (1024, 128, 0, 50),
    ],
)
def test_waves_that_fit_in_a_compute_unit(
    threads: int, registers: int, shared: int, percent: int
) -> None:
    assert wave_occupancy(MI300X, threads, registers, shared) == percent
    assert wave_occupancy(MI355X, threads, registers, shared) >= percent


@pytest.mark.wide
def test_commands(project: pytest.Pytester) -> None:
    """Each runs in a process of its own, in which nothing may import Inductor before the target is known."""
    project.makepyfile(
        model="import torch\n\n\ndef block():\n    return torch.sin, (torch.empty(64),)\n"
    )

    def run(*arguments: str) -> pytest.RunResult:
        return project.run(
            sys.executable,
            "-m",
            "pytest_compile_golden",
            *arguments,
            "model.py::block",
            "--target",
            "rocm-gfx950",
        )

    assert run("eject", "--stage", "fusion").ret == 0
    assert "aten.sin" in (project.path / "fusion.py").read_text()
    run("fuzz").stderr.fnmatch_lines(
        ["Error: rocm-gfx950 is virtual: *target native-cpu, or an NVIDIA GPU*"]
    )
