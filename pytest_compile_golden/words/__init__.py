"""The sentences about changes: one row per type, in English, for people. Nothing else says what a change means."""
