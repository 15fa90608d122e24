"""How suites, scripts and their processes get virtual GPUs, and that nothing is left of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from pytest_compile_golden.common.installed_torch import torch_release
from tests.forked import Forks, RunInProject


def test_the_ini_key_and_an_older_card(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makeini("[pytest]\nvirtual_gpu = a100\nvirtual_gpu_count = 2")
    project.makeconftest("import torch\nassert torch.cuda.device_count() == 2")
    project.makepyfile(
        test_it="""
        import torch


        def test_it():
            assert torch.cuda.get_device_capability() == (8, 0)
            x = torch.ones(2, device="cuda:1")
            with torch.cuda.device(1):
                assert torch.cuda.current_device() == 1
                assert torch.ones(2, device="cuda").device == x.device
            assert (x + 1).device == x.device and x.to("cuda:0").device.index == 0
            assert torch.cuda.memory_allocated(1) == 512
        """
    )
    forks_with_torch.run_pytest(project.path).assert_outcomes(passed=1)


def test_workers_of_pytest_xdist(project: pytest.Pytester) -> None:
    """In processes of their own: one that is forked has imported torch, which is what puts the GPU into a worker."""
    project.makepyfile(
        test_it="""
        import torch


        def test_it():
            assert torch.ones(2, device="cuda").sum().item() == 2
        """
    )
    project.runpytest_subprocess("--virtual-gpu=h100", "-n1").assert_outcomes(passed=1)


def test_a_program_that_is_run_on_a_gpu_by_one_that_has_it(
    project: pytest.Pytester, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\n")
    project.makepyfile(
        test_it=f"""
        import subprocess, sys


        def test_it():
            command = ["-m", "pytest_compile_golden", "run", "--gpu", "h100", {str(script)!r}]
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            assert "cannot be entered inside cuda-sm90; run what is for" in done.stderr
            assert "without --virtual-gpu or --gpu." in done.stderr
        """
    )
    project.runpytest_subprocess("--virtual-gpu=h100").assert_outcomes(passed=1)


def test_header_says_which_triton_belongs_to_torch(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        from pytest_compile_golden.common import installed_torch

        installed_torch._TRITON_OF = dict.fromkeys(installed_torch._TRITON_OF, "triton==3.0")
        """
    )
    project.makepyfile(test_it="def test_it(): pass")
    project.runpytest_subprocess("--virtual-gpu=h100").stdout.fnmatch_lines(
        [
            "virtual GPU: Triton 3.* is not this torch's, and writes other GPU code: pip install 'triton==3.0'"
        ]
    )


REFUSING = """
import torch
from pytest_compile_golden.features.virtual_gpu.gpu import running

torch.library.Library.impl.__kwdefaults__["allow_override"] = False
with running("h100"):
    print(torch.ones(2, device="cuda").sum().item())
"""


def test_a_torch_that_replaces_kernels_only_if_told_to(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    """As torch 2.12 is."""
    script = tmp_path / "refusing.py"
    script.write_text(REFUSING)
    done = forks_with_torch.run_script(tmp_path, script)
    assert done.outlines == ["2.0"], done.stderr.str()


STARTED = """
from pathlib import Path
import torch
from pytest_compile_golden import numerics

assert numerics(torch.sin, torch.randn(8), target="cuda-sm90")
print([file.read_text() for file in Path("/proc/self/task").glob("*/children")])
"""


def test_no_process_is_started_to_build_kernels(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    """torch starts one at the first compile for a GPU, which takes as long as importing it."""
    script = tmp_path / "started.py"
    script.write_text(STARTED)
    done = forks_with_torch.run_script(tmp_path, script)
    assert done.ret == 0, done.stderr.str()
    assert {*eval(done.outlines[-1])} == {""}


SAVED_AND_LOADED = """
import gc, io, pytest, torch
from pytest_compile_golden.errors import NeedsNativeTarget


def projected(x, w):
    return torch.sin(x @ w).sum(-1)


@pytest.fixture
def inputs():
    return torch.randn(8, 16, device="cuda"), torch.randn(16, 4, device="cuda")


def test_what_is_saved_is_loaded_where_it_was_compiled(inputs, tmp_path):
    compiled = torch.compile(projected, fullgraph=True).aot_compile((inputs, {}))
    compiled.save_compiled_function(tmp_path / "saved")
    text = (tmp_path / "saved").read_bytes()
    assert b"async_compile.triton" in text
    loaded = torch.compiler.load_compiled_function(io.BytesIO(text))
    torch.testing.assert_close(loaded(*inputs), projected(*inputs))
    del compiled, loaded
    gc.collect()
    with pytest.raises(NeedsNativeTarget, match="only where it was compiled"):
        torch.compiler.load_compiled_function(io.BytesIO(text))


@pytest.mark.skipif(torch.__version__ < "2.15", reason="precompile has this form from torch 2.15 on")
def test_precompile(inputs, tmp_path):
    paths = {"artifact_path": tmp_path / "projected.py", "cache_path": tmp_path / "projected.cache"}
    with torch.compiler.precompile.capture(projected, **paths) as precompiled:
        torch.testing.assert_close(precompiled(*inputs), projected(*inputs))
    assert "async_compile.triton" in (tmp_path / "projected.py").read_text()
"""


def test_entrances_that_write_down_what_they_compile(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(test_it=SAVED_AND_LOADED)
    result = forks_with_torch.run_pytest(project.path, "--virtual-gpu", "h100")
    precompiles = torch_release() >= (2, 15)
    result.assert_outcomes(passed=1 + precompiles, skipped=not precompiles)


def test_several_gpus_are_several_runs(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(
        "import torch\ndef test_it(): assert torch.cuda.get_device_name() in ('NVIDIA H100 80GB HBM3', 'NVIDIA B200')"
    )
    run = partial(
        forks_with_torch.run_pytest, project.path, python=forks_with_torch.python
    )
    result = run("--virtual-gpu", "h100", "--virtual-gpu=b200", "-q")
    assert result.ret == 0
    assert result.stdout.str().count("1 passed") == 2
    failing = run("--virtual-gpu", "h100", "--virtual-gpu=a100", "-q")
    assert failing.ret == 1
    failing.stdout.fnmatch_lines(["*1 failed*"])


def test_what_is_no_gpu(project: pytest.Pytester, compiling: RunInProject) -> None:
    result = compiling("--virtual-gpu", "h101")
    result.stderr.fnmatch_lines(["*h101*h100*"])


def test_nothing_is_left(tmp_path: Path, forks_with_bare_torch: Forks) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
import torch
from torch._dispatch.python import enable_python_dispatcher
from pytest_compile_golden.features.virtual_gpu.gpu import running

def state():
    return (
        torch.cuda.is_available(), torch.cuda.Stream, torch.UntypedStorage.resize_, torch.version.cuda,
        torch._C._dispatch_has_kernel_for_dispatch_key("aten::empty.memory_format", "CUDA"),
    )

before, weights = state(), torch.ones(3)
with running("h100"):
    kept = weights.cuda() * 2
    assert kept.tolist() == [2, 2, 2] and state() != before
    with enable_python_dispatcher():
        assert kept.as_strided((2,), (1,)).tolist() == [2, 2]
assert state() == before
try:
    torch.ones(2, device="cuda")
except (AssertionError, RuntimeError) as error:
    print("refused", type(error).__name__)
# A kernel that Python's dispatcher remembers would be called, and end the process.
with enable_python_dispatcher():
    try:
        kept.as_strided((2,), (1,))
        assert before[3], "only a wheel for CUDA has its own"
    except NotImplementedError:
        pass
print("forgotten")
with running("b200"):
    assert (kept + 1).tolist() == [3, 3, 3] and torch.cuda.get_device_capability() == (10, 0)
print("done")
"""
    )
    result = forks_with_bare_torch.run_script(tmp_path, script)
    result.stdout.fnmatch_lines(["refused *", "forgotten", "done"])


def test_a_script_runs_as_it_is(
    tmp_path: Path, project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    script = project.path / "script.py"
    script.write_text(
        "import sys, torch\n"
        "model = torch.compile(torch.nn.Linear(4, 2).cuda())\n"
        "print(__name__, sys.argv[1:], model(torch.ones(3, 4).cuda()).shape, torch.cuda.get_device_name())\n"
    )
    result = forks_with_torch.run_command(
        project.path, "run", "--gpu", "b200", "script.py", "--steps", "3"
    )
    assert (
        result.stdout.str().strip()
        == "__main__ ['--steps', '3'] torch.Size([3, 2]) NVIDIA B200"
    )


def test_processes_have_it_too(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    """Two that are spawned, as ranks that exchange by nccl."""
    project.makepyfile(
        test_it="""
        import os

        import torch
        import torch.distributed as dist
        import torch.multiprocessing as mp


        def rank(rank, shared, port):
            os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": str(rank), "WORLD_SIZE": "2"}
            assert torch.cuda.get_device_name() == "NVIDIA H100 80GB HBM3"
            torch.cuda.set_device(rank)
            shared[rank] = 10 + rank
            dist.init_process_group("nccl")
            x = torch.ones(4, device="cuda") * (rank + 1)
            dist.all_reduce(x)
            assert x.tolist() == [3] * 4 and x.device.index == rank
            parts = [torch.empty(4, device="cuda") for _ in range(2)]
            dist.all_gather(parts, x + rank)
            assert [part[0].item() for part in parts] == [3, 4]
            whole = torch.arange(24.0, device="cuda").view(4, 6)
            mine, weight = whole.chunk(2)[rank], torch.eye(6, device="cuda") * 2
            group = dist.group.WORLD.group_name
            gathered, products = torch.ops.symm_mem.fused_all_gather_matmul(mine, [weight], 0, group)
            assert torch.equal(gathered, whole) and torch.equal(products[0], whole * 2)
            scattered = torch.ops.symm_mem.fused_matmul_reduce_scatter(whole, weight, "sum", 0, group)
            assert torch.equal(scattered, mine * 4)
            torch.manual_seed(0)
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4).cuda(), device_ids=[rank])
            model(torch.ones(2, 4, device="cuda") * rank).sum().backward()
            assert model.module.weight.grad.sum() == 16
            for _ in range(2):  # torch tells how long a step took from the second one on
                model(torch.ones(2, 4, device="cuda")).sum().backward()
            # Before the group: torch ends gloo's threads with Python's lock held where DDP has the last reference.
            del model
            dist.destroy_process_group()


        def test_it():
            with __import__("socket").socket() as free:
                free.bind(("127.0.0.1", 0))
                port = str(free.getsockname()[1])
            shared = torch.zeros(2, device="cuda")
            mp.spawn(rank, args=(shared, port), nprocs=2)
            assert shared.tolist() == [10, 11]
        """
    )
    result = forks_with_torch.run_pytest(
        project.path, "--virtual-gpu", "h100", "--virtual-gpu-count", "2"
    )
    result.assert_outcomes(passed=1)
