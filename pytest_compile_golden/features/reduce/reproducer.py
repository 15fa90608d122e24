"""What a reduced program becomes: a script that needs only torch, a case with its invariant, an issue."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import jinja2

from pytest_compile_golden.common.constants import AOT_INDUCTOR
from pytest_compile_golden.features.reduce.small_program import (
    CONFIG,
    OwnCode,
    SmallProgram,
)
from pytest_compile_golden.targets.devices import CPUS
from pytest_compile_golden.targets.process_group import group_name

# Where each module of settings is, by the beginning of its keys in `config`.
_SETTINGS = {
    "dynamo.": "torch._dynamo.config.",
    "functorch.": "torch._functorch.config.",
    "inductor.": "torch._inductor.config.",
    "": "torch._inductor.config.",
}
_CODE, _BEFORE, _JOINT, _AFTER, _DYNAMO, _GUARDS, _BREAKS, _LOOPS = (
    "code",
    "pre_grad",
    "joint",
    "post_grad",
    "dynamo",
    "guards",
    "breaks",
    "loops",
)
_BYTECODE, _TRACED, _LOWERED, _SIZES = "bytecode", "traced", "lowered", "sizes"
"""What torch only logs: Dynamo's bytecode, AOTAutograd's graphs, the graph after all passes, which is lowered, and what
is decided about sizes."""
_VIEWS = {
    "dynamo_graph": (_DYNAMO,),
    "dynamo_bytecode": (_BYTECODE, _DYNAMO),
    "guards": (_GUARDS,),
    "dropped_guards": (_GUARDS,),
    "guard_tree": (_GUARDS,),
    "specialisations": (_SIZES, _GUARDS),
    "graph_breaks": (_BREAKS,),
    "recompiles": (_BREAKS,),
    "pre_grad_graph": (_BEFORE,),
    "aot": (_JOINT, _AFTER, _TRACED),
    "aot_graph": (_JOINT, _AFTER, _TRACED),
    "joint_graph": (_JOINT, _AFTER, _TRACED),
    "forward_graph": (_AFTER, _JOINT, _TRACED),
    "backward_graph": (_AFTER, _JOINT, _TRACED),
    "post_grad_graph": (_AFTER, _LOWERED),
    "passes": (_AFTER, _JOINT, _LOWERED),
    "lowered_ir": (_LOOPS,),
    "scheduler_nodes": (_LOOPS,),
}
"""What a script can print with torch alone, by the stage in which a change first shows."""

_HOOKS = {
    _BEFORE: "pre_grad_custom_pass",
    _JOINT: "joint_custom_post_pass",
    _AFTER: "post_grad_custom_post_pass",
}
"""Inductor's settings that are called with a graph."""
_LOGGED_INSTEAD = {_BEFORE: _DYNAMO, _JOINT: _TRACED, _AFTER: _LOWERED}
"""The views that say much the same without such a setting."""
CALL, VALUES = "call", "values"
"""Only the call, for a compile that fails; and what it computes beside what eager does."""
MATCHES, ALL_MATCHES = "matches", "all_matches"
"""How often patterns of a pass of the user's match; and how often those of torch do, too."""
_COUNTS = {
    MATCHES: "sum(matches)",
    ALL_MATCHES: 'counters["inductor"]["pattern_matcher_count"]',
}
_PASS_SETTING = re.compile(r"(?:pre_grad|joint|post_grad)_custom_(?:pre_|post_)?pass")
"""Inductor's settings that hold passes of the user's on graphs (torch/_inductor/config.py)."""
_LOGS = {
    _GUARDS: ("guards=True",),
    _BREAKS: ("graph_breaks=True", "recompiles=True"),
    _LOOPS: ("ir_pre_fusion=True", "ir_post_fusion=True"),
    _BYTECODE: ("bytecode=True",),
    _TRACED: ("aot_joint_graph=True", "aot_graphs=True"),
    _LOWERED: ("post_grad_graphs=True",),
    _SIZES: ("dynamic=20",),  # logging.INFO
}
"""The logs of torch that say it (torch/_logging/_registrations.py)."""


_LOGGED = re.compile(r"^[VIWEC]\d{4} \S+ \d+ \S+\] (?:\[\S+\] ?)*")
"""What precedes the message in a line of torch's logs (torch/_logging/_internal.py: TorchLogsFormatter)."""
_CONDITION = re.compile(r"^eval (?:\[guard suppressed\] )?(.*?) \[guard added\]")
"""A line about a condition on sizes (torch/fx/experimental/symbolic_shapes.py: ShapeEnv._log_guard)."""


def views(program: SmallProgram, stage: str) -> tuple[str, ...]:
    """What to print for a change that first shows in this stage: the nearest first, generated code last."""
    of_stage = _VIEWS.get(stage, ())
    settings = {_setting(name).rpartition(".")[2] for name, _ in program.settings}
    # A pass of the user's stays where it is; then the graph is what torch logs of it.
    logged = {
        view: _LOGGED_INSTEAD[view] for view, hook in _HOOKS.items() if hook in settings
    }
    several = (*of_stage, _CODE, _LOOPS, _DYNAMO, _GUARDS, _BREAKS)
    return tuple(dict.fromkeys(logged.get(view, view) for view in several))


_FACTS = {
    "alias": "[other.untyped_storage().data_ptr() for other in tensors].index(one.untyped_storage().data_ptr())",
    "zero": "one.signbit().tolist()",
    "identity": "[other is one for other in tensors].index(True)",
    "requires_grad": "one.requires_grad",
    "grad_fn": "one.grad_fn is not None",
}
"""What `torch.testing.assert_close` does not compare of `one` of `tensors`, by the kind of a wrong result."""

_VECTOR_BITS = {"AVX2": 256, "AVX512": 512, "NEON": 128}
"""The widths of vectors by instruction set (torch/_inductor/cpu_vec_isa.py)."""

# fmt: off
_ANYWHERE = frozenset({
    *keyword.kwlist, "auto", "bool", "char", "class", "const", "constexpr", "double", "float", "inline", "input", "int",
    "int32_t", "int64_t", "long", "pragma", "reinterpret_cast", "static", "static_cast", "std", "template", "typename",
    "unsigned", "using", "void",
})
# fmt: on
"""Words of C++ and Python that say nothing of what code does."""


@dataclass(frozen=True)
class Sign:
    """What tells two versions apart in the text that a script prints."""

    view: str
    word: str
    """What is counted in that text."""
    before: str
    after: str
    """What the script prints in either version."""
    follows: str = ""
    """If there is one, the script prints whether this comes after `word`, instead of counting."""

    def expression(self, text: str) -> str:
        """What the script prints. text: the expression of the text."""
        if self.view in _COUNTS:
            return _COUNTS[self.view]
        # As JSON, in double quotes: what is printed may contain single ones.
        word, follows = (
            json.dumps(one, ensure_ascii=False) for one in (self.word, self.follows)
        )
        return (
            f"{text}.find({word}) < {text}.find({follows})"
            if self.follows
            else f"{text}.count({word})"
        )


def whole(
    program: SmallProgram, target: str, view: str, about: str = "", kind: str = ""
) -> str:
    """A script that prints the whole text; for values, one that fails where they differ from eager's.

    kind: what differs, as `numerics` calls it.
    """
    return _script(
        program,
        target,
        view,
        "" if view in (CALL, VALUES) else f"print({_COUNTS.get(view, 'text')})",
        about,
        kind,
    )


def script(program: SmallProgram, target: str, sign: Sign, about: str) -> str:
    """A script of a few lines that prints what differs."""
    return _script(
        program, target, sign.view, f"print({sign.expression('text')})", about
    )


def _script(
    program: SmallProgram, target: str, view: str, last: str, about: str, kind: str = ""
) -> str:
    train = program.option("train") == "True"
    kwargs, calls = program.option("kwargs"), program.option("calls")
    arguments = [
        f"{name}={value}"
        for name, value in program.options
        if name in ("dynamic", "fullgraph")
    ]
    own = program.own or OwnCode()
    imports, standard = [*program.imports, *own.imports], []
    world_size, function = program.option("world_size"), program.function
    if world_size:
        imports += [
            "import torch.distributed",
            "from torch.testing._internal.distributed.fake_pg import FakeStore",
        ]
        # torch's own name of the group of all ranks (torch/distributed/distributed_c10d.py: _process_group_name).
        function = function.replace(repr(group_name(range(int(world_size)))), "'0'")
    if view == VALUES:
        imports.append("import torch._inductor.config")
    elif view == _DYNAMO:
        arguments.append(
            "backend=lambda graph, _: texts.append(graph.print_readable(print_output=False)) or graph"
        )
    else:
        imports.append("import torch._inductor.config")
        arguments += [
            f"{name}={value}"
            for name, value in program.options
            if name == "mode"
            or (name == "backend" and value not in ("None", repr(AOT_INDUCTOR)))
        ]
    if view in _LOGS:
        standard += ["import contextlib", "import io"]
    if view == _CODE:
        imports.append("from torch._inductor.utils import run_and_get_code")
    if view in _COUNTS:
        imports.append("from torch._dynamo.utils import counters")
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = Path(__file__).with_name("script.py.jinja").read_text(encoding="utf-8")
    values = [value for _, value in program.inputs]
    text = environment.from_string(template).render(
        about=about,
        parameters=[name for name, _ in program.inputs],
        values=_inputs(program, train),
        random=re.search(
            r"\b(?:rand|dropout|bernoulli|normal|multinomial)", program.function
        )
        is not None,
        seeded=any("randn" in value for value in values),
        gradients=train or not any("requires_grad" in value for value in values),
        standard=standard,
        imports=list(dict.fromkeys(imports)),
        on_gpu=not target.startswith(("cpu", "native-cpu")),
        view=view,
        hook=_HOOKS.get(view),
        logs=_LOGS.get(view),
        settings=[
            *_vectors(target, view),
            *(
                (
                    _setting(name),
                    _counted(value)
                    if view == MATCHES and _PASS_SETTING.search(name)
                    else value,
                )
                for name, value in program.settings
            ),
        ],
        own=own.definitions,
        modules=", ".join(name for name, _ in own.modules),
        world_size=world_size,
        rank=program.option("rank") or "0",
        function=function,
        arguments=arguments,
        given=", ".join(
            filter(None, [*_inputs(program, train), f"**{kwargs}" if kwargs else ""])
        ),
        kwargs=kwargs,
        calls=calls,
        train=train,
        single=len(program.results) == 1 or not program.body,
        last=last,
        fact=_FACTS.get(kind),
    )
    return re.sub(r"\n{4,}", "\n\n\n", text)


def _inputs(program: SmallProgram, train: bool) -> list[str]:
    """The expressions of the inputs; in training, all that can require a gradient do if none does, as in a capture."""
    values = [value for _, value in program.inputs]
    if not train or any("requires_grad" in value for value in values):
        return values
    return [
        f"{value[:-1]}, requires_grad=True)"
        if value.startswith("torch.randn(")
        else value
        for value in values
    ]


def _vectors(target: str, view: str) -> Iterator[tuple[str, str]]:
    """The setting with which any machine writes the loops that a virtual CPU writes."""
    if target in CPUS and view in (_CODE, _LOOPS):
        bits = _VECTOR_BITS.get(CPUS[target].properties.isa)
        if bits is not None:
            yield "torch._inductor.config.cpp.simdlen", str(bits)


def _counted(value: str) -> str:
    """A pass, or each of a list of passes, whose matches are counted."""
    tree = ast.parse(value, mode="eval").body
    if isinstance(tree, ast.List):
        return f"[{', '.join(f'counted({ast.unparse(each)})' for each in tree.elts)}]"
    return f"counted({value})"


def _setting(key: str) -> str:
    prefix = next(prefix for prefix in _SETTINGS if key.startswith(prefix))
    return _SETTINGS[prefix] + key.removeprefix(prefix)


def sign(
    view: str,
    before: str,
    after: str,
    hints: Sequence[str],
    noise: Collection[str] = (),
    near: Collection[str] = (),
) -> Sign | None:
    """The word whose count differs between both texts, or else a line, or two lines in another order; None if none do.

    hints: words of the change, of which one is preferred. A word that only one text has is preferred, too.
    noise: words whose count differs for any program. near: words of the stage that changed, which come after the hints.
    """
    counts = [Counter(_words(text)) for text in (before, after)]
    words, lines, conditions = (
        differing(before, after, parts=parts) - set(noise)
        for parts in (_words, _lines, _conditions)
    )
    # Many guards are on what the hints name. What kind of guard it is, the other words of such a line say.
    hinted_lines = [
        line
        for line in lines
        if view == _GUARDS and any(hint in line for hint in hints)
    ]
    beside = {word for line in hinted_lines for word in _words(line)}

    def rank(word: str) -> tuple[bool, bool, bool, bool, bool, int, str]:
        hinted, close = (
            any(hint in word or word in hint.split(".") for hint in those)
            for those in (hints, near)
        )
        once = not (counts[0][word] and counts[1][word])
        return (
            not (once and word in beside),
            not hinted,
            not close,
            not once,
            "." not in word,
            len(word),
            word,
        )

    # A line says more than a word that any code has.
    preferred = (conditions, words - _ANYWHERE, lines, words)
    word = next((min(several, key=rank) for several in preferred if several), None)
    if word is not None:
        return Sign(view, word, str(before.count(word)), str(after.count(word)))
    # The same lines in another order.
    once = [
        line for line in _lines(before) if before.count(line) == after.count(line) == 1
    ]
    moved = next(
        (pair for pair in pairwise(once) if after.find(pair[0]) > after.find(pair[1])),
        None,
    )
    return None if moved is None else Sign(view, moved[0], "True", "False", moved[1])


def differing(
    before: str, after: str, *, parts: Callable[[str], Iterator[str]] | None = None
) -> set[str]:
    """The words that one text has more often: by themselves, and as a script counts them, as a part of others.

    parts: what to compare instead of words.
    """
    one, other = (Counter((parts or _words)(text)) for text in (before, after))
    return {
        word
        for word in {*one, *other}
        if one[word] != other[word] and before.count(word) != after.count(word)
    }


def noise(before: str, after: str) -> set[str]:
    """The words, lines and conditions that differ for a program that shows nothing."""
    return set().union(
        *(
            differing(before, after, parts=parts)
            for parts in (_words, _lines, _conditions)
        )
    )


def identifiers(text: str) -> list[str]:
    """Names of code in a sentence: those with a dot or underscore, which words of a language do not have, and keys."""
    return [
        *re.findall(r"[A-Za-z]\w*(?:[._]\w+)+", text),
        *re.findall(r"\['(\w+)'\]", text),
    ]


def _lines(text: str) -> Iterator[str]:
    """Lines of code, as far as every run prints the same: without paths, digests and what precedes a message."""
    for line in text.split("\n"):
        line = _LOGGED.sub("", line).partition("  # ")[0].strip()
        if (
            line
            and not line.startswith(("#", "//"))
            and not re.search(r"/|0x[0-9a-f]+|\bc\w{50}", line)
        ):
            yield line


def _conditions(text: str) -> Iterator[str]:
    """The conditions on sizes that a log lists: `Ne(s48, 0)`."""
    for line in text.split("\n"):
        yield from _CONDITION.findall(_LOGGED.sub("", line))


def _words(text: str) -> Iterator[str]:
    """Names, dotted ones as a whole, without those that carry numbers or digests; keys, dtypes, sizes and strides."""
    for line in text.split("\n"):
        if line.lstrip().startswith(("#", "//")):
            continue
        # Of a log, neither what precedes the message nor the line of the program that it names; no path in any text.
        line = re.sub(r"\S*/\S*", "", _LOGGED.sub("", line).partition("  # ")[0])
        yield from re.findall(r"\(\d+(?:, \d+)+\)|\[\d+(?:, \d+)+\]|\['\w+'\]", line)
        for word in re.findall(r"[A-Za-z_][\w.]*\w", line):
            numbered = re.search(
                r"^(?:tmp|buf|arg|primals)_?\d|\d{2,}|[0-9a-f]{8}", word
            )
            if len(word) > 2 and (not numbered or re.fullmatch(r"b?[fiu]\d+", word)):
                yield word


def case(
    program: SmallProgram, target: str, name: str, about: str, invariant: str
) -> str:
    """A test file with one case, which asserts what held before the change."""
    function = program.function
    if not program.body:
        function = ast.unparse(ast.parse(function))
    indented = "\n".join(f"    {line}" if line else "" for line in function.split("\n"))
    options = [
        f"{key}={value}" for key, value in program.options if not key.startswith(CONFIG)
    ]
    if program.settings:
        options.append(
            f"config={{{', '.join(f'{key!r}: {value}' for key, value in program.settings)}}}"
        )
    arguments = ", ".join(
        ["program", *(value for _, value in program.inputs), *options]
    )
    own = program.own or OwnCode()
    imports = "\n".join(
        dict.fromkeys(["import pytest", "import torch", *program.imports, *own.imports])
    )
    definitions = f"{own.definitions}\n\n\n" if own.definitions else ""
    asserted = f"    assert {invariant}\n" if invariant else ""
    return (
        f"{imports}\n\n\n{definitions}"
        f'@pytest.mark.compile_golden(target="{target}")\n'
        f"def test_{name}(compile_stages, golden):\n"
        f'    """{about}"""\n\n'
        f"{indented}\n\n"
        f"    captured = compile_stages({arguments})\n"
        f"{asserted}"
        f"    assert captured == golden\n"
    )
