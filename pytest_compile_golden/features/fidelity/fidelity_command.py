"""`compile-golden fidelity`: whether a virtual target shows what torch does on the device itself."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pytest_compile_golden.cli import console, shared_options
from pytest_compile_golden.cli.find_cases import require
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.cli.side_progress import SideProgress
from pytest_compile_golden.common import files
from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.environments.run_suite import Request, record
from pytest_compile_golden.environments.side_recorder import only
from pytest_compile_golden.environments.sides import Interpreter

if TYPE_CHECKING:
    from pytest_compile_golden.recordings.recording import Recording

DEVICE = "device.json"
"""Next to a native recording: its device, described as a virtual target."""
# Equal C++ compiles to equal code, except for what `-march=native` knows about the machine; and it takes seconds.
_ALL_BUT_ASSEMBLY = "all,-assembly,-kernel_resources"


class _FidelityDevice(msgspec.Struct):
    target: str


@click.command(short_help="Compare a virtual target with this machine's device.")
@click.option(
    "--target",
    type=click.Choice(["native-cpu", "native-cuda"]),
    default="native-cpu",
    show_default=True,
)
@shared_options.case
@click.option(
    "--stages",
    metavar="NAMES",
    help="Stages to compare (default: all but assembly from equal C++).",
)
@shared_options.processes(default=1, show_default=True, help="Cases at once.")
@click.option(
    "--timeout",
    type=float,
    default=600.0,
    show_default=True,
    help="Seconds allowed for a case.",
)
@click.option(
    "--numerics",
    is_flag=True,
    help="Also compare what the native side computes with eager.",
)
@click.option(
    "--record",
    "keep",
    type=shared_options.FOLDER,
    help="Keep the native recording in this new folder.",
)
@click.option(
    "--native",
    "kept",
    type=shared_options.EXISTING_FOLDER,
    help="Compare with a recording that --record kept, here or elsewhere, instead of running natively.",
)
@click.option(
    "--json", "report", type=shared_options.FILE, help="Also write the table as JSON."
)
def fidelity(
    target: str,
    cases: tuple[str, ...],
    stages: str | None,
    processes: int,
    timeout: float,
    numerics: bool,
    keep: Path | None,
    kept: Path | None,
    report: Path | None,
) -> None:
    """Capture the suite on this machine's own device, where kernels are built and run, and on a virtual target with
    the same properties, and compare every stage byte for byte.

    Exits with 0 if nothing differs, and with 1 if something does or a case fails.
    """
    from pytest_compile_golden.features.fidelity import fidelity_comparison

    if kept is not None and (keep is not None or numerics):
        raise click.UsageError(
            "--native uses an existing recording; leave out --record and --numerics."
        )
    require(cases)
    request = Request(
        project=find_project().root,
        cases=cases,
        stages=stages or ("all" if target == "native-cuda" else _ALL_BUT_ASSEMBLY),
        timeout=timeout,
        processes=processes,
        # A case marked for one GPU applies to any GPU.
        options=(f"{SWITCH}-any-target",),
    )
    with (
        _folder(keep, kept) as native,
        tempfile.TemporaryDirectory(prefix="compile-golden-") as scratch,
    ):
        on_device = (
            _read(native, request)
            if kept is not None
            else _native(native, target, request, numerics)
        )
        device, name = _device(native)
        like = replace(
            request,
            targets=(name,),
            options=(*request.options, f"{SWITCH}-device={native / DEVICE}"),
        )
        if kept is not None:
            patterns = sorted(
                {case.nodeid.rpartition("[")[0] + "[*" for case in on_device.cases}
            )
            recorded = on_device.run.options.get("stages")
            like = replace(
                like,
                cases=cases or tuple(patterns),
                stages=stages or recorded or like.stages,
            )
        on_virtual = _run(Path(scratch) / "virtual", like, name)
    compared = fidelity_comparison.compare(on_device, on_virtual)
    if report is not None:
        report.write_text(
            fidelity_comparison.document(compared, device), encoding="utf-8"
        )
    console.show(console.console(), fidelity_comparison.render(compared))
    sys.exit(0 if compared.shown else 1)


@contextmanager
def _folder(keep: Path | None, kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield kept.absolute()
    elif keep is not None:
        if keep.exists() and any(keep.iterdir()):
            raise click.UsageError(f"{keep} is not empty. Give --record a new folder.")
        yield keep.absolute()
    else:
        with tempfile.TemporaryDirectory(prefix="compile-golden-") as scratch:
            yield Path(scratch) / "native"


def _native(into: Path, target: str, request: Request, numerics: bool) -> Recording:
    """Run the suite on the device itself, and save the device's description."""
    # Imported only here: finding out about the device requires torch.
    from pytest_compile_golden.features.fidelity.local_devices import like
    from pytest_compile_golden.targets.target_files import describe

    description = describe(like(target))
    options = (*request.options, f"{SWITCH}-numerics") if numerics else request.options
    recorded = _run(into, replace(request, targets=(target,), options=options), target)
    files.write(into / DEVICE, description, "recording")
    return recorded


def _run(into: Path, request: Request, target: str) -> Recording:
    side = Interpreter(target, Path(sys.executable))
    with SideProgress() as watcher:
        watcher.say(side, "running the suite")
        recorded = record(
            side.python,
            into,
            request,
            lambda done, total: watcher.count(side, done, total),
        )
        watcher.ended(side, recorded)
    # pytest's output is only of use if nothing was recorded, and then the error quotes it.
    into.with_name(f"{into.name}.log").unlink(missing_ok=True)
    return recorded


def _read(folder: Path, request: Request) -> Recording:
    """A kept recording. One made with another torch version says nothing about this one's virtual targets."""
    from pytest_compile_golden.recordings import recording

    recorded = only(recording.read(folder), replace(request, stages=None), str(folder))
    installed = torch_version()
    if _release(recorded.run.torch) != _release(installed):
        raise click.ClickException(
            f"{folder} was recorded with torch {recorded.run.torch}, but {installed} is installed here. "
            f"Run this in an environment with torch {_release(recorded.run.torch)}."
        )
    return recorded


def _release(torch: str | None) -> str | None:
    return None if torch is None else torch.partition("+")[0]


def _device(folder: Path) -> tuple[Any, str]:
    """The description of the device the native side was recorded on, and the name of the virtual target like it."""
    path = folder / DEVICE
    data = files.read(path) if path.is_file() else None
    if data is None:
        raise click.ClickException(
            f"{path} does not exist: `compile-golden fidelity --record DIR` writes it."
        )
    try:
        return msgspec.json.decode(data), msgspec.json.decode(
            data, type=_FidelityDevice
        ).target
    except (ValueError, RecursionError) as error:
        raise click.ClickException(
            f"{path} is damaged ({error}). Record again."
        ) from None
