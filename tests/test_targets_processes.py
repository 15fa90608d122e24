"""Targets across processes: order does not matter, the shim is built once, a missing compiler is explained."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_compile_golden.targets import build_library
from tests.forked import Forks

ROOT = Path(__file__).parent.parent

FINGERPRINTS = """
import hashlib, json, os, re, sys
import torch, torch._functorch.config, torch._inductor.config
from torch._dynamo.utils import counters
from torch._inductor.graph import GraphLowering
from pytest_compile_golden.targets import get_target

codes = []
GraphLowering.save_output_code = staticmethod(codes.append)
torch._inductor.config.fx_graph_cache = False
torch._functorch.config.enable_autograd_cache = False

def attention(x):
    y = torch.dropout((x @ x.mT / 8.0).softmax(-1), 0.1, True) @ x
    return torch.nn.functional.rms_norm(torch.nn.functional.silu(y), (64,)) + y.sum(0)
def matmul(x):
    return torch.nn.functional.gelu(x.flatten(0, 2) @ x.flatten(0, 2)[:64].T)

def ordinary():
    x = torch.randn(4, 4, requires_grad=True)
    (x @ x).sum().backward()
    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        torch.compile(attention, backend=backend)(torch.randn(2, 4, 64, requires_grad=True)).sum().backward()

def inductor():  # fills torch's lazily registered patterns for the CPU
    with torch._inductor.config.patch({"cpp.vec_isa_ok": False}), torch.utils._python_dispatch._disable_current_modes():
        torch._dynamo.reset()
        graph = torch.fx.symbolic_trace(lambda x: x + 1)
        from torch._inductor.fx_passes import joint_graph, post_grad, pre_grad
        for module in (pre_grad, post_grad, joint_graph):
            module.lazy_init(torch.device("cpu"))

def fingerprint(name):
    made = []
    with get_target(name).active(policy="triton") as target:
        for function, mode in ((attention, None), (matmul, "max-autotune-no-cudagraphs")):
            codes.clear(); counters.clear(); torch._dynamo.reset()
            x = target.place(torch.randn(2, 4, 16, 64, requires_grad=mode is None))
            made_of_x = torch.compile(function, mode=mode)(x)
            if mode is None:
                made_of_x.sum().backward()
            made += [re.sub(r"\\['\\d+_", "['N_", code) for code in codes]
            made.append(dict(counters["inductor"]))
    return hashlib.sha256(json.dumps(made).encode()).hexdigest()

for steps in sys.argv[1:]:
    if os.fork() == 0:  # a process of its own, which need not import torch again
        made = {step: globals()[step]() if step in globals() else fingerprint(step) for step in steps.split()}
        print(json.dumps({name: value for name, value in made.items() if value}), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


def run(
    code: str, python: str | Path = sys.executable
) -> subprocess.CompletedProcess[str]:
    kept = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, env=kept, timeout=300
    )


@pytest.mark.wide
def test_order_does_not_matter(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forks_with_bare_torch: Forks,
    forks_on_another_machine: Forks,
) -> None:
    script = tmp_path / "fingerprints.py"
    script.write_text(FINGERPRINTS)

    def fingerprints(forks: Forks, *processes: str) -> list[dict[str, str]]:
        """The results of each of these lists of steps, run in a process of its own."""
        done = forks.run_script(tmp_path, script, *processes)
        assert done.ret == 0, done.stderr.str()[-3000:]
        return [json.loads(line) for line in done.outlines if line.startswith("{")]

    names = ("cuda-sm80", "cuda-sm100", "cpu-avx512")
    with monkeypatch.context() as patch:
        # Neither a compiler nor anything else on the host is used. Hash seed and thread count differ from those below.
        patch.setenv("PATH", "/nonexistent")
        alone = {
            name: value
            for made in fingerprints(forks_on_another_machine, *names)
            for name, value in made.items()
        }
    assert len(set(alone.values())) == 3
    together = fingerprints(
        forks_with_bare_torch,
        "cuda-sm80 ordinary cuda-sm100 inductor cpu-avx512",
        "inductor cpu-avx512 ordinary cuda-sm100 cuda-sm80",
    )
    assert together == [alone, alone]


def test_importing_targets_does_not_import_torch() -> None:
    done = run(
        "import sys; from pytest_compile_golden.targets import target_names; target_names(); "
        "print('torch' in sys.modules)"
    )
    assert done.stdout.strip() == "False", done.stdout + done.stderr


def test_without_a_compiler_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    code = textwrap.dedent(
        """
        import torch
        from pytest_compile_golden.targets import get_target
        from pytest_compile_golden.errors import TargetUnavailable
        try:
            with get_target("cuda-sm90").active():
                print("entered")
        except TargetUnavailable as error:
            print(error)
        print(torch.cuda.is_available(), torch.randn(1).device)
        with get_target("cpu-avx2").active():
            print("cpu works")
        """
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    wrong = forks_with_bare_torch.run_script(tmp_path, script)
    assert "CXX is 'no-such-compiler'" in wrong.stdout.str()
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", "/nonexistent")
    output = forks_with_bare_torch.run_script(tmp_path, script).stdout.str()
    assert "apt-get install g++" in output
    assert "cpu-avx2, cpu-avx512 and cpu-neon work without" in output
    assert "cpu works" in output and "entered" not in output


def test_two_processes_build_the_shim_once(
    tmp_path: Path, forks_with_bare_torch: Forks
) -> None:
    build_library.load()
    calls, compiler = tmp_path / "calls", tmp_path / "counting-c++"
    # What it would compile is there already; it takes as long as the other process needs to ask for it, too.
    copy = f'sleep 1\nwhile [ "$1" != -o ]; do shift; done\ncp "{build_library.library_path()}" "$2"\n'
    compiler.write_text(f'#!/bin/sh\necho called >> "{calls}"\n{copy}')
    compiler.chmod(0o755)
    code = "from pytest_compile_golden.targets import build_library; print(build_library.load().is_armed())"
    kept = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CXX": str(compiler),
    }
    both = [
        subprocess.Popen(
            [forks_with_bare_torch.python, "-c", code],
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate(timeout=300)
        assert out.strip() == "0", err
    assert calls.read_text().count("called") == 1
    folder = tmp_path / "cache" / "pytest-compile-golden" / "shim"
    assert [
        path.suffix for path in sorted(folder.iterdir()) if path.suffix != ".lock"
    ] == [".so"]


@pytest.fixture
def load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> Callable[..., str]:
    """Loads the shim in a process with these variables, and gives what it printed when it failed."""
    script = tmp_path / "script.py"
    script.write_text(
        "from pytest_compile_golden.targets import build_library; build_library.load()"
    )

    def load(**environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return forks_with_bare_torch.run_script(tmp_path, script).stderr.str()

    return load


def test_a_failing_compiler_is_quoted(tmp_path: Path, load: Callable[..., str]) -> None:
    compiler = tmp_path / "broken-c++"
    compiler.write_text("#!/bin/sh\necho 'unsupported flag -std=c++20' >&2\nexit 1\n")
    compiler.chmod(0o755)
    errors = load(XDG_CACHE_HOME=str(tmp_path / "cache"), CXX=str(compiler))
    assert "TargetUnavailable" in errors and "unsupported flag -std=c++20" in errors


def test_an_unwritable_cache_folder_is_named_with_the_variable_to_set(
    tmp_path: Path, load: Callable[..., str]
) -> None:
    (tmp_path / "file").touch()
    errors = load(XDG_CACHE_HOME=str(tmp_path / "file"))
    assert "TargetUnavailable" in errors and f"{tmp_path / 'file'}" in errors
    assert "cannot be written to (Not a directory). Set XDG_CACHE_HOME" in errors


def test_forks_work_after_torch_has_claimed_a_device(
    forks_with_bare_torch: Forks,
) -> None:
    """As torch's CUDA wheels do where there is no GPU, as soon as there are fake tensors."""
    code = """
import os
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from pytest_compile_golden.targets import get_target

FakeTensorMode()
for process in ("parent", "fork"):
    with get_target("cuda-sm90").active() as mode:
        torch.ones(4, requires_grad=True).sum().backward()
    print(process, "ran backward", flush=True)
    if process == "parent" and os.fork():
        assert os.wait()[1] == 0
        break
"""
    done = run(code, forks_with_bare_torch.python)
    assert done.stdout.split("\n")[:2] == [
        "parent ran backward",
        "fork ran backward",
    ], done.stderr
