"""What a reduced program becomes: a script for anybody who has torch, a case with its invariant, the text of an issue."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_compile_golden.wings.reduce.program import CONFIG, Program

# Where each module of settings is, by the beginning of its keys in `config`.
_SETTINGS = {
    "dynamo.": "torch._dynamo.config.",
    "functorch.": "torch._functorch.config.",
    "": "torch._inductor.config.",
}
_CODE, _BEFORE, _JOINT, _AFTER, _DYNAMO, _GUARDS, _BREAKS = (
    "code",
    "pre_grad",
    "joint",
    "post_grad",
    "dynamo",
    "guards",
    "breaks",
)
_VIEWS = {
    "dynamo_graph": (_DYNAMO,),
    "dynamo_bytecode": (_DYNAMO,),
    "guards": (_GUARDS,),
    "guard_tree": (_GUARDS,),
    "specialisations": (_GUARDS,),
    "graph_breaks": (_BREAKS,),
    "pre_grad_graph": (_BEFORE,),
    "aot": (_JOINT, _AFTER),
    "aot_graph": (_JOINT, _AFTER),
    "joint_graph": (_JOINT, _AFTER),
    "forward_graph": (_AFTER, _JOINT),
    "backward_graph": (_AFTER, _JOINT),
    "post_grad_graph": (_AFTER,),
    "passes": (_AFTER, _JOINT),
}
"""Which parts of the compiler a script can print without any package but torch, by the stage in which a change shows."""


def views(stage: str) -> tuple[str, ...]:
    """What to print for a change that first shows in this stage: the nearest first, generated code last."""
    return tuple(dict.fromkeys((*_VIEWS.get(stage, ()), _CODE, _DYNAMO, _GUARDS, _BREAKS)))


@dataclass(frozen=True)
class Sign:
    """What tells two versions apart in the text that a script prints."""

    view: str
    pattern: str
    """A regular expression, which is counted; empty for the whole text."""
    before: str
    after: str
    """What the script prints in either version."""


def whole(program: Program, target: str, view: str) -> str:
    """A script that prints the whole text."""
    return _script(program, target, view, "print(text)", "")


def script(program: Program, target: str, sign: Sign, about: str) -> str:
    """A script of a few lines that prints what differs."""
    return _script(program, target, sign.view, f"print({_counted(sign.pattern)})", about)


def _counted(word: str) -> str:
    return f"text.count({word!r})"


def _script(program: Program, target: str, view: str, last: str, about: str) -> str:
    device = "" if target.startswith(("cpu", "native-cpu")) else 'torch.set_default_device("cuda")\n'
    settings = [
        f"{_setting(name[len(CONFIG) :])} = {value}" for name, value in program.options if name.startswith(CONFIG)
    ]
    imports = [*program.imports]
    train = program.option("train") == "True"
    arguments = [f"{name}={value}" for name, value in program.options if name in ("dynamic", "fullgraph", "mode")]
    inputs = ", ".join(value for _, value in program.inputs)
    body: list[str] = []
    if view == _CODE:
        imports.append("from torch._inductor.utils import run_and_get_code")
    if view in (_GUARDS, _BREAKS):
        of = "out_guards" if view == _GUARDS else "break_reasons"
        body.append(f'text = "\\n".join(map(str, torch._dynamo.explain(program)({inputs}).{of}))')
    else:
        if view == _DYNAMO:
            body.append("texts = []")
            arguments = [argument for argument in arguments if not argument.startswith("mode")]
            arguments.append("backend=lambda graph, _: texts.append(graph.print_readable(print_output=False)) or graph")
        elif view != _CODE:
            body.append("texts = []")
            hook = {
                _BEFORE: "pre_grad_custom_pass",
                _JOINT: "joint_custom_post_pass",
                _AFTER: "post_grad_custom_post_pass",
            }
            settings.append(f"torch._inductor.config.{hook[view]} = lambda graph: texts.append(str(graph))")
        body.append(f"compiled = torch.compile({', '.join(['program', *arguments])})")
        if train:
            body += ["", "", "def run():", f"    result = compiled({inputs})"]
            body.append(
                "    result.backward(torch.ones_like(result))"
                if len(program.results) == 1 or not program.body
                else "    torch.autograd.backward(result, [torch.ones_like(each) for each in result])"
            )
            body += ["", ""]
            called, given = "run", ""
        else:
            called, given = "compiled", inputs
        if view == _CODE:
            joined = ", ".join([called, *([given] if given else [])])
            body.append(f'text = "".join(run_and_get_code({joined})[1])')
        else:
            body += [f"{called}({given})", 'text = "".join(texts)']
    if any(setting.startswith("torch._inductor") for setting in settings):
        imports.append("import torch._inductor.config")
    caches = [] if view in (_GUARDS, _BREAKS, _DYNAMO) else ["torch._inductor.config.force_disable_caches = True"]
    if caches and "import torch._inductor.config" not in imports:
        imports.append("import torch._inductor.config")
    head = f'"""{about}"""\n\n' if about else ""
    lines = "\n".join(["import torch", *dict.fromkeys(imports)])
    set_up = "".join(f"{line}\n" for line in (*caches, *settings))
    called = "\n".join(body)
    return f"{head}{lines}\n\n{device}{set_up}\n\n{program.function}\n\n\n{called}\n{last}\n"


def _setting(key: str) -> str:
    prefix = next(prefix for prefix in _SETTINGS if key.startswith(prefix))
    return _SETTINGS[prefix] + key.removeprefix(prefix)


def sign(view: str, before: str, after: str, hints: Sequence[str]) -> Sign | None:
    """The word whose count differs between both texts; None if they have the same words equally often.

    hints: words of the change, of which one is preferred. A word that only one text has is preferred, too.
    """
    counts = [Counter(_words(text)) for text in (before, after)]
    differing = [word for word in {*counts[0], *counts[1]} if counts[0][word] != counts[1][word]]
    if not differing:
        return None

    def rank(word: str) -> tuple[bool, bool, bool, int, str]:
        hinted = any(hint in word or word in hint for hint in hints)
        once = not (counts[0][word] and counts[1][word])
        return (not hinted, not once, "." not in word, len(word), word)

    word = min(differing, key=rank)
    return Sign(view, word, str(before.count(word)), str(after.count(word)))


def _words(text: str) -> Iterator[str]:
    """Names, dotted ones as a whole, without those that carry numbers or digests."""
    for line in text.split("\n"):
        if not line.lstrip().startswith(("#", "//")):
            for word in re.findall(r"[A-Za-z_][\w.]*\w", line):
                if len(word) > 2 and not re.search(r"\d{2,}|[0-9a-f]{8}", word):
                    yield word


def case(program: Program, target: str, name: str, about: str, invariant: str) -> str:
    """A test file with one case, which asserts what held before the change."""
    function = program.function
    if not program.body:
        function = ast.unparse(ast.parse(function))
    indented = "\n".join(f"    {line}" if line else "" for line in function.split("\n"))
    options = [f"{key}={value}" for key, value in program.options if not key.startswith(CONFIG)]
    config = {key[len(CONFIG) :]: value for key, value in program.options if key.startswith(CONFIG)}
    if config:
        options.append(f"config={{{', '.join(f'{key!r}: {value}' for key, value in config.items())}}}")
    arguments = ", ".join(["program", *(value for _, value in program.inputs), *options])
    imports = "\n".join(["import pytest", "import torch", *program.imports])
    asserted = f"    assert {invariant}\n" if invariant else ""
    return (
        f"{imports}\n\n\n"
        f'@pytest.mark.compile_golden(target="{target}")\n'
        f"def test_{name}(compile_stages, golden):\n"
        f'    """{about}"""\n\n'
        f"{indented}\n\n"
        f"    captured = compile_stages({arguments})\n"
        f"{asserted}"
        f"    assert captured == golden\n"
    )
