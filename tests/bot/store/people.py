"""The people, the question and the alert of the store's tests."""

from __future__ import annotations

from bot.store import Alert

ANN, BEN = 11, 22
GROUP = -100
QUESTION = "Will Bitcoin be above 60,000 USD?"


def alert(user: int = ANN, event: str = "flip", key: str = "noon", until: float = 2e9) -> Alert:
    return Alert(user, event, key, user, silent=False, text="It flipped.", until=until)
