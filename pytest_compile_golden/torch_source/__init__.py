"""Sources of locally installed torch versions, read as text: none is imported."""
