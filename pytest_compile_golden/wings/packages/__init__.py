"""Programs that one torch exported or compiled ahead of time, loaded and run by others."""
