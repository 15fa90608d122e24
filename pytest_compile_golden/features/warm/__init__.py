"""A process that has done every import and first set-up, of which each run of pytest is a fork."""
