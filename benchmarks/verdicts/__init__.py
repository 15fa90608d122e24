"""What the comparison says of every pair of texts that the repository has, and whether it still says so."""
