"""Votes, the consensus, predictions and their outcomes. Pure functions."""
