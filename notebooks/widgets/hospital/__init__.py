"""The panel of the health of the strategies."""
