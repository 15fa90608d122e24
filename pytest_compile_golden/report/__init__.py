"""What people read: changes as terminal text."""
