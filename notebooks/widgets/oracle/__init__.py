"""The panel that asks the oracle a question."""
