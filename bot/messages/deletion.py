"""/deleteme: the confirmation and the result."""

from __future__ import annotations

from collections.abc import Mapping

from bot.messages.formats import words
from bot.messages.markup import escaped, message

LABELS = {
    "answers": "saved answers",
    "challenges": "challenges noted as yours",
    "alerts": "alert settings",
    "waiting": "alerts not sent yet",
    "sent": "records of sent alerts",
    "conversations": "open conversations",
}


def confirm_deletion() -> str:
    """Above [Delete] and [Keep]."""
    return "This deletes your saved answers, drafts and counters. Public challenges stay, without your name."


def deleted(counts: Mapping[str, int]) -> str:
    """The number of deleted rows of each kind."""
    lines = [f"{escaped(LABELS.get(kind) or words(kind), 60)}: {count:,}" for kind, count in counts.items() if count]
    if not lines:
        return "This bot has no data of yours, so there is nothing to delete."
    return message(["Deleted.", *lines], "Public challenges stay, without your name.")
