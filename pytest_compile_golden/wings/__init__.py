"""What the core does not need: values, machine code, scripts, proofs, starting files, packages and the site.

Nothing outside imports them. Each declares in its `entry_points.txt` what it provides (see `seams.py`).
"""
