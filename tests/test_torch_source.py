"""What torch's authors changed between two installed versions of torch, read from their sources as text."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.report import json_report, markdown, proofs, torch_changes
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    Report,
    Side,
    TorchFunction,
)
from pytest_compile_golden.report.torch_changes import with_sources
from pytest_compile_golden.torch_source import (
    changed_functions,
    config_defaults,
    installed_sources,
)
from pytest_compile_golden.torch_source.installed_sources import Sources, comparison
from tests.forked import Forks
from tests.interpreters import interpreter
from tests.paper import PaperProject

FILE = "torch/_inductor/codegen/triton.py"
WRITER = '''\
class TritonOverrides:
    @staticmethod
    def exp(x):
        """Says nothing."""
        {check}
        return f"exp({{x}})"

    @staticmethod
    def maximum(a, b):
        return f"{maximum}({{a}}, {{b}})"


class TritonKernel:
    def load(self, name):
        line = self.indexing(name)
        return mask_of(line, "eviction")

    def indexing(self, name):
        return name + {offset}

    def store(self, name):
        return helper(name)
'''
COMMON = """\
def mask_of(line, policy):
    return line + {mask}


def helper(name):
    return name


def checked(match):
    return {check_of_a_pattern}


@pattern(extra_check=checked)
def replacement(match):
    match.replace()
"""


def _torch(folder: Path, version: str, **texts: str) -> Sources:
    values = {
        "check": "assert x",
        "maximum": "helpers.maximum",
        "offset": "1",
        "mask": "None",
        "distance": "-1",
    }
    values |= {"check_of_a_pattern": "True"}
    values |= texts
    commit = values.get("commit", version[2:4] * 20)
    package = folder / "lib" / "python3.11" / "site-packages" / "torch"
    (package / "_inductor" / "codegen").mkdir(parents=True)
    (package / "version.py").write_text(
        f"__version__ = '{version}+cpu'\ngit_version = '{commit}'\n"
    )
    (package / "_inductor" / "codegen" / "triton.py").write_text(
        WRITER.format(**values)
    )
    (package / "_inductor" / "codegen" / "common.py").write_text(
        COMMON.format(**values)
    )
    (package / "_inductor" / "config.py").write_text(
        f"distance: int = {values['distance']}\nprefix = make('{version}')\nclass triton:\n    seed = 1\n"
    )
    found = installed_sources.of(folder / "bin" / "python")
    assert found is not None
    return found


def test_the_function_itself_is_shown_where_it_changed(tmp_path: Path) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", maximum="tl.maximum", offset="2")
    found = changed_functions.change(old, new, "TritonOverrides.maximum", f"{FILE}:9")
    assert found is not None and (found.function, found.through) == (
        "TritonOverrides.maximum",
        (),
    )
    assert [line for line in found.diff if line[0] in "+-"] == [
        "-    return f'helpers.maximum({a}, {b})'",
        "+    return f'tl.maximum({a}, {b})'",
    ]
    assert found.where == f"{FILE}:9"


def test_otherwise_the_callee_related_to_the_changed_line_is_shown(
    tmp_path: Path,
) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", mask="other_mask", offset="shift")
    for tokens, name in (
        ("tl.load(x, other_mask)", "mask_of"),
        ("tl.load(x + shift)", "TritonKernel.indexing"),
    ):
        found = changed_functions.change(
            old, new, "TritonKernel.load", f"{FILE}:14", tokens
        )
        assert (
            found is not None
            and found.function == name
            and found.through == ("TritonKernel.load",)
        )
        # Either may be why; the report names both.
        assert {name, *found.also} == {"mask_of", "TritonKernel.indexing"}
    # What changed in them shares no word with the line, and may be why all the same: a condition, for example.
    nearest = changed_functions.change(
        old, new, "TritonKernel.load", f"{FILE}:14", "tl.exp(x)"
    )
    assert (
        nearest is not None
        and nearest.function in ("mask_of", "TritonKernel.indexing")
        and nearest.diff
    )
    # In another function nothing changed at all.
    assert (
        changed_functions.change(
            old, new, "TritonKernel.store", f"{FILE}:21", "other_mask"
        )
        is None
    )


def test_functions_passed_to_a_decorator_count_as_called_by_the_function(
    tmp_path: Path,
) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", check_of_a_pattern="allows(match)")
    common = "torch/_inductor/codegen/common.py"
    found = changed_functions.change(old, new, "replacement", f"{common}:14", "allows")
    assert found is not None and (found.function, found.through) == (
        "checked",
        ("replacement",),
    )


def test_a_location_may_be_the_name_of_a_function(tmp_path: Path) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", maximum="tl.maximum")
    blamed = CaseGroup(
        "changed",
        "helpers.maximum -> tl.maximum",
        "triton_code",
        f"{FILE}:TritonOverrides.maximum",
    )
    sides = Side("old", "2.13.0"), Side("new", "2.15.0")
    (found,) = with_sources(Report("this", *sides, (), (blamed,)), old, new).functions
    assert found.function == "TritonOverrides.maximum" and found.where == f"{FILE}:9"
    assert torch_changes.title(found) == "TritonOverrides.maximum"
    several = replace(found, through=("load",), also=("mask_of", "indexing"))
    assert (
        torch_changes.title(several)
        == f"{found.function}, called by load; mask_of, indexing changed there, too"
    )
    assert "+    return f'tl.maximum({a}, {b})'" in found.diff


def test_what_a_line_calls_is_found_by_the_words_of_the_line(tmp_path: Path) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", mask="other_mask")
    line = CaseGroup(
        "changed",
        "- tl.load(x, None)  + tl.load(x, other_mask)",
        "triton_code",
        f"{FILE}:14",
    )
    sides = Side("old", "2.13.0"), Side("new", "2.15.0")
    for group in (line, replace(line, text="other order")):
        report = with_sources(Report("this", *sides, (), (group,)), old, new)
        # What it calls did change, whether or not that is why: its place stays, and nobody says that all is unchanged.
        assert (
            report.functions[0].function == "mask_of"
            and report.groups[0].where == f"{FILE}:14"
        )
        assert torch_changes.UNCHANGED not in "".join(
            text for _, text in torch_changes.render(report)
        )


def test_asserts_and_docstrings_are_not_changes(tmp_path: Path) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(
        tmp_path / "b",
        "2.15.0",
        check='if not x:\n            raise AssertionError("no x")',
    )
    assert (
        changed_functions.change(old, new, "TritonOverrides.exp", f"{FILE}:3") is None
    )


def test_a_report_has_the_sources_of_what_it_blames(tmp_path: Path) -> None:
    old = _torch(tmp_path / "a", "2.13.0")
    new = _torch(tmp_path / "b", "2.15.0", maximum="tl.maximum", distance="64")
    blamed = CaseGroup(
        "changed",
        "triton_code / TritonOverrides.maximum",
        "triton_code",
        f"{FILE}:9",
        keys=("k",),
    )
    upstream = CaseGroup(
        "changed", "triton_code / TritonOverrides.exp", "triton_code", f"{FILE}:3"
    )
    by_location = CaseGroup(
        "changed", "post_grad / some name", "post_grad_graph", f"{FILE}:10"
    )
    again = replace(blamed, text="scheduler / TritonOverrides.maximum", keys=("other",))
    yours = CaseGroup("changed", "post_grad / mine", "post_grad_graph", "model.py:3")
    # Where a step is defined is a place once its function is known to have changed.
    shown, same = (
        CaseGroup(
            "changed",
            "lowering / x",
            "lowered_ir",
            defined=f"{FILE}:{at}",
            members=("m.py::t",),
        )
        for at in (9, 3)
    )
    sides = Side("old", "2.13.0"), Side("new", "2.15.0", commit="15" * 20)
    case = CaseReport("m.py::t", "cuda-sm90", "changed")
    groups = blamed, upstream, by_location, again, yours, shown, same
    report = Report("this", *sides, (case,), groups)
    assert any(
        "cause of 2 changes not known" in text for _, text in proofs.render(report)
    )
    report = with_sources(report, old, new)
    assert [function.function.partition(".")[2] for function in report.functions] == [
        "maximum",
        "exp",
        "maximum",
    ]
    assert report.functions[0].keys == ("k", "other") and report.functions[1].diff == ()
    lines = [text for _, text in torch_changes.render(report)]
    assert lines.count(f"TritonOverrides.maximum   {FILE}:9") == 2
    assert "  +    return f'tl.maximum({a}, {b})'" in lines
    link = f"https://github.com/pytorch/pytorch/blob/{'15' * 20}/{FILE}#L9"
    assert f"  {link}" in lines
    at = lines.index(f"TritonOverrides.exp   {FILE}:3")
    assert (
        lines[at + 1]
        == "  unchanged, and so is everything it calls there: the cause comes before it"
    )
    assert lines[-1] == "  inductor.distance: -1 -> 64"
    # A function that is the same made its line from something else: it is not where the change comes from.
    assert [group.where for group in report.groups] == [
        f"{FILE}:9",
        None,
        f"{FILE}:10",
        f"{FILE}:9",
        "model.py:3",
        f"{FILE}:9",
        None,
    ]
    rendered = markdown.render(report)
    folded = rendered[
        rendered.index(
            "<details><summary>What torch's authors changed: 3 functions</summary>"
        ) :
    ]
    assert f"`TritonOverrides.maximum` [`{FILE}:9`]({link})\n\n```diff\n" in folded
    assert folded.index("- `inductor.distance: -1 -> 64`") < folded.index("</details>")
    assert json_report.parse(json_report.render(report), "it") == report
    none = with_sources(Report("this", *sides, (), (yours,)), old, new)
    assert torch_changes.render(none) == [] and "authors" not in markdown.render(none)
    # A function that the newer torch no longer has is linked in the older one.
    gone = TorchFunction("TritonOverrides.old", f"{FILE}:3", gone=True)
    assert (
        torch_changes.link(report, gone)
        == f"https://github.com/pytorch/pytorch/blob/v2.13.0/{FILE}#L3"
    )


def test_sources_leave_most_of_a_comment_to_the_changes(tmp_path: Path) -> None:
    long = tuple(
        TorchFunction(f"f{n}", f"{FILE}:{n}", diff=("+" + "x" * 900,) * 4)
        for n in range(8)
    )
    report = Report("this", Side("old"), Side("new"), (), functions=long)
    rendered = markdown.render(report, 20_000)
    assert (
        len(rendered) < 20_000
        and "_7 more: see the HTML report._" in rendered
        and rendered.endswith("</details>\n")
    )


def _clone(folder: Path) -> tuple[Path, list[str]]:
    """A repository in which each commit changes a different function, and the commits."""
    clone = folder / "clone"
    file = clone / FILE
    file.parent.mkdir(parents=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", clone, *who, *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.strip()

    git("init", "--quiet")
    values = {"check": "assert x", "maximum": "helpers.maximum", "offset": "1"}
    hashes = []
    for title, news in (
        ("First", {}),
        ("Use tl.maximum (#123)", {"maximum": "tl.maximum"}),
        ("Index elsewhere (#124)", {"offset": "2"}),
    ):
        values |= news
        file.write_text(WRITER.format(**values))
        git("add", "--all")
        git("commit", "--quiet", "--message", title)
        hashes.append(git("rev-parse", "HEAD"))
    return clone, hashes


def test_a_clone_names_the_commits_that_touched_the_function(tmp_path: Path) -> None:
    clone, hashes = _clone(tmp_path)
    old = _torch(tmp_path / "a", "2.13.0", commit=hashes[0])
    new = _torch(
        tmp_path / "b", "2.15.0", commit=hashes[-1], maximum="tl.maximum", offset="2"
    )
    blamed = CaseGroup(
        "changed", "triton_code / TritonOverrides.maximum", "triton_code", f"{FILE}:9"
    )
    report = Report("this", Side("old"), Side("new"), (), (blamed,))
    rendered = with_sources(report, old, new, clone)
    assert rendered.functions[0].commits == (f"{hashes[1][:10]} Use tl.maximum (#123)",)
    lines = [text for _, text in torch_changes.render(rendered)]
    at = lines.index("  this commit touched it:")
    assert lines[at + 1] == f"    {hashes[1][:10]} Use tl.maximum (#123)"
    assert (
        f"this commit touched it:\n\n- `{hashes[1][:10]} Use tl.maximum (#123)`"
        in markdown.render(rendered)
    )
    elsewhere = _torch(tmp_path / "c", "2.14.0", maximum="tl.maximum")
    (note,) = with_sources(report, old, elsewhere, clone).notes
    assert re.search(r"cannot list the commits .* Use a full clone", note)


CASE = """
import os
from pytest_compile_golden.facts.graphs import GraphKey, Pass, PatternMatch

def test_case(draw, golden):
    made = int(os.environ["BUILD"])
    key = GraphKey(0)
    found = [PatternMatch("max", "FILE:9", made)]
    ran = Pass(key, "post_grad", "TritonOverrides.maximum", "FILE:9", 3, 3 - made, False, patterns=found)
    assert draw(passes=ran) == golden
"""


def test_diff_and_bisect_show_source_changes_of_the_versions_they_ran(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, forks: Forks
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(paper.path / "cache"))
    paper.test(CASE.replace("FILE", FILE))
    clone, hashes = _clone(paper.path)
    pythons = []
    for number, (commit, name) in enumerate(
        ((0, "helpers.maximum"), (0, "helpers.maximum"), (2, "tl.maximum"))
    ):
        folder = paper.path / f"env-{number}"
        _torch(folder, f"2.1{3 + number}.0", commit=hashes[commit], maximum=name)
        (folder / "bin").mkdir()
        pythons.append(
            str(
                interpreter(
                    folder / "bin", "python", forks.python, BUILD=str(number // 2)
                )
            )
        )
    common = ("--target=paper-cpu", "--stages=passes", f"--torch-repo={clone}")
    found = [
        f"TritonOverrides.maximum   {FILE}:9",
        "  -    return f'helpers.maximum({a}, {b})'",
        "  +    return f'tl.maximum({a}, {b})'",
        "  this commit touched it:",
        f"    {hashes[1][:10]} Use tl.maximum (#123)",
    ]
    bisected = paper.command("bisect", "test_case", *pythons, *common)
    assert bisected.ret == 0
    bisected.stdout.fnmatch_lines(
        [*map(_literally, found), "first that differs: *env-2/*, after *env-1/*"]
    )

    compared = paper.command(
        "diff", pythons[0], pythons[2], *common, "--report=r.json", "--report=r.md"
    )
    assert compared.ret == 1
    compared.stdout.fnmatch_lines([*map(_literally, found)])
    (function,) = json_report.read(paper.path / "r.json").functions
    assert function.where == f"{FILE}:9" and function.commits == (
        f"{hashes[1][:10]} Use tl.maximum (#123)",
    )
    assert "+    return f'tl.maximum({a}, {b})'" in (paper.path / "r.md").read_text()
    paper.command("report", "r.json").stdout.fnmatch_lines([*map(_literally, found)])
    without = paper.command(
        "diff", pythons[0], pythons[2], *common[:2], "--no-sources", "--format=json"
    )
    assert "tl.maximum" not in without.stdout.str()


def _literally(line: str) -> str:
    return line.replace("[", "[[]")


def test_defaults_are_compared_as_they_are_on_an_ordinary_machine(
    tmp_path: Path,
) -> None:
    old, new = (
        _torch(tmp_path / "a", "2.13.0"),
        _torch(tmp_path / "b", "2.15.0", distance="64"),
    )
    assert config_defaults.changed(old, new) == [
        config_defaults.Default("inductor.distance", "-1", "64")
    ]
    for torch, lines in (
        (
            old,
            "asked = os.environ.get('A', '0') == '1'\nkept = not is_fbcode()\nold = 1\n",
        ),
        (
            new,
            "asked = Config(justknob='a', default=True)\nkept = lite_mode_default(False, True)\n"
            "old = Config(default=2, deprecated=True)\nnew_switch = os.getenv('B', '1') == '1'\nnew_off = False\n"
            "_hidden = True\n",
        ),
    ):
        (torch.folder / "torch" / "_inductor" / "config.py").write_text(lines)
    assert config_defaults.changed(old, new) == [
        config_defaults.Default("inductor.asked", "False", "True"),
        config_defaults.Default("inductor.new_switch", None, "True"),
    ]


@pytest.mark.live
def test_defaults_read_from_source_are_those_torch_uses() -> None:
    """Nearly all of them can be read."""
    from torch._inductor import config

    source = config_defaults.read(Path(config.__file__))
    known = {name: value for name, value in source.items() if name in config._config}
    wrong = [
        name for name, value in known.items() if config._config[name].default != value
    ]
    assert wrong == [] and len(known) > len(config._config) * 0.8


def test_the_installed_torch_is_found_with_its_commit() -> None:
    found = installed_sources.of(Path(sys.executable))
    assert (
        found is not None and found.version == (torch_version() or "").partition("+")[0]
    )
    assert re.fullmatch(r"[0-9a-f]{40}", found.commit or "")
    assert "TritonKernel.load" in found.functions(FILE)
    start = found.functions(FILE)["TritonKernel.load"].lineno
    assert found.function_at(f"{FILE}:{start + 1}") == "TritonKernel.load"
    # Named by another link: still the same installation, between which nothing is to be compared.
    assert found == installed_sources.of(Path(sys.executable).with_name("another"))
    assert installed_sources.of(Path("/nowhere/bin/python")) is None
    assert found.functions("../secret.py") == {}


def test_imports_and_operators_decompositions_are_followed(tmp_path: Path) -> None:
    before, after = (
        _torch(tmp_path / "old", "2.13.0"),
        _torch(tmp_path / "new", "2.15.0"),
    )
    for torch, kind, root in (
        (before, "Layout", "1 / sqrt(x)"),
        (after, "Output", "rsqrt(x)"),
    ):
        inductor = torch.folder / "torch" / "_inductor"
        (inductor / "ir.py").write_text(
            f"class Fallback:\n    def create(kernel):\n        return {kind}(kernel)\n"
        )
        (inductor / "lowering.py").write_text(
            "from . import ir\n\n\ndef handler(kernel):\n    return ir.Fallback.create(kernel)\n"
        )
        (inductor / "decompositions.py").write_text(
            f"def norm(x):\n    return {root}\n\n\ndef batch_norm(x):\n    return aten.norm.default(x)\n"
        )
    found = changed_functions.change(
        before, after, "handler", "torch/_inductor/lowering.py:4", "Output"
    )
    assert found is not None and (found.function, found.through) == (
        "Fallback.create",
        ("handler",),
    )
    found = changed_functions.change(
        before, after, "batch_norm", "torch/_inductor/decompositions.py:5", "rsqrt"
    )
    assert found is not None and (found.function, found.through) == (
        "norm",
        ("batch_norm",),
    )


def test_instead_of_a_function_with_an_unrelated_change_the_related_callee_is_shown(
    tmp_path: Path,
) -> None:
    before, after = (
        _torch(tmp_path / "old", "2.13.0"),
        _torch(tmp_path / "new", "2.15.0"),
    )
    for torch, other, zero in ((before, "1", "zeros"), (after, "2", "zeros or 0")):
        (torch.folder / "torch" / "_inductor" / "passes.py").write_text(
            f"def fold(gm):\n    clean(gm, {other})\n    remove(gm)\n\n\n"
            f"def remove(gm):\n    for node in gm.find(aten.add.Tensor):\n        drop(node, {zero})\n"
        )
    where = "torch/_inductor/passes.py:1"
    group = CaseGroup(
        "changed",
        "joint / fold removes x + 0",
        where=where,
        keys=("a",),
        names=("fold", "aten.add"),
    )
    made = with_sources(Report("r", Side("a"), Side("b"), (), (group,)), before, after)
    assert [(function.function, function.through) for function in made.functions] == [
        ("remove", ("fold",))
    ]
    # If the change mentions nothing to look for, the function's own change is shown.
    plain = replace(group, names=("fold",))
    made = with_sources(Report("r", Side("a"), Side("b"), (), (plain,)), before, after)
    assert [(function.function, function.through) for function in made.functions] == [
        ("fold", ())
    ]


def test_a_commit_is_not_compared_with_itself() -> None:
    old, new = "a" * 40, "b" * 40
    assert (
        comparison(old, new)
        == f"https://github.com/pytorch/pytorch/compare/{old}...{new}"
    )
    assert comparison(new, new) is None
