"""The device resources that each compiled kernel takes (registers, spills, memory), and its instructions by kind."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NumberChanged, Simple
from pytest_compile_golden.changes.kernels import TilingChanged
from pytest_compile_golden.changes.numbers import LaunchedDifferently
from pytest_compile_golden.facts.costs import Counts
from pytest_compile_golden.facts.generated_code import MachineCode
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.machine_code import instructions, x86
from pytest_compile_golden.formats.machine_code.languages import (
    LANGUAGES,
    MACHINE_CODE,
    other_compiler,
)
from pytest_compile_golden.formats.outline import Outline, OutlineFormat

_FIRST = ("spills", "registers", "shared", "instructions")
_MOST_SHOWN = 4
_BLOCKS = ("XBLOCK", "YBLOCK", "ZBLOCK")


@dataclass(frozen=True)
class KernelResources:
    """A kernel in one configuration."""

    graph: str
    name: str
    config: str
    takes: Counts = ()
    """By name, as in `facts.generated_code.Resources` or, for C++, `CpuResources`."""
    instructions: Counts = ()
    """How many there are of each kind; `instructions` is the total."""
    dropped: str = ""
    """Why torch does not launch it in this configuration; empty if it does."""
    compiler: str = ""


@dataclass(frozen=True, repr=False)
class ResourcesArtifact(Artifact):
    """The resources that the kernels of a capture take: `captured["kernel_resources"].kernels`."""

    kernels: tuple[KernelResources, ...]

    def __getitem__(self, number: str) -> int:
        """A number summed over all kernels: `resources["spills"]`, `resources["tensor_core"]`.

        `resources["load.global"]` counts loads of any width, `resources["call.libm"]` calls of any libm function.
        0 if no kernel has any.
        """
        pairs = (
            pair
            for kernel in self.kernels
            for pair in (*kernel.takes, *kernel.instructions)
        )
        return sum(
            value
            for name, value in pairs
            if name == number or name.startswith(f"{number}.")
        )


class ResourcesFormat(OutlineFormat):
    """A document is a tuple of `KernelResources`."""

    outline = Outline(
        KernelResources,
        "{graph:graph_\\w+}: {name:\\w+}, {config:[^#\\n]+?}<  # {compiler:line}>"
        "<\n  {takes:counts}><\n  {instructions:counts}><\n  dropped: {dropped:line}>",
    )
    none = "# no kernel: everything is done by library calls"

    def render(self, record: Record, stage: str) -> ResourcesArtifact | None:
        """None if nothing was compiled."""
        if "machine_code" not in record.entries or not record.get("output_code"):
            return None
        kernels = tuple(map(_kernel, record.get("machine_code")))
        return ResourcesArtifact(stage, self.write(kernels), kernels)

    def form(self, document: Iterable[KernelResources]) -> Hashable:
        """All numbers, with kinds in any order; the names of kernels and compilers carry no information."""
        return tuple(
            (
                kernel.graph,
                kernel.config,
                kernel.takes,
                frozenset(kernel.instructions),
                kernel.dropped,
            )
            for kernel in document
        )

    def edits_of(
        self, old: tuple[KernelResources, ...], new: tuple[KernelResources, ...]
    ) -> Iterable[Change]:
        if len(old) != len(new):
            return (NumberChanged("compiled-kernels", len(old), len(new)),)
        if other := other_compiler(
            *((f"# {kernel.compiler}" for kernel in side) for side in (old, new))
        ):
            return other
        changed = dict(reversed(list(_changes(old, new))))
        tiled = tuple(_tiled(old, new))
        return (*tiled, *(change.following(bool(tiled)) for change in _edits(changed)))

    def explains_of(
        self,
        old: Sequence[KernelResources],
        new: Sequence[KernelResources],
        codes: Collection[str],
    ) -> bool:
        """Whether other compilers made the kernels, and none of them takes more."""
        return set(codes) == {"compilers"} and _no_more(old, new)


RESOURCES = ResourcesFormat()


def _kernel(compiled: MachineCode) -> KernelResources:
    needs = compiled.resources
    takes = (
        ()
        if needs is None
        else tuple((name, getattr(needs, name)) for name in needs.NUMBERS)
    )
    stage = next(
        (candidate for candidate in MACHINE_CODE if candidate in compiled.texts), ""
    )
    text = (
        LANGUAGES[stage].cleaned(compiled.texts[stage], compiled.symbol)
        if stage
        else ""
    )
    counts = (
        x86.counted(text) if stage == "assembly" else instructions.counted(text, stage)
    )
    return KernelResources(
        compiled.key.label,
        compiled.kernel,
        compiled.config,
        takes,
        tuple(counts.items()),
        compiled.dropped,
        compiled.compiler,
    )


def _edits(changes: Mapping[str, str]) -> Iterator[Change]:
    """Changes in how kernels are launched and what they take, with the costliest numbers first."""
    for name in ("configuration", "dropped"):
        if name in changes:
            yield LaunchedDifferently(changes[name], dropped=name == "dropped")
    numbers = changes.keys() - {"configuration", "dropped"}
    names = [name for name in _FIRST if name in numbers]
    names += sorted(numbers - {*_FIRST})
    if names:
        shown = tuple(f"{name} {changes[name]}" for name in names[:_MOST_SHOWN])
        yield Simple("machine-code", shown, follows="configuration" in changes)


def _tiled(
    old: Sequence[KernelResources], new: Sequence[KernelResources]
) -> Iterator[Change]:
    """That a kernel is tiled in more or fewer dimensions; how it is launched follows from that."""
    for before, after in zip(old, new, strict=True):
        blocks = [
            [block for block in _BLOCKS if f"{block}=" in kernel.config]
            for kernel in (before, after)
        ]
        if all(blocks) and len(blocks[0]) != len(blocks[1]):
            gone = tuple(block for block in blocks[0] if block not in blocks[1])
            yield TilingChanged(len(blocks[0]), len(blocks[1]), blocks_gone=gone)
            return


def _no_more(old: Sequence[KernelResources], new: Sequence[KernelResources]) -> bool:
    """Whether it is the same kernels, launched alike, and none of them takes more."""
    if len(old) != len(new):
        return False
    for one, other in zip(old, new, strict=True):
        if (one.graph, one.config, one.dropped) != (
            other.graph,
            other.config,
            other.dropped,
        ):
            return False
        takes = dict(other.takes)
        for name, before in one.takes:
            after = takes.get(name, 0)
            # Of everything else, less is better.
            if after < before if name == "occupancy" else after > before:
                return False
    return True


def _changes(
    before: tuple[KernelResources, ...], after: tuple[KernelResources, ...]
) -> Iterator[tuple[str, str]]:
    """What differs between kernels at the same position: the name of a number, and how it changed."""
    for old, new in zip(before, after, strict=False):
        if old.config != new.config:
            yield "configuration", f"{old.config} -> {new.config}"
        if old.dropped != new.dropped:
            yield "dropped", f"{old.dropped or 'not'} -> {new.dropped or 'not'}"
        old_numbers, new_numbers = (
            dict((*old.takes, *old.instructions)),
            dict((*new.takes, *new.instructions)),
        )
        for name in {**old_numbers, **new_numbers}:
            if old_numbers.get(name, 0) != new_numbers.get(name, 0):
                yield name, f"{old_numbers.get(name, 0)} -> {new_numbers.get(name, 0)}"
