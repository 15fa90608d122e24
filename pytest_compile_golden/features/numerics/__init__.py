"""Whether a compiled program computes what eager does: both are run, and one judge says which of them is wrong."""
