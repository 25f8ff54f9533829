"""Dates as people name them, in every language of the vocabulary, read with one grammar."""
