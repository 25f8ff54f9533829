"""Strategies and the paper accounts they trade. Pure."""
