"""Whether the compiled program computes what eager does: both are run, a third time in float64 where they differ."""
