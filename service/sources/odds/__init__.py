"""Outside prediction markets: their questions, odds and outcomes."""
