"""The roles that each token may play in a date: its kind, and for a number day, year or count."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.forecasting.questions.tokens import Token

AMOUNT_BEFORE = {"money", "foreign"}
LEVEL_BEFORE = {"above", "below", "reach", "break", "exceed", "to", "meet", "be", "target"}
AMOUNT_AFTER = {"times", "percent", "money", "cent", "foreign", "figures"}
SPAN_BEFORE = {"in", "next", "within", "last", "during"}
UNITS_GLUED = {"m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year"}
# Short words that are a month or a weekday only where something else says so.
AMBIGUOUS = {
    "may",
    "march",
    "mar",
    "sun",
    "sat",
    "mon",
    "wed",
    "set",
    "out",
    "ago",
    "jan",
    "dom",
    "marco",
    "mai",
    "mars",
}
CERTAIN = AMBIGUOUS - {"may", "march", "mar", "sun", "sat", "set", "out", "ago", "mars"}
PLURALS = set(
    "hours days weeks months years stunden tagen wochen monaten jahren heures jours semaines horas dias semanas meses ore giorni settimane mesi".split()
)
DATE_WORDS = {
    "in", "by", "before", "until", "lasting", "on", "within", "during", "this", "next", "last", "end", "start", "mid", "early", "late",
    "weekday", "day", "nth", "month", "from", "to", "between", "and", "or",
}  # fmt: skip


def with_minutes(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the m of "in 15m" read as minutes; elsewhere it may be a million."""
    result = list(tokens)
    for place in range(2, len(result)):
        token, number, before = result[place], result[place - 1], result[place - 2]
        if token.kind == "m" and token.glued and number.kind == "number" and before.kind in SPAN_BEFORE:
            result[place] = Token("unit", "m", "minute", True)
    return result


def roles(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """The roles of each token."""
    return [frozenset(_roles_of(tokens, place)) for place in range(len(tokens))]


def _roles_of(tokens: Sequence[Token], place: int) -> set[str]:
    token = tokens[place]
    if token.kind == "number":
        if _is_amount(tokens, place):
            return {"count"}
        if _is_day_and_month(tokens, place):
            return {"count", "daymonth"}
        return {"count"} | (_number_roles(token) if _may_be_year(tokens, place) else _number_roles(token) - {"year"})
    if token.kind == "shortyear":
        return {"year"}
    if token.kind in ("month", "weekday") and token.text in AMBIGUOUS - CERTAIN and not _is_date_word(tokens, place):
        return set()
    if token.kind == "mark":
        return {"dash"} if token.text in "-–—~〜−" else {"dot"} if token.text == "." else set()
    closing = {"closing"} if token.kind == "the" and place and tokens[place - 1].kind == "close" else set()
    return {token.kind} | _more_roles(token) | closing


def _more_roles(token: Token) -> set[str]:
    more = set()
    if token.kind == "unit":
        more |= (
            {"quarter"}
            if token.value == "quarter"
            else {"yearly"}
            if token.value == "year"
            else {"week"}
            if token.value == "week"
            else set()
        )
        more |= {"units"} if token.text in PLURALS else set()
        more |= {"h"} if token.text == "h" else set()
    if token.kind in ("to", "until", "lasting"):
        more.add("dash")
    if token.text == "the":
        more.add("english")
    return more


def _number_roles(token: Token) -> set[str]:
    if token.value is not None:
        return {"small"} if token.value in (1, 2, 3, 4) else set()
    found = set()
    if re.fullmatch(r"\d{4}", token.text) and 1990 <= int(token.text) <= 2100:
        found.add("year")
    if re.fullmatch(r"\d{1,2}", token.text) and 1 <= int(token.text) <= 31:
        found |= {"day", "small"} if int(token.text) <= 4 else {"day"}
    elif re.fullmatch(r"\d{1,2}", token.text):
        found.add("odd")
    return found


def _is_amount(tokens: Sequence[Token], place: int) -> bool:
    """Whether money, a magnitude or a percent sign stands beside the number."""
    before = tokens[place - 1].kind if place else ""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if before in AMOUNT_BEFORE:
        return True
    return after is not None and (after.kind in AMOUNT_AFTER or (after.glued and after.kind in ("m", "letter")))


def _may_be_year(tokens: Sequence[Token], place: int) -> bool:
    """Whether a four-digit number may be a year here: not after a word that a level follows, nor far off alone."""
    before = next((token for token in reversed(tokens[:place]) if token.kind not in ("the", "approx")), None)
    if before is not None and before.kind in LEVEL_BEFORE:
        return False
    said = before is not None and before.kind in DATE_WORDS | {
        "eo",
        "unit",
        "q",
        "number",
        "halfyear",
        "holiday",
        "season",
    }
    return said or tokens[place].text.startswith(("202", "203"))


def _is_day_and_month(tokens: Sequence[Token], place: int) -> bool:
    """Whether "31.12" is a date here: after "by", "until" or "on", or with a point behind it and more text."""
    written = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", tokens[place].text)
    if not written or not (1 <= int(written[1]) <= 31 and 1 <= int(written[2]) <= 12):
        return False
    before = [token.kind for token in tokens[max(0, place - 2) : place] if token.kind != "the"]
    return bool(before) and before[-1] in ("by", "before", "until", "lasting", "on")


def _is_date_word(tokens: Sequence[Token], place: int) -> bool:
    before = [token for token in tokens[max(0, place - 2) : place] if token.kind != "the"]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if before and (before[-1].kind in DATE_WORDS or before[-1].kind == "nth"):
        return True
    if before and before[-1].kind == "number" and "day" in _number_roles(before[-1]):
        return True
    if after is None or after.kind not in ("number", "nth") or _is_amount(tokens, place + 1):
        return False
    return after.kind == "nth" or bool(_number_roles(after) & {"day", "year"})
