"""What the core does not need, so that it can be read and used without: values, machine code, scripts, proofs...

Nothing outside imports them. Each declares in its `entry_points.txt` what it provides (see `extensions.py`).
"""
