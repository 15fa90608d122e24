"""Which cases need not run again: those for which nothing has changed since they passed."""
