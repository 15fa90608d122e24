"""The policies by which a virtual target decides what torch would decide by timing, by name.

`answer_autotuning.py` has torch follow them.
"""

from __future__ import annotations

import re

from pytest_compile_golden.errors import InvalidOption

DEFAULT_POLICY = "aten"


def check_policy(policy: object) -> None:
    """Raise InvalidOption, naming the available ones, for an unknown policy."""
    if not isinstance(policy, str) or not (
        policy in ("aten", "triton") or policy.startswith("name:")
    ):
        raise InvalidOption(
            f"there is no autotuning policy {policy!r}; use 'aten', 'triton' or 'name:<regex>'."
        )
    if policy.startswith("name:"):
        pattern_of(policy)


def policy_in_words(policy: str) -> str:
    """What an artifact says about choices that torch would make by timing. Raises InvalidOption if it is unknown."""
    check_policy(policy)
    how = {"aten": "prefer aten", "triton": "prefer templates"}.get(policy)
    if how is None:
        how = f"prefer choices named {policy[5:]!r}, then aten"
    return f"{how}; never pad matmuls unless forced; no benchmarked fusion"


def pattern_of(policy: str) -> re.Pattern[str]:
    """The regular expression of a policy `name:<regex>`. Raises InvalidOption if it is not one."""
    try:
        return re.compile(policy[5:])
    except re.error as error:
        raise InvalidOption(
            f"{policy!r} is not an autotuning policy: {error} in the regular expression."
        ) from error
