"""Which cases do not need to run again: those for which nothing has changed since they passed."""
