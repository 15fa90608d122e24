"""Recordings of three nights, as a nightly job leaves them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run

TARGET = "cuda-sm90"


def night(number: int) -> Recording:
    """From the second night on, one function takes an extra kernel; on the third, another's kernel differs."""
    texts = {
        "slower[0]": (f"kernels = {2 + (number >= 2)}\n", "tmp0 = x0\n"),
        "slower[1]": (f"kernels = {2 + (number >= 2)}\n", "tmp0 = x1\n"),
        "odd": (
            "kernels = 1\n",
            "tmp0 = '</script><b>'\n" if number < 3 else "tmp0 = '&amp;'\n",
        ),
        "same": ("kernels = 5\n", "tmp0 = x2\n"),
    }
    cases = tuple(
        RecordedCase(
            folder=PurePosixPath("cases/test_n", f"test_{name}", TARGET),
            nodeid=f"cases/test_n.py::test_{name.replace('[', f'[{TARGET}-') if '[' in name else f'{name}[{TARGET}]'}",
            target=TARGET,
            outcome="passed",
            message=None,
            seconds=0.1,
            artifacts=(
                StoredArtifact("metrics", "metrics", "toml", metrics),
                StoredArtifact(
                    "triton_code",
                    "triton_code",
                    "py",
                    f"def triton_poi_fused_0(x):\n    {kernel}",
                ),
            ),
        )
        for name, (metrics, kernel) in texts.items()
    )
    run = Run(
        torch=f"2.16.0.dev2026090{number}",
        triton="3.9.0",
        python="3.12.1",
        platform="linux",
        normaliser=NORMALISER,
        targets=(TARGET,),
        options={"stages": "metrics,triton_code"},
        started=f"2026-09-0{number}T09:00:00Z",
        seconds=1,
        cases=len(cases),
        errors={},
        exit_status=0,
    )
    return Recording(run, cases)


def write(whole: Recording, folder: Path) -> None:
    for name, text in recording.packed(whole):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
