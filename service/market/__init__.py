"""Instruments, bars, prices and time. Pure."""
