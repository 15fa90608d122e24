"""Devices to compile for: virtual ones that are not there, and the machine's own."""
