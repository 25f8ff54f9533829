"""Scores on settled predictions: streaks, the shadow book of bets, and the comparison with the outside market."""
