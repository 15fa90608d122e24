"""The page that lists the cases matches their sources."""

from __future__ import annotations

import ast
import subprocess
import sys

from tools import cases_readme
from tools.cases_readme import Case


def test_the_page_is_up_to_date() -> None:
    assert cases_readme.FILE.read_text(encoding="utf-8") == cases_readme.text(), (
        "run python tools/cases_readme.py"
    )


def test_torch_is_not_imported() -> None:
    code = "import sys; from tools import cases_readme; cases_readme.text(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=cases_readme.ROOT)


SOURCE = '''
"""Sums."""
GPU = pytest.mark.compile_golden(target="cuda-sm90")
pytestmark = pytest.mark.compile_golden(target="cpu-avx2", stages="+guards")

@GPU
@pytest.mark.parametrize("size", [1, 2])
def test_rows(size, compile_stages, golden):
    """Each row
    in a block.

    More."""
    assert compile_stages(f)["scheduler_nodes"] == golden

def test_columns(compile_stages, golden):
    captured = compile_stages(f)
    assert captured.metrics.kernels == 1
    assert captured == golden

def test_all(compile_stages):
    assert compile_stages(f)
'''


def test_a_row_says_what_a_case_compares_and_where() -> None:
    assert list(cases_readme.cases(ast.parse(SOURCE))) == [
        Case(
            "test_rows[]", "Each row in a block.", ("`scheduler_nodes`",), "`cuda-sm90`"
        ),
        Case("test_columns", "Columns.", ("default",), "`cpu-avx2`"),
        Case("test_all", "All.", (), "`cpu-avx2`"),
    ]
