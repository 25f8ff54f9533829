"""The question without its dates: directions, relations, negations and amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.questions.amounts import Amount, find_amounts
from service.questions.kinds import BEAR, BULL
from service.questions.refusals import invalid
from service.questions.relevance import is_price, may_be_level
from service.questions.tokens import Token
from service.questions.vocabulary import Language

# How many words after "from" may say where the price comes from.
ORIGIN = 3


@dataclass(frozen=True)
class Clause:
    """The tokens without dates, their kinds, the amounts among them and whether the clause is negated.

    `kinds` omits words inside amounts, verbs in the past, and directions that say where the price comes from ("recover
    from the crash"). `has_stray` means that the clause contains an unrelated number near the price, which may be a
    level that was not understood.
    """

    tokens: tuple[Token, ...]
    kinds: frozenset[str]
    amounts: tuple[Amount, ...]
    negated: bool
    has_stray: bool

    @property
    def is_above(self) -> bool:
        return bool(self.kinds & {"above", "ormore"})

    @property
    def is_below(self) -> bool:
        return bool(self.kinds & {"below", "orless"})

    @property
    def has_both_directions(self) -> bool:
        return bool(self.kinds & BULL) and bool(self.kinds & BEAR)

    @property
    def denies_ever(self) -> bool:
        """ "Never above" denies every moment, "not above" only the last one."""
        return any(token.kind == "not" and token.value == "ever" for token in self.tokens)

    def before(self, amount: Amount) -> Token | None:
        """The token before an amount, without articles and "about"."""
        before = reversed(self.tokens[: amount.first])
        return next((token for token in before if token.kind not in ("the", "approx")), None)

    def direction_at(self, amount: Amount | None) -> int:
        """1 for up, -1 for down, 0 for neither; if the clause has both, the last one before the amount counts."""
        places = [place for place, token in enumerate(self.tokens) if _sign(token)]
        signs = {_sign(self.tokens[place]) for place in places}
        if len(signs) < 2 or amount is None:
            return signs.pop() if len(signs) == 1 else 0
        before = [place for place in places if place < amount.first]
        return _sign(self.tokens[before[-1] if before else places[0]])


def read_clause(tokens: Sequence[Token], language: Language, spot: float) -> Clause:
    """The clause, with those amounts that can be a price, a percentage or a multiple."""
    present = _without_origin(_without_past(tokens))
    numbers = find_amounts(present)
    amounts = tuple(amount for amount in numbers if is_price(present, amount, numbers, spot))
    stray = any(amount not in amounts and may_be_level(present, amount, spot) for amount in numbers)
    return Clause(tuple(present), _kinds(present, numbers), amounts, _is_negated(present, language), stray)


def _kinds(tokens: Sequence[Token], amounts: Sequence[Amount]) -> frozenset[str]:
    covered = {place for amount in amounts for place in range(amount.first, amount.after)}
    kinds = {_kind(token) for place, token in enumerate(tokens) if place not in covered}
    return frozenset(kinds | ({"exceed"} if any(amount.is_or_more for amount in amounts) else set()))


def _kind(token: Token) -> str:
    if token.kind == "mood":
        return "up" if token.value == "up" else "down"
    return token.kind


def _sign(token: Token) -> int:
    """1 for a word that means up, -1 for one that means down, else 0."""
    return 1 if _kind(token) in BULL else -1 if _kind(token) in BEAR else 0


def _without_past(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without verbs in the past, unless "will" or "have" precedes them."""
    kept, ahead = [], False
    for token in tokens:
        ahead = ahead or token.kind in ("will", "have")
        if token.value != "past" or ahead:
            kept.append(token)
    return kept


def _without_origin(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the directions shortly after "from": "recover from the crash" goes up."""
    kept, since = [], ORIGIN + 1
    for token in tokens:
        since = 0 if token.kind == "from" else ORIGIN + 1 if token.kind in ("asset", "will") else since + 1
        if since > ORIGIN or not _sign(token):
            kept.append(token)
    return kept


def _is_negated(tokens: Sequence[Token], language: Language) -> bool:
    """Whether the negations leave a negation; where they do not cancel in the language, two count as one."""
    denials = sum(token.kind == "not" for token in tokens)
    failures = sum(token.kind == "fail" for token in tokens)
    if denials and any(token.kind == "li" for token in tokens):
        raise invalid("The question is ambiguous because of its negation. Ask without the negation.")
    denials = denials if language.negations_cancel else min(denials, 1)
    return (denials + failures) % 2 == 1
