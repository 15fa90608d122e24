"""Write observe/config_history.txt: which torch versions have each config key that is not in all of them.

    python tools/config_history.py 2.12=OTHER/bin/python 2.13=ANOTHER/bin/python ...

Each interpreter must have that torch version installed. Name one for every supported version.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FILE = (
    Path(__file__).parents[1]
    / "pytest_compile_golden"
    / "observe"
    / "config_history.txt"
)
KEYS = """
import json
from torch._dynamo import config as dynamo
from torch._functorch import config as functorch
from torch._inductor import config as inductor
modules = {"dynamo": dynamo, "functorch": functorch, "inductor": inductor}
print(json.dumps([f"{name}.{key}" for name, module in modules.items() for key in module._config]))
"""


def keys(python: str) -> set[str]:
    """The config keys of the torch installed for the interpreter `python`."""
    done = subprocess.run(
        [python, "-W", "ignore", "-c", KEYS], check=True, capture_output=True, text=True
    )
    return {key for key in json.loads(done.stdout.splitlines()[-1]) if "._" not in key}


def main() -> None:
    pythons = dict(argument.split("=", 1) for argument in sys.argv[1:])
    keys_of = {version: keys(python) for version, python in sorted(pythons.items())}
    lines = ["# config key: the torch versions that have it, of " + ", ".join(keys_of)]
    for key in sorted(set().union(*keys_of.values())):
        versions = [version for version in keys_of if key in keys_of[version]]
        if len(versions) < len(keys_of):
            lines.append(f"{key}: {', '.join(versions)}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
