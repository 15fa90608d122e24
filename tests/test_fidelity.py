"""A virtual target against the device it represents: on this machine's CPU, and as the comparison reports it."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

import msgspec
import pytest
import torch

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.fidelity import fidelity_comparison
from pytest_compile_golden.features.fidelity.local_devices import like
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.targets import (
    VirtualCpu,
    VirtualCuda,
    get_target,
    target_files,
)
from pytest_compile_golden.targets.device_properties import CudaRuntime
from pytest_compile_golden.targets.devices import AVX2, GPUS, H200_SXM
from pytest_compile_golden.targets.native_targets import NativeCuda
from tests.forked import Forks
from tests.paper import PaperProject

REPOSITORY = Path(__file__).parents[1]
Command = Callable[..., pytest.RunResult]
# A parallel reduction, a serial one, training with dropout, a scatter, writes into inputs, a narrow dtype, library
# calls, dynamic sizes: one case for each, as each is built by a C++ compiler.
CASES = (
    "cases/test_reduction.py::test_split_reduction",
    "cases/test_reduction.py::test_softmax",
    "cases/test_randomness.py::test_dropout_training",
    "cases/test_indexing.py::test_embedding_training",
    "cases/test_mutation.py::test_write_through_view",
    "cases/test_precision.py::test_fp8_quantise",
    "cases/test_matmul.py::test_linear_gelu",
    "cases/test_dynamo.py::test_recompile_on_new_size",
)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> Command:
    """Runs `compile-golden fidelity ARGUMENTS` in a folder."""
    for name in [*os.environ]:
        if name.startswith("PYTEST_XDIST"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]),
    )
    output = tmp_path / "output"
    output.mkdir()

    def run(*arguments: str, cwd: Path = REPOSITORY) -> pytest.RunResult:
        monkeypatch.chdir(cwd)
        return forks_with_torch.run_command(
            output, "fidelity", *arguments, python=forks_with_torch.python
        )

    return run


@pytest.mark.wide
def test_this_cpu_gets_what_its_virtual_target_predicts(
    tmp_path: Path, command: Command
) -> None:
    kept, table = tmp_path / "kept", tmp_path / "table.json"
    done = command(
        *(f"--case={name}[" for name in CASES), f"--record={kept}", f"--json={table}"
    )
    assert done.ret == 0, done.stdout.str() + done.stderr.str()
    facts = json.loads(table.read_text())
    assert facts["shown"] and len(facts["cases"]) == len(CASES)
    assert {verdict for verdict, count in facts["counts"].items() if count} == {"same"}
    stages = {
        artifact["stage"] for case in facts["cases"] for artifact in case["artifacts"]
    }
    assert {
        "dynamo_bytecode",
        "guards",
        "passes",
        "lowered_ir",
        "backward_graph",
        "cpp_code",
        "metrics",
    } <= stages
    assert not {"assembly", "kernel_resources"} & stages  # compiled from the same C++
    assert facts["device"] == json.loads((kept / "device.json").read_text())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kept",
        "output",
        "table.json",
    ]
    text = done.stdout.str()
    assert (
        "cases/test_reduction/test_softmax " in text
        and "#" not in text.split("\n\n")[0]
    )

    # A recording can be compared later and elsewhere: here with one kernel that a device would not have got.
    case = next(
        each for each in recording.read(kept).cases if "test_softmax" in each.nodeid
    )
    changed = tuple(
        msgspec.structs.replace(artifact, text=artifact.text.replace("exp", "exp2"))
        if artifact.stage == "cpp_code"
        else artifact
        for artifact in case.artifacts
    )
    recording.write_case(kept, msgspec.structs.replace(case, artifacts=changed))
    done = command(f"--native={kept}", "--case=cases/test_reduction.py::test_softmax[")
    assert done.ret == 1, done.stdout.str() + done.stderr.str()
    assert (
        "cases/test_reduction/test_softmax cpp_code.cpp: structural; line"
        in done.stdout.str()
    )
    assert ", 1 structural" in done.stdout.str()


def recorded(target: str, **cases: RecordedCase) -> Recording:
    folders = {name: PurePosixPath("cases", name, target) for name in cases}
    made = tuple(
        msgspec.structs.replace(
            case, folder=folders[name], nodeid=f"{name}[{target}]", target=target
        )
        for name, case in cases.items()
    )
    run = read_elsewhere("2.13.0", made, ["x"])
    return Recording(dataclasses.replace(run, python="3.11.2"), made)


def case(
    outcome: recording.Outcome = "passed",
    message: str | None = None,
    unavailable: Mapping[str, str] | None = None,
    **texts: str,
) -> RecordedCase:
    artifacts = tuple(
        StoredArtifact(stage, stage, "txt", text) for stage, text in texts.items()
    )
    return RecordedCase(
        PurePosixPath("x"),
        "",
        "",
        outcome,
        message,
        1.0,
        artifacts,
        dict(unavailable or {}),
    )


def test_verdicts_and_their_reasons() -> None:
    native = recorded(
        "native-cpu",
        alike=case(lowered_ir="a\nb\n", guards="c\n"),
        other=case(lowered_ir="a\nb\n"),
        gone=case(guards="c\n"),
        hidden=case(guards="c\n"),
        broken=case(guards="c\n"),
        skipped=case("skipped", "no Triton"),
        alone=case(guards="c\n"),
    )
    virtual = recorded(
        "like-native-cpu",
        alike=case(lowered_ir="a\nb\n", guards="c\n"),
        other=case(lowered_ir="a\nZ\n"),
        gone=case(),
        hidden=case(unavailable={"guards": "torch.guards is gone"}),
        broken=case("failed", "boom\nmore", guards="c\n"),
        skipped=case("skipped", "no Triton"),
    )
    found = fidelity_comparison.compare(native, virtual)
    rows = {row.case.removeprefix("cases/"): row for row in found.rows}
    assert {
        name: [cell.verdict for cell in row.cells] for name, row in rows.items()
    } == {
        "alike": ["same", "same"],
        "other": ["structural"],
        "gone": ["structural"],
        "hidden": ["not comparable"],
        "broken": ["same"],
        "skipped": ["not comparable"],
        "alone": [],
    }
    assert rows["other"].cells[0].why == "line 2: native 'b', virtual 'Z'"
    assert rows["hidden"].cells[0].why == "torch.guards is gone"
    assert rows["broken"].error == "failed on like-native-cpu: boom\nmore"
    assert rows["alone"].error == "only the native side has this case"
    assert [name for name, row in rows.items() if row.differs] == [
        "alone",
        "broken",
        "gone",
        "other",
    ]
    assert not found.shown
    text = "\n".join(line for _, line in fidelity_comparison.render(found))
    assert "cases/skipped: not comparable; skipped on native-cpu: no Triton" in text
    assert "cases/broken: failed on like-native-cpu: boom\n" in text
    assert text.splitlines()[-1].endswith(
        "7 cases; 3 same, 2 structural, 2 not comparable; 2 did not pass"
    )

    good = fidelity_comparison.compare(
        *(
            recorded(name, alike=case(guards="c\n"))
            for name in ("native-cpu", "like-native-cpu")
        )
    )
    assert good.shown
    assert not fidelity_comparison.compare(
        recorded("native-cpu"), recorded("like-native-cpu")
    ).shown
    cut = dataclasses.replace(
        good, virtual=dataclasses.replace(good.virtual, damaged=("one",))
    )
    assert not cut.shown and "cannot be read" in fidelity_comparison.summary(cut)[1]


def test_another_python_has_other_bytecode() -> None:
    sides = [
        recorded(name, one=case(dynamo_bytecode=text, guards="c\n"))
        for name, text in (
            ("native-cuda", "CALL 2\n"),
            ("like-native-cuda", "PRECALL 2\n"),
        )
    ]
    assert not fidelity_comparison.compare(*sides).shown
    sides[0] = dataclasses.replace(
        sides[0], run=dataclasses.replace(sides[0].run, python="3.12.3")
    )
    found = fidelity_comparison.compare(*sides)
    assert found.shown
    assert {cell.stage: (cell.verdict, cell.why) for cell in found.rows[0].cells} == {
        "guards": ("same", None),
        **dict.fromkeys(
            ("dynamo_bytecode", "compile_cost"),
            ("not comparable", "recorded with Python 3.12 and 3.11"),
        ),
    }


def test_a_real_card_is_described_as_the_built_in_one() -> None:
    """torch reports an NVIDIA card's name where it reports an AMD card's architecture."""
    built_in = GPUS["cuda-h200"]
    with get_target("cuda-h200").active():
        assert torch.cuda.get_device_properties(0).gcnArchName == "NVIDIA H200"
        assert NativeCuda().rates == built_in.rates
        here = like("native-cuda")
    assert type(here) is VirtualCuda
    assert (here.properties, here.rates) == (built_in.properties, built_in.rates)
    assert (
        type(target_files.parse(target_files.describe(here), "x.json")) is VirtualCuda
    )


def test_a_device_is_described_by_a_file(tmp_path: Path) -> None:
    gpu = VirtualCuda(
        "cuda-lab", H200_SXM, CudaRuntime("12.8", 91002), GPUS["cuda-h200"].rates
    )
    cpu = VirtualCpu("cpu-lab", dataclasses.replace(AVX2, threads=3, cores=6))
    for target in (gpu, cpu):
        path = tmp_path / f"{target.name}.json"
        path.write_text(target_files.describe(target))
        again = target_files.register(path)
        assert vars(again) == vars(target) and get_target(target.name) is again
    for change in (
        {"device": "tpu"},
        {"properties": {"name": "x"}},
        {"properties": dataclasses.asdict(H200_SXM) | {"major": "9"}},
        {"properties": dataclasses.asdict(H200_SXM) | {"speed": 9}},
        {"target": ""},
    ):
        with pytest.raises(
            CompileGoldenError, match=r"x\.json does not describe a device"
        ):
            target_files.parse(
                json.dumps(json.loads(target_files.describe(gpu)) | change), "x.json"
            )
    with pytest.raises(CompileGoldenError, match="cannot read"):
        target_files.register(tmp_path / "missing.json")


def test_refusals(tmp_path: Path, command: Command) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("")
    done = command(f"--record={full}", cwd=tmp_path)
    assert done.ret == 2 and "is not empty" in done.stderr.str()
    done = command(f"--native={full}", f"--record={tmp_path / 'new'}", cwd=tmp_path)
    assert done.ret == 2 and "--native uses an existing recording" in done.stderr.str()
    recording.write_run(
        full, dataclasses.replace(recorded("native-cpu").run, torch="2.1.0")
    )
    done = command(f"--native={full}", cwd=tmp_path)
    assert done.ret == 1 and "was recorded with torch 2.1.0" in done.stderr.str()


def test_cases_for_one_gpu_are_generated_for_a_described_one(
    paper: PaperProject,
) -> None:
    paper.test("""
import pytest

@pytest.mark.compile_golden(target="paper-gpu")
def test_gpu(draw, golden): ...

@pytest.mark.compile_golden(target="paper-cpu")
def test_cpu(draw, golden): ...
""")
    paper.path.joinpath("lab.json").write_text(
        target_files.describe(VirtualCuda("cuda-lab", H200_SXM))
    )
    lab = (
        "--compile-golden-device=lab.json",
        "--compile-golden-target=cuda-lab",
        "--collect-only",
        "-q",
    )
    nothing = paper.run(*lab)
    nothing.stderr.fnmatch_lines(
        [
            "ERROR: --compile-golden-target=cuda-lab leaves no tests; these cases are for: *"
        ]
    )
    run = paper.run(*lab, "--compile-golden-any-target")
    run.stdout.fnmatch_lines(["*::test_gpu?cuda-lab?"])
    assert "test_cpu" not in run.stdout.str()
    run = paper.run("--compile-golden-device=missing.json")
    run.stderr.fnmatch_lines(["*cannot read the device description*missing.json*"])
