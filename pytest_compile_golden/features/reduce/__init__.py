"""The smallest program that still shows a difference between two torch versions, a failure or a wrong result."""
