"""The news pulse: the tone of headlines on the seven assets, and the topics that rose."""
