"""The sentences about changes: one row per type, in English, for people.

Nothing else says what a change means, but for the rows of known rewrites.
"""
