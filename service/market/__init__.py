"""Prices and the instruments they belong to. Pure."""
