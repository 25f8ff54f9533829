"""API keys, plans and quotas as arithmetic: no database, no clock, no randomness of its own."""
