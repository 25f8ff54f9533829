"""The outside world: where prices come from."""
