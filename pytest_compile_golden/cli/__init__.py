"""The `compile-golden` command, whose subcommands are modules of this package or elsewhere; and completion in bash.

accept: `compile-golden accept`: turn pending artifacts into goldens, without torch
bisect: `compile-golden bisect CASE`: the first torch version that compiles a case differently, and where it diverges
changes: `compile-golden changes`: every type of change, by its code
choose_pending: the pending artifacts that `accept`, `reject`, `review` and `show` choose from, move and drop
compile_program: compiles the case or function given to a command, once, without goldens
console: prints our styled lines on a rich console
diff: `compile-golden diff OLD NEW`: what changes between two versions of torch
doctor: `compile-golden doctor`: what the installed torch supports, and which private names moved in another one
env: `compile-golden env`: environments with other torch versions, kept in the cache folder
explain_changes: what a comparison finds out about its changes if asked to: proofs, smallest programs, torch's sources
find_cases: the project's cases, as far as its files tell, and what a command means by CASE
history: `compile-golden history CASE`: a case's goldens across torch versions, from files only
matrix: `compile-golden matrix V1 V2 …`: a table of cases by torch version, and where each case changed
overlays: `compile-golden overlays`: what overlays change, and giving up those of versions that are no longer supported
pending_options: the options of `accept`, `reject`, `review` and `show`, which choose among the pending artifacts
project: the project that a command is run in: its root folder and what its pytest configuration says about goldens
record_sides: sides as commands are given them: the options of running a suite, and recordings of all sides
reject: `compile-golden reject`: discard pending artifacts; the goldens stay as they are
report: `compile-golden report`: convert a report that a run wrote to another format, or merge shards into one
review: `compile-golden review`: go through the pending changes, one keystroke per distinct change
shared_options: the options and arguments that several commands have
shell_completion: what the shell can complete: the project's cases, and the existing stages and targets
show: `compile-golden show`: the pending artifacts, grouped by what changed
side_progress: what each side of a comparison is doing, on stderr while it runs
trace: `compile-golden trace`: the map of one compile, step by step and pass by pass
"""

from __future__ import annotations

import errno
import os
import sysconfig
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.extensions import COMMANDS, entry_points, provided
from pytest_compile_golden.report.styled_lines import printable, printable_lines

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
_COMMANDS = (
    "accept",
    "bisect",
    "changes",
    "diff",
    "doctor",
    "env",
    "history",
    "matrix",
    "overlays",
    "reject",
    "report",
    "review",
    "show",
    "trace",
)


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


add_completion_class(Bash)
_OURS = str(Path(__file__).parents[1])


def _passed_through_others(error: BaseException) -> bool:
    """Whether code was running that is neither ours nor installed."""
    known = (_OURS, sysconfig.get_path("stdlib"), "<")
    files = (frame.filename for frame in traceback.extract_tb(error.__traceback__))
    return any(
        not file.startswith(known) and "site-packages" not in file for file in files
    )


class _Wrong(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """Imports each command only when it is used: importing all of them takes longer than most of them run.

    Errors meant for the user end here: with exit status 2 if the command is wrong, like click's own errors, else 1.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*_COMMANDS, *(point.name for point in entry_points(COMMANDS))})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Raises NotInstalled for a command of a feature that is not there."""
        if cmd_name in _COMMANDS:
            command = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        else:
            command = provided(COMMANDS, cmd_name)
        assert command is None or isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        disk_cache.begin()
        try:
            return super().invoke(ctx)
        except CompileGoldenError as error:
            # It may quote a file that somebody else wrote.
            said = printable_lines(str(error))
            raise (_Wrong if isinstance(error, UnknownName) else click.ClickException)(
                said
            ) from None
        except OSError as error:
            # A folder for a file, a cache that is a file, a full disk ...; a closed pipe ends the command, see click.
            # One of the user's own code, which some commands run, keeps its traceback.
            if error.errno == errno.EPIPE or _passed_through_others(error):
                raise
            raise click.ClickException(
                f"{printable(str(error))}. Check the path, its permissions and the space there."
            ) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if (
            args
            and not args[0].startswith("-")
            and self.get_command(ctx, args[0]) is None
        ):
            raise UnknownName(unknown("command", args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-compile-golden")
def main() -> None:
    """Golden tests for everything torch.compile does with your code."""
