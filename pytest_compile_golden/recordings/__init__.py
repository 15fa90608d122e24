"""The results of a run for every case, kept as a side to compare: a recorded folder, or the goldens of one version.

compare_cases: two recordings of a case side by side, as if the old one were its golden
corpus_rows: what is kept of each program of a corpus: a row in one SQLite file, and its texts where they are compared
from_goldens: what the goldens say about one torch version, as if a run on it had been recorded
recording: a recorded run: every artifact as text in the layout of goldens, and the outcome of each case
test_selection/: which cases do not need to run again: those for which nothing has changed since they passed
torch_trace/: what torch logs of each compile with `TORCH_TRACE=FOLDER` (torch/_logging/_internal.py)
"""
