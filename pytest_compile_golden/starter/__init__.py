"""A first case in a repository that has none: of a model of transformers, an exported program or one's own code."""
