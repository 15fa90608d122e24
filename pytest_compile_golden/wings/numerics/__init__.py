"""Whether a compiled program computes what eager does: both are run and, where they differ, eager again in float64."""
