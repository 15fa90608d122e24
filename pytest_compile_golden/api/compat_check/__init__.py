"""Whether the installed torch can be read at all: tiny programs, and facts about them that hold for any torch."""
