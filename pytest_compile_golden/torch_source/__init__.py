"""Sources of torchs that are installed at hand, read as text: none is imported."""
