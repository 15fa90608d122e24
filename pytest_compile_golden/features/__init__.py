"""What the core does not need, so that it can be read and used without: values, machine code, scripts, proofs...

Nothing outside imports them. Each declares in its `entry_points.txt` what it provides (see `extensions.py`).

crater/: corpora of programs: what torch.compile does with hundreds or thousands of them, a row each
eject/: writes one pass or stage of a compile as a standalone script that needs nothing but torch
fidelity/: whether a virtual target shows what torch does on the device itself, byte for byte; asked once per card
machine_code/: machine code of kernels: compiled for the target by the installed Triton, and never launched
numerics/: whether a compiled program computes what eager does: both are run, and one judge says which of them is wrong
prove/: which function of another version of a package made a compile differ, proved by undoing it and compiling again
reduce/: the smallest program that still shows a difference between two torch versions, a failure or a wrong result
site/: static pages from many recordings: what changed from each to the next, and every case's metrics over time
starter/: a first case for a repository that has none
triage/: a script that reproduces a problem of torch.compile, judged: what is wrong, since when and why
virtual_gpu/: a virtual GPU that computes: tensors in host memory, operators by the CPU, generated code as for the card
warm/: a process that has done every import and first set-up, of which each run of pytest is a fork
"""
