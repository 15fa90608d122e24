"""Writes one pass or stage of a compile as a standalone script that needs nothing but torch."""
