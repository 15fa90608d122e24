"""Where goldens live, how they are read and written, and how an artifact is compared with one. Imports no torch.

assertion: the `golden` fixture's object, `assert artifact == golden`, `assert capture == golden`
attribution: which of a case's changes moves how much of each number
case: one case's goldens: what was compared while its test ran, and the results
case_changes: the changes of a case: its own, and those that may follow from them
case_files: a case's artifacts in their own folder, pending or recorded: one JSON file with the texts beside it
change_groups: cases and pending changes by distinct change: each change is read, and decided on, once
compare_artifact: an artifact against its golden: the same, or a change of some kind
consequences: what a change is about, and in which graphs the sides differ: whether one change can follow from another
cost_facts: what kernels move, compute and hold on both sides: as recorded, or as the schedule shows it
cost_owners: which of a case's changes a difference in what it costs belongs to
distinct_change: a change of a case as one that other cases may have as well
evidence_file: the evidence file beside goldens: what is known about their texts, for machines, and never compared
first_divergence: the first divergence of a changed case, named from the stages, the ledger of passes and the trail
golden_header: a golden's file: its text below a header, which says which stage it holds and what wrote it
golden_history: a case's goldens across torch versions: the oldest, and each overlay against what it overlays
golden_paths: where a case's goldens live: `<module>/<test[params]>/<target>/<stage>.<ext>` under the goldens folder
golden_store: the accepted goldens on disk: which one a version uses, what accepting writes, and giving up old versions
graph_values: the values of one graph on both sides: what makes, holds and reads each, by what both sides call it
independent_changes/: what a case changes besides its own changes and not because of these, by the operators it is about
kernel_changes: what code generation alone decides: changes of kernels that do what they did before
kernel_pairs: the kernels of a case before and after, paired: what each computes, reads and writes, and costs
metric_history: how far metrics usually move from one torch version to the next, by a project's goldens
pass_changes: passes that do something else than before, and those of them that follow from nothing else in their case
peak_memory: which buffers make the difference where a graph holds most: what it holds on one side there
peak_owners: which of a case's changes moves the memory that it holds at once
pending_store: the pending store: what failing cases leave, each artifact with its golden
pending_verdicts: what is pending of one case as it is read and decided on: with verdicts
ranking: distinct changes by importance, in the same order in reports and in reviews
regrouped: which operations of a graph each change of groups is about
same_groups: which operations are in one kernel otherwise than before, although no graph that differs is why
same_nodes: what each schedule makes of nodes that are the same on both sides
severity: what changes weigh: which fail their case, are noted or off, and which numbers are for better or worse
side_schedule: the schedule of one graph on one side, with the nodes that its operations were made of
unused_goldens: goldens that no case compares any more: finding them, moving those of a renamed case, removing them
value_costs: what each value of a graph costs more or less, in bytes and in operations, and what shows why
value_owners: which of a case's changes a value costs more or less for, by what shows it
"""
