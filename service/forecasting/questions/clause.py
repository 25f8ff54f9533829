"""What the words of the question say once its dates are taken out: directions, relations, negations, amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.forecasting.questions.amounts import Amount, find_amounts
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.tokens import Token
from service.forecasting.questions.vocabulary import CONCORD

BULL = {"rise", "up"}
BEAR = {"fall", "down"}
MOTIONS = {"reach", "break", "exceed", "rise", "fall", "go"}
RELATIONS = MOTIONS | {
    "meet",
    "up",
    "down",
    "above",
    "below",
    "ormore",
    "orless",
    "between",
    "to",
    "until",
    "lasting",
    "target",
    "stay",
    "close",
    "be",
    "on",
}
# What may stand between an asset and its price in "ETH at 5000" or "5000 ETH".
LINKS = {"the", "on", "approx", "be", "price", "a", "mark"}
HINTS = {"chance", "mood"}


@dataclass(frozen=True)
class Clause:
    """The tokens without dates, their kinds, the amounts among them and whether the whole is negated.

    `has_stray` says that a number near the price stands there unrelated: it may be a level not understood.

    `kinds` leaves out words inside amounts, verbs in the past, and directions that say where the price comes
    from ("recover from the crash").
    """

    tokens: tuple[Token, ...]
    kinds: frozenset[str]
    amounts: tuple[Amount, ...]
    negated: bool
    has_stray: bool

    @property
    def is_ever_denied(self) -> bool:
        """ "Never above" denies every moment, "not above" only the last."""
        return any(token.kind == "not" and token.value == "ever" for token in self.tokens)

    def before(self, amount: Amount) -> Token | None:
        """The token before an amount, articles and "about" skipped."""
        return next(
            (token for token in reversed(self.tokens[: amount.first]) if token.kind not in ("the", "approx")), None
        )

    def direction_at(self, amount: Amount | None) -> int:
        """1 up, -1 down, 0 unsaid: where both are said, the one nearest before the amount counts."""
        places = [place for place, token in enumerate(self.tokens) if sign_of(token)]
        signs = {sign_of(self.tokens[place]) for place in places}
        if len(signs) < 2 or amount is None:
            return signs.pop() if len(signs) == 1 else 0
        before = [place for place in places if place < amount.first]
        return sign_of(self.tokens[before[-1] if before else places[0]])

    def has_both_directions(self) -> bool:
        return bool(self.kinds & BULL) and bool(self.kinds & BEAR)


def sign_of(token: Token) -> int:
    """1 for a word that means up, -1 for one that means down, else 0."""
    if token.kind == "mood":
        return 1 if token.value == "up" else -1
    return 1 if token.kind in BULL else -1 if token.kind in BEAR else 0


def read_clause(tokens: Sequence[Token], language: str, spot: float) -> Clause:
    """The clause, with those amounts that can be a price, a percentage or a multiple."""
    present = _without_origin(_without_past(tokens))
    amounts = find_amounts(present)
    covered = {place for amount in amounts for place in range(amount.first, amount.after)}
    kinds = frozenset(_kind(token) for place, token in enumerate(present) if place not in covered)
    told = tuple(amount for amount in amounts if _is_told(present, amount, amounts, spot))
    stray = any(amount not in told and _may_be_level(present, amount, spot) for amount in amounts)
    return Clause(tuple(present), kinds, told, _is_negated(present, language), stray)


def _kind(token: Token) -> str:
    if token.kind == "mood":
        return "up" if token.value == "up" else "down"
    return token.kind


def _without_past(tokens: Sequence[Token]) -> list[Token]:
    """Verbs in the past tell what has been, unless a "will" or "have" stands before them."""
    kept, ahead = [], False
    for token in tokens:
        ahead = ahead or token.kind in ("will", "have")
        if token.value != "past" or ahead:
            kept.append(token)
    return kept


def _without_origin(tokens: Sequence[Token]) -> list[Token]:
    """Without the directions shortly after "from": "recover from the crash" goes up."""
    kept, since = [], 9
    for token in tokens:
        since = 0 if token.kind == "from" else since + 1
        if since > 3 or not sign_of(token):
            kept.append(token)
    return kept


def _is_negated(tokens: Sequence[Token], language: str) -> bool:
    """Two negations cancel, except in languages where they only strengthen each other."""
    denials = sum(token.kind == "not" for token in tokens)
    failures = sum(token.kind == "fail" for token in tokens)
    if denials and any(token.kind == "li" for token in tokens):
        raise invalid("This can be read with and without its negation. Say plainly what should happen.")
    denials = min(denials, 1) if language in CONCORD else denials
    return (denials + failures) % 2 == 1


def _is_told(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether the amount belongs to the price: no probability, no count of coins, no stray number."""
    if _is_chance(tokens, amount) or _is_coins(tokens, amount) or _is_origin(tokens, amount):
        return False
    if amount.is_marked or amount.is_percent or amount.is_multiple or amount.is_foreign:
        return True
    return _is_linked(tokens, amount, amounts, spot) or _is_beside_asset(tokens, amount, spot)


def _may_be_level(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    apart = _is_chance(tokens, amount) or _is_coins(tokens, amount) or _is_origin(tokens, amount)
    return not apart and spot / 5 <= amount.value(spot) <= spot * 5


def _is_chance(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "A 50% chance", "100% bullish", "probability 0.99"."""
    if amount.is_money:
        return False
    around = [*tokens[max(0, amount.first - 3) : amount.first], *tokens[amount.after : amount.after + 1]]
    near = [token for token in around if token.kind not in ("the", "approx", "be")]
    return bool(near) and (near[-1].kind in HINTS or (amount.first > 0 and _last(tokens, amount.first) == "chance"))


def _last(tokens: Sequence[Token], place: int) -> str:
    return next((token.kind for token in reversed(tokens[:place]) if token.kind not in ("the", "approx", "be")), "")


def _is_coins(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "1 BTC" counts coins; "100k BTC" names a price."""
    following = tokens[amount.after].kind if amount.after < len(tokens) else ""
    return following == "asset" and not amount.is_money and amount.values == (1.0,)


def _is_origin(tokens: Sequence[Token], amount: Amount) -> bool:
    """ "Bounce from 90k", "now at 94k": where the price is, not where it goes; "from 90k to 100k" alone is a range."""
    before = [token.kind for token in tokens[: amount.first] if token.kind not in ("the", "approx", "on")]
    if before[-1:] == ["now"]:
        return True
    moves = any(token.kind in MOTIONS for token in tokens)
    return before[-1:] == ["from"] and moves and "between" not in before


def _is_linked(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether a word of relation stands before the amount, or shortly behind it, and no other amount between.

    A number far from the price must follow such a word closely: "hit 150" is a slip, a number elsewhere is none.
    """
    start = max((other.after for other in amounts if other.after <= amount.first), default=0)
    end = min((other.first for other in amounts if other.first >= amount.after), default=len(tokens))
    if not spot / 5 <= amount.value(spot) <= spot * 5:
        start, end = max(start, amount.first - 3), amount.after
    around = [*tokens[start : amount.first], *tokens[amount.after : min(end, amount.after + 4)]]
    return any(token.kind in RELATIONS for token in around)


def _is_beside_asset(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """ "ETH 5000", or "5000 ETH" where it is within five times of the price and no number of coins."""
    before = [token.kind for token in tokens[: amount.first] if token.kind not in LINKS]
    following = [token.kind for token in tokens[amount.after :] if token.kind not in LINKS]
    if before[-1:] == ["asset"]:
        return True
    return following[:1] == ["asset"] and spot / 5 <= amount.value(spot) <= spot * 5
