"""Completion in bash, which ends words at `:` and `=`, both of which occur in case ids."""

from __future__ import annotations

import os
from typing import Any

from click.shell_completion import BashComplete, CompletionItem, split_arg_string

# Like click's own script, but the line is passed on as typed, along with the part of it that bash replaces (`$2`),
# and an answer stays one word, whatever a `[` in it may match.
_SOURCE = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_REPLACED="$2" %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    while IFS=',' read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$response"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Splits the line as the shell does, and answers with what comes after the last `:` or `=`."""

    source_template = _SOURCE

    _before = ""
    """The part of the word that stays on the line as it is."""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        _, *words = split_arg_string(line)
        incomplete = words.pop() if words and not line[-1].isspace() else ""
        replaced = os.environ["COMP_REPLACED"].lstrip("'\"")
        if incomplete.endswith(replaced):
            self._before = incomplete.removesuffix(replaced)
        return words, incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value.removeprefix(self._before)}"
