"""What a virtual GPU that computes costs: `python -m benchmarks.device [PYTEST ARGUMENTS]`.

Without arguments: the CPU time of small operators, on the CPU and on the virtual card, as Markdown. With them, the
tests that pytest finds are run once on a virtual H100, and those that are parametrised by device are compared in pairs:
a test on the CPU with the same test on the card.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import torch

from pytest_compile_golden.features.virtual_gpu.gpu import running

CARD = "h100"
CALLS, ROUNDS = 2000, 5
Operator = Callable[[], object]


def operators(device: str) -> dict[str, Operator]:
    """Operators on a handful of numbers, whose time is that of the call."""
    vector, square = torch.randn(8, device=device), torch.randn(8, 8, device=device)
    image, kernel = (
        torch.randn(1, 4, 8, 8, device=device),
        torch.randn(4, 4, 1, 1, device=device),
    )
    heads, mask = (
        torch.randn(1, 2, 8, 8, device=device),
        torch.randn(8, 8, device=device),
    )
    seen = mask > 0
    functional = torch.nn.functional
    return {
        "view": lambda: square.view(64),
        "transpose": lambda: square.t(),
        "empty": lambda: torch.empty(8, device=device),
        "copy_": lambda: vector.copy_(vector),
        "add": lambda: vector + vector,
        "add_": lambda: vector.add_(vector),
        "conversion to bfloat16": lambda: vector.to(torch.bfloat16),
        "cat": lambda: torch.cat([vector, vector]),
        "sum": lambda: vector.sum(),
        "norm": lambda: vector.norm(),
        "softmax": lambda: square.softmax(-1),
        "mm": lambda: square @ square,
        "linear": lambda: functional.linear(square, square, vector),
        "gelu": lambda: functional.gelu(vector),
        "layer_norm": lambda: functional.layer_norm(square, (8,)),
        "conv2d": lambda: functional.conv2d(image, kernel),
        "_foreach_add": lambda: torch._foreach_add([vector, vector], 1.0),
        "rms_norm": lambda: functional.rms_norm(square, (8,)),
        "batch_norm": lambda: functional.batch_norm(image, None, None, training=True),
        "attention": lambda: functional.scaled_dot_product_attention(
            heads, heads, heads
        ),
        "attention with a mask": lambda: functional.scaled_dot_product_attention(
            heads, heads, heads, mask
        ),
        "attention with a mask of booleans": lambda: (
            functional.scaled_dot_product_attention(heads, heads, heads, seen)
        ),
    }


def microseconds(operator: Operator) -> float:
    """CPU time: the least of several rounds' averages."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        for _ in range(CALLS):
            operator()
        rounds.append((time.thread_time() - began) / CALLS)
    return min(rounds) * 1e6


def of_operators() -> None:
    torch.set_num_threads(1)
    with torch.no_grad():
        on_host = {
            name: microseconds(operator) for name, operator in operators("cpu").items()
        }
        with running(CARD):
            on_card = {
                name: microseconds(operator)
                for name, operator in operators("cuda").items()
            }
    print("| operator | CPU | virtual GPU |\n|---|---|---|")
    for name, host in on_host.items():
        print(f"| `{name}` | {host:.1f} µs | {on_card[name]:.1f} µs |")


def of_suite(arguments: list[str]) -> int:
    """pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--virtual-gpu",
            CARD,
            f"--junitxml={results}",
            *arguments,
        ]
        status = subprocess.call(command)
        tests = [*ElementTree.parse(results).getroot().iter("testcase")]
    seconds = {
        f"{test.get('classname')}::{test.get('name')}": float(test.get("time", "0"))
        for test in tests
        if not len(test)  # it has passed
    }
    pairs = [
        (seconds[on_host], own)
        for name, own in seconds.items()
        if (on_host := name.replace("cuda", "cpu").replace("CUDA", "CPU")) != name
        and on_host in seconds
    ]
    host, card = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    print(
        f"{len(pairs)} tests on both devices: {host:.0f} s on the CPU, {card:.0f} s on the virtual GPU"
    )
    return status


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(of_suite(sys.argv[1:]))
    of_operators()
