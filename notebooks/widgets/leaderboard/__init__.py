"""The panel of the strategies by rank."""
