"""Reports: what changed, for people and for programs.

case_groups: cases grouped by distinct change, most important first: forty identical changes are read once
case_report: builds the model of one case from its artifacts on both sides
cases_in_full: which cases of a large report are told in full
compare_recordings: compares two recorded runs in one report: what the new one does differently
compile_map: a map of one compile: every step and pass in execution order, what it is for and what it did
failure_text: a changed case, for people: where it diverged, what followed, metrics, a short diff, how to accept it
html/: a report as one offline HTML file: the data is embedded as JSON and rendered by the scripts in this folder
json_report: a report as JSON, for programs, for merging shards and for producing the other formats later
kernel_rows: rows of a case's kernels: each before and after, its costs in words, and why it was split or merged
markdown: a report as Markdown: a short job summary or comment, with details folded
metric_columns: metric changes as aligned columns
model: a report as plain data: built once from a run or from two recordings, rendered by every format
proofs: proved causes in words: a remark in a list of changes, and all that was found out about one
reporters: the formats in which a report can be written, by file suffix
run_summary: how many cases had which outcome, a run in a few lines
small_programs: the smallest program of each change, as text for a terminal
styled_lines: styled lines: plain data that can cross processes, coloured only when printed
terminal_report: a whole report on a terminal, the verdict first and last, and as annotations of GitHub's
text_diff: two texts for people: side by side, as a short diff, and without cosmetic differences
torch_changes: what torch's authors changed in the functions that a report blames: their sources before and after
version_matrix: many versions side by side: each case's metrics, and where it changed; for a terminal
"""
