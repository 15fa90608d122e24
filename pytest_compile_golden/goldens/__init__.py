"""Where goldens live, how they are read and written, and how an artifact is compared with one. Imports no torch."""
