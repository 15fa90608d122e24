"""What probes write down during one compile: plain, serialisable data. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Environment:
    """The versions a capture was made with."""

    torch: str
    triton: str | None
    python: str


@dataclass(frozen=True)
class GraphKey:
    """Which of a case's graphs something belongs to."""

    index: int
    """Number of the Dynamo graph, from 0, in the order they were compiled."""
    direction: str = ""
    """`""` for inference and before AOTAutograd, else `joint`, `forward` or `backward`."""
    split: int | None = None
    """Which of the graphs that it was split into for DistributedDataParallel, from 0; None for the whole."""

    @property
    def label(self) -> str:
        split = "" if self.split is None else f"_split_{self.split}"
        return f"graph_{self.index}{split}" + (f"_{self.direction}" if self.direction else "")


@dataclass(frozen=True)
class TensorType:
    """A tensor's static facts, as text: sizes and strides may be symbols."""

    dtype: str
    shape: tuple[str, ...]
    stride: tuple[str, ...]
    contiguous: bool
    device: str


@dataclass(frozen=True)
class Node:
    """One FX node; arguments are already Python expressions over the names of other nodes."""

    name: str
    op: str
    target: str
    args: tuple[str, ...]
    kwargs: tuple[tuple[str, str], ...]
    type: TensorType | str | None
    """Of a tensor; the expression of a symbolic number; None for anything else."""
    code: str | None
    """The user's line that this node comes from: `function: source`."""
    place: str | None = None
    """Where that line stands: `file.py:12`."""


@dataclass(frozen=True)
class Graph:
    """An FX graph with the graphs it calls."""

    key: GraphKey
    nodes: tuple[Node, ...]
    subgraphs: tuple[tuple[str, Graph], ...] = ()


@dataclass(frozen=True)
class Partition:
    """What the partitioner saved for backward."""

    key: GraphKey
    saved: tuple[str, ...]
    """Names of the forward graph's values that backward reads, sizes among them."""


@dataclass
class PatternMatch:
    """How often one pattern matched inside one pass."""

    name: str
    where: str | None
    count: int = 0


@dataclass
class Pass:
    """One run of one pass over one graph."""

    key: GraphKey
    phase: str
    """`pre_grad`, `joint`, `partition`, `freezing`, `post_grad`, `lowering` or `scheduler`."""
    name: str
    where: str | None
    """`torch/_inductor/...py:LINE` of the function that it ran, or the user's file."""
    before: int
    after: int
    """Nodes in the graph before and after."""
    changed: bool
    added: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    patterns: list[PatternMatch] = field(default_factory=list)
    about: str | None = None
    """The first sentence of its docstring."""
    started: float = 0.0
    """Seconds of `time.perf_counter()`."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Decision:
    """What became of one operator at one point of the pipeline."""

    key: GraphKey
    operator: str
    became: str
    """`decomposed`, or the kind of Inductor IR that its lowering returned."""
    where: str | None
    """`torch/...py:LINE` of the decomposition or lowering."""


@dataclass(frozen=True)
class SchedulerNode:
    """One Inductor operation: a loop nest, a reduction, an extern kernel ..."""

    name: str
    kind: str
    outputs: tuple[str, ...]
    """Buffers with their layout, as text."""
    computes: tuple[tuple[str, int], ...]
    """Operators of the post-grad graph with how often each: not node names, which mean nothing between versions."""
    operators: tuple[str, ...]
    """These operators, those they were decomposed from, and the user's calls behind them."""
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    body: tuple[str, ...] = ()
    """Loop body, one line each."""


@dataclass(frozen=True)
class FusionGroup:
    """What became one kernel (or one call)."""

    name: str
    kind: str
    nodes: tuple[SchedulerNode, ...]


@dataclass(frozen=True)
class Schedule:
    """The scheduler's nodes at one moment."""

    key: GraphKey
    groups: tuple[FusionGroup, ...]


@dataclass(frozen=True)
class PassDiff:
    """What one pass worked on before and after it; only of passes that changed it."""

    key: GraphKey
    phase: str
    name: str
    before: Graph | Schedule
    after: Graph | Schedule


@dataclass(frozen=True)
class Author:
    """A function of torch's, or of the user's, that wrote code or decided something."""

    function: str
    """Its qualified name: `TritonKernel.load`."""
    where: str | None
    """File and line of its definition."""


@dataclass(frozen=True)
class NotFused:
    """A candidate pair and the scheduler's own reason against it."""

    key: GraphKey
    first: str
    second: str
    reason: str
    author: Author | None = None
    """The function that refused."""


@dataclass(frozen=True)
class Autotuned:
    """One choice among kernels for an operator, made by timing or, on a virtual target, by policy."""

    key: GraphKey
    operator: str
    chosen: str
    candidates: int


@dataclass(frozen=True)
class OutputCode:
    """The Python module that Inductor wrote for one graph, and what it counted for it."""

    key: GraphKey
    code: str
    bytes_accessed: int
    unread: frozenset[str] = frozenset()
    """Entries of its kernels' `inductor_meta` that nothing in torch reads when it launches one."""
    devices: frozenset[str] = frozenset()
    """The types of device that the graph's tensors are on, `cuda` and `cpu`; empty where torch does not show it."""


@dataclass(frozen=True)
class Written:
    """A line of generated code, and a function that wrote it."""

    line: str
    """Without indentation; with torch's placeholders for names that are not known yet."""
    author: Author


@dataclass(frozen=True)
class Launch:
    """The configurations that torch would try for one Triton kernel; with one there is nothing to try."""

    key: GraphKey
    kernel: str
    configs: tuple[str, ...]
    """`XBLOCK=256 num_warps=4 num_stages=1`."""
    heuristic: Author | None = None
    """The function that offers them."""


@dataclass(frozen=True)
class KernelCost:
    """What one kernel, or one call of a library, has to move and to compute."""

    kind: str
    """`pointwise`, `reduction`, `foreach`, `template`, `extern` ..."""
    operators: tuple[str, ...]
    """Operators of the post-grad graph that it computes."""
    read: int
    """Bytes, each element of a buffer once."""
    written: int
    flops: int | None
    """None of a library call for which nobody has a formula."""
    operands: str = ""
    """The type that a matrix product multiplies, `bf16`; `tf32` where float32 is rounded to that. Else empty."""
    launches: int = 1
    least_ns: int | None = None
    """What the target needs at least, nanoseconds; None where its rates are not known."""
    bound: str = ""
    """What that is the time of: `memory`, `compute` or `launch`."""


@dataclass(frozen=True)
class GraphCost:
    """What the kernels of one graph cost, in the order in which they run."""

    key: GraphKey
    kernels: tuple[KernelCost, ...]
    peak_memory: int
    """Bytes that what the graph makes and may free holds at most at any one time."""


@dataclass(frozen=True)
class Saved:
    """What a forward graph keeps for backward."""

    key: GraphKey
    nbytes: int
    """Of what it made itself: its inputs are there anyhow."""


@dataclass(frozen=True)
class Collective:
    """One call by which ranks exchange tensors, as it is scheduled."""

    kind: str
    """`all_reduce`, `all_gather` ..., or the fused kernel of a collective and a matmul."""
    reduction: str
    """`sum`, `avg` ...; empty where nothing is reduced."""
    group: str
    """The ranks that take part, `0-7`."""
    dtype: str
    nbytes: int
    """Of the whole message: what an all-gather makes, what a reduce-scatter is given."""
    sent: int
    """Bytes that this rank has to send where the ranks stand in a ring, the least that there is."""
    overlaps: tuple[str, ...] | None
    """What is computed between its start and the wait for it; None where it computes itself what it overlaps."""


@dataclass(frozen=True)
class Communication:
    """The collectives of one graph, in the order in which they start."""

    key: GraphKey
    asked_for: tuple[str, ...]
    """The kinds of those in the graph before the post-grad passes, which may merge, split, fuse and drop some."""
    collectives: tuple[Collective, ...]


@dataclass(frozen=True)
class MachineCode:
    """One Triton kernel in one configuration, compiled for the target by the Triton that is installed."""

    key: GraphKey
    kernel: str
    config: str
    """`XBLOCK=256 num_warps=4 num_stages=1`."""
    place: int
    """Which of the kernel's configurations it is, from 0, in the order in which they are offered."""
    compiler: str = ""
    """What compiled it: `Triton 3.7.1, ptxas 12.8 for sm90`."""
    symbol: str = ""
    """What the kernel is called in its texts."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What each of Triton's stages printed, by its name: `ttir`, `ttgir`, `llir`, `ptx`; and the `sass`."""
    resources: Resources | None = None
    """None where it does not compile."""
    dropped: str = ""
    """Why torch would not launch it in this configuration, in words; empty where it would."""


@dataclass(frozen=True)
class Resources:
    """What one thread, or one block, of a compiled kernel takes of a multiprocessor."""

    registers: int
    """32-bit registers of a thread."""
    stack: int
    """Bytes of local memory of a thread, which is in the card's memory: what was spilled, and arrays on the stack."""
    shared: int
    """Bytes of a block's shared memory."""
    threads: int
    """Of a block."""
    occupancy: int
    """Percent of the threads that a multiprocessor can hold; 0 where no block fits."""

    @property
    def spills(self) -> int:
        """32-bit words of a thread in local memory, which is how Triton counts spills (third_party/nvidia/driver.c)."""
        return self.stack // 4


@dataclass(frozen=True)
class Bytecode:
    """One frame that Dynamo rewrote: (opcode, argument) lines before and after."""

    function: str
    original: tuple[str, ...]
    transformed: tuple[str, ...]


@dataclass(frozen=True)
class Guards:
    """The guards of one compiled frame, in the order in which they are checked."""

    function: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class GuardCheck:
    """One guard, as it is evaluated before compiled code is used again."""

    kind: str
    """torch's class of it: `TENSOR_MATCH`, `TYPE_MATCH`, `LAMBDA_GUARD` ..."""
    python: bool
    """Whether it calls a Python function; all others are C++."""
    depth: int
    """How many accesses away from the frame the value is that it looks at."""
    reads: str
    """That value: `L['self'].weight`; empty for the state of torch and for what relates several."""
    conditions: int
    author: str | None = None
    """The function of torch's that asked for it."""
    code: str | None = None
    """The user's line that was traced then."""


@dataclass(frozen=True)
class GuardTree:
    """The guards of one compiled frame, in the order in which they are evaluated."""

    function: str
    accesses: int
    """Attributes, items and globals that are looked up to get at the values."""
    checks: tuple[GuardCheck, ...]


@dataclass(frozen=True)
class Stop:
    """A graph break or a recompilation: why, and at which line of the user's code."""

    function: str
    reason: str
    code: str | None
    place: str | None = None
    """Where that line stands: `file.py:12`."""
    limit: str | None = None
    """The limit that Dynamo had reached, `recompile_limit = 8`: then it does not compile the frame again."""


@dataclass(frozen=True)
class Choice:
    """One thing that torch decided about a graph beside what it computes, with its reason."""

    kind: str
    """Of sizes that may vary: `symbol`, `shared` (an input whose size has a symbol already), `constant` (0 or 1),
    `static` (as the user asked), `unbacked`, `guard`, `check` (the compiled code asserts it), `specialised`. Of CUDA
    graphs: `recorded`, `launched`, `static`, `mutated`, `skipped`. Of caches: `cacheable`, `bypassed`, and what the key
    is made of, `aot` or `fx` after its cache."""
    what: str
    """What it is about: an input and its symbol, a condition, operators ..."""
    why: str = ""
    """torch's own reason, what the user asked for, or a digest; empty where there is none."""
    code: str | None = None
    """The user's line: `function: source`."""
    place: str | None = None
    """Where that line stands: `file.py:12`."""
    author: str | None = None
    """The function of torch's that asked for it: `torch/_subclasses/fake_impls.py: infer_size`."""
    note: str | None = None
    """What is worth telling and differs between machines."""


@dataclass(frozen=True)
class Choices:
    """What was decided about one graph, in the order in which it was."""

    key: GraphKey
    function: str
    """The user's function; empty where nothing says."""
    made: tuple[Choice, ...]


@dataclass
class Record:
    """Everything observed during one capture. `entries` holds each probe's items under that probe's own keys."""

    target: str
    device_type: str
    """`cpu` or `cuda`."""
    training: bool
    environment: Environment
    policy: str | None = None
    """How choices that torch would make by timing were made, in words; None where the target times for real."""
    entries: dict[str, list[Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """Torch's own totals of this capture (`torch._inductor.metrics`)."""
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    """`torch._dynamo.utils.counters` of this capture."""
    unavailable: dict[str, str] = field(default_factory=dict)
    """Stage name to the reason (the missing torch name) for stages that this torch cannot show."""

    def add(self, key: str, item: object) -> None:
        self.entries.setdefault(key, []).append(item)

    def get(self, key: str) -> list[Any]:
        return self.entries.get(key, [])
