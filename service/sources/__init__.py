"""Data from outside the service: prices, odds, headlines, liquidity pools, language models."""
