"""Which function of another version of a package made a compile differ, proved by undoing it and compiling again.

backport: puts definitions of an older version of a package into the running newer one
candidate_order: in which order candidates are tried
candidates: what may have made an artifact differ: definitions that differ and that ran before it was complete
edit_search: searches for the smallest set of edits with which an artifact is as the old version made it
forking_pytest: the process that compiles: pytest with the newer version, which forks for each try and stays as it was
function_coverage: which functions of a package run in a compile, and up to which entry of its record
proof: a definition that made a change, as a report shows it
prove_command: `compile-golden prove CASE` and `--prove`: the function of torch that changed a case
prove_every_change: proves every distinct change between two recordings, on one case each
prove_protocol: what the processes that search and compile say to each other, as JSON
prover: proves why cases changed: which definitions of the newer version make their first differing stage differ
sandbox: compiles a case over and over with the newer version, with definitions of the older one in it
source_differences: what does something else in two versions of a package, file by file
"""
