"""Which part of the text is the question: orders, asides and conditions are set apart from it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from service.forecasting.questions.tokens import Token
from service.forecasting.questions.vocabulary.kinds import MARKETS, PREDICATES, PRICED

STOPS = {"?", "!", ";", "。", "…", "¿", "¡", "|"}
COMMAS = {",", "、", "，", ":"}
CLOSING = {")", "]", "}"}
SPEAKERS = {"system", "assistant", "user", "human", "developer", "admin"}
ABBREVIATIONS = {
    *("vs", "approx", "no", "us", "st", "dr", "mr", "bzw", "ca", "env", "aprox"),
    *("г", "гг", "тыс", "млн", "млрд", "долл"),
}
# In these languages the words of a condition stand behind it.
POSTPOSED = {"Japanese", "Turkish"}


@dataclass(frozen=True)
class Sentence:
    """A stretch of tokens; `is_order` marks one that tells the reader what to answer: data, not a question."""

    tokens: tuple[Token, ...]
    is_asked: bool = False
    is_order: bool = False

    @property
    def weight(self) -> int:
        """How much of a market question the sentence holds."""
        kinds = {token.kind for token in self.tokens if token.value != "past"}
        weight = 2 * bool(kinds & MARKETS) + 2 * bool(kinds & PREDICATES) + 2 * self.is_asked
        return weight + bool(kinds & {"will", "when"}) + bool(kinds & PRICED)


@dataclass(frozen=True)
class Asked:
    """The question proper, what was set apart from it, and the other sentences in their order."""

    main: list[Token]
    aside: list[Token]
    others: list[Token]
    has_condition: bool
    is_order: bool
    has_more: bool


def find_question(tokens: Sequence[Token], language: str, matters: Set[str] = MARKETS) -> Asked | None:
    """The sentence that holds most of a market question, without its conditions.

    None where no sentence has a word of `matters`, the kinds of words that make it one about markets.
    """
    sentences = _split(tokens)
    asked = [one for one in sentences if not one.is_order]
    if not any(_names_one(one, matters) for one in asked):
        asked = sentences
    if not any(_names_one(one, matters) for one in asked):
        return None
    main = max(asked, key=lambda one: one.weight)
    others = [token for one in asked if one is not main for token in one.tokens]
    kept, aside, has_condition = _without_asides(main.tokens, language)
    more = sum(one.is_asked and one.weight >= 4 for one in asked) > 1
    return Asked(kept, aside, others, has_condition, main.is_order, more)


def _names_one(sentence: Sentence, matters: Set[str]) -> bool:
    return any(token.kind in matters for token in sentence.tokens)


def _split(tokens: Sequence[Token]) -> list[Sentence]:
    """The sentences in their order. An order in one runs to its end or to a closing bracket, and is its own."""
    result: list[Sentence] = []
    current: list[Token] = []
    order: list[Token] = []
    for place, token in enumerate(tokens):
        if _is_stop(tokens, place):
            result += [Sentence(tuple(current), token.text == "?"), Sentence(tuple(order), is_order=True)]
            current, order = [], []
        elif order or _is_order(tokens, place):
            order.append(token)
            if token.text in CLOSING:
                result.append(Sentence(tuple(order), is_order=True))
                order = []
        else:
            current.append(token)
    result += [Sentence(tuple(current)), Sentence(tuple(order), is_order=True)]
    return [one for one in result if one.tokens]


def _is_order(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.text in SPEAKERS:
        return place + 1 < len(tokens) and tokens[place + 1].text == ":"
    return token.kind == "order"


def _is_stop(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.text in STOPS:
        return True
    if token.text != "." or place == 0:
        return False
    before = tokens[place - 1]
    if place + 1 == len(tokens):
        return True
    if tokens[place + 1].glued or before.text in ABBREVIATIONS:
        return False
    if before.kind in ("month", "weekday") and len(before.text) <= 4:
        return False
    if re.fullmatch(r"\d\d?\.\d\d?", before.text) and token.glued:
        return False
    return not (before.kind in ("number", "nth") and tokens[place + 1].kind in ("month", "unit"))


def _without_asides(tokens: Sequence[Token], language: str) -> tuple[list[Token], list[Token], bool]:
    """The tokens without "if …", "after …", "BTC is at 94k, …", those set apart, and whether one was a condition."""
    lead = _statement_before(tokens)
    kept, aside, condition = list(tokens[lead:]), list(tokens[:lead]), False
    while True:
        place = next((place for place, token in enumerate(kept) if token.kind in ("if", "because")), None)
        if place is None:
            return kept, aside, condition
        first, after = _aside(kept, place, language)
        condition = condition or kept[place].kind == "if"
        aside += kept[first:after]
        kept = kept[:first] + kept[after:]


def _statement_before(tokens: Sequence[Token]) -> int:
    """How many tokens say how things are before the question begins: "BTC is at 94k, will it reach 100k"."""
    for place, token in enumerate(tokens):
        if token.kind in ("will", "if", "because"):
            return 0
        follows = next((later for later in tokens[place + 1 : place + 3] if later.kind == "will"), None)
        if token.text in COMMAS and follows:
            said = {one.kind for one in tokens[:place]}
            return place + 1 if said & (PRICED | PREDICATES) else 0
    return 0


def _aside(tokens: Sequence[Token], place: int, language: str) -> tuple[int, int]:
    """The stretch from a word of condition to the comma after it, to the verb of the question, or to the end."""
    comma = next((later for later in range(place, len(tokens)) if _is_comma(tokens, later)), None)
    if language in POSTPOSED:
        return 0, (comma or place) + 1
    if comma is not None:
        return place, comma + 1
    leads = not any(token.kind in MARKETS | {"will"} for token in tokens[:place])
    verb = next((later for later in range(place, len(tokens)) if tokens[later].kind == "will"), None)
    return (place, verb) if leads and verb is not None else (place, len(tokens))


def _is_comma(tokens: Sequence[Token], place: int) -> bool:
    """A comma, but not the one of "December 31, 2026"."""
    return tokens[place].text in COMMAS and not (place + 1 < len(tokens) and tokens[place + 1].kind == "number")
