"""The results of a run for every case, kept as a side to compare: a recorded folder, or the goldens of one version."""
