"""The shapes of changes that are told by a code and a few values, and the codes that have them."""

from __future__ import annotations

from pytest_compile_golden.changes.change import CodedChange, Counts, row


class Simple(CodedChange):
    """A change of which its code says all, but for what it is about."""

    what: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        return self.what if self.row.same_by is None else super().identity


class NewOrGone(CodedChange):
    """Something is new or gone, or done now or no longer."""

    what: tuple[str, ...]
    new: bool
    noun: str = ""
    """What kind of thing it is, or what has it."""


class CountedNewOrGone(CodedChange):
    """Things are new or gone, or done now or no longer, each as often as is said."""

    what: Counts
    new: bool


class Replaced(CodedChange):
    """One thing is in the place of another."""

    before: str
    after: str
    subject: str = ""
    """What they are or were of."""


class AttributeChanged(CodedChange):
    """An attribute, an argument or an option has another value, or is new or gone."""

    subject: str
    """What it is of."""
    name: str
    """Its name; empty for one without."""
    before: str | None
    """None or empty if there was none."""
    after: str | None

    @property
    def value(self) -> str | None:
        """The value now; that of before, if the attribute is gone."""
        return self.before if self.after is None else self.after

    @property
    def given(self) -> str | None:
        """The value now; of a keyword that a higher-order operator newly takes, the keyword: its value is the
        program's."""
        return self._essential(self.after, self.before)

    @property
    def given_before(self) -> str | None:
        """The same of the value before."""
        return self._essential(self.before, self.after)

    def _essential(self, value: str | None, other: str | None) -> str | None:
        keyword, equals, _ = (value or "").partition("=")
        alone = self.subject.startswith("higher_order.") and not other
        return keyword if alone and equals and keyword.isidentifier() else value

    @property
    def new(self) -> bool:
        return self.after is not None

    @property
    def gone(self) -> bool:
        return self.after is None


class NumberChanged(CodedChange):
    """There is more or less of something."""

    before: int
    after: int
    subject: str = ""
    """What, if the code does not say it."""

    @property
    def more(self) -> bool:
        """Whether the number is larger than before."""
        return self.after > self.before


class NumbersChanged(CodedChange):
    """There is more or less of several things."""

    counted: tuple[tuple[str, int, int], ...]
    """Each with its number before and now."""
    others: int = 0
    """Of how many more this is true."""

    @property
    def names_changed(self) -> tuple[str, ...]:
        """What is counted otherwise, without the counts."""
        return tuple(name for name, _, _ in self.counted)


class Exchanged(CodedChange):
    """Of several things some are gone and others new; how often each does not make it another change."""

    gone: Counts
    come: Counts

    @property
    def gone_names(self) -> list[str]:
        """What is gone, without how often."""
        return sorted(name for name, _ in self.gone)

    @property
    def come_names(self) -> list[str]:
        """What is new, without how often."""
        return sorted(name for name, _ in self.come)

    @property
    def more(self) -> bool:
        """Whether at least as many kinds are new as are gone."""
        return len(self.come) >= len(self.gone)


# Graphs, and what passes do to them.
row(
    "same-graph",
    Simple,
    "spelling",
    "operators",
    "The same graph: operands in another order, sizes written otherwise, or None for what operators newly take.",
)
row(
    "inputs-reordered",
    Simple,
    "decision",
    "operators",
    "A graph takes the same inputs in a different order.",
)
row(
    "nodes-found",
    Simple,
    "accounting",
    "operators",
    "Steps of the scheduler find more or fewer nodes; they leave as many as before, or take away as many.",
)
row(
    "constant-folded",
    CountedNewOrGone,
    "decision",
    "operators",
    "Operators that are computed while compiling, or no longer are.",
)
row(
    "zero-folded",
    CountedNewOrGone,
    "decision",
    "values",
    "Products with 0 are 0 without being computed, also those of infinity and NaN, or are computed again.",
    same_by=("new",),
)
row(
    "done-in-place",
    CountedNewOrGone,
    "decision",
    "memory",
    "An operator writes over what it is given, or no longer does (torch/_inductor/fx_passes/reinplace.py).",
)
row(
    "calls-ordered",
    CountedNewOrGone,
    "decision",
    "safety",
    "Calls, such as those of streams, are kept in their place by `control_deps`, or no longer are "
    "(torch/_inductor/fx_passes/control_dependencies.py).",
)
row(
    "ordered-after",
    NumberChanged,
    "decision",
    "safety",
    "A call that is kept in its place runs after more or fewer values are computed.",
    same_by=("subject", "more"),
    named_by=("subject",),
    anywhere=True,
)
row(
    "ordered-before",
    NumberChanged,
    "decision",
    "safety",
    "A call that is kept in its place runs before more or fewer values are read.",
    same_by=("subject", "more"),
    named_by=("subject",),
)
row(
    "operator-renamed",
    CountedNewOrGone,
    "spelling",
    "operators",
    "The same operator, from another place in torch's sources, or as a function of Python's instead of a method.",
    same_by=("what",),
)
row(
    "finite-check-added",
    CountedNewOrGone,
    "decision",
    "operators",
    "Softmax patterns check that their inputs are finite.",
    same_by=(),
    anywhere=True,
)
row(
    "inputs-changed",
    CountedNewOrGone,
    "decision",
    "operators",
    "A graph takes more or fewer inputs.",
)
row(
    "attention-backend",
    Replaced,
    "decision",
    "library",
    "Another library computes attention.",
    anywhere=True,
)
row(
    "operand-changed",
    Replaced,
    "decision",
    "operators",
    "An operator is given the result of another one.",
    same_by=("subject", "before", "after"),
)
row(
    "pass-renamed",
    Replaced,
    "spelling",
    "operators",
    "A pass does under another name what one did before.",
    same_by=("subject", "before", "after"),
)
row(
    "arguments-changed",
    AttributeChanged,
    "decision",
    "operators",
    "An operator is called with other arguments.",
    same_by=("subject", "given_before", "given", "name"),
)

# Guards, and where Dynamo stops.
row(
    "global-state",
    Simple,
    "decision",
    "guards",
    "The guard on global state compares another value.",
)
row(
    "guards-reordered",
    Simple,
    "spelling",
    "guards",
    "The same guards in another order.",
)
row(
    "global-state-listed",
    NewOrGone,
    "accounting",
    "hints",
    "The guard on global state has a setting more or less, which torch did not keep in it or no longer does.",
)
row(
    "marks-guarded",
    NewOrGone,
    "accounting",
    "hints",
    "Whether there are guards on the marks that Dynamo itself sets on tensors, such as sizes that are to vary.",
    same_by=("new",),
    anywhere=True,
)
row(
    "sizes-listed",
    NewOrGone,
    "accounting",
    "hints",
    "Guards on sizes and strides that are checked in both, and listed in one.",
    same_by=("new",),
)
row(
    "check-listed",
    NewOrGone,
    "decision",
    "guards",
    "A check of the guard tree is new or gone.",
)
row(
    "stops-changed",
    NewOrGone,
    "decision",
    "breaks",
    "A graph break or a recompilation is new or gone.",
    same_by=("noun", "what", "new"),
)
row(
    "stop-reworded",
    Replaced,
    "spelling",
    "hints",
    "torch explains the same graph break, or the same recompilation, in other words.",
    same_by=("subject", "before", "after"),
)

# Operations, and the groups that the scheduler makes of them.
row(
    "reduction-steps",
    NewOrGone,
    "decision",
    "fusion",
    "A reduction takes two steps, or one.",
)
row(
    "library-called",
    NewOrGone,
    "decision",
    "library",
    "A library computes an operator instead of a kernel, or the other way round.",
)
row(
    "read-listed-again",
    NewOrGone,
    "accounting",
    "fusion",
    "torch lists a read of the same place more or less often; what is read is the same.",
    same_by=("new",),
)
row(
    "inputs-copied-for",
    CountedNewOrGone,
    "decision",
    "fusion",
    "Inputs of a library call are copied into the layout that it needs, or no longer are.",
)
row(
    "choice-changed",
    Replaced,
    "decision",
    "library",
    "Autotuning chooses another kind of implementation.",
    same_by=("subject", "before", "after"),
)
row(
    "casts-changed",
    NumberChanged,
    "code",
    "arithmetic",
    "Loop bodies have more or fewer casts.",
    same_by=("more",),
)
row("body-line", Replaced, "code", "arithmetic", "A line of a loop body.")
row(
    "loops-reordered",
    Replaced,
    "code",
    "memory",
    "Loops run in another order, so that other values are read or written one after the other.",
    same_by=(),
)
row(
    "index-changed",
    Replaced,
    "code",
    "memory",
    "A value is read or written at another index.",
)
row(
    "index-written",
    Replaced,
    "code",
    "memory",
    "The same index, in other terms: the same place, reached by other arithmetic.",
    same_by=(),
)
row(
    "template-argument",
    AttributeChanged,
    "decision",
    "launch",
    "A template is given other arguments.",
    same_by=("name", "before", "after"),
)
row(
    "template-option-listed",
    AttributeChanged,
    "accounting",
    "launch",
    "A template has an option more or less, which torch did not pass to it or no longer does.",
    same_by=("name", "gone"),
)
row(
    "candidates-changed",
    NumberChanged,
    "decision",
    "launch",
    "Autotuning chooses among fewer candidates, or among more and otherwise.",
    same_by=("subject",),
)
row(
    "candidates-added",
    NumberChanged,
    "accounting",
    "launch",
    "Autotuning chooses among more candidates, and chooses as before where nothing is measured.",
    same_by=("subject",),
)
row(
    "rows-padded",
    NumberChanged,
    "decision",
    "memory",
    "Rows of a buffer have elements between them that nothing reads, so that each begins at an aligned "
    "address, or no longer do (torch/_inductor/ir.py: Layout._pad_strides).",
    same_by=("more",),
)
row(
    "body-changed",
    Exchanged,
    "code",
    "arithmetic",
    "A loop body calls other operators, or calls them more or less often.",
    same_by=("gone_names", "come_names"),
)

# What becomes of operators on their way to kernels.
row(
    "not-unpacked",
    Simple,
    "accounting",
    "operators",
    "Library calls with one result give it directly, since torch 2.14.",
    anywhere=True,
)
row(
    "step-reordered",
    Simple,
    "decision",
    "operators",
    "The nodes of a step are in another order.",
)
row(
    "step-reconnected",
    Simple,
    "decision",
    "operators",
    "The operators of a step, and their arguments, are the same; how they are put together is not.",
)
row("compile-gone", Simple, "decision", "lost", "A test no longer compiles something.")
row(
    "compile-added",
    Simple,
    "decision",
    "breaks",
    "A test compiles something that it did not compile.",
)
row(
    "compile-renamed",
    Replaced,
    "decision",
    "breaks",
    "A compile begins in another function.",
)
row(
    "inputs-checked",
    NumberChanged,
    "hint",
    "launch",
    "Wrapper code checks the alignment of more or fewer inputs, and copies those that are misaligned.",
    same_by=("more",),
)
row(
    "wrapper-checks",
    NewOrGone,
    "hint",
    "launch",
    "Wrapper code checks in another way, or no longer, what it is given and what library calls return.",
    same_by=("what", "new"),
    anywhere=True,
    named_by=("what",),
)
row(
    "checks-exchanged",
    Replaced,
    "hint",
    "launch",
    "Wrapper code checks by another function what it checked before.",
    same_by=("before", "after"),
    anywhere=True,
)
row(
    "checks-joined",
    Replaced,
    "spelling",
    "launch",
    "Wrapper code checks the same of several tensors in one call, or in a call for each.",
    same_by=("before", "after"),
    anywhere=True,
)

# Kernels: which there are, how they are launched and what they do.
row(
    "same-machine-code",
    Simple,
    "spelling",
    "hints",
    "Kernels that are written otherwise and compile to the same machine code.",
)
row(
    "scalar-tail",
    Simple,
    "code",
    "memory",
    "What a vectorised loop leaves over is computed one by one.",
    same_by=(),
)
row(
    "scalar-loop",
    Simple,
    "code",
    "memory",
    "A loop is computed one by one, without vectors, from its start.",
    same_by=(),
)
row(
    "vector-loop",
    Simple,
    "code",
    "memory",
    "A loop that was computed one by one is computed with vectors.",
    same_by=(),
)
row(
    "threads-in-loops",
    NewOrGone,
    "code",
    "launch",
    "A C++ kernel starts threads in each round of a loop, or no longer does.",
    same_by=("new",),
    anywhere=True,
)
row(
    "accumulators-unread",
    Simple,
    "spelling",
    "arithmetic",
    "A reduction sets up an array of accumulators that nothing reads, which compilers leave out.",
    same_by=(),
    named_by=("what",),
)
row(
    "accumulators-by-row",
    NewOrGone,
    "code",
    "arithmetic",
    "A looped reduction has an accumulator for each row instead of one for each element of a block, or again so.",
    same_by=("new",),
)
row(
    "kernel-parameters",
    NewOrGone,
    "code",
    "arithmetic",
    "A function takes other parameters.",
    same_by=("noun", "what", "new"),
    named_by=("noun", "what"),
)
row(
    "body-shared",
    NewOrGone,
    "code",
    "arithmetic",
    "A kernel for several lists of tensors has one body for those that are computed alike, or again one for each.",
    same_by=("new",),
)
row(
    "function-called",
    NewOrGone,
    "code",
    "arithmetic",
    "A kernel computes an operator by the function of its name, not by others that come to the same, or again so.",
    same_by=("what", "new"),
    anywhere=True,
    named_by=("what",),
)
row(
    "loads-repeated",
    NewOrGone,
    "code",
    "memory",
    "A kernel loads the same values more or less often.",
    same_by=("new",),
    about=("tl.load",),
)
row(
    "idle-barrier",
    NewOrGone,
    "hint",
    "hints",
    "The threads of a kernel wait for each other, or no longer do, where it reads nothing that it wrote before.",
    same_by=("new",),
    about=("tl.debug_barrier",),
)
row(
    "loop-nest",
    Replaced,
    "decision",
    "memory",
    "A kernel is of a different kind of Triton heuristics.",
    named_by=("before", "after"),
    about=("triton_heuristics",),
)
row(
    "index-type",
    Replaced,
    "decision",
    "memory",
    "A kernel numbers its elements by integers of another type.",
    about=("select_index_dtype",),
)
row(
    "reduction-hint",
    Replaced,
    "hint",
    "launch",
    "Inductor's hint for choosing the launch of a reduction.",
    about=("reduction_hint", "ReductionHint"),
)
row(
    "size-hints",
    Replaced,
    "hint",
    "launch",
    "The sizes that a kernel is tuned for.",
    same_by=(),
)
row(
    "divisible-arguments",
    NumberChanged,
    "hint",
    "launch",
    "Triton is told of more or fewer arguments of a kernel that they are multiples of 16, as aligned addresses are.",
    same_by=("more",),
    about=("config_of",),
)
row("mask-changed", Replaced, "code", "memory", "Which lanes take part.", same_by=())
row("block-shape", Replaced, "code", "memory", "A block of values has another shape.")
row(
    "argument-type",
    AttributeChanged,
    "code",
    "arithmetic",
    "A kernel of the user's is given an argument as another type.",
    same_by=("before", "after"),
)
row(
    "launch-metadata",
    AttributeChanged,
    "decision",
    "launch",
    "An entry of what a kernel is launched with.",
    same_by=("name", "before", "after", "subject"),
    named_by=("name",),
)
row(
    "call-argument",
    AttributeChanged,
    "code",
    "arithmetic",
    "A function is given one argument more or less.",
    same_by=("subject", "name", "value", "new"),
    named_by=("subject", "name"),
    anywhere=True,
)
row(
    "hints-changed",
    AttributeChanged,
    "hint",
    "hints",
    "Where a load or store leaves its data in the cache.",
    same_by=("subject", "name"),
    named_by=("subject", "name"),
)
row(
    "written-in-place",
    NumberChanged,
    "code",
    "memory",
    "A kernel writes more or fewer of its results over what it reads (torch/_inductor/config.py: inplace_buffers).",
    same_by=("more",),
)

# Texts about which no more is known than their lines.
row(
    "line-added",
    Simple,
    "code",
    "arithmetic",
    "A line without a counterpart.",
    anywhere=True,
)
row(
    "line-removed",
    Simple,
    "code",
    "arithmetic",
    "A line without a counterpart.",
    anywhere=True,
)
row(
    "values-reordered",
    Simple,
    "code",
    "arithmetic",
    "A kernel computes the same values in another order.",
    same_by=(),
)
row(
    "line-moved",
    Simple,
    "spelling",
    "arithmetic",
    "The same line elsewhere.",
    anywhere=True,
)
row("differs", Simple, "code", "arithmetic", "No line shows the difference.")
row("looks-different", Simple, "spelling", "hints", "Names, comments or layout.")
row("new-goldens", Simple, "accounting", "hints", "There was nothing to compare with.")
row(
    "line-replaced",
    Replaced,
    "code",
    "arithmetic",
    "A line with another in its place.",
    anywhere=True,
)
row(
    "calls-changed",
    Exchanged,
    "code",
    "arithmetic",
    "Functions that a text calls more or less often.",
    same_by=("come_names", "gone_names"),
    anywhere=True,
)
row(
    "input-checks",
    Exchanged,
    "decision",
    "guards",
    "Wrapper code checks the sizes and strides of its inputs, or no longer does.",
    same_by=("more",),
    anywhere=True,
)

# Numbers and stages that are tables.
row(
    "remainder-of-sizes",
    Replaced,
    "decision",
    "guards",
    "Conditions on sizes have another function for `%`: PythonMod, or Mod where sizes are known not to be negative.",
)
row(
    "conditions-turned",
    Simple,
    "spelling",
    "guards",
    "The same conditions on sizes, written from the other side: `s0 > 2` for `2 < s0`.",
)
row(
    "cache-key-parts",
    Simple,
    "accounting",
    "hints",
    "Keys of torch's caches have other parts, or parts with other digests, as with every version of torch.",
    same_by=(),
)
row(
    "machine-code",
    Simple,
    "code",
    "memory",
    "Numbers of the machine code, the costliest first.",
    same_by=(),
)
row("operands", Simple, "code", "arithmetic", "The same instructions.")
row(
    "value-kept",
    NewOrGone,
    "decision",
    "memory",
    "A value that is saved for backward, or computed again, and was not before; or the other way round.",
    same_by=("noun", "what", "new"),
)
row(
    "backward-compiled",
    NewOrGone,
    "decision",
    "operators",
    "A program is compiled with a backward graph, which it was not: its results require gradients; or no longer.",
    same_by=("new",),
)
row(
    "saved-instead",
    Exchanged,
    "decision",
    "memory",
    "Forward saves other values for backward, of those that both sides compute: backward computes the rest again.",
    same_by=("gone_names", "come_names"),
)
row(
    "saved-reordered",
    Simple,
    "decision",
    "memory",
    "Forward saves the same values for backward in another order.",
)
row(
    "signature-changed",
    NewOrGone,
    "decision",
    "operators",
    "A row of an exported program's signature.",
)
row(
    "compilers",
    Replaced,
    "accounting",
    "memory",
    "Another compiler made the machine code.",
    anywhere=True,
)
row(
    "work-changed",
    NumberChanged,
    "accounting",
    "hints",
    "A phase does more or less of one kind of work while compiling.",
    same_by=(),
)
row(
    "memory-sum",
    NumberChanged,
    "decision",
    "memory",
    "A sum of a memory timeline.",
    same_by=("subject",),
)
row(
    "compiled-kernels",
    NumberChanged,
    "decision",
    "fusion",
    "More or fewer kernels are compiled.",
)
row(
    "collectives-changed",
    NumbersChanged,
    "decision",
    "fusion",
    "Kinds of collectives of which there are more or fewer.",
)
row(
    "instructions",
    NumbersChanged,
    "code",
    "arithmetic",
    "How many there are of each instruction, before and now.",
    same_by=("names_changed",),
)
