"""What `compile-golden prove` makes of the distinct changes of a report: what it searches, checks, joins and splits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import cast

import pytest

from pytest_compile_golden.cli import explain_changes
from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.environments.sides import (
    FromGoldens,
    FromRecording,
    Interpreter,
    Release,
)
from pytest_compile_golden.features.prove import prove_every_change
from pytest_compile_golden.features.prove.prove_every_change import (
    Cases,
    Changes,
    not_searched,
    varied,
    with_proofs,
)
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.features.prove.prover import Found, Prover, unproved
from pytest_compile_golden.goldens.ranking import UNEXPLAINED
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import markdown, proofs
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    MetricReport,
    Part,
    Proof,
    ProvedCause,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.torch_source.installed_sources import Sources

_TRITON = "torch/_inductor/codegen/triton.py"


def test_what_is_decided_outside_python_is_not_searched() -> None:
    group = CaseGroup(
        "changed",
        "attention backend: math -> flash",
        code="attention-backend",
        members=("test_a",),
    )
    proof = not_searched(group)
    assert proof is not None and not proof.proved and "sdp_utils.cpp" in proof.why_not
    assert not_searched(replace(group, code="fusion-lost")) is None


def test_changes_with_one_proved_cause_are_one_and_one_with_several_is_several() -> (
    None
):
    split, reshaped = (
        ReportedChange("triton_code", text, text, "code")
        for text in ("split", "reshaped")
    )
    changed = [
        ("test_a", split),
        ("test_b", split),
        ("test_c", reshaped),
        ("test_d", reshaped),
        ("test_e", split),
    ]
    cases = tuple(
        CaseReport(name, "cuda-sm90", "changed", changes=(change,))
        for name, change in changed
    )
    causes = {
        name: ProvedCause("function", name, _TRITON, f"{_TRITON}:{line}", ())
        for line, name in enumerate(("join", "cut"), 1)
    }
    found = {
        (case, change.key): Proof(case, "triton_code", (causes[name],), 2, 0, 1, 1.0)
        for (case, change), name in zip(
            changed[:3], ("join", "cut", "join"), strict=True
        )
    }
    other_lines = replace(causes["join"], diff=("-joined", "+split"))
    found["test_e", split.key] = Proof(
        "test_e", "triton_code", (other_lines,), 2, 0, 1, 1.0
    )
    report = Report("this", Side("old"), Side("new"), cases, grouped(cases))

    def told() -> list[tuple[str, tuple[str, ...], tuple[str, ...], str | None]]:
        groups = with_proofs(report, found).groups
        return [
            (group.text, group.edits, group.members, group.where) for group in groups
        ]

    several = [
        ("split", (), ("test_b",), f"{_TRITON}:2"),
        ("split", (), ("test_e",), f"{_TRITON}:1"),
    ]
    # Nothing was tried in the last case with that change, which has one cause wherever one is known.
    assert told() == [
        ("split", ("reshaped",), ("test_a", "test_c", "test_d"), f"{_TRITON}:1"),
        *several,
    ]
    found["test_d", reshaped.key] = unproved("test_d", "not found", "triton_code")
    assert told() == [
        ("split", ("reshaped",), ("test_a", "test_c"), f"{_TRITON}:1"),
        *several,
        ("reshaped", (), ("test_d",), None),
    ]


def test_changes_of_one_cause_are_told_as_its_cases_have_them_and_by_what_changes_results() -> (
    None
):
    """Not as most of the cases that have other causes, and not by what a kernel is compiled to."""

    def change(stage: str, key: str, topic: str, text: str) -> ReportedChange:
        return ReportedChange(
            stage, text, key, topic, code=key, example=f"{key}, for example {text}"
        )

    seed = change("triton_code", "random-numbers", "random", "rand -> rand4x")
    cases = tuple(
        CaseReport(name, "cuda-sm90", "changed", changes=changes)
        for name, changes in {
            "a": (change("kernel_resources", "machine-code", "memory", "spills 2"),),
            "b": (seed,),
            "c": (change("kernel_resources", "machine-code", "memory", "spills 4"),),
            "d": (change("kernel_resources", "machine-code", "memory", "spills 4"),),
        }.items()
    )
    cause = ProvedCause("function", "rand", _TRITON, f"{_TRITON}:1", ())
    found = {
        (case.nodeid, case.changes[0].key): Proof(
            case.nodeid, "triton_code", (cause,), 2, 0, 1, 1.0
        )
        for case in cases[:2]
    }
    # Of the others it is known that they have another.
    found |= {
        (case.nodeid, "machine-code"): unproved(case.nodeid, "no", "triton_code")
        for case in cases[2:]
    }
    report = Report("this", Side("old"), Side("new"), cases, grouped(cases))
    first, second = with_proofs(report, found).groups
    assert (first.text, first.edits) == ("rand -> rand4x", ("spills 2",))
    assert first.topic == "random"
    assert (second.text, second.members) == ("spills 4", ("c", "d"))


def test_a_proof_corrects_what_a_change_was_guessed_to_cost() -> None:
    compared, copied = (
        ReportedChange("post_grad_graph", text, text, "operators")
        for text in ("compared", "copied")
    )
    cause = ProvedCause("function", "f", _TRITON, f"{_TRITON}:1", ())

    def costs(
        guess: str, moves: tuple[tuple[str, float], ...] | None
    ) -> dict[str, float]:
        metric = MetricReport(
            "bytes_accessed", 100, 130, "REGRESSION", parts=(Part(guess, 30),)
        )
        case = CaseReport(
            "test_a",
            "cuda-sm90",
            "changed",
            changes=(compared, copied),
            metrics=(metric,),
        )
        proof = Proof("test_a", "post_grad_graph", (cause,), 2, 0, 1, 1.0, moves=moves)
        report = Report("this", Side("old"), Side("new"), (case,), grouped([case]))
        (proved,) = with_proofs(report, {("test_a", "compared"): proof}).cases
        return {part.change: part.amount for part in proved.metrics[0].parts}

    assert costs("compared", (("kernels", 1.0),)) == {UNEXPLAINED: 30}
    assert costs("compared", (("bytes_accessed", 30.0),)) == {"compared": 30}
    assert costs("compared", None) == {"compared": 30}
    assert costs("copied", (("kernels", 1.0),)) == {"copied": 30}
    assert costs(UNEXPLAINED, (("bytes_accessed", 20.0),)) == {
        UNEXPLAINED: 10,
        "compared": 20,
    }
    assert costs(UNEXPLAINED, (("bytes_accessed", -20.0),)) == {UNEXPLAINED: 30}


class _Told(Cases):
    """Knows of a compile, here by its name, the changes that it has."""

    def __init__(self, told: dict[str, set[str]], *cases: CaseReport) -> None:
        super().__init__(
            Report("this", Side("old"), Side("new"), cases),
            Recording(read_elsewhere("2.13.0", [], []), tuple(map(_compiled, told))),
        )
        self._told = told

    def keys(self, nodeid: str, case: RecordedCase) -> frozenset[str]:
        return frozenset(self._told[case.nodeid])


def _compiled(name: str) -> RecordedCase:
    return RecordedCase(
        PurePosixPath(name, "cuda-sm90"), name, "cuda-sm90", "passed", None, None
    )


def _by(*names: str) -> Proof:
    causes = (
        ProvedCause("function", name, _TRITON, f"{_TRITON}:1", ()) for name in names
    )
    return Proof("test_a", "triton_code", tuple(causes), 4, 0, 9, 1.0)


@pytest.mark.parametrize(
    ("without", "causes"),
    [
        ({"join": {"reshaped"}, "cut": {"split"}}, ["join"]),
        ({"join": {"split"}, "cut": {"split"}}, ["join", "cut"]),
        ({"join": {"another"}, "cut": {"split"}}, ["join", "cut"]),
        (
            {
                "join": {"split"},
                "cut": {"another"},
                "join cut": {"another"},
                "join fold": set(),
            },
            ["join", "fold"],
        ),
    ],
)
def test_a_change_has_those_of_several_causes_that_make_it(
    without: dict[str, set[str]], causes: list[str]
) -> None:
    """Or all, if it takes all of them, or becomes another change without one."""

    class Undone:
        def holds(
            self, found: Found, goal: RecordedCase, has: Callable[[RecordedCase], bool]
        ) -> bool:
            left = without.get(" ".join(edit.name for edit in found.edits), {"split"})
            return left.isdisjoint({"split", "another"})

    case = CaseReport("test_a", "cuda-sm90", "changed")
    its_changes = Changes(
        _Told({"test_a": {"split", "reshaped"}, **without}, case),
        cast(Prover, Undone()),
    )
    names = dict.fromkeys(name for names in without for name in names.split())
    edits = tuple(Edit("function", _TRITON, name) for name in names)
    found = Found("triton_code", edits, parts=edits)
    its, to_check = its_changes.of_change(
        CaseGroup("changed", "split", keys=("split",)), "test_a", _by(*names), found
    )
    assert (
        [cause.name for cause in its.causes]
        == causes
        == [edit.name for edit in to_check.edits]
    )


_MADE_BY = {"m.py::test_divided": "divide", "m.py::test_subtracted": "subtract"}


class _Made:
    """Finds what made a case, `multiply` in most."""

    late = False

    def proofs(
        self, goal: RecordedCase, differing: object
    ) -> Iterator[tuple[Proof, Found]]:
        name = _MADE_BY.get(goal.nodeid.partition("[")[0], "multiply")
        yield _by(name), Found(name, now=goal, case=_compiled("without"))

    def holds(
        self, found: Found, goal: RecordedCase, has: Callable[[RecordedCase], bool]
    ) -> bool:
        return found.stem == _MADE_BY.get(goal.nodeid.partition("[")[0], "multiply")


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        CaseReport(
            name,
            "cuda-sm90",
            "changed",
            changes=(ReportedChange("joint_graph", name, name, "code"),),
        )
        for name in ("test_a", "test_b")
    ]

    class Interrupted(_Made):
        def proofs(
            self, goal: RecordedCase, differing: object
        ) -> Iterator[tuple[Proof, Found]]:
            if goal.nodeid == "test_b":
                raise KeyboardInterrupt
            return super().proofs(goal, differing)

    told = _Told(
        {case.nodeid: {case.nodeid} for case in cases} | {"without": set[str]()}, *cases
    )
    monkeypatch.setattr(prove_every_change, "Cases", lambda report, old: told)
    monkeypatch.setattr(
        prove_every_change, "_prover", lambda *_: nullcontext(Interrupted())
    )
    report = Report("this", Side("old"), Side("new"), tuple(cases), grouped(cases))
    versions = cast(tuple[Sources, Sources], ())
    after = prove_every_change.proved(
        report,
        Recording(read_elsewhere("2.13.0", [], []), ()),
        versions,
        Request(Path(), processes=1),
        lambda text: None,
    )
    assert [group.proof and group.proof.causes[0].name for group in after.groups] == [
        "multiply",
        None,
    ]


def test_cases_whose_change_is_placed_elsewhere_are_checked_first() -> None:
    """What some of a change's cases have in common is not its cause in the others, nor is the next that is found."""
    change = ReportedChange("joint_graph", "checked", "checked", "code")
    cases = []
    for name in ("divided", "a", "b", "c", "d", "subtracted"):
        placed = replace(change, where=f"{_TRITON}:{1 + (name == 'divided')}")
        for target in ("cpu-avx2", "cuda-sm90"):
            cases.append(
                CaseReport(
                    f"m.py::test_{name}[{target}]", target, "changed", changes=(placed,)
                )
            )
    names = [case.nodeid for case in cases]
    # Other tests first.
    assert [case.nodeid[len("m.py::test_")] for case in varied(cases[2:-2])] == [
        *"abcdabcd"
    ]
    told = {name: {"checked"} for name in names} | {"without": set[str]()}
    group = CaseGroup("changed", "checked", keys=("checked",), members=tuple(names))
    found = Changes(_Told(told, *cases), cast(Prover, _Made())).proofs(group)
    assert {
        name: [cause.name for cause in proof.causes] for name, proof in found.items()
    } == {name: [_MADE_BY.get(name.partition("[")[0], "multiply")] for name in names}

    class Late(_Made):
        late = True

    # Nothing is said of what was not checked.
    ended = Changes(_Told(told, *cases), cast(Prover, Late())).proofs(group)
    assert {*ended} == {
        f"m.py::test_divided[{target}]" for target in ("cpu-avx2", "cuda-sm90")
    }

    class Hidden(_Made):  # not found in one test
        def proofs(
            self, goal: RecordedCase, differing: object
        ) -> Iterator[tuple[Proof, Found]]:
            hidden = goal.nodeid.startswith("m.py::test_divided")
            return (
                iter([(unproved(goal.nodeid, "not found"), Found())])
                if hidden
                else super().proofs(goal, differing)
            )

    elsewhere = Changes(_Told(told, *cases), cast(Prover, Hidden())).proofs(group)
    assert [name for name in names if not elsewhere[name].proved] == names[:2]


def test_a_report_says_how_to_find_a_cause_that_is_not_known() -> None:
    changed = ReportedChange("triton_code", "rewritten", "rewritten", "code")
    cases = (CaseReport("test_a", "cuda-sm90", "changed", changes=(changed,)),)
    report = Report(
        "this", Side("old", "2.13.0+cpu"), Side("new", "2.15.0"), cases, grouped(cases)
    )
    assert [text for _, text in proofs.render(report)] == [
        'cause of 1 change not known; to look for the first: compile-golden prove "test_a" --old 2.13.0'
    ]
    # With the sides as they were given, and the interpreter whose torch is searched.
    here, older, newer = (
        Path(sys.executable),
        Path("/envs/old/bin/python"),
        Path("/envs/new/bin/python"),
    )
    accepted = Goldens(Path("goldens"))
    for old, new, command in (
        (
            FromRecording("be fore", Path("before")),
            Interpreter("new", here),
            "--old 2.13.0 --texts 'be fore'",
        ),
        (
            FromGoldens("goldens@2.13.0", accepted, "2.13.0"),
            Interpreter("new", here),
            "--old 2.13.0",
        ),
        (
            FromGoldens("theirs@2.13.0", accepted, "2.13.0"),
            Interpreter("new", here),
            "--old 2.13.0 --texts theirs@2.13.0",
        ),
        (
            Release("2.13.0 triton==3.8.0", "2.13.0"),
            Interpreter("new", here),
            "--old '2.13.0 triton==3.8.0'",
        ),
        (Interpreter("old", older), Interpreter("new", newer), "--old old"),
    ):
        searched = explain_changes.searched(old, new, "2.13.0+cpu")
        said = proofs.render(report, searched)[0][1].partition(": ")[2]
        program = (
            "compile-golden"
            if new.python == here
            else f"{newer} -m pytest_compile_golden"
        )
        assert said == f'{program} prove "test_a" {command}'
    there = proofs.render(report, proofs.Searched("--old 2.13.0", torch="2.14.1"))[0][1]
    assert (
        "to look for the first, where torch 2.15.0 is installed: compile-golden prove"
        in there
    )
    # It is not torch that changed.
    assert not proofs.render(replace(report, new=Side("new", "2.13.0+cpu")))
    known = tuple(replace(group, where=f"{_TRITON}:1") for group in report.groups)
    assert not proofs.render(replace(report, groups=known))
    why = unproved("test_a", "none of 3 functions <made> it")
    tried = replace(
        report, groups=tuple(replace(group, proof=why) for group in report.groups)
    )
    assert (
        "### Not proved\n\n- `rewritten`: none of 3 functions &lt;made&gt; it\n"
        in markdown.proved(tried, 1000)
    )
