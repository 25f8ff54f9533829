"""Ninefold: nine voters answer questions about markets; every vote is shown, nothing is traded."""

__version__ = "1.3.0"
