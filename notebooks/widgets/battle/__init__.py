"""The panel of the paper-trading lanes."""
