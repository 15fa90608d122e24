"""Experiments that use the package and are not part of it: torch's patterns, packages and identities of programs."""
