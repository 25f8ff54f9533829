"""Notifications: events of the ledger, by webhook or as a stream, and the rules of their delivery."""
