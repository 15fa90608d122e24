"""Which function of another version of a package made a compile differ, proved by undoing it and compiling again."""
