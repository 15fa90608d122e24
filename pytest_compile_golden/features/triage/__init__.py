"""A script that reproduces a problem of torch.compile, judged: what is wrong, since when and why.

issue_text: a script in several torch versions as text for an issue
judge_script: runs a script in a torch that need not have this package, and judges every call of what it compiles
script_runs: runs the script in an environment, and again in ways that tell whose fault a problem is
triage_command: `compile-golden triage SCRIPT`: what a script that reproduces a problem shows, on one page
triage_page: what was found out about a script, on one page: for each torch version, and what changed between two
"""
