"""Which numbers of the question are prices, and which count coins, probabilities or something else."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.amounts import Amount
from service.questions.kinds import MOTIONS, RELATIONS
from service.questions.tokens import Token

# A bare number farther from the spot price than this factor is a price only directly after a word that relates it.
NEAR = 5.0
# The distance, in tokens, to a word of relation: before a far number, and after a near one.
CLOSE_BEFORE, CLOSE_BEHIND = 3, 4
# Kinds that may separate an asset from its price: "ETH at 5000", "5000 ETH".
LINKS = {"the", "on", "approx", "be", "price", "a", "mark"}
WEAK = {"the", "approx", "be"}


def is_price(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether the amount is a price, a percentage or a multiple that the question is about."""
    if _is_apart(tokens, amount):
        return False
    if amount.is_marked or amount.is_percent or amount.is_multiple or amount.is_foreign:
        return True
    if _is_related(tokens, amount, amounts, spot) or _is_beside_asset(tokens, amount, spot):
        return True
    return any(_is_upper_end(tokens, lower, amount) for lower in amounts)


def _is_upper_end(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """ "Between 1700 and 1900": the word of relation precedes the other end."""
    before = next((token.kind for token in reversed(tokens[: lower.first]) if token.kind not in WEAK), "")
    return before == "between" and [token.kind for token in tokens[lower.after : upper.first]] == ["and"]


def may_be_level(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """Whether a number that no word relates to the price could still be a price."""
    return not _is_apart(tokens, amount) and _is_near(amount, spot)


def _is_near(amount: Amount, spot: float) -> bool:
    return spot / NEAR <= amount.value(spot) <= spot * NEAR


def _is_apart(tokens: Sequence[Token], amount: Amount) -> bool:
    return _is_chance(tokens, amount) or _is_one_coin(tokens, amount) or _is_origin(tokens, amount)


def _is_chance(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "A 50% chance", "100% bullish", "probability 0.99"."""
    if amount.is_money:
        return False
    after = tokens[amount.after].kind if amount.after < len(tokens) else ""
    before = [token.kind for token in tokens[: amount.first] if token.kind not in WEAK]
    return after in ("chance", "mood") or before[-1:] == ["chance"]


def _is_one_coin(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "1 BTC" is a coin; "100k BTC" is a price."""
    after = tokens[amount.after].kind if amount.after < len(tokens) else ""
    return after == "asset" and not amount.is_money and amount.values == (1.0,)


def _is_origin(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "Bounce from 90k", "now at 94k" say where the price is; "from 90k to 100k" without a verb is a range."""
    before = [token.kind for token in tokens[: amount.first] if token.kind not in ("the", "approx", "on")]
    if before[-1:] == ["now"]:
        return True
    moves = any(token.kind in MOTIONS for token in tokens)
    return before[-1:] == ["from"] and moves and "between" not in before


def _is_related(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether a word of relation precedes the amount or closely follows it, without another amount between them.

    A number far from the spot price must closely follow such a word: "hit 150" is an implausible level, but other far
    numbers are not levels at all.
    """
    start = max((other.after for other in amounts if other.after <= amount.first), default=0)
    end = min((other.first for other in amounts if other.first >= amount.after), default=len(tokens))
    if not _is_near(amount, spot):
        start, end = max(start, amount.first - CLOSE_BEFORE), amount.after
    around = [*tokens[start : amount.first], *tokens[amount.after : min(end, amount.after + CLOSE_BEHIND)]]
    return any(token.kind in RELATIONS or token.kind == "before" for token in around)


def _is_beside_asset(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """ "ETH 5000", or "5000 ETH" if it is not a number of coins."""
    before = [token.kind for token in tokens[: amount.first] if token.kind not in LINKS]
    if before[-1:] == ["asset"]:
        return True
    after = [token.kind for token in tokens[amount.after :] if token.kind not in LINKS]
    return after[:1] == ["asset"] and _is_near(amount, spot)
