"""A first case for a repository that has none: for a transformers model, an exported program or the user's own code."""
