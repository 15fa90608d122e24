"""Static pages from many recordings: what changed from each to the next, and every case's metrics over time."""
