"""What a follow-up denies beside what it means instead: "no, 1900", "not friday but monday", "not 60k but 55k"."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.amounts import find_amounts
from service.questions.carryover import CARRY, EXCHANGE, JOINTS
from service.questions.lexicon import forms
from service.questions.question import Question
from service.questions.single_days import DATES
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, OWN_EVENT, Language

# A "no" directly before what is meant instead: "no 5%".
NOES = forms("no")
CORRECTIONS = {"not", "number", "percent", "asset", "weekday", "money", "rel", "holiday", "from", *JOINTS}
SIGNS_OF_SIDES = {"up": 1, "rise": 1, "above": 1, "down": -1, "fall": -1, "below": -1}
UPWARD_KINDS, DOWNWARD_KINDS = BULL | {"above"}, BEAR | {"below"}
OPPOSITES = ((UPWARD_KINDS, DOWNWARD_KINDS), ({"reach"}, {"close"}))
DENIAL_KINDS = {"not", "and", "mark", "filler"}  # beside the level that another one replaces
# Kinds of an asset or a date that is denied, and those that may stand before it: "not on the 4th of december".
NAME_KINDS = {"asset", "number", "end", "eo", *DATES, "holiday", "weekend"}
# Kinds beside a day that is denied by "this": "not this one".
BESIDE_THIS = {"mark", "filler", "numword", "number", "the", "a"}
BESIDE_NAME = {"the", "on", "in", "by", "be", "until", "this", "filler"}


def noes_before(tokens: Sequence[Token], earlier: Question) -> int:
    """How many words say that the earlier question was meant otherwise: "no 5%", "no no saturday", "no up"."""
    noes = next((place for place, token in enumerate(tokens) if token.text not in NOES), 0)
    while noes and tokens[noes:] and tokens[noes].kind == "filler" and tokens[noes].value is None:
        noes += 1  # Turkish "yok ya 24 saat sonra"
    following = tokens[noes].kind if tokens[noes:] and noes else ""
    side = SIGNS_OF_SIDES.get(following)
    is_turned = side == -earlier.kind.side and not earlier.negated
    is_corrected = side is not None and any(token.value == CARRY for token in tokens[noes:])  # "non sous 570 pardon"
    return noes if noes > 1 or following in CORRECTIONS or is_turned or is_corrected else 0


def without_denied_side(tokens: list[Token], language: Language) -> list[Token]:
    """The tokens without what is denied beside its opposite: "rise, not fall", "not close, touch"."""
    denials = [place for place, token in enumerate(tokens) if token.kind == "not"]
    if len(denials) > 1 and tokens[denials[0]].text in NOES:
        denials = denials[1:]  # "no, I mean touch it, not close"
    for some, others in OPPOSITES:
        places = [place for place, token in enumerate(tokens) if token.kind in some | others]
        is_pair = len(places) == 2 and len({tokens[place].kind in some for place in places}) == 2
        if is_pair and len(denials) == 1:
            negation = places[0] if language.postpositions or denials[0] < places[0] else places[1]
            return [token for place, token in enumerate(tokens) if place not in (negation, denials[0])]
    return tokens


def without_denied_name(tokens: list[Token], language: Language) -> list[Token]:
    """The tokens without a denied asset or date beside another one: "not friday but monday", "eth, not btc".

    They name no event: "won't eth beat btc?" denies that.
    """
    kinds = [token.kind for token in tokens]
    if "not" not in kinds or {*kinds} & (OWN_EVENT - {"not", "ever"} | {"or", "will", "ask"}):
        return tokens
    first = end = kinds.index("not")
    if language.postpositions:  # Turkish "cuma değil pazartesi"
        while first and kinds[first - 1] in NAME_KINDS | BESIDE_NAME:
            first -= 1
    end += 1
    if first == end - 1:
        while end < len(kinds) and (
            kinds[end] in (NAME_KINDS if {*kinds[first:end]} & NAME_KINDS else NAME_KINDS | BESIDE_NAME)
            or (kinds[end] == "the" and {*kinds[end + 1 : end + 2]} & NAME_KINDS)
        ):
            end += 1
    rest = [*tokens[:first], *tokens[end:]]
    is_last = all(token.kind in BESIDE_THIS for token in rest[first:])
    if "this" in kinds[first:end] and DATES & {*kinds[:first]} and is_last:
        return rest[:first]  # "next friday, not this one"
    for names in ({"asset"}, NAME_KINDS - {"asset", "number"}):
        if names & {*kinds[first:end]} and names & {token.kind for token in rest}:
            return rest
    return tokens


def without_denied_level(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens without an earlier level that is replaced: "not 60k but 55k"; the other end of a range stays."""
    amounts, kinds = find_amounts(tokens), {token.kind for token in tokens}
    denials = [amount for amount in amounts if amount.value(earlier.spot) in earlier.levels]
    gap = [token.kind for token in tokens[amounts[0].after : amounts[1].first]] if len(amounts) == 2 else []
    is_range = len(earlier.levels) == 2 and gap in (["to"], ["by"], ["until"])  # "no, 1900 to 2300"
    if is_range or len(amounts) != 2 or len(denials) != 1 or kinds & {"or", "between", "unit"}:
        return tokens
    level, end = denials[0].value(earlier.spot), denials[0].after
    others = [*tokens[: denials[0].first], *tokens[end:]]
    rest = [token for token in others if token.kind not in DENIAL_KINDS and token.value != EXCHANGE]
    ends = [other for other in earlier.levels if other != level]
    return [*rest, *(token for other in ends for token in (Token("and", ""), Token("number", f"{other:.10g}")))]


def without_denied_size(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens without the earlier size beside another one, which is in percent too: "3 percent, not 5"."""
    amounts = find_amounts(tokens)
    if earlier.level_pct is None or len(amounts) != 2 or not any(amount.is_percent for amount in amounts):
        return tokens
    for denied, other in (amounts, amounts[::-1]):
        start = denied.first - 1
        is_denied = start >= 0 and (tokens[start].kind == "not" or tokens[start].value == EXCHANGE)
        if is_denied and denied.values[0] == abs(earlier.level_pct):
            end = other.after if other.after <= start else other.after - (denied.after - start)
            rest = [*tokens[:start], *tokens[denied.after :]]
            return rest if other.is_percent else [*rest[:end], Token("percent", "%"), *rest[end:]]
    return tokens
