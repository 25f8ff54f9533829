"""/deleteme: what goes, and that it is gone."""

from __future__ import annotations

from collections.abc import Mapping

from bot.messages.figures import words
from bot.messages.writing import message, said

KEPT = {
    "answers": "saved answers",
    "challenges": "challenges noted as yours",
    "alerts": "alert settings",
    "waiting": "alerts not sent yet",
    "sent": "notes of alerts sent",
    "conversations": "conversations begun",
}


def delete_asked() -> str:
    """Above [Delete] [Keep]."""
    return "This deletes your saved answers, drafts and counters. Public challenges stay, without your name."


def deleted(counts: Mapping[str, int]) -> str:
    """What went: the rows deleted by the name of what they held."""
    gone = [f"{said(KEPT.get(name) or words(name), 60)}: {number}" for name, number in counts.items() if number]
    if not gone:
        return "Nothing of yours was kept here, so there was nothing to delete."
    return message(["Deleted.", *gone], "Public challenges stay, without your name.")
