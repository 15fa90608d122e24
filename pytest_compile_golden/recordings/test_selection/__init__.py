"""Which cases do not need to run again: those for which nothing has changed since they passed.

file_dependencies: what a test file depends on: files of a project, and what affects all cases of a run
passed_cases: what is remembered about cases that passed: one file per surroundings, in a folder in pytest's cache
unaffected_cases: which cases of a recording would be the same on another torch
"""
