"""Which tests are cases, for which targets, and where their goldens are. Which need not run: `skip_unchanged.py`."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.plugin.run_settings import Settings, names

if TYPE_CHECKING:
    from pytest_compile_golden.goldens.golden_paths import Bases

MARKER = "compile_golden"
MARKER_KEYS = (
    "target",
    "config",
    "dynamic",
    "train",
    "mode",
    "fullgraph",
    "policy",
    "kernel_configs",
    "stages",
    "select",
    "ignore",
    "world_size",
    "rank",
    "export",
    "backend",
)
NO_TARGET = "no-target"
"""Takes the place of the target for a test that exists for none of the run's targets; it never runs."""

# A collector's children whose names differ from a sibling's only in case.
_ambiguous = pytest.StashKey[frozenset[str]]()


def marked(node: pytest.Item | pytest.Collector) -> dict[str, Any]:
    """The `compile_golden` markers on a test, its class and its module, merged: for each key, the nearest wins.

    Raises CompileGoldenError for an argument that the marker does not have.
    """
    options: dict[str, Any] = {}
    for mark in node.iter_markers(MARKER):
        unknown = sorted(set(mark.kwargs) - set(MARKER_KEYS))
        if mark.args or unknown:
            raise CompileGoldenError(
                f"@pytest.mark.{MARKER} of {node.name} takes {', '.join(f'{key}=' for key in MARKER_KEYS)}; "
                f"not {', '.join([*map(repr, mark.args), *unknown])}."
            )
        for key, value in mark.kwargs.items():
            options.setdefault(key, value)
    return options


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Give a test that uses our fixtures one instance per target.

    Ids are the same with the plugin off, when nothing is checked and no registry is loaded. Targets that the command
    line leaves out are generated too and deselected later: other plugins (syrupy) must see that they exist.
    Raises CompileGoldenError for a target or a policy that does not exist.
    """
    marks = marked(metafunc.definition)
    wanted = names(marks.get("target"))
    if settings.enabled and "policy" in marks:
        from pytest_compile_golden.targets.autotuning_policy import check_policy

        check_policy(marks["policy"])
    targets = wanted or settings.targets
    if settings.enabled and wanted and settings.any_target:
        from pytest_compile_golden.targets import get_target

        kinds = {get_target(name).device_type for name in wanted}
        alike = (
            name
            for name in settings.selected or ()
            if get_target(name).device_type in kinds
        )
        targets = tuple(dict.fromkeys((*wanted, *alike)))
    if settings.enabled:
        targets = _possible(metafunc, targets)
        if wanted and not targets:
            raise CompileGoldenError(
                f"{metafunc.definition.name} is marked for {', '.join(wanted)}, "
                "but requests a stage that exists only on other devices."
            )
    # Without any, pytest would report a skipped test.
    targets = targets or (NO_TARGET,)
    metafunc.parametrize("compile_target", targets, ids=targets, indirect=True)


def check_bases(bases: Bases) -> None:
    """Raise UnknownTarget for a target that does not exist, CompileGoldenError for a base of another kind of device."""
    from pytest_compile_golden.targets import get_target

    for name, base in bases.declared.items():
        kind, of_base = (get_target(target).device_type for target in (name, base))
        if kind != of_base:
            raise CompileGoldenError(
                f"{name} cannot have {base} as its base: they are for {kind} and {of_base}. Choose targets of one kind."
            )


def _possible(metafunc: pytest.Metafunc, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Those of `targets` that have a stage the test requests by name, if that exists on only one kind of device."""
    from pytest_compile_golden.stages import stages
    from pytest_compile_golden.targets import get_target

    requested = [stage for stage in stages() if stage.name in metafunc.fixturenames]
    everywhere = frozenset().union(*(stage.devices for stage in stages()))
    # A test with two such stages, for different devices, chooses between them itself.
    limits = [
        stage for stage in requested if stage.devices != everywhere or stage.vendor
    ]
    by_name = ((name, get_target(name)) for name in targets)
    return tuple(
        name
        for name, target in by_name
        if not limits
        or any(stage.exists_on(target.device_type, target.vendor) for stage in limits)
    )


def deselected(
    items: Sequence[pytest.Item],
    settings: Settings,
    cases: Mapping[str, str],
    tests: Mapping[str, str],
) -> list[pytest.Item]:
    """Those that the command line leaves out: by their target, or because they are not among the named cases.

    cases: the id and the folder of every case that was collected, selected or not. tests: those of other tests that
    become cases, without a target.
    Raises UnknownName if a name matches no case, or if the named cases and targets leave nothing.
    """
    from pytest_compile_golden.common.name_matching import chosen

    named = chosen(
        settings.cases,
        {nodeid: (nodeid, folder) for nodeid, folder in {**tests, **cases}.items()},
    )
    targets = {
        nodeid: PurePosixPath(cases[nodeid]).name for nodeid in named if nodeid in cases
    }
    selected = {
        nodeid
        for nodeid, target in targets.items()
        if target in (settings.selected or targets.values())
    }
    out = [
        item
        for item in items
        if not _selected(item, settings, selected.union(tests.keys() & set(named)))
    ]
    # Judged by the whole suite: nothing left here may only mean that another plugin chose this part of it.
    if cases and not selected and settings.selected and len(out) == len(items):
        limits = [f"{SWITCH}-case={pattern}" for pattern in settings.cases]
        limits.append(f"{SWITCH}-target={','.join(settings.selected)}")
        there = ", ".join(sorted(set(targets.values()) - {NO_TARGET})) or "none"
        raise UnknownName(
            f"{' with '.join(limits)} leaves no tests; these cases are for: {there}."
        )
    return out


def _selected(item: pytest.Item, settings: Settings, selected: Collection[str]) -> bool:
    target = target_of(item)
    if target is None:
        return not settings.cases or item.nodeid in selected
    return target != NO_TARGET and item.nodeid in selected


def target_of(item: pytest.Item | pytest.Collector) -> str | None:
    """The target in a test's parameters; None if it is not a case."""
    callspec = getattr(item, "callspec", None)
    target = None if callspec is None else callspec.params.get("compile_target")
    return target if isinstance(target, str) else None


def remember_ambiguous(collector: pytest.Collector, nodes: list[Any]) -> None:
    """Note which of a collector's children differ only in case, whichever of them the run then selects."""
    from pytest_compile_golden.goldens.golden_paths import differing_in_case_only

    collector.stash[_ambiguous] = differing_in_case_only(
        _own_name(node) for node in nodes
    )


def folder_of(item: pytest.Item, target: str) -> PurePosixPath:
    """The folder of a case's goldens: module, test with its class and parameters, target."""
    from pytest_compile_golden.goldens.golden_paths import case_folder, safe_name

    chain = [
        node
        for node in item.listchain()
        if isinstance(node, (pytest.Class, pytest.Item))
    ]
    test = ".".join(_own_name(node) for node in chain)
    clashes = any(
        _own_name(node) in node.parent.stash.get(_ambiguous, ())
        for node in chain
        if node.parent is not None
    )
    module = PurePosixPath(
        Path(os.path.relpath(item.path, item.config.rootpath)).as_posix()
    )
    return case_folder(module, safe_name(test, {test} if clashes else ()), target)


def _own_name(node: pytest.Item | pytest.Collector) -> str:
    """A test's or class's name without the target among its parameters."""
    target = target_of(node)
    if target is None or not isinstance(node, pytest.Function):
        return node.name
    # Ours is the last parameter, so the id ends with it.
    parameters = node.callspec.id.removesuffix(target).removesuffix("-")
    return f"{node.originalname}[{parameters}]" if parameters else node.originalname


def run_command(item: pytest.Item, target: str, settings: Settings) -> str:
    """The command that runs only this case, from this run's working directory; with `--snapshot-update` it accepts."""
    path, separator, test = item.nodeid.partition("::")
    nodeid = (
        os.path.relpath(item.config.rootpath / path, item.config.invocation_params.dir)
        + separator
        + test
    )
    words = ["pytest", SWITCH if target_of(item) is not None else f"{SWITCH}-suite"]
    words += [
        f"--virtual-gpu={quote(name)}"
        for name in item.config.getoption("virtual_gpu", None) or ()
    ]
    if settings.selected is not None:
        words.append(f"{SWITCH}-target={quote(target)}")
    if settings.folder_given:
        words.append(f"{SWITCH}-dir={quote(settings.folder_given)}")
    if settings.cli_stages:
        words.append(f"{SWITCH}-stages={quote(','.join(settings.cli_stages))}")
    words += [quote(f"{SWITCH}-config={text}") for text in settings.config_lines]
    return " ".join([*words, quoted(nodeid)])


def quoted(nodeid: str) -> str:
    """A node id for a shell: in the quotes that people type, where these mean nothing more."""
    return quote(nodeid) if set(nodeid) & set('"$`\\!\n') else f'"{nodeid}"'


def pending_command(settings: Settings, *words: str) -> str:
    """The command about what is pending: `compile-golden review`."""
    where = (
        [f"--pending {quote(settings.pending_given)}"] if settings.pending_given else []
    )
    return " ".join(["compile-golden", words[0], *where, *words[1:]])
