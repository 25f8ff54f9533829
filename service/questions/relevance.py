"""Which numbers of the question are prices, and which count coins, probabilities or something else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from service.questions.amount import Amount
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MOTIONS, RELATIONS, SIDES

# A bare number farther from the spot price than this factor is a price only directly after a word that relates it.
NEAR = 5.0
# The distance, in tokens, to a word of relation: before a far number, and after a near one.
CLOSE_BEFORE, CLOSE_BEHIND = 3, 4
# Kinds that may separate an asset from its price: "ETH at 5000", "5000 ETH".
LINKS = {"the", "on", "approx", "be", "price", "a", "mark"}
WEAK = {"the", "approx", "be"}
BOUNDS = {"the", "approx", "above", "below", "mark"}


def is_price(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether the amount, one of `amounts`, is a price, a percentage or a multiple that the question is about."""
    if is_apart(tokens, amount):
        return False
    if amount.is_marked or amount.is_percent or amount.is_multiple or amount.currency:
        return True
    place = bisect_left(amounts, amount.first, key=lambda other: other.first)
    start = amounts[place - 1].after if place else 0
    end = amounts[place + 1].first if place + 1 < len(amounts) else len(tokens)
    if _is_related(tokens, amount, start, end, spot) or _is_beside_asset(tokens, amount, spot):
        return True
    if place > 0 and _is_upper_end(tokens, amounts[place - 1], amount):
        return True
    return place + 1 < len(amounts) and _is_lower_end(tokens, amount, amounts[place + 1])


def _kind_before(tokens: Sequence[Token], amount: Amount, skipped: Collection[str]) -> str:
    """The kind of the token before an amount, without the `skipped` ones; "" at the beginning."""
    kinds = (tokens[place].kind for place in range(amount.first - 1, -1, -1))
    return next((kind for kind in kinds if kind not in skipped), "")


def _kind_after(tokens: Sequence[Token], amount: Amount, skipped: Collection[str] = ()) -> str:
    """The kind of the token after an amount, without the `skipped` ones; "" at the end."""
    kinds = (tokens[place].kind for place in range(amount.after, len(tokens)))
    return next((kind for kind in kinds if kind not in skipped), "")


def _is_upper_end(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """ "Between 1700 and 1900", "touch 1700 or 1900": the word of relation precedes the other end."""
    gap = [token.kind for token in tokens[lower.after : upper.first]]
    is_second = gap == ["or"] and _kind_before(tokens, lower, WEAK) in RELATIONS
    return is_second or (_kind_before(tokens, lower, WEAK) == "between" and gap == ["and"])


def _is_lower_end(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """ "From 90 to 95k": the thousands of the other end are those of both."""
    gap = [token.kind for token in tokens[lower.after : upper.first]]
    return _kind_before(tokens, lower, WEAK) == "from" and gap in (["to"], ["until"]) and upper.is_marked


def may_be_level(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """Whether a number that no word relates to the price could still be a price."""
    return not is_apart(tokens, amount) and _is_near(amount, spot)


def _is_near(amount: Amount, spot: float) -> bool:
    return spot / NEAR <= amount.value(spot) <= spot * NEAR


def is_apart(tokens: Sequence[Token], amount: Amount) -> bool:
    """Whether the number is a probability, a single coin or where the price comes from."""
    return _is_chance(tokens, amount) or _is_one_coin(tokens, amount) or _is_origin(tokens, amount)


def _is_chance(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "A 50% chance", "100% bullish", "probability 0.99"."""
    if amount.is_money or (amount.is_marked and not amount.is_percent):
        return False
    if amount.is_percent and _kind_before(tokens, amount, WEAK) in BULL | BEAR:
        return False  # "is a drop of 3% likely"
    if amount.is_percent and _kind_before(tokens, amount, BOUNDS) in ("be", "exceed"):
        # "is the probability of a rise above 60%"
        return any(token.kind == "chance" for token in tokens[: amount.first])
    return _kind_after(tokens, amount) in ("chance", "mood") or _kind_before(tokens, amount, WEAK) == "chance"


def _is_one_coin(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "1 BTC" is a coin; "100k BTC" is a price."""
    is_counted = not (amount.is_money or amount.is_percent) and amount.values == (1.0,)
    return is_counted and _kind_after(tokens, amount) == "asset"


def _is_origin(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "Bounce from 90k", "now at 94k" say where the price is; "from 90k to 100k" without a verb is a range."""
    before = _kind_before(tokens, amount, ("the", "approx", "on"))
    if amount.is_percent and _kind_after(tokens, amount) == "to":
        return False  # "gain from 5 to 10 percent"
    if before != "from":
        return before == "now" and _kind_after(tokens, amount, ("the",)) not in SIDES
    moves = any(token.kind in MOTIONS for token in tokens)
    return moves and all(token.kind != "between" for token in tokens[: amount.first])


def _is_related(tokens: Sequence[Token], amount: Amount, start: int, end: int, spot: float) -> bool:
    """Whether a word of relation precedes the amount or closely follows it, from the place `start` up to `end`.

    These are the ends of the amounts beside it. A number far from the spot price must closely follow such a word: "hit
    150" is an implausible level, but other far numbers are not levels at all.
    """
    if not _is_near(amount, spot):
        start, end = max(start, amount.first - CLOSE_BEFORE), amount.after
    around = [*tokens[start : amount.first], *tokens[amount.after : min(end, amount.after + CLOSE_BEHIND)]]
    return any(token.kind in RELATIONS or token.kind == "before" for token in around)


def _is_beside_asset(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """ "ETH 5000", or "5000 ETH" if it is not a number of coins."""
    if _kind_before(tokens, amount, LINKS) == "asset":
        return True
    return _kind_after(tokens, amount, LINKS) == "asset" and _is_near(amount, spot)
