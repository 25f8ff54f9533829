"""Words such as "high" and "low": the price of a period, or what the path of the price does."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.tokens import Token

EXTREMES = {"high", "low"}
# Kinds between a high and the side of a level that it is on, and the side of each such word.
BEFORE_SIDE = {
    *("the", "be", "will", "filler", "in", "on", "this", "next", "unit", "weekday", "month", "rel", "asset", "price"),
}
SIDES = {"above": "high", "exceed": "high", "below": "low"}


def side_of(token: Token) -> str:
    """ "high", "low" or "open" for a word that may be that of a period, else empty."""
    return str(token.value) if token.kind != "record" and token.value in (*EXTREMES, "open") else ""


def with_paths(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with what "a high above 100k" takes: one moment above it, and "a low above 100k" all of them.

    "The difference between the high and the low" of a percentage is a range.
    """
    result = _with_width(tokens)
    for place in range(len(result)):
        result[place] = _as_path(result, place)
    return result


def is_amount(tokens: Sequence[Token]) -> bool:
    """Whether a price in digits comes first."""
    return any(token.kind == "number" for token in tokens[: 1 + any(token.kind == "money" for token in tokens[:1])])


def _as_path(tokens: Sequence[Token], place: int) -> Token:
    """The token itself or, for a high or low that a level follows, the word for a moment or for all of them."""
    token, after = tokens[place], place + 1
    if token.kind != "filler" or side_of(token) not in EXTREMES:
        return token
    while after < len(tokens) and tokens[after].kind in BEFORE_SIDE and not side_of(tokens[after]):
        after += 1
    beyond = SIDES.get(tokens[after].kind) if after < len(tokens) else None
    if beyond is None or not is_amount(tokens[after + 1 :]):
        return token
    return Token("ever" if side_of(token) == beyond else "stay", token.text)


def _with_width(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a high and a low, joined by "and", as a range where there is a percentage."""
    places = [place for place, token in enumerate(tokens) if side_of(token) in EXTREMES]
    if len(places) != 2 or not any(token.kind == "percent" for token in tokens):
        return list(tokens)
    first, last = places
    is_joined = any(token.kind == "and" for token in tokens[first:last])
    if not is_joined or side_of(tokens[first]) == side_of(tokens[last]):
        return list(tokens)
    before = [token for token in tokens[:first] if token.kind != "between"]
    return [*before, Token("width", "range"), *tokens[last + 1 :]]
