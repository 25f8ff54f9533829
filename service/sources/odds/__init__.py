"""Outside prediction markets: what they ask, at which odds, and what became of it."""
