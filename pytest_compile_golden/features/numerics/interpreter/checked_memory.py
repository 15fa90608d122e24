"""The memory of interpreted kernels: checks that accesses are in bounds, read what was written, and do not clash.

On a GPU, an access outside of a buffer mostly hits another one, and shows as a wrong value elsewhere or not at all.
Here it is a fault at the line of the kernel that made it.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics.interpreter.buffer_reuse import (
    Holders,
    LastWriter,
    Use,
    extent,
)
from pytest_compile_golden.features.numerics.interpreter.interleaving import Turns
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import Fault

_Array = np.ndarray[Any, Any]
ACCESSES = 1 << 13
"""The most loads and stores in one launch: including what is between two of them, each takes about a millisecond."""
ELEMENTS = 1 << 25
"""The most elements that the launches in one call of a program load and store: a few seconds."""
_SAMPLE, _SURELY = 8, 2.0
"""How many programs a launch's work is estimated from, and how many times the limit makes an estimate too much."""
_NAN = {4: 0x7FC00000, 8: 0x7FF8000000000000, 2: 0x7FFF}


@dataclass
class _Buffer:
    """One storage."""

    start: int
    nbytes: int
    storage: Any
    unwritten: _Array | None = None
    """Per byte, whether it was never written; None if everything was."""
    history: list[LastWriter] = field(default_factory=list)
    """The parts that passed from one buffer to another, and who has written them since."""
    stale: list[LastWriter] = field(default_factory=list)
    """The parts that must not be read in this launch."""
    room: int = 0
    """How many bytes after its end belong to it as well, since an allocator rounds up."""

    @property
    def end(self) -> int:
        return self.start + self.nbytes + self.room

    @cached_property
    def content(self) -> _Array:
        return np.ctypeslib.as_array(
            (ctypes.c_uint8 * (self.nbytes + self.room)).from_address(self.start)
        )

    def elements(self, width: int) -> _Array:
        """The content as unsigned integers of `width` bytes."""
        return self.content[: len(self.content) // width * width].view(f"u{width}")


@dataclass
class _Marks:
    """Which program of a launch wrote and read each element of a buffer: 0 for none, negative if written by atomics."""

    writers: _Array
    readers: _Array
    changed: _Array
    """Whether what they wrote counts to those who read: not if a tolerated launch wrote what was there."""
    SEVERAL = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Suspicion:
    """Several stores to one element, where loaded values decide which element it is."""

    line: int
    text: str


@dataclass(frozen=True)
class Overrun:
    """An access past the end of a tensor, in memory that the allocator has given it as well."""

    kernel: str
    line: int
    does: str


@dataclass
class Memory:
    """Buffers that kernels may use, and what one launch has done to them."""

    line: Callable[[], int]
    """The line of the kernel's text that is now running."""
    by_data: Callable[[int], bool] = lambda line: False
    """Whether loaded values decide where that line stores."""
    suspicions: list[Suspicion] = field(default_factory=list)
    written: dict[int, int] = field(default_factory=dict)
    """The start of each buffer that this launch wrote to, and the first line that did."""
    read: set[int] = field(default_factory=set)
    """The start of each buffer that this launch read."""
    holders: Holders = field(default_factory=Holders)
    limited: bool = True
    """Whether a launch or call that would take long is refused: see ACCESSES and ELEMENTS."""
    block_at: Callable[[int], tuple[int, int, int] | None] = lambda address: None
    """The block of a device's memory that holds an address: its start, its size as asked for, and as it was given."""
    tolerant: bool = False
    """Whether the next launch may do what no GPU objects to: use all of the blocks that were given, though less was
    asked for, and write what is there already while other programs read it."""
    overruns: Counter[Overrun] = field(default_factory=Counter)
    """What tolerated launches did, and how often."""
    kernel: str = ""
    """The name of the kernel that is launched."""
    turns: Turns = field(default_factory=Turns)
    _accesses: int = 0
    _elements_moved: int = 0
    _moved_before: int = 0
    _programs: int = 0
    _synchronised: bool = False
    """Whether programs of this launch have used atomics that order their other accesses, as those of a lock do."""
    _buffers: dict[int, _Buffer] = field(default_factory=dict)
    _given: dict[int, _Buffer] = field(default_factory=dict)
    """The buffers of this launch's tensors."""
    _pointed: dict[int, _Buffer] = field(default_factory=dict)
    """Blocks to which this launch has an address as a number, without having been given their tensors."""
    _seen: dict[int, int] = field(default_factory=dict)
    """For each program, the others whose accesses so far come before its next ones: a bit for each."""
    _released: dict[int, int] = field(default_factory=dict)
    """The same for who reads an address that is used to synchronise."""
    _marks: dict[tuple[int, int], _Marks] = field(default_factory=dict)
    _read_only: set[int] = field(default_factory=set)

    def start_call(self) -> None:
        """The program is about to be called, possibly again."""
        self._elements_moved = 0

    def register(self, tensor: torch.Tensor) -> None:
        """Let kernels use this tensor's memory, which has values."""
        storage = tensor.untyped_storage()
        start = storage.data_ptr()
        known = self._known(tensor)
        # Tensors of CUDA graphs know memory by its address, and others take turns there.
        size = storage.nbytes()
        if known is None or known.nbytes != size:
            self._buffers = {
                start: each
                for start, each in self._buffers.items()
                if not each.storage.expired()
            }
            self._buffers[start] = _Buffer(start, size, StorageWeakRef(storage))

    def allocated(self, tensor: torch.Tensor) -> None:
        """Memory that has no values yet: anything that reads it nevertheless finds NaN, or a distinctive number."""
        if tensor.untyped_storage().nbytes():
            self._buffers.pop(tensor.untyped_storage().data_ptr(), None)
            self.register(tensor)
            self._poison(tensor)

    def start_graph(self, tensor: torch.Tensor) -> None:
        """A graph that gets this tensor is about to run: what other graphs did with its memory no longer matters."""
        self.register(tensor)
        self._buffers[tensor.untyped_storage().data_ptr()].history.clear()

    def _poison(self, tensor: torch.Tensor) -> None:
        if not tensor.numel():
            return  # what is empty need not be in any memory
        buffer = self._buffers[tensor.untyped_storage().data_ptr()]
        low, high = extent(tensor)
        if buffer.unwritten is None:
            buffer.unwritten = np.zeros(buffer.nbytes, dtype=bool)
        buffer.unwritten[low:high] = True
        content = buffer.content[low:high]
        if tensor.is_floating_point() and tensor.element_size() in _NAN:
            content.view(f"u{tensor.element_size()}")[:] = _NAN[tensor.element_size()]
        else:
            content[:] = 0x7F if not tensor.is_floating_point() else 0xFF

    def record_write(self, tensor: torch.Tensor, who: str, in_place: bool) -> None:
        """Record that a library call wrote the elements of this tensor. in_place: whether from their old values."""
        self.holders.used(tensor, in_place)
        if (unwritten := self._unwritten(tensor)) is not None:
            unwritten.fill_(False)
        if (buffer := self._known(tensor)) is not None:
            self.holders.wrote(tensor, who, buffer.history)

    def check_read(self, tensor: torch.Tensor, who: str) -> None:
        """Raises Fault if a library call reads elements that were never written or now belong to another buffer."""
        if self.holders.used(tensor, in_place=False):
            self._poison(tensor)
        unwritten = self._unwritten(tensor)
        if unwritten is not None and unwritten.any():
            raise Fault(
                "unwritten",
                f"{who} reads memory that was never written: {int(unwritten.sum())} elements",
            )
        buffer = self._known(tensor)
        if buffer is not None and (stale := self.holders.stale(tensor, buffer.history)):
            raise Fault("reused", f"{who} reads memory that {stale[-1]}")

    def _known(self, tensor: torch.Tensor) -> _Buffer | None:
        """The storage of this tensor, if kernels use it; not one that is gone, whose address a library's result has."""
        known = self._buffers.get(tensor.untyped_storage().data_ptr())
        return None if known is None or known.storage.expired() else known

    def _unwritten(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Per element of `tensor`, whether it was never written."""
        if tensor.layout != torch.strided or not tensor.numel():
            return None
        buffer = self._known(tensor)
        if buffer is None or buffer.unwritten is None:
            return None
        size = tensor.element_size()
        strides = [stride * size for stride in tensor.stride()]
        return torch.from_numpy(buffer.unwritten).as_strided(
            tensor.size(), strides, tensor.storage_offset() * size
        )

    def start_launch(
        self, tensors: Mapping[str, torch.Tensor], uses: Mapping[str, Use]
    ) -> dict[str, torch.Tensor]:
        """The tensors to pass to a kernel, by parameter; copies of those it must not read, to detect its loads."""
        self._marks.clear()
        self._accesses = self._programs = 0
        self._synchronised = False
        self._pointed.clear()
        self._seen.clear()
        self._released.clear()
        self._moved_before = self._elements_moved
        self.written = {}
        self.read = set()
        for tensor in tensors.values():
            self.register(tensor)
        self._read_only = {
            each.untyped_storage().data_ptr()
            for name, each in tensors.items()
            if uses[name] == "reads"
        }
        given = dict(tensors)
        for name, tensor in tensors.items():
            buffer = self._buffers[tensor.untyped_storage().data_ptr()]
            if self.holders.used(tensor, uses[name] == "in place"):
                self._poison(tensor)
            if uses[name] != "writes" and (
                stale := self.holders.stale(tensor, buffer.history)
            ):
                if uses[name] == "reads":
                    given[name] = torch.empty(
                        0, dtype=tensor.dtype, device=tensor.device
                    )
                    given[name].set_(
                        tensor.untyped_storage().clone(),
                        tensor.storage_offset(),
                        tensor.size(),
                        tensor.stride(),
                    )
                    self.register(given[name])
                    buffer = self._buffers[given[name].untyped_storage().data_ptr()]
                buffer.stale = stale
        starts = [
            each.untyped_storage().data_ptr()
            for each in (*tensors.values(), *given.values())
        ]
        self._given = {start: self._buffers[start] for start in starts}
        for buffer in self._given.values():
            # A kernel that may reach beyond a tensor gets the rest of the block that it lies in.
            block = (
                self.block_at(buffer.start)
                if self.tolerant and buffer.unwritten is None
                else None
            )
            room = (
                0
                if block is None or block[0] != buffer.start
                else block[2] - buffer.nbytes
            )
            if room != buffer.room:
                buffer.room = room
                vars(buffer).pop("content", None)
        return given

    def point_to(self, addresses: _Array) -> None:
        """A kernel has made pointers of these numbers: it may use the blocks that they are in."""
        for address in np.unique(addresses).tolist():
            if any(buffer.start <= address < buffer.end for buffer in self._usable()):
                continue
            block = self.block_at(address)
            if block is not None:
                self._pointed[block[0]] = _Buffer(block[0], block[1], None)

    def _usable(self) -> Iterator[_Buffer]:
        """The buffers that this launch may use."""
        yield from self._given.values()
        yield from self._pointed.values()

    def finish_launch(
        self, tensors: Mapping[str, torch.Tensor], uses: Mapping[str, Use], kernel: str
    ) -> None:
        """The launch is over. Takes the `tensors` and `uses` that `start_launch` was given."""
        self._marks.clear()
        for name, tensor in tensors.items():
            start = tensor.untyped_storage().data_ptr()
            self._buffers[start].stale = []
            if start in self.written and uses[name] != "reads":
                by = f"{kernel} (line {self.written[start]})"
                self.holders.wrote(tensor, by, self._buffers[start].history)
        for start in self.written.keys() & self._buffers.keys():
            buffer = self._buffers[start]
            if buffer.unwritten is not None and not buffer.unwritten.any():
                buffer.unwritten = None

    def program_done(self, programs: int) -> None:
        """One program of a launch is done. Too much work is refused as soon as the first programs predict it."""
        self._programs += 1
        if self._programs == _SAMPLE:
            times = programs / _SAMPLE
            moved = (
                self._moved_before + (self._elements_moved - self._moved_before) * times
            )
            self._require_few(self._accesses * times / _SURELY, moved / _SURELY)

    def _require_few(self, accesses: float, elements: float) -> None:
        if not self.limited:
            return
        if accesses > ACCESSES:
            raise NotInterpretable(
                f"one launch makes more than {ACCESSES} loads and stores"
            )
        if elements > ELEMENTS:
            raise NotInterpretable(
                f"one call loads and stores more than {ELEMENTS >> 20} million elements"
            )

    def load(
        self, pointers: _Array, mask: _Array, width: int, program: int, volatile: bool
    ) -> _Array:
        """The contents at the pointers that the mask selects, as unsigned integers. Raises Fault."""
        if self._pointed:
            pointers, mask = np.broadcast_arrays(pointers, mask)
        if (parts := self._parts(pointers, mask)) is not None:
            whole = np.empty(int(mask.sum()), f"u{width}")
            for part in parts:
                whole[part[mask]] = self.load(pointers, part, width, program, volatile)
            return whole
        found = self._elements("reads", pointers, mask, width)
        if found is None:
            return np.empty(0, f"u{width}")
        buffer, elements = found
        if (
            buffer.unwritten is not None
            and (lost := buffer.unwritten[elements * width]).any()
        ):
            raise Fault(
                "unwritten",
                f"reads memory that was never written: {int(lost.sum())} elements, the first {elements[lost][0]}",
            )
        self.read.add(buffer.start)
        for written in buffer.stale:
            lost = elements[
                (elements * width < written.high) & (elements * width >= written.low)
            ]
            if lost.size:
                raise Fault(
                    "reused",
                    f"reads memory that {written}: {lost.size} elements, the first {lost[0]}",
                )
        values = buffer.elements(width).take(elements)
        if volatile and elements.size == 1:
            self._synchronise(int(pointers[mask][0]), program, release=False)
            self.turns.wait()
        if volatile or buffer.start in self._read_only:
            return values
        marks = self._marks_of(buffer, width)
        other = self._unordered(marks.writers[elements], program)
        other &= marks.changed[elements]
        if other.any():
            raise Fault(
                "race",
                f"reads element {elements[other][0]}, which another program of this launch writes",
            )
        readers = marks.readers[elements]
        marks.readers[elements] = np.where(
            (readers == 0) | (readers == program), program, marks.SEVERAL
        )
        return values

    def store(self, pointers: _Array, mask: _Array, data: _Array, program: int) -> None:
        """Write `data` where the mask is set. Raises Fault."""
        if (parts := self._parts(pointers, mask)) is not None:
            for part in parts:
                self.store(pointers, part, data, program)
            return
        width = data.dtype.itemsize
        found = self._elements("writes", pointers, mask, width)
        if found is None:
            return
        buffer, elements = found
        values = data[mask].view(f"u{width}")
        self._check_twice(buffer, elements, values)
        marks = self._marks_of(buffer, width)
        changed = elements
        if self.tolerant:
            changed = elements[buffer.elements(width)[elements] != values]
        self._check_readers(marks, changed, program)
        marks.changed[changed] = True
        writers = marks.writers[elements]
        other = self._unordered(writers, program)
        if other.any():
            self._several(
                buffer, elements[other], values[other], bool((writers[other] < 0).any())
            )
        marks.writers[elements] = program
        self._note_written(buffer, elements, width)
        buffer.elements(width)[elements] = values
        self.turns.wrote()

    def atomic(
        self, pointers: _Array, mask: _Array, width: int, program: int, ordered: bool
    ) -> None:
        """Record an atomic operation. Raises Fault if another program may store one of the elements at the same time.

        pointers: the addresses. mask: which of them are accessed. width: bytes of an element. program: the program's
        number, from 1. ordered: whether it also orders other accesses, as a lock or a barrier does.
        """
        if (parts := self._parts(pointers, mask)) is not None:
            for part in parts:
                self.atomic(pointers, part, width, program, ordered)
            return
        self._synchronised |= ordered
        found = self._elements("adds to", pointers, mask, width)
        if found is None:
            return
        buffer, elements = found
        if ordered and elements.size == 1:
            self._synchronise(
                buffer.start + int(elements[0]) * width, program, release=True
            )
        marks = self._marks_of(buffer, width)
        self._check_readers(marks, elements, program)
        writers = marks.writers[elements]
        other = (writers > 0) & self._unordered(writers, program)
        if other.any():
            raise Fault(
                "race",
                f"adds to element {elements[other][0]}, which another program of this launch stores",
            )
        marks.writers[elements] = -program
        marks.changed[elements] = True
        self._note_written(buffer, elements, width)

    def content(self, pointers: _Array, width: int) -> tuple[_Array, _Array]:
        """The content of the buffer that these point to, in elements of `width` bytes, and their indices in it."""
        found = self._elements(
            "adds to", pointers, np.ones_like(pointers, dtype=bool), width
        )
        assert found is not None
        return found[0].elements(width), found[1]

    def _elements(
        self, does: str, pointers: _Array, mask: _Array, width: int
    ) -> tuple[_Buffer, _Array] | None:
        """The buffer and the indices of its elements. Raises Fault for an access outside every buffer."""
        self._accesses += 1
        self._elements_moved += pointers.size
        self._require_few(self._accesses, self._elements_moved)
        if mask.shape != pointers.shape:
            pointers, mask = np.broadcast_arrays(pointers, mask)
        chosen = pointers.ravel() if mask.all() else pointers[mask]
        if not chosen.size:
            return None
        low, high = int(chosen.min()), int(chosen.max()) + width
        for buffer in self._usable():
            if buffer.start <= low and high <= buffer.end:
                if high > buffer.start + buffer.nbytes:
                    self.overruns[Overrun(self.kernel, self.line(), does)] += 1
                offsets = (chosen - np.uint64(buffer.start)).view(np.int64)
                if width > 1 and (astray := offsets & (width - 1)).any():
                    byte = offsets[astray != 0][0]
                    raise Fault(
                        "bounds",
                        f"{does} {width} bytes at byte {byte} of a buffer, across two elements",
                    )
                return buffer, offsets >> (width.bit_length() - 1)
        raise Fault("bounds", self._outside(does, chosen, low, high, width))

    def _parts(self, pointers: _Array, mask: _Array) -> list[_Array] | None:
        """The mask, divided by buffers, if the pointers go to more than one of those that were pointed to."""
        if not self._pointed:
            return None
        chosen = pointers[mask]
        if chosen.size < 2:
            return None
        low, high = chosen.min(), chosen.max()
        if any(buffer.start <= low and high < buffer.end for buffer in self._usable()):
            return None
        parts = [
            mask & (pointers >= buffer.start) & (pointers < buffer.end)
            for buffer in self._usable()
        ]
        parts = [part for part in parts if part.any()]
        left = mask & ~np.logical_or.reduce(parts) if parts else mask
        # What is in none of them is refused like any other access.
        return [*parts, left] if parts and left.any() else parts or None

    def _outside(
        self, does: str, chosen: _Array, low: int, high: int, width: int
    ) -> str:
        def away(buffer: _Buffer) -> int:
            return max(buffer.start - low, 0) + max(high - buffer.end, 0)

        if not self._given and not self._pointed:
            return f"{does} memory, but was given none"
        near = min(self._usable(), key=away)
        inside = (chosen >= near.start) & (
            chosen + np.uint64(width) <= near.start + near.nbytes
        )
        first = (int(chosen[~inside][0]) - near.start) // width
        size, outside = near.nbytes // width, int((~inside).sum())
        return f"{does} element {first} of a buffer of {size} elements ({outside} out of bounds)"

    def _marks_of(self, buffer: _Buffer, width: int) -> _Marks:
        key = buffer.start, width
        found = self._marks.get(key)
        if found is None:
            size = -(-(buffer.nbytes + buffer.room) // width)
            found = self._marks[key] = _Marks(
                np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(size, bool)
            )
        return found

    def _check_twice(self, buffer: _Buffer, elements: _Array, values: _Array) -> None:
        if elements.size < 2 or (elements[1:] > elements[:-1]).all():
            return
        last = np.empty(buffer.nbytes + buffer.room, np.int32)
        indices = np.arange(elements.size, dtype=np.int32)
        last[elements] = indices
        winner = last[elements]
        lost = (winner != indices) & (values != values[winner])
        if lost.any():
            self._race(
                f"stores element {elements[lost][0]} more than once, with different values"
            )

    def _synchronise(self, address: int, program: int, release: bool) -> None:
        """What others did before they used this address comes before what the program does now."""
        seen = self._seen.get(program, 0) | self._released.get(address, 0)
        self._seen[program] = seen
        if release:
            self._released[address] = seen | 1 << program

    def _unordered(self, others: _Array, program: int) -> _Array:
        """Which of these marks are of other programs, whose accesses need not come before those of this program."""
        unordered: _Array = (others != 0) & (np.abs(others) != program)
        seen = self._seen.get(program, 0)
        if seen and unordered.any():
            for other in np.unique(np.abs(others[unordered])).tolist():
                if other == _Marks.SEVERAL or seen >> other & 1:
                    unordered &= np.abs(others) != other
        return unordered

    def _check_readers(self, marks: _Marks, elements: _Array, program: int) -> None:
        other = self._unordered(marks.readers[elements], program)
        if other.any():
            raise Fault(
                "race",
                f"writes element {elements[other][0]}, which another program of this launch reads",
            )

    def _several(
        self, buffer: _Buffer, elements: _Array, values: _Array, atomics: bool
    ) -> None:
        width = values.dtype.itemsize
        before = buffer.elements(width)[elements]
        lost = before != values
        if atomics:
            self._race(
                f"stores element {elements[0]}, which another program of this launch adds to"
            )
        elif lost.any():
            element = elements[lost][0]
            self._race(
                f"stores element {element}, which another program of this launch also stores: one value is lost"
            )

    def _race(self, text: str) -> None:
        line = self.line()
        if not self.by_data(line) and not self._synchronised:
            raise Fault("race", text)
        self.suspicions.append(Suspicion(line, text))

    def _note_written(self, buffer: _Buffer, elements: _Array, width: int) -> None:
        if buffer.start not in self.written:
            self.written[buffer.start] = self.line()
        if buffer.unwritten is not None:
            for byte in range(width):
                buffer.unwritten[elements * width + byte] = False
