"""A golden's header: written, read back, and distinguished from files that are not ours."""

from __future__ import annotations

import pytest

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.golden_header import DamagedGolden, Header
from pytest_compile_golden.goldens.golden_header import header_text as render
from pytest_compile_golden.goldens.golden_header import parse_golden as parse


@pytest.mark.parametrize("comment", ["#", "//"])
@pytest.mark.parametrize(
    "body", ["", "x\n", "\n\n# stage: other, torch: 1\n", "# a comment first\n\nx\n"]
)
@pytest.mark.parametrize("triton", ["3.7.1", None])
@pytest.mark.parametrize("known", [(), ("mask",), ("args[0]", "cu_seqlens", "torch")])
def test_round_trip(
    comment: str, body: str, triton: str | None, known: tuple[str, ...]
) -> None:
    header = Header("post_grad_graph", "2.16.0.dev20260901", triton, known=known)
    text = render(header, comment) + body
    assert all(line.startswith(comment) for line in text.split("\n\n")[0].splitlines())
    assert parse(text, comment, "x.py") == (header, body)


def test_header_lines_of_a_later_version_are_not_damage() -> None:
    text = render(Header("guards", "2.13.0", None), "#").replace(
        "\n\n", "\n# reason: faster, see PR: 7\n\n"
    )
    assert parse(text + "x\n", "#", "x.txt")[1] == "x\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "#!/usr/bin/env python\n\nx\n",
        "<<<<<<< ours\n# golden of pytest-compile-golden\n",
    ],
)
def test_file_that_is_not_ours(text: str) -> None:
    with pytest.raises(
        GoldenError, match=r"dir/x\.py is not a golden .* will not be overwritten"
    ):
        parse(text, "#", "dir/x.py")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text.replace("torch: 2.13.0", "torch: ?"),
        lambda text: text.replace(", normaliser: 1", ""),
        lambda text: text.replace("normaliser: 1", "normaliser: one"),
        lambda text: text.replace("# stage", "stage"),
        lambda text: text.splitlines()[0],
    ],
)
def test_damaged_header_names_the_way_out(damage: object) -> None:
    text = damage(render(Header("guards", "2.13.0", None), "#"))  # type: ignore[operator]
    with pytest.raises(DamagedGolden, match=r"x\.txt is damaged: .* --snapshot-update"):
        parse(text, "#", "x.txt")
