"""How good the voters were on what was settled: runs, bets that nobody placed, and against the outside market."""
