"""C++ kernels in the assembly of a CPU target, made by the C++ compiler of this machine."""

from __future__ import annotations

import re
import shlex
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.cli import main
from pytest_compile_golden.errors import StageUnavailable
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.machine_code.x86 import counted, resources
from pytest_compile_golden.targets import get_target
from tests.forked import RunInProject
from tests.mutated import again, change, kind

COMPILED = {"assembly", "kernel_resources"}
WATCH = ["kernel_resources"]
FakeCompiler = Callable[..., dict[str, object]]


def scaled(x: torch.Tensor) -> torch.Tensor:
    return x * 0.375 + 1


@pytest.fixture(scope="module")
def captured() -> Capture:
    return capture(scaled, torch.randn(64, 256), target="cpu-avx2", watch=WATCH)


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """Settings with a compiler that notes in `calls` what it is told, then runs `before`, then is the real one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    real = shutil.which("g++")
    assert real is not None

    def settings(before: str = "") -> dict[str, object]:
        # torch knows GCC by the name of its command.
        script = tmp_path / str(len(list(tmp_path.iterdir()))) / "g++"
        script.parent.mkdir()
        noted = shlex.quote(str(tmp_path / "calls"))
        script.write_text(f'#!/bin/sh\necho "$*" >> {noted}\n{before}\nexec {real} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return {"cpp.cxx": (None, str(script))}

    return settings


def calls(folder: Path, flag: str) -> list[list[str]]:
    told = [line.split() for line in (folder / "calls").read_text().splitlines()]
    return [each for each in told if flag in each]


def test_nothing_is_compiled_unless_it_is_asked_for(captured: Capture) -> None:
    record = replace(captured.record, unwatched=frozenset(COMPILED), entries={**captured.record.entries})
    record.entries.pop("machine_code", None)
    fresh = Capture(record)
    assert set(fresh.stages) >= COMPILED and not {"ttir", "sass"} & set(fresh.stages)
    assert "machine_code" not in fresh.record.entries
    assert "spills" in fresh.metrics.unavailable


def test_the_numbers_are_metrics_where_they_were_asked_for_before(captured: Capture) -> None:
    assert captured.metrics.spills == 0 and captured.metrics.vector_bits == 256
    assert re.fullmatch(r"(?:g\+\+|clang) \d+\.\d+\.\d+", captured.metrics.cpp_compiler)
    assert not {"registers", "occupancy"} & set(captured.metrics.values)


def test_what_says_nothing_is_left_out(captured: Capture) -> None:
    text = captured["assembly"].text
    (kernel,) = captured["cpp_code"].names
    assert text.startswith(f"# graph_0: {kernel}\n# AVX2 ({captured.metrics.cpp_compiler})\nkernel:\n")
    assert text.count(kernel) == 1 and "    vmulps " in text
    assert not re.search(r"\.(?:cfi|loc|file|ident|p2align|type|size|section|globl)\b|/tmp|-packages|_GLOBAL_", text)
    # Each label is one that something jumps to or reads.
    for label in re.findall(r"^(\.L\w+):", text, re.M):
        assert re.search(rf"^    .*{re.escape(label)}\b", text, re.M), label
    assert get_format("assembly").write(get_format("assembly").read(text)) == text


def test_the_flags_are_inductors_for_the_target(tmp_path: Path, compiler: FakeCompiler) -> None:
    """But for the host's instruction set and tuning, and what is there for debuggers."""
    from torch._inductor import cpp_builder, cpu_vec_isa

    for target, level in (("cpu-avx2", "-march=x86-64-v3"), ("cpu-avx512", "-march=x86-64-v4")):
        assert capture(scaled, torch.randn(64, 256), target=target, config=compiler())["assembly"].text
        with get_target(target).active():
            options = cpp_builder.CppTorchOptions(vec_isa=cpu_vec_isa.pick_vec_isa(), include_pytorch=False)
            command = cpp_builder.CppBuilder("kernel", "kernel.cpp", options).get_command_line().split()
        theirs = {flag for flag in command if re.match(r"-[fmO]|-std", flag)}
        ours = set(calls(tmp_path, "-S")[-1])
        assert theirs - ours == {"-march=native"}
        assert level in ours and not {"-march=native", "-g1", "-g"} & ours


def test_settings_that_flags_depend_on_are_those_of_the_capture(tmp_path: Path, compiler: FakeCompiler) -> None:
    name = "cpp.enable_floating_point_contract_flag"
    assert capture(scaled, torch.randn(8), target="cpu-avx2", config={**compiler(), name: "fast"})["assembly"].text
    assert "-ffp-contract=fast" in calls(tmp_path, "-S")[-1]


def test_another_name_is_cosmetic_and_another_constant_is_not(captured: Capture) -> None:
    renamed = again(captured, lambda code: re.sub(r"\btmp(\d+)\b", r"value\1", code).replace("_mul_", "_product_"))
    other = again(captured, lambda code: code.replace("(0.375)", "(0.625)"))
    assert renamed["assembly"].text.startswith("# graph_0: cpp_fused_add_product_0\n")
    for name in COMPILED:
        assert kind(name, captured[name].text, renamed[name].text) == "cosmetic", name
    assert kind("assembly", captured["assembly"].text, other["assembly"].text) == "structural"
    relabelled = re.sub(r"\.L(\w+)", r".L9\1", captured["assembly"].text)
    assert kind("assembly", captured["assembly"].text, relabelled) == "cosmetic"


def worse(before: Capture, after: Capture) -> set[str]:
    found = change("metrics", before.metrics.text, after.metrics.text)
    assert found is not None
    return {each.name for each in found.metrics if each.verdict == "REGRESSION"}


def test_a_spill_a_call_of_libm_and_a_lost_width_are_regressions(captured: Capture) -> None:
    """Planted: registers taken away while a value is in one, a function of C for each element, another order."""
    assert captured["kernel_resources"]["spills"] == captured["kernel_resources"]["call.libm"] == 0
    taken = ", ".join(f'"xmm{number}"' for number in range(16))
    kept = f'__m256 raw = tmp0 * tmp2; asm volatile("" : "+x"(raw)); asm volatile("" ::: {taken});'
    spilled = again(
        captured,
        lambda code: code.replace("auto tmp3 = tmp0 * tmp2;", f"{kept} at::vec::Vectorized<float> tmp3 = raw;"),
    )
    called = again(captured, lambda code: code.replace("tmp0 * tmp2", "(tmp0 * tmp2).map(std::sin)"))
    backwards = capture(lambda x: scaled(x.flip(-1)), torch.randn(64, 256), target="cpu-avx2", watch=WATCH)
    for each in (captured, spilled, called, backwards):
        assert each["assembly"].text
    assert spilled["kernel_resources"]["store.stack.256"] > 0 and "spills" in worse(captured, spilled)
    assert called["kernel_resources"]["call.libm.sinf"] > 0 and "libm_calls" in worse(captured, called)
    assert worse(captured, backwards) == {"scalar_loops", "vector_bits"}
    text = change("kernel_resources", captured["kernel_resources"].text, called["kernel_resources"].text)
    assert text is not None and "call.libm.sinf" in text.depth


def test_another_compiler_is_named_wherever_something_differs(captured: Capture, compiler: FakeCompiler) -> None:
    settings = compiler('[ "$1" = --version ] && echo "g++ (Other 1) 99.1.0" && exit')
    other = capture(scaled, torch.randn(64, 256), target="cpu-avx2", config=settings, watch=WATCH)
    for name in (*COMPILED, "metrics"):
        assert kind(name, captured[name].text, other[name].text) == "cosmetic", name
    changed = again(other, lambda code: code.replace("(0.375)", "(0.625)").replace("loadu(", "loadu(1 + "))
    before, now = captured.metrics.cpp_compiler, "g++ 99.1.0"
    found = change("assembly", captured["assembly"].text, changed["assembly"].text)
    assert found is not None and found.depth == f"{before} -> {now}"
    said = get_format("assembly").edits(captured["assembly"].text, changed["assembly"].text)
    assert [each.label for each in said] == [f"other machine code by {now}, before by {before}"]
    numbers = change("metrics", captured.metrics.text, changed.metrics.text.replace("spills = 0", "spills = 4"))
    assert numbers is not None
    assert ("cpp_compiler", before, now, "changed") in [(n.name, n.old, n.new, n.verdict) for n in numbers.metrics]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (None, r"no C\+\+ compiler found \(no-such-compiler\); install one .*CXX"),
        (
            'case "$*" in *-march=*) echo "bad -march" >&2; exit 1;; esac',
            r"for AVX2 \(bad -march\); install",
        ),
    ],
)
def test_without_a_compiler_for_the_target_these_stages_are_unavailable(
    before: str | None, said: str, compiler: FakeCompiler
) -> None:
    config = {"cpp.cxx": (None, "no-such-compiler")} if before is None else compiler(before)
    found = capture(scaled, torch.randn(8), target="cpu-avx2", config=config, watch=WATCH)
    for name in COMPILED:
        with pytest.raises(StageUnavailable, match=said):
            found[name]
    assert set(found.unavailable) == COMPILED
    assert found.metrics.kernels == 1 and {"spills", "libm_calls"} <= set(found.metrics.unavailable)


@pytest.mark.parametrize(
    ("name", "said"),
    [("g++", r"g\+\+ \d+\.\d+"), ("no-such-compiler", r"C\+\+ compiler missing, .* install one .*CXX")],
)
def test_doctor_names_the_compiler_or_what_wants_one(name: str, said: str) -> None:
    with torch._inductor.config.patch({"cpp.cxx": (None, name)}):
        first, *_ = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    assert re.search(f", {said}", first)


def test_there_is_none_for_other_architectures() -> None:
    with pytest.raises(StageUnavailable, match="only available for x86-64"):
        capture(scaled, torch.randn(8), target="cpu-neon")["assembly"]


def test_a_kernel_that_does_not_compile_says_why(captured: Capture) -> None:
    broken = again(captured, lambda code: code.replace("tmp0 * tmp2", "gone(tmp0)"))
    (kernel,) = broken["kernel_resources"].kernels
    assert kernel.dropped.startswith("does not compile: ") and "gone" in kernel.dropped and not kernel.takes
    assert kernel.dropped in broken["assembly"].text


def test_an_answer_is_kept_for_the_same_compiler_flags_and_text(tmp_path: Path, compiler: FakeCompiler) -> None:
    settings = compiler()
    found = capture(scaled, torch.randn(8), target="cpu-avx2", config=settings)
    first = found["assembly"].text
    assert Capture(found.record)["assembly"].text == first
    assert again(found, lambda code: code.replace("tmp1", "value1"))["assembly"].text == first
    assert len(calls(tmp_path, "-S")) == 2  # another text, and be it for a name
    assert len(calls(tmp_path, "-E")) == 3
    (damaged, *_) = (tmp_path / "cache" / "pytest-compile-golden" / "assembly").iterdir()
    damaged.write_bytes(b"no")
    assert Capture(found.record)["assembly"].text == first


def test_instructions_by_kind() -> None:
    lines = ["vmovups (%rax), %ymm0", "vaddps (%rax), %ymm0, %ymm1", "vfmadd231ps .LC0(%rip), %zmm1, %zmm2"]
    lines += [
        "vmovaps %ymm1, -32(%rsp)",
        "vmovss (%rdi,%rax,4), %xmm0",
        "vmulss %xmm0, %xmm1, %xmm1",
        "movl %eax, (%rdi)",
    ]
    lines += ["vgatherdps (%rax,%ymm1,4), %ymm2{%k1}", "vxorps %xmm0, %xmm0, %xmm0", "vmovups (%rax), %zmm1{%k1}{z}"]
    lines += [
        "vpmovzxwd (%rax), %ymm0",
        "cmpl $1, (%rax)",
        "jne .L2",
        "call expf@PLT",
        "jmp memset@PLT",
        "leaq (%rax), %rdi",
    ]
    assert counted("kernel:\n" + "".join(f"    {line}\n" for line in lines)) == {
        "instructions": 16,
        "load.vector.256": 3,
        "gather.256": 1,
        "masked.512": 1,
        "load.scalar": 2,
        "store.scalar": 1,
        "store.stack.256": 1,
        "load.constant": 1,
        "fma.vector.512": 1,
        "arithmetic.vector.256": 1,
        "arithmetic.scalar": 1,
        "conversion.vector.256": 1,
        "branch": 1,
        "call.libm.expf": 1,
        "call.other": 1,
    }


def test_spills_are_what_is_stored_in_the_frame_and_read_there_again() -> None:
    body = ["pushq %rbx", "subq $64, %rsp", "vmovaps %ymm0, 32(%rsp)", "vmovaps %ymm1, (%rsp)", "vmovaps %xmm2, (%rdi)"]
    loop = [
        ".L3:",
        "    vaddps 32(%rsp), %ymm1, %ymm1",
        "    jne .L3",
        ".L4:",
        "    vmulss (%rax), %xmm0, %xmm0",
        "    jne .L4",
    ]
    found = resources("\n".join(["kernel:", *(f"    {line}" for line in body), *loop, "    ret", ""]))
    assert (found.spills, found.stack, found.loops, found.scalar_loops, found.vector_bits) == (2, 72, 2, 1, 256)


CASE = """
import torch


def captured(compile_stages):
    return compile_stages(lambda x: x * 2, torch.randn(64, 256))


def test_asked(compile_stages, golden):
    found = captured(compile_stages)
    assert found["assembly"].text
    assert found["cpp_code"] == golden


def test_unasked(compile_stages, golden):
    assert captured(compile_stages)["cpp_code"] == golden


def test_other(compile_stages, golden):
    found = captured(compile_stages)
    assert found["assembly"].text
    assert found["cpp_code"] == golden
"""


def test_same_machine_code_is_said_where_machine_code_is_asked_for(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_case=CASE)
    options = ("--compile-golden-target=cpu-avx2",)
    compiling(*options, "--snapshot-update").assert_outcomes(passed=3)
    same = ("tmp0 * tmp2", "tmp0 + tmp0")
    for name, (written, otherwise) in {"asked": same, "unasked": same, "other": ("(2.0)", "(3.0)")}.items():
        (golden,) = project.path.glob(f"goldens/**/test_{name}/**/cpp_code.cpp")
        assert written in golden.read_text()
        golden.write_text(golden.read_text().replace(written, otherwise))
    result = compiling(*options)
    result.assert_outcomes(failed=3)
    said = "machine code      the same as before, instruction by instruction, on cpu-avx2"
    failures = re.split(r"^_+ (test_\w+)", result.stdout.str(), flags=re.M)
    assert [name for name, text in zip(failures[1::2], failures[2::2], strict=True) if said in text] == ["test_asked"]
    assert result.stdout.str().count("  machine code  ") == 1


def test_same_machine_code_is_not_said_of_what_cannot_be_compiled(captured: Capture) -> None:
    text = captured["cpp_code"].text
    assert captured.same_machine_code(text.replace("tmp0 * tmp2", "tmp2 * tmp0"))
    broken = text.replace("tmp0 * tmp2", "gone(tmp0)")
    assert broken != text
    assert not any(captured.same_machine_code(kernels) for kernels in (broken, text + text))
