"""Parts of a text joined as the current language writes it: a colon in French has a space before it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.languages import translate


def labelled(label: str, text: str) -> str:
    """A text after its label, such as "Live: 3 trades"."""
    return translate("{label}: {text}", label=label, text=text)


def enumerated(parts: Iterable[str]) -> str:
    """The parts that are not empty, separated by commas."""
    return translate(", ").join(part for part in parts if part)


def bracketed(text: str) -> str:
    """A text in brackets, after a space where the language has one."""
    return translate(" ({text})", text=text)


def ended(sentence: str) -> str:
    """A sentence with its full stop."""
    return translate("{sentence}.", sentence=sentence)
