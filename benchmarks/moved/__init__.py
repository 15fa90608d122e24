"""What happens when torch moves a private name, or changes a signature: `python -m benchmarks.moved`."""
