"""Dates as people write them, in every language of the vocabulary, read with one grammar."""
