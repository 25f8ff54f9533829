"""What every panel is built of: figure, controls, refreshing, themes, words."""
