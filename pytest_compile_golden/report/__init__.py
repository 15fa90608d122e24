"""Reports: what changed, for people and for programs."""
