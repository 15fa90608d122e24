"""Programs that one torch version exported or compiled ahead of time, loaded and run by others."""
