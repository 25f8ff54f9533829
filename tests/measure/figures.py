"""The lines of `make bench`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the result: what was measured, what it should be, and whether it is."""

    name: str
    value: float
    unit: str
    goal: float
    at_least: bool

    def __str__(self) -> str:
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        sign = "at least" if self.at_least else "at most"
        return f"{'ok  ' if met else 'MISS'} {self.name:<66} {self.value:8.2f} {self.unit:<3} ({sign} {self.goal:g})"
