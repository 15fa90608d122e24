"""The pytest plugin: options, fixtures, selection, and what becomes of a case. It calls the layers below.

case_isolation: keeps the cases of one process from affecting each other
case_outcome: puts a case's outcome into pytest's report: our text instead of a traceback
case_selection: which tests are cases, for which targets, and where their goldens are
complete_run: whether a run saw every existing case: only then is it known which goldens have no case
existing_suite: existing suites: each test that compiles something is a case, whether or not it knows of us
fixtures: the fixtures: `compile_target`, `compile_stages` and `golden`, which every case builds on, and one per stage
hooks: the pytest plugin: hooks that call the layers below. Importing it does not import torch
hookspecs: the hooks and the stash keys with which other pytest plugins, ours among them, take part in a case
pytest_options: declares the plugin's options and ini keys, and refuses unknown ones
report_files: the report files of a run (`--compile-golden-report`), written when it has ended
run_compat_check: whether the installed torch can be read, found out beside the cases of a run that is the first with it
run_progress: the run as the process that reports sees it: progress on the terminal while it runs
run_recorder: a recording run: keeps artifacts instead of comparing them, and writes each case as it ends
run_settings: what the options and ini keys of a run come to; `pytest_options.py` declares them
skip_unaffected: records what each case executed of torch, and leaves out those that executed nothing that differs
skip_unchanged: leaves out cases that are unchanged since they passed, and remembers those that pass
"""
