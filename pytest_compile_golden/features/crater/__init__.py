"""Corpora of programs: what torch.compile does with hundreds or thousands of them, a row each, and how that changed."""
