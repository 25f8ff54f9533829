"""/deleteme: the confirmation and the result."""

from __future__ import annotations

from collections.abc import Mapping

from bot.languages import english, translate
from bot.languages.punctuation import labelled
from bot.messages.formats import decimal, words
from bot.messages.markup import escaped, message

LABELS = {
    "answers": english("saved answers"),
    "drafts": english("drafts"),
    "challenges": english("challenges noted as yours"),
    "alerts": english("alert settings"),
    "waiting": english("alerts not sent yet"),
    "sent": english("records of sent alerts"),
    "questions": english("open questions"),
    "votes": english("own votes"),
    "forecasts": english("own forecasts"),
    "follows": english("followed things"),
    "quiet_hours": english("quiet hours"),
    "conversations": english("open conversations"),
}


def confirm_deletion() -> str:
    """Above [Delete] and [Keep]."""
    return translate("This deletes your saved answers, drafts and counters. Public challenges stay, without your name.")


def deleted(counts: Mapping[str, int]) -> str:
    """The number of deleted rows of each kind."""
    lines = [
        labelled(translate(LABELS[kind]) if kind in LABELS else escaped(words(kind), 60), decimal(count, 0))
        for kind, count in counts.items()
        if count
    ]
    if not lines:
        return translate("This bot has no data of yours, so there is nothing to delete.")
    return message([translate("Deleted."), *lines], translate("Public challenges stay, without your name."))
