"""The doctor: every source and seat that the settings name, asked once, and what came of it."""
