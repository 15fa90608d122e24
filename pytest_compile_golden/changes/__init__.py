"""Changes between two compiles: one type per way in which they differ, each with a code."""
