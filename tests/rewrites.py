"""Rewrites of goldens: some change nothing that counts, the others change exactly one thing that does."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from pytest_compile_golden.goldens import evidence_file

GOLDENS = Path(__file__).parents[1] / "goldens"
DATA = Path(__file__).parent / "data"

Rewrite = Callable[[str, random.Random], "str | None"]
"""None if the text has nothing to rewrite in this way."""


@lru_cache
def goldens() -> list[tuple[str, str, str]]:
    """Stage, file and body of every committed golden, and of some stages that are not checked by default."""
    files = sorted(path for path in GOLDENS.rglob("*.*") if path.is_file()) + sorted(
        DATA.iterdir()
    )
    found = []
    for path in files:
        stage = path.name.partition(".")[0].partition("@")[0]
        if stage != evidence_file.STEM:
            found.append((stage, str(path), path.read_text().partition("\n\n")[2]))
    return found


def kind(stage: str) -> str:
    if stage.endswith("_graph"):
        return "graph"
    return {"scheduler_nodes": "schedule", "lowered_ir": "schedule"}.get(stage, stage)


def _words(text: str, mapping: dict[str, str]) -> str:
    """`text` with its names replaced, other than attributes, keywords and comments."""

    def replace(found: re.Match[str]) -> str:
        return mapping.get(found[0], found[0])

    parameters, colon, body = (
        text.partition(":\n") if text.startswith("def ") else ("", "", text)
    )
    # In a call `name=` is a keyword, in a definition it is a default.
    return (
        re.sub(r"[A-Za-z_]\w*", replace, parameters)
        + colon
        + re.sub(r"(?<![\w.'])[A-Za-z_]\w*\b(?!=|')", replace, body)
    )


def _fresh(names: set[str], rng: random.Random, prefix: str = "zz") -> dict[str, str]:
    numbers = list(range(len(names)))
    rng.shuffle(numbers)
    return {
        name: f"{prefix}{number}"
        for name, number in zip(sorted(names), numbers, strict=True)
    }


# Rewrites that change nothing that counts


def rename_graph(text: str, rng: random.Random) -> str | None:
    parts = re.split(r"(?m)^(?=def |\w+_saves)", text)
    mapping: dict[str, str] = {}
    for index, part in enumerate(parts):
        if not re.match(r"\w+_saves", part):
            head = re.sub(r"(?m)^ *#.*\n", "", part[: part.find("):")])
            names = set(re.findall(r"(?m)^    (\w+)(?:: .*)? = ", part)) | set(
                re.findall(r"(?:[(,]\s*)(\w+): ", head)
            )
            names |= set(re.findall(r"(?<=[(,] )(\w+)(?=[,)]|$)", head)) | set(
                re.findall(r"\((\w+)[,)]", head + ")")
            )
            mapping = _fresh(
                {name for name in names if not re.fullmatch(r"[su]\d+", name)}, rng
            )
        lines = [
            line if line.lstrip().startswith("#") else _words(line, mapping)
            for line in part.split("\n")
        ]
        parts[index] = "\n".join(lines)
    return "".join(parts)


def _pure(line: str) -> bool:
    called = re.match(
        r"    \w+(?:: .*)? = (aten|prims|operator)\.(\w+)(?:\.\w+)?\(", line
    )
    return called is not None and not re.search(
        r"_$|seed|rand|batch_norm|dropout|scaled_dot|assert", called[2]
    )


def _swap_lines(
    text: str, rng: random.Random, movable: Callable[[str], bool], times: int = 40
) -> str | None:
    """Swap neighbouring lines that `movable` accepts and that do not depend on each other."""
    lines = text.split("\n")
    swapped = 0
    for _ in range(times):
        at = rng.randrange(len(lines) - 1) if len(lines) > 1 else 0
        one, other = lines[at : at + 2] if len(lines) > 1 else ("", "")
        if not (movable(one) and movable(other)) or len(one) - len(one.lstrip()) != len(
            other
        ) - len(other.lstrip()):
            continue
        first, second = (
            set(re.findall(r"\w+", line.split(" = ")[0].split(":")[0]))
            for line in (one, other)
        )
        if first & set(re.findall(r"\w+", other)) or second & set(
            re.findall(r"\w+", one)
        ):
            continue
        lines[at : at + 2] = [other, one]
        swapped += 1
    return "\n".join(lines) if swapped else None


def reorder_graph(text: str, rng: random.Random) -> str | None:
    return _swap_lines(text, rng, _pure)


def comment(text: str, rng: random.Random, mark: str = "#") -> str:
    lines = text.split("\n")
    for _ in range(3):
        lines.insert(rng.randrange(len(lines)), f"    {mark} said {rng.random()}")
    return "\n".join(lines)


def _kernels(text: str) -> list[str]:
    return re.split(r"(?m)^(?=# graph_\d)", text)


def _signature(decorators: str, mapping: dict[str, str]) -> str:
    """Metadata with the kernel's parameters renamed where it mentions them."""

    def renamed(line: re.Match[str]) -> str:
        return line[1] + re.sub(
            r"'(\w+)'", lambda found: f"'{mapping.get(found[1], found[1])}'", line[2]
        )

    return re.sub(
        r"(?m)^( +'(?:signature|constants|mutated_arg_names|declared_constexpr_names|combo_grid_meta"
        r"|precomputed_grids|host_tma_descriptor_args|tma_min_block_sizes)': )(.*)$",
        renamed,
        decorators,
    )


def rename_triton(text: str, rng: random.Random) -> str | None:
    parts = _kernels(text)
    for index, part in enumerate(parts):
        functions = re.split(r"(?m)^(?=def )", part)
        for position, function in enumerate(functions):
            names = set(
                re.findall(r"(?m)^    +(\w+)(?: ?: ?tl\.constexpr)? = ", function)
            )
            names |= {
                name
                for left in re.findall(r"(?m)^ +(\w+(?:, \w+)+) = ", function)
                for name in left.split(", ")
            }
            if head := re.match(r"def \w+\((.*)\):", function):
                names |= set(re.findall(r"(?:^|, )(\w+)", head[1]))
                mapping = _fresh(names - {"tl"}, rng)
                functions[position] = _words(function, mapping)
                parameters = {
                    name: mapping[name]
                    for name in re.findall(r"(?:^|, )(\w+)", head[1])
                }
                functions[position - 1] = _signature(
                    functions[position - 1], parameters
                )
        part = "".join(functions)
        if name := re.search(r"(?m)^# graph_\S+ (\w+)$", part):
            part = part.replace(name[1], f"triton_{rng.randrange(1000)}")
        parts[index] = part
    return "".join(parts)


def reorder_triton(text: str, rng: random.Random) -> str | None:
    pattern = re.compile(
        r" +tmp\d+ = (?!.*(?:atomic|asm))(?:tl\.|triton_helpers\.|libdevice\.|\(?tmp)"
    )
    return _swap_lines(text, rng, lambda line: pattern.match(line) is not None)


def empty_metadata(text: str, rng: random.Random) -> str | None:
    value = rng.choice(["None", "False", "{}", "()", "set()"])
    return (
        text.replace(
            "    inductor_meta={\n", f"    inductor_meta={{\n        'news': {value},\n"
        )
        if "@" in text
        else None
    )


def rename_cpp(text: str, rng: random.Random) -> str | None:
    names = set(
        re.findall(r"\b(?:tmp\d+\w*|tmp_acc\w+|x\d+|(?:in|out|in_out)_ptr\d+)\b", text)
    )
    mapping = {name: f"tmp_{number}" for name, number in _fresh(names, rng, "").items()}
    text = re.sub(r"\b[a-z]\w+", lambda found: mapping.get(found[0], found[0]), text)
    return text.replace("cpp_fused_", f"cpp_fused_{rng.randrange(99)}_")


def comment_cpp(text: str, rng: random.Random) -> str:
    return comment(text, rng, "//")


def without_bookkeeping(text: str, rng: random.Random) -> str | None:
    kept = [line for line in text.split("\n") if "integer_div_error" not in line]
    return "\n".join(kept)


def rename_schedule(text: str, rng: random.Random) -> str | None:
    origins = {
        name for line in re.findall(r"computes (.*)", text) for name in line.split(", ")
    }
    accesses = {
        name
        for line in re.findall(r"(?:reads|writes) (.*)", text)
        for name in re.findall(r"(?:^|, )([a-z]\w+)", line)
    }
    inputs = {name for name in accesses if not re.fullmatch(r"(?:buf|op)\d+", name)}
    by_origin, by_input = _fresh(origins, rng, "value_"), _fresh(inputs, rng, "given")
    start = rng.randrange(100)
    lines, apart = [], []
    for line in text.split("\n"):
        line = re.sub(
            r"(?<![a-zA-Z])(op|buf)(\d+)",
            lambda found: f"{found[1]}{int(found[2]) + start}",
            line,
        )
        if " computes " in line:
            head, _, names = line.partition("computes ")
            line = (
                head
                + "computes "
                + ", ".join(sorted(by_origin[name] for name in names.split(", ")))
            )
        elif found := re.match(r"( +(?:reads|writes) )(.*)", line):
            accesses_here = re.split(r", (?![^\[]*\])", found[2])
            renamed = [
                re.sub(r"^\w+", lambda name: by_input.get(name[0], name[0]), each)
                for each in accesses_here
            ]
            line = found[1] + ", ".join(sorted(renamed))
        elif " | " in line:
            line = re.sub(
                r"(\(')(\w+)(?=')",
                lambda found: found[1] + by_input.get(found[2], found[2]),
                line,
            )
        if re.match(r"    op\w+ with ", line):
            apart.append(line)
            continue
        rng.shuffle(apart)
        lines += [*apart, line]
        apart = []
    return "\n".join(lines)


def reword_reasons(text: str, rng: random.Random) -> str | None:
    """Replace torch's reasons for not fusing two nodes."""
    return re.sub(r"( with op\w+: ).*", lambda found: found[1] + "for no reason", text)


def rename_wrapper(text: str, rng: random.Random) -> str | None:
    names = set(re.findall(r"\b(?:buf\d+|arg\d+_1|raw_stream\d+)\b", text))
    mapping = {
        name: ("stream" if "stream" in name else "b") + number[2:]
        for name, number in _fresh(names, rng).items()
    }
    text = re.sub(r"\b[a-z]\w+", lambda found: mapping.get(found[0], found[0]), text)
    return text.replace("triton_per_fused", "triton_per_other").replace(
        "triton_poi_fused", "triton_poi_other"
    )


def without_checks(text: str, rng: random.Random) -> str | None:
    return "\n".join(
        line for line in text.split("\n") if not re.match(r"\s*assert_", line)
    )


def frees_at_the_end(text: str, rng: random.Random) -> str | None:
    """Move each `del` to right before its function returns."""
    lines, held = [], []
    for line in text.split("\n"):
        if re.match(r"\s*del ", line):
            held.append(line.strip())
        elif held and re.match(r"\s*return\b", line):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [*(indent + free for free in held), line]
            held = []
        else:
            lines.append(line)
    return "\n".join([*lines, *held])


def idle_pass(text: str, rng: random.Random) -> str | None:
    lines = re.sub(r"  # torch/\S+", "  # torch/elsewhere.py:1", text).split("\n")
    lines.insert(
        rng.randrange(1, len(lines)),
        "  post_grad a_new_pass                               .",
    )
    return "\n".join(lines)


def other_match_count(text: str, rng: random.Random) -> str | None:
    return re.sub(
        r"(?<=: matched )\d+", lambda found: str(int(found[0]) + rng.randrange(3)), text
    )


def fewer_pairs_apart(text: str, rng: random.Random) -> str | None:
    lines = text.split("\n")
    return "\n".join(
        line
        for line in lines
        if rng.random() < 0.5 or not re.match(r"    op\w+ with op\w+: ", line)
    )


def rewritten_index(text: str, rng: random.Random) -> str | None:
    """Write `64*c0 + c1` as `c1 + c0*64`."""

    def turned(found: re.Match[str]) -> str:
        terms = [
            re.sub(r"^(\d+)\*([cp]\d+)$", r"\2*\1", term)
            for term in found[1].split(" + ")
        ]
        return f"[{' + '.join(reversed(terms))}]"

    return re.sub(r"(?<=\w)\[((?:[\d*cp]+ \+ )+[\d*cp]+)\]", turned, text)


def other_tiling_scores(text: str, rng: random.Random) -> str | None:
    return re.sub(
        r"(?m)^( +'tiling_scores': )\{.*\},$",
        lambda found: f"{found[1]}{{'x': {rng.random()}}},",
        text,
    )


def mutated_in_other_order(text: str, rng: random.Random) -> str | None:
    return re.sub(
        r"(?m)^( +'mutated_arg_names': )\[(.*)\],$",
        lambda found: f"{found[1]}[{', '.join(reversed(found[2].split(', ')))}],",
        text,
    )


COSMETIC: dict[str, list[Rewrite]] = {
    "graph": [rename_graph, reorder_graph, comment],
    "triton_code": [
        rename_triton,
        reorder_triton,
        comment,
        empty_metadata,
        other_tiling_scores,
        mutated_in_other_order,
    ],
    "cpp_code": [rename_cpp, comment_cpp, without_bookkeeping],
    "schedule": [rename_schedule, reword_reasons, fewer_pairs_apart, rewritten_index],
    "wrapper_code": [rename_wrapper, without_checks, frees_at_the_end, comment],
    "passes": [idle_pass, other_match_count],
}


# Rewrites that change one thing that counts


def _change(
    pattern: str,
    replace: Callable[[re.Match[str]], str | None],
    flags: re.RegexFlag = re.M,
) -> Rewrite:
    """Change one match of `pattern`, picked at random."""

    def rewrite(text: str, rng: random.Random) -> str | None:
        matches = list(re.finditer(pattern, text, flags))
        rng.shuffle(matches)
        for found in matches:
            new = replace(found)
            start = text[text.rfind("\n", 0, found.start()) + 1 :].lstrip()
            if (
                new is not None
                and new != found[0]
                and (found[0].startswith("#") or not start.startswith("#"))
            ):
                return text[: found.start()] + new + text[found.end() :]
        return None

    return rewrite


def _again(found: re.Match[str]) -> str:
    return found[0] + found[0]


_NODE = r"^    (\w+)(: [^=\n]+)? = "
# Except for passes that changed no operator.
_PASSES_DIGIT = _change(
    r"(?<= )\d+(?= -> \d+[^\n]*(?:\n|\Z)(?!(?:\s+pattern [^\n]*\n)*\s+same operators))",
    lambda found: str(int(found[0]) + 1),
)

STRUCTURAL: dict[str, dict[str, Rewrite]] = {
    "graph": {
        "operator": _change(_NODE + r"(aten|prims)\.(\w+)", lambda m: m[0] + "_other"),
        "constant": _change(
            r"(?<=[ \[(])\d+(?=[,)\]][^:=]*\)$)", lambda m: str(int(m[0]) + 1)
        ),
        "argument order": _change(
            r"(?<=\()(\w+), (\w+)(?=[,)].*\)$)", lambda m: f"{m[2]}, {m[1]}"
        ),
        "shape": _change(r"(?<=: )\w+\[\d+", lambda m: m[0] + "1"),
        "dtype": _change(r"(?<=: )(f32|bf16|i64)(?=\[)", lambda m: "f64"),
        "stride": _change(r"(: \w+\[[^\]]*\]) = ", lambda m: m[1] + "[7] = "),
        "device": _change(r"(: \w+\[[^\]]*\]) = ", lambda m: m[1] + " @ cuda_1 = "),
        "device of an input": _change(
            r"(\w+: \w+\[[^\]]*\])(?=[,)])", lambda m: m[1] + " @ cuda_1"
        ),
        "outputs": _change(
            r"return \((\w+), (\w+)", lambda m: f"return ({m[2]}, {m[1]}"
        ),
        "saves": _change(
            r"_saves = \[(\w+), (\w+)", lambda m: f"_saves = [{m[2]}, {m[1]}"
        ),
        "keyword": _change(r"(aten\.\w+\.\w+\(.*)\)$", lambda m: m[1] + ", alpha=3)"),
        "an extra node": _change(
            r"^    (\w+)((?:: [^=\n]+)? = aten\.\w+.*\n)",
            lambda m: m[0] + f"    {m[1]}_again{m[2]}",
        ),
        "an extra input": _change(
            r"(def \w+)\((?=\w)", lambda m: m[1] + "(extra: f32[2], "
        ),
    },
    "triton_code": {
        "operator": _change(r"(?<=tmp\d) ([-+*]) (?=tmp)", lambda m: " / "),
        "constant": _change(
            r"tl\.full\((.*), (\d+\.\d+)", lambda m: f"tl.full({m[1]}, {m[2]}5"
        ),
        "argument order": _change(
            r"tl\.where\((\w+), (\w+), (\w+)\)",
            lambda m: f"tl.where({m[1]}, {m[3]}, {m[2]})",
        ),
        "operands": _change(r"(tmp\d+) - (tmp\d+)", lambda m: f"{m[2]} - {m[1]}"),
        "operand": _change(
            r"(tmp\d+) ([-+*]) (tmp\d+)$", lambda m: f"{m[1]} {m[2]} {m[1]}"
        ),
        "pointer": _change(
            r"tl\.load\((in_ptr\d+) \+ ", lambda m: f"tl.load({m[1]} + 1 + "
        ),
        "eviction": _change(r", eviction_policy='\w+'", lambda m: ""),
        "size": _change(r"(?<= )(\w*numel) = (\d+)$", lambda m: f"{m[1]} = {m[2]}0"),
        "size hints": _change(
            r"size_hints=\{'x': (\d+)", lambda m: f"size_hints={{'x': {m[1]}0"
        ),
        "signature": _change(r"'\*fp32'", lambda m: "'*fp64'"),
        "alignment": _change(
            r"\['tt\.divisibility', 16\]", lambda m: "['tt.divisibility', 8]"
        ),
        "an extra kernel": _change(
            r"# graph_\d+\w*: .*\n@triton(?:.*\n)+", _again, re.M
        ),
        "a missing store": _change(r"^ +tl\.store\(.*\n", lambda m: ""),
        "a repeated store": _change(r"^ +tl\.store\(.*\n", _again),
        "helper": _change(r"libdevice\.(\w+)", lambda m: f"tl_math.{m[1]}"),
    },
    "cpp_code": {
        "operator": _change(
            r"(tmp\d+) ([-+*/]) (?=tmp\d+;)",
            lambda m: f"{m[1]} {'-' if m[2] != '-' else '+'} ",
        ),
        "constant": _change(
            r"static_cast<float>\((\d+\.\d+)\)",
            lambda m: f"static_cast<float>({m[1]}5)",
        ),
        "operand": _change(
            r"(tmp\d+) ([-+*/]) (tmp\d+);",
            lambda m: f"{m[1]} {m[2]} {m[1]};" if m[1] != m[3] else None,
        ),
        "dtype": _change(r"Vectorized<float>", lambda m: "Vectorized<double>"),
        "bound": _change(
            r"<static_cast<int64_t>\((\d+)L\)",
            lambda m: f"<static_cast<int64_t>({m[1]}0L)",
        ),
        "index": _change(r"(\d+)L\*x(\d)", lambda m: f"{m[1]}0L*x{m[2]}"),
        "variable": _change(r"\*x1(?=[ )])", lambda m: "*x0"),
        "pointer": _change(r"(?<=[ (])in_ptr1(?= \+)", lambda m: "in_ptr0"),
        "pragma": _change(
            r"#pragma omp for\b", lambda m: "#pragma omp for collapse(2)"
        ),
        "an extra kernel": _change(r'#include .*\nextern "C"(?:.*\n)+?\}\n', _again),
        "a missing line": _change(r"^ +tmp\d+\.store\(.*\n", lambda m: ""),
    },
    "schedule": {
        "fusion": _change(
            r"^  group \d+: \w+\n", lambda m: None if m.start() < 30 else ""
        ),
        "operation kind": _change(r"(?<=: )pointwise$", lambda m: "scatter"),
        "dtype": _change(r"(?<=: )f32(?=\[)", lambda m: "f16"),
        "shape": _change(r"(?<=: )(\w+)\[(\d+)", lambda m: f"{m[1]}[{m[2]}1"),
        "index": _change(r"(?<=[\[ ])c0(?=[\]])", lambda m: "2*c0"),
        "operator of the body": _change(r"ops\.(add|mul|sub)", lambda m: "ops.truediv"),
        "order of the body": _change(
            r"(ops\.\w+)\((\w+), (\w+)\)", lambda m: f"{m[1]}({m[3]}, {m[2]})"
        ),
        "constant of the body": _change(
            r"ops\.constant\(([\d.]+)", lambda m: f"ops.constant({m[1]}7"
        ),
        "a missing operation": _change(r"^ +op\d+: .*\n(?: {6,}.*\n)+", lambda m: ""),
        "extern kernel": _change(
            r"extern_kernels\.addmm", lambda m: "extern_kernels.mm"
        ),
    },
    "wrapper_code": {
        "launch order": _change(
            r"(^ +triton_\w+\.run\(.*\n)((?:.*\n)*?)(^ +extern_kernels\..*\n)",
            lambda m: m[3] + m[2] + m[1],
        ),
        "a missing launch": _change(r"^ +triton_\w+\.run\(.*\n", lambda m: ""),
        "an extra launch": _change(r"^ +triton_\w+\.run\(.*\n", _again),
        "reuse": _change(
            r"= reinterpret_tensor\(buf\d+, (.*); del buf\d+  # reuse",
            lambda m: f"= empty_strided_cuda({m[1]}",
        ),
        "size": _change(
            r"empty_strided_cuda\(\((\d+)", lambda m: f"empty_strided_cuda(({m[1]}0"
        ),
        "dtype": _change(r"torch\.float32\)$", lambda m: "torch.float16)"),
        "argument": _change(r"\.run\((\w+), (\w+),", lambda m: f".run({m[2]}, {m[1]},"),
    },
    "passes": {
        "nodes": _PASSES_DIGIT,
        "operators": _change(r"^      [-+]\w[^\n]*", lambda m: f"{m[0]}  +aten.other"),
    },
    "metrics": {
        "number": _change(
            r"^(?!pattern_matches|least_time)(\w+) = (\d+)$",
            lambda m: f"{m[1]} = {int(m[2]) + 1}",
        )
    },
}
