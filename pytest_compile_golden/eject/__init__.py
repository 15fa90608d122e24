"""One pass or stage of a compile as a script of its own, which needs torch and nothing else."""
