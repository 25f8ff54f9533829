"""The news pulse: the tone of headlines on the assets, and the topics that rose."""
