"""The panel of the voters against the external market."""
