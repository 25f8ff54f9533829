"""Rewrites the texts of outside markets as a complete question and as rules on one line."""

from __future__ import annotations

import html
import re

LONGEST_RULE = 200

UP_OR_DOWN = re.compile(r"^(.+?) up or down\b", re.IGNORECASE)
BLANK = re.compile(r"\$?_{2,}")
WHICH_PRICE = re.compile(r"^what price will (.+?) (?:hit|reach)\b", re.IGNORECASE)
PRICE_AT = re.compile(r"^(.+?) price (?:range )?(?=(?:on|at)\b)", re.IGNORECASE)

TAG = re.compile(r"</?[a-zA-Z!][^>]*>")
LINK = re.compile(r"\[([^\]]*)\]\s*\([^)]*\)")
MARKS = re.compile(r"[*_`#\s]+")


def wording(question: str, group: str) -> str:
    """The complete question of an outside market: blanks are filled in, and "up or down" becomes "be up".

    "Bitcoin above ___ on March 11?" in the group "64,000" becomes "Bitcoin above $64,000 on March 11?". A complete
    question is returned unchanged.
    """
    if UP_OR_DOWN.match(question):
        return UP_OR_DOWN.sub(r"Will \1 be up", question)
    amount = group.strip("↑↓ ")
    if not amount:
        return question
    if BLANK.search(question):
        return BLANK.sub(lambda _: "$" + amount.lstrip("$"), question)
    if WHICH_PRICE.match(question) and group[0] in "↑↓":
        verb = "reach" if group[0] == "↑" else "dip to"
        return WHICH_PRICE.sub(lambda match: f"Will {match[1]} {verb} ${amount.lstrip('$')}", question)
    return PRICE_AT.sub(lambda match: f"Will {match[1]} be {amount} ", question)


def plain(rules: str) -> str:
    """The first 200 characters of a market's rules on one line, without HTML and Markdown."""
    text = LINK.sub(r"\1", TAG.sub(" ", html.unescape(rules)))
    text = MARKS.sub(" ", "".join(letter if letter.isprintable() else " " for letter in text)).strip()
    return text if len(text) <= LONGEST_RULE else text[: LONGEST_RULE - 1].rstrip() + "…"
