"""The news pulse: what headlines say of the seven assets, and what they suddenly speak of."""
