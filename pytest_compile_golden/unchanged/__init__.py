"""Which cases need not run again: those for which nothing is otherwise than when they passed."""
