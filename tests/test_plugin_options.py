"""The plugin's switch, options, ini keys and markers: what runs, for which targets, and what is checked."""

from __future__ import annotations

import pytest

from tests.forked import Forks, skip_without
from tests.paper import INI, PaperProject

CASE = """
def test_case(draw, golden):
    assert draw(ink="a\\n", press="b\\n") == golden

def test_other():
    pass
"""
# One golden is enough to see what is checked.
SEEN = """
import pytest
{marks}
def test_case(draw, golden, compile_target):
    print("target", compile_target)
    assert draw(ink="a\\n", press="b\\n", tally="kernels = 1\\n") == golden
"""


def test_when_off_cases_are_skipped_and_say_how_to_run_them(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    result = paper.plain("-rs")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["*pass --compile-golden to run it*"])
    assert not paper.goldens.exists()


def test_when_off_no_other_fixture_of_a_case_is_set_up_and_a_late_request_is_skipped(
    paper: PaperProject,
) -> None:
    paper.test("""
import pytest
@pytest.fixture
def costly():
    raise AssertionError("set up for nothing")
def test_case(costly, golden): ...
def test_late(request):
    request.getfixturevalue("post_grad_graph")
""")
    paper.plain().assert_outcomes(skipped=3)


def test_when_off_the_plugin_costs_a_run_nothing(project: pytest.Pytester) -> None:
    project.makepyfile("""
import sys
def test_imports():
    ours = [name.partition(".")[2] for name in sys.modules if name.startswith("pytest_compile_golden.")]
    assert "plugin" in ours
    layers = ("formats", "record", "goldens", "targets", "report", "observe")
    assert [name for name in ours if name.partition(".")[0] in layers] == []
    assert "torch" not in sys.modules and "rich" not in sys.modules
""")
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_when_off_its_options_say_that_they_do_nothing(paper: PaperProject) -> None:
    paper.test(CASE)
    result = paper.plain(
        "-q", "--compile-golden-target=paper-cpu", "--compile-golden-strict"
    )
    result.stdout.fnmatch_lines(
        [
            "--compile-golden-target, --compile-golden-strict do nothing without --compile-golden."
        ]
    )
    for quiet in (
        paper.plain("-q"),
        paper.run("-q", "--compile-golden-target=paper-cpu"),
    ):
        quiet.stdout.no_fnmatch_line("* nothing without *")


def test_when_on_the_controller_of_a_run_needs_no_torch(
    project: pytest.Pytester,
) -> None:
    project.makepyfile("""
import sys
def test_imports(request):
    assert "torch" not in sys.modules
""")
    project.runpytest_subprocess("--compile-golden").assert_outcomes(passed=1)


def test_header_names_torch_targets_and_folder(paper: PaperProject) -> None:
    paper.test(CASE)
    result = paper.run(
        "--compile-golden-target=paper-cpu", "--compile-golden-dir=elsewhere"
    )
    result.stdout.fnmatch_lines(
        ["compile-golden: torch *, targets: paper-cpu, goldens: elsewhere"]
    )
    assert "compile-golden:" not in paper.plain().stdout.str()


def test_header_says_which_triton_belongs_to_torch(paper: PaperProject) -> None:
    """As pip installs another one next to a CPU wheel of torch, which asks for none."""
    with (paper.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write("\nfrom pytest_compile_golden.common import installed_torch\n")
        conftest.write(
            "installed_torch._TRITON_OF = dict.fromkeys(installed_torch._TRITON_OF, 'triton==3.0')\n"
        )
    paper.test("def test_nothing():\n    pass\n")
    line = "compile-golden: Triton 3.* is not this torch's, and writes other GPU code: pip install 'triton==3.0'"
    paper.run("--compile-golden-target=cuda-sm90").stdout.fnmatch_lines([line])
    paper.run("--compile-golden-target=cpu-avx2").stdout.no_fnmatch_line(line)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--compile-golden-target=paper-cpu"],
        ["--compile-golden-target=paper-cpu", "--compile-golden-target", "paper-cpu"],
        ["-o", "compile_golden_target=paper-cpu"],
    ],
)
def test_target_option_and_ini(paper: PaperProject, arguments: list[str]) -> None:
    paper.test(CASE)
    result = paper.update("-v", *arguments)
    result.stdout.fnmatch_lines(["*::test_case[[]paper-cpu[]] PASSED*"])
    assert "test_case[paper-gpu] PASSED" not in result.stdout.str()


def test_several_targets_in_one_option(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update("--compile-golden-target=paper-cpu,paper-gpu").assert_outcomes(
        passed=3
    )


def test_every_option_is_an_ini_key(paper: PaperProject) -> None:
    paper.pytester.makeini(
        INI.replace("ink, press, tally", "ink")
        + "compile_golden = true\ncompile_golden_dir = kept\n"
        "compile_golden_policy = triton\n"
    )
    paper.test(CASE)
    paper.plain("--snapshot-update").assert_outcomes(passed=3)
    assert sorted(path.name for path in (paper.path / "kept").rglob("*.*")) == [
        "ink.py",
        "ink.py",
    ]


@pytest.mark.parametrize("folder", ["tests/compile/goldens", "../kept"])
def test_commands_find_the_goldens_wherever_the_project_keeps_them(
    paper: PaperProject, folder: str
) -> None:
    """Also from another folder of the project, which has one of that name."""
    ini = (
        INI.replace("paper-cpu", "paper-new")
        + f"compile_golden_dir = {folder}\ncompile_golden_pending = left\n"
    )
    paper.pytester.makeini(f"{ini}compile_golden_target_base = paper-new: paper-gpu\n")
    with (paper.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write("\nregister_target(Paper('paper-new', 'cuda'))\n")
    for text, torch in (("1", "2.13.0"), ("2", "2.15.0")):
        paper.test(
            f"def test_case(draw, golden):\n    assert draw(ink='{text}\\n', tally='kernels = {text}') == golden\n"
        )
        assert paper.run(torch=torch).ret == 1
        accepted = paper.command("accept")
        assert accepted.ret == 0, accepted.stdout.str()
    inside = paper.path / "inside" / "goldens"
    inside.mkdir(parents=True)
    sides = ("goldens@2.13.0", "goldens@2.15.0")
    with pytest.MonkeyPatch.context() as patch:
        for here in (paper.path, inside.parent):
            patch.chdir(here)
            for command in (("diff", *sides), ("matrix", *sides, "--metric=kernels")):
                assert paper.command(*command).ret == 1
            paper.command("diff", *sides).stdout.fnmatch_lines(
                ["*1 changed (*kernels +1*"]
            )
            shown = paper.command("history", "test_case").stdout
            shown.fnmatch_lines(["*ink@torch-2.15.py*"])
            for options in ([], ["--squash=2.13"]):
                assert paper.command("overlays", *options).ret == 0
        skip_without("pygal")
        made = paper.command("site", *sides, "--into=site")
        made.stdout.fnmatch_lines(["goldens@2.15.0: 1 case: 0 unchanged, 1 changed*"])
    patch.undo()
    assert paper.command("diff", f"{folder}@2.13.0", "goldens@2.15.0").ret == 1


def test_a_project_without_goldens_says_where_they_would_be(
    paper: PaperProject,
) -> None:
    paper.pytester.makeini(INI + "compile_golden_dir = kept\n")
    (paper.path / "goldens").mkdir()
    result = paper.command("diff", "goldens@2.13.0", "goldens@2.15.0")
    assert result.ret == 2
    result.stderr.fnmatch_lines(
        [
            "Error: goldens@2.13.0: this project has no goldens yet in */kept. *--snapshot-update*"
        ]
    )


@pytest.mark.parametrize(
    ("option", "stages"),
    [
        ("ink", ["ink"]),
        ("+tally", ["ink", "press", "tally"]),
        ("press,tally", ["press", "tally"]),
        ("all", ["ink", "press", "tally"]),
        ("-press", ["ink"]),
        ("all,-ink", ["press", "tally"]),
    ],
)
def test_stages_option(paper: PaperProject, option: str, stages: list[str]) -> None:
    paper.pytester.makeini(INI.replace("ink, press, tally", "ink, press"))
    paper.test(SEEN.format(marks=""))
    paper.update(
        f"--compile-golden-stages={option}", "--compile-golden-target=paper-cpu"
    ).assert_outcomes(passed=1, deselected=1)
    written = [name.rpartition("/")[2].partition(".")[0] for name in paper.files()]
    # `all` also has what the built-in stages say about a paper record.
    assert [name for name in written if name in ("ink", "press", "tally")] == stages


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["--compile-golden-target=paper-moon"], "no target 'paper-moon'*paper-gpu*"),
        (["--compile-golden-stages=inc"], "no stage 'inc'; did you mean 'ink'?*"),
        (
            ["--compile-golden-target=PAPER-CPUS"],
            "no target 'PAPER-CPUS'; did you mean 'paper-cpu' *",
        ),
        (
            ["--compile-golden-policy=fastest"],
            "no autotuning policy 'fastest'; use 'aten', *",
        ),
        (["-o", "compile_golden_stages=+inc"], "no stage 'inc'*ink*"),
        (["--compile-golden-dir=tests/__snapshots__"], "*syrupy*"),
        (["--snapshot-dirname=goldens"], "*syrupy*"),
        (["-p", "no:syrupy"], "*leave out -p no:syrupy."),
        (
            ["--compile-golden-targt=paper-cpu"],
            "no option '--compile-golden-targt'; did you mean '*-target'*",
        ),
        (
            ["-o", "compile_golden_targets=paper-cpu"],
            "no ini key *; did you mean 'compile_golden_target'*",
        ),
    ],
)
def test_bad_option_gives_one_usage_error(
    paper: PaperProject, arguments: list[str], known: str
) -> None:
    paper.test(CASE)
    result = paper.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{known}"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def test_an_option_that_a_conftest_declares_is_known(paper: PaperProject) -> None:
    conftest = paper.path / "conftest.py"
    declared = "\ndef pytest_addoption(parser):\n    parser.addoption('--compile-golden-mine')\n"
    conftest.write_text(conftest.read_text() + declared)
    paper.test(SEEN.format(marks=""))
    paper.update("--compile-golden-mine=1").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # One of several patterns that matches nothing is as wrong as a single one.
        (
            ["-n2", "-case=test_case", "-case=test_csae"],
            "no case matches 'test_csae'; did you mean 'test_case'?*",
        ),
        (
            ["-case=*paper-gpu*", "-target=paper-cpu"],
            "*-target=paper-cpu leaves no tests; these cases are for: paper-gpu.",
        ),
    ],
)
def test_selecting_nothing_is_a_usage_error(
    paper: PaperProject, arguments: list[str], message: str
) -> None:
    paper.test(CASE)
    result = paper.update(
        *(
            argument if argument == "-n2" else f"--compile-golden{argument}"
            for argument in arguments
        )
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (result.stdout if "-n2" in arguments else result.stderr).fnmatch_lines(
        [f"ERROR: {message}"]
    )
    assert not paper.goldens.exists()


def test_part_of_a_selection_may_be_empty(paper: PaperProject) -> None:
    paper.test(CASE)
    gpu = "--compile-golden-target=paper-gpu"
    # Another plugin's part of the suite, and a target that no case is for, next to tests that are not cases.
    result = paper.run(gpu, "--compile-golden-case=test_case", "-k", "paper-cpu")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    paper.test(
        SEEN.format(marks='@pytest.mark.compile_golden(target="paper-cpu")')
        + "def test_fine(): pass\n"
    )
    paper.run(gpu, "cases/test_paper.py").assert_outcomes(passed=1, deselected=1)
    # If a file was not collected, nobody knows whether the case is in it.
    paper.test("import gone", "cases/test_gone.py")
    assert (
        paper.run("--compile-golden-case=test_gone_too").ret
        == pytest.ExitCode.INTERRUPTED
    )


def test_case_patterns_match_whole_names_before_parts(paper: PaperProject) -> None:
    paper.test(
        "def test_soft(ink): ...\ndef test_soft_wide(ink): ...\nclass TestSoft:\n    def test_x(self, ink): ...\n"
    )

    def named(*patterns: str) -> list[str]:
        patterns = tuple(f"--compile-golden-case={pattern}" for pattern in patterns)
        lines = paper.run(
            "--collect-only", "-q", "--compile-golden-target=paper-cpu", *patterns
        ).outlines
        return [
            line.partition("::")[2].partition("[")[0] for line in lines if "::" in line
        ]

    assert named("test_soft") == named("test_soft[paper-cpu]") == ["test_soft"]
    assert named("soft") == ["test_soft", "test_soft_wide"]
    assert named("*soft*", "TestSoft") == [
        "test_soft",
        "test_soft_wide",
        "TestSoft::test_x",
    ]
    assert named("test_paper/test_soft/paper-cpu", "_wide") == [
        "test_soft",
        "test_soft_wide",
    ]


def test_marker_replaces_the_default_targets_and_the_nearest_wins(
    paper: PaperProject,
) -> None:
    paper.test("""
import pytest
pytestmark = pytest.mark.compile_golden(target="paper-cpu", stages="ink")
def test_module(draw, golden):
    assert draw(ink="a", press="b") == golden
@pytest.mark.compile_golden(target=["paper-gpu", "paper-cpu"])
class TestClass:
    def test_class(self, draw, golden):
        assert draw(ink="a", press="b") == golden
    @pytest.mark.compile_golden(target="paper-gpu", stages="+press")
    def test_function(self, draw, golden):
        assert draw(ink="a", press="b") == golden
""")
    paper.update().assert_outcomes(passed=4)
    assert [name.removeprefix("cases/test_paper/") for name in paper.files()] == [
        "TestClass.test_class/paper-cpu/ink.py",
        "TestClass.test_class/paper-gpu/ink.py",
        "TestClass.test_function/paper-gpu/ink.py",
        "TestClass.test_function/paper-gpu/press.txt",
        "test_module/paper-cpu/ink.py",
    ]


def test_case_not_meant_for_a_selected_target_does_not_run(paper: PaperProject) -> None:
    paper.test(SEEN.format(marks='@pytest.mark.compile_golden(target="paper-gpu")'))
    result = paper.update("--compile-golden-target=paper-cpu")
    result.stderr.fnmatch_lines(
        ["*-target=paper-cpu leaves no tests; these cases are for: paper-gpu."]
    )
    paper.update("--compile-golden-target=paper-gpu").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (
            '@pytest.mark.compile_golden(target="paper-moon")',
            "*no target 'paper-moon'*",
        ),
        (
            "@pytest.mark.compile_golden(training=True)",
            "*takes target=*train=*not training*",
        ),
        ('@pytest.mark.compile_golden("paper-cpu")', "*takes target=*not 'paper-cpu'*"),
    ],
)
def test_bad_marker_gives_one_message_and_other_modules_run(
    paper: PaperProject, marks: str, message: str
) -> None:
    paper.test(SEEN.format(marks=marks), "cases/test_bad.py")
    paper.test("def test_fine(): pass", "cases/test_fine.py")
    result = paper.run("--continue-on-collection-errors")
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines([message])
    assert (
        "Traceback" not in result.stdout.str()
        and "plugin.py" not in result.stdout.str()
    )


def test_unknown_stage_in_marker_fails_only_that_case(paper: PaperProject) -> None:
    paper.test(
        SEEN.format(marks='@pytest.mark.compile_golden(stages="inc")')
        + "\ndef test_fine(): pass\n"
    )
    result = paper.run()
    result.assert_outcomes(errors=2, passed=1)
    result.stdout.fnmatch_lines(["*no stage 'inc'*"])


def test_target_is_the_last_parameter(paper: PaperProject) -> None:
    paper.test("""
import pytest
@pytest.mark.parametrize("size", [1, 2])
def test_case(compile_target, kind, size): ...
""")
    (paper.path / "conftest.py").write_text(
        (paper.path / "conftest.py").read_text()
        + '\ndef pytest_generate_tests(metafunc):\n    metafunc.parametrize("kind", ["k"])\n'
    )
    result = paper.run("--collect-only", "-q")
    result.stdout.fnmatch_lines(
        ["*::test_case[[]*1*-paper-gpu[]]", "*::test_case[[]*2*-paper-cpu[]]"]
    )


def test_ids_are_the_same_with_the_plugin_off(paper: PaperProject) -> None:
    paper.test(SEEN.format(marks=""))
    on = [line for line in paper.run("--collect-only", "-q").outlines if "::" in line]
    assert on == [
        line for line in paper.plain("--collect-only", "-q").outlines if "::" in line
    ]


def test_stage_of_one_device_type_is_requested_only_there(paper: PaperProject) -> None:
    paper.test("""
def test_one(foil): ...
def test_one_and_any(foil, ink): ...
def test_choosing(foil, cpp_code): ...
""")
    collected = [
        line.partition("::")[2]
        for line in paper.run("--collect-only", "-q").outlines
        if "::" in line
    ]
    assert collected == [
        "test_one[paper-gpu]",
        "test_one_and_any[paper-gpu]",
        "test_choosing[paper-gpu]",
        "test_choosing[paper-cpu]",
    ]
    paper.run("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=1, deselected=3
    )


def test_marker_for_a_device_without_the_stage_is_refused(paper: PaperProject) -> None:
    paper.test("""
import pytest
@pytest.mark.compile_golden(target="paper-cpu")
def test_case(foil): ...
""")
    result = paper.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*test_case is marked for paper-cpu, but requests a stage that exists only on other*"
        ]
    )


def test_stage_registered_in_a_deeper_conftest_has_a_fixture(
    paper: PaperProject,
) -> None:
    paper.test(
        "from pytest_compile_golden.stages import Stage, register_stage\nregister_stage(Stage('wax', 'wax'))\n",
        "cases/deep/conftest.py",
    )
    paper.test("def test_wax(wax): assert callable(wax)", "cases/deep/test_wax.py")
    paper.run().assert_outcomes(passed=2)
    paper.plain().assert_outcomes(skipped=2)


def test_a_users_fixture_with_a_stages_name_stays_theirs(paper: PaperProject) -> None:
    paper.test("""
import pytest
@pytest.fixture
def metrics(): return 42
def test_mine(metrics): assert metrics == 42
""")
    paper.plain().assert_outcomes(passed=1)
    paper.run().assert_outcomes(passed=1)


def test_without_an_ini_file_the_header_warns(paper: PaperProject) -> None:
    (paper.path / "tox.ini").unlink()
    paper.test("def test_fine(): pass")
    paper.run().stdout.fnmatch_lines(
        ["compile-golden: no pytest.ini or pyproject.toml*"]
    )


def test_a_folder_that_pytest_takes_for_a_path_of_tests_is_refused(
    paper: PaperProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    paper.test("def test_fine(): pass")
    outside = str(tmp_path_factory.mktemp("pending"))
    result = paper.run("--compile-golden-pending", outside)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"*derives rootdir from it: write --compile-golden-pending={outside}."]
    )
    paper.run("--compile-golden-pending", outside, "cases").assert_outcomes(passed=1)
    # What does not exist yet is no path of tests, but to the workers of a run that has made it.
    for number, option in enumerate(
        ("--compile-golden-pending", "--compile-golden-record")
    ):
        new = f"{outside}/{number}"
        result = paper.run(option, new, "-n1")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            [f"*derives rootdir from it: write {option}={new}."]
        )
        paper.run(f"{option}={new}", "-n1").assert_outcomes(passed=1)
        paper.run(option, f"{new}-alone").assert_outcomes(passed=1)


def test_an_unknown_policy_is_refused_before_any_test_runs(paper: PaperProject) -> None:
    paper.test(CASE)
    message = "*there is no autotuning policy 'fastest'; use 'aten', 'triton' or 'name:<regex>'.*"
    asked = paper.run("--compile-golden-policy=fastest")
    assert asked.ret == pytest.ExitCode.USAGE_ERROR
    asked.stderr.fnmatch_lines([message])
    configured = paper.run("-o", "compile_golden_policy=fastest")
    assert configured.ret == pytest.ExitCode.USAGE_ERROR
    paper.test("import pytest\n@pytest.mark.compile_golden(policy='fastest')" + CASE)
    marked = paper.run()
    assert marked.ret == pytest.ExitCode.INTERRUPTED
    marked.stdout.fnmatch_lines([message])


SETTING = """
import torch
def test_case(draw, golden):
    print("size", torch._inductor.config.max_fusion_size, torch._dynamo.config.specialize_int)
    assert draw(ink=f"{torch._inductor.config.max_fusion_size}\\n") == golden
"""


def test_a_run_wide_setting_shows_what_it_changes_and_is_never_accepted(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    paper = PaperProject(project, monkeypatch, forks_with_torch)
    paper.test(SETTING)
    only = "--compile-golden-target=paper-cpu"
    paper.update(only).assert_outcomes(passed=1)
    given = (
        "--compile-golden-config=max_fusion_size=7",
        "--compile-golden-config",
        "dynamo.specialize_int=True",
    )
    changed = paper.run(only, *given)
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(
        [
            "compile-golden: every case with max_fusion_size=7, dynamo.specialize_int=True",
            "*+ 7",
            "size 7 True",
        ]
    )
    assert "--snapshot-update" not in changed.stdout.str()
    assert paper.command("accept", "--all").ret != 0
    paper.run(only).assert_outcomes(passed=1)

    for wrong, message in (
        ((given[0], "--snapshot-update"), "*goldens are accepted without it*"),
        (("--compile-golden-config=max_fusion_size",), "*takes KEY=VALUE*"),
    ):
        result = paper.run(only, *wrong)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([message])
    paper.run(only, "--compile-golden-config=max_fusion_sise=7").stdout.fnmatch_lines(
        ["*did you mean max_fusion_size*"]
    )
