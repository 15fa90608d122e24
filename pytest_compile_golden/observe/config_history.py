"""Which torch versions have a config key, for the keys that came or went since the oldest supported torch."""

from __future__ import annotations

from importlib import resources

from pytest_compile_golden.lines import split_lines


def versions_with(key: str) -> str | None:
    """`torch 2.12, 2.13 has it` for a full key (`inductor.max_autotune`), None where no version or every one has it."""
    text = resources.files("pytest_compile_golden.observe").joinpath("config_history.txt").read_text("utf-8")
    for line in split_lines(text):
        name, _, versions = line.partition(":")
        if name == key:
            return f"torch {versions.strip()} has it"
    return None
