"""The patterns that torch registers, tried on inputs that their authors may not have thought of."""
