"""Types of changes: each has a code and a row in the table of words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_compile_golden.changes.change import CODES, Change
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    Replaced,
    Simple,
)
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.cli import changes, main
from pytest_compile_golden.goldens.compare_artifact import own_edits
from pytest_compile_golden.goldens.ranking import rank
from pytest_compile_golden.messages.message_table import ROWS
from tests.test_grouping import structural
from tests.test_messages import schedule
from tools import changes_page

READ = "pointwise | buf0: f32[8] cpu | aten.add.Tensor | {}"


def test_every_type_has_a_row_and_a_line_in_the_documentation() -> None:
    listed = CliRunner().invoke(main, ["changes", "--markdown"])
    assert listed.exit_code == 0 and len(listed.output.splitlines()) == len(CODES) + 2
    page = changes_page.FILE.read_text(encoding="utf-8")
    told, _, examples = page.partition("## An example of each")
    assert told.strip().endswith("\n".join(changes.table(link=True))), (
        "run python tools/changes_page.py"
    )
    assert re.findall(r"^### (.+)$", examples, re.M) == sorted(CODES), (
        "run python tools/changes_page.py"
    )
    assert ROWS.keys() == CODES.keys()
    for code, row in CODES.items():
        assert row.meaning and not row.meaning.startswith(row.type.__name__), code
        for name in (*(row.same_by or ()), *row.named_by):
            assert name in row.type.__struct_fields__ or hasattr(row.type, name), (
                code,
                name,
            )


def test_an_example_stays_while_its_case_changes_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("goldens/cases/test_ahead_of_time")
    shutil.copytree(changes_page.ROOT / folder, tmp_path / folder)
    shutil.copy(changes_page.ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setattr(changes_page, "ROOT", tmp_path)
    monkeypatch.setattr(changes_page, "VERSIONS", ("2.14.1", "2.15.0"))
    case = "`cases/test_ahead_of_time.py::{}`, torch 2.14.1 → 2.15.0, in `{}`:"
    smallest = case.format("test_batch_that_varies[cuda-sm90]", "aot_wrapper")
    larger = case.format("test_wrapper_in_cpp[cuda-sm90]", "wrapper_code")
    gone = case.format("test_that_is_gone[cuda-sm90]", "wrapper_code")
    for had, shown in [
        ("", smallest),
        (smallest, smallest),
        (larger, larger),
        (gone, smallest),
    ]:
        page = f"\n### call-argument\n\nMeaning.\n\n{had}\n\n### other\n\n{larger}\n"
        _, _, section = changes_page.text(page).partition("\n### call-argument\n")
        assert re.findall("^`cases.*", section, re.M)[0] == shown, had


def test_a_code_is_given_once() -> None:
    with pytest.raises(TypeError, match="fusion-lost"):

        class Another(Change, code="fusion-lost"):
            """Taken already."""


def test_a_change_has_a_code_of_its_shape() -> None:
    with pytest.raises(TypeError, match="mask-changed is a change of type Replaced"):
        Simple("mask-changed")
    with pytest.raises(KeyError, match="mask-chnaged"):
        Replaced("mask-chnaged", "x0", "x1")


def test_a_read_that_torch_lists_twice_is_accounting() -> None:
    old, new = (
        schedule(READ.format(reads))
        for reads in ("arg0_1[c0], arg0_1[c0]", "arg0_1[c0]")
    )
    (change,) = own_edits(structural(old, new, "scheduler_nodes", "txt"))
    assert change.code == "read-listed-again" and change.kind == "accounting"


def test_the_same_change_is_told_once() -> None:
    # A helper that Triton has itself, and a cache policy that is new, gone or another.
    larger, smaller = (
        ValueChanged(
            "value-changed",
            f"triton_helpers.{name}(a, b)",
            f"tl.{name}(a, b, tl.PropagateNan.ALL)",
        )
        for name in ("maximum", "minimum")
    )
    assert (
        larger.key
        == smaller.key
        != ValueChanged("value-changed", "tl.sum(a)", "tl.max(a)").key
    )
    policies = [
        (None, "'evict_first'"),
        ("'evict_last'", None),
        ("'evict_last'", "'evict_first'"),
    ]
    hints = (
        AttributeChanged("hints-changed", "tl.load", "eviction_policy", *policy)
        for policy in policies
    )
    assert len({hint.key for hint in hints}) == 1


def test_what_leaves_everything_that_runs_as_it_is_comes_last() -> None:
    hint, spelling = (
        rank("hints", "hint", (), (), 1),
        rank("arithmetic", "spelling", (), (), 40),
    )
    assert hint < spelling
