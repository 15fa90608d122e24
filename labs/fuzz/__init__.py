"""Inductor's settings, alone or in pairs, that make a case go wrong."""
