"""Corpora of programs: what torch.compile does with hundreds or thousands of them, a row each, and how that changed.

accepted_programs: the reviewed file of a corpus: a line per program and target, with its outcome, numbers and digests
compare_corpora: two torch versions over a corpus: their rows as recordings
compile_row: one program becomes one row, whatever becomes of the program
compile_service: a process that compiles the programs it is asked for, one at a time, on a machine of an executor
corpus_settings: what a run compiles, and how: the same on this machine and on others
crater_command: `compile-golden crater SOURCE...`: what torch.compile does with a whole corpus of programs
executors: a corpus over many machines, by any `concurrent.futures.Executor`: one call compiles one program
live_progress: how far a run has got, live on a terminal: programs done, what became of them
loaders: where programs come from: one loader per kind of source
run_jobs: runs jobs to the end, in processes forked from this one: each with limits, and replaced once it has grown
"""
