"""Finds the question in the text: instructions, asides and conditions are separated from it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from service.questions.dates.roles import DAY_WORDS
from service.questions.tokens import Token
from service.questions.vocabulary import MARKET_KINDS, PREDICATES, PRICE_MARKS, Language

STOPS = {"?", "!", ";", "。", "…", "¿", "¡", "|"}
COMMAS = {",", "、", "，", ":"}
CLOSERS = {")", "]", "}"}
SPEAKERS = {"system", "assistant", "user", "human", "developer", "admin"}
ABBREVIATIONS = {
    *("vs", "approx", "no", "us", "st", "dr", "mr", "bzw", "ca", "env", "aprox", "mind"),
    *("г", "гг", "тыс", "млн", "млрд", "долл", "след"),
}
# Kinds with which the date after "the week after" begins.
ANCHORS = {
    *("holiday", "weekday", "month", "rel", "iso", "date", "slash", "glyphdate", "nth", "ordinal", "number", "eo"),
    *("end", "start", "mid", "early", "late", "season", "q", "next", "this", "weekend"),
}
# Kinds after the point of an ordinal number: "3. Dezember".
AFTER_ORDINAL = ("month", "unit", "next", "this", "the", "holiday", "daypart")
# Kinds with which a date beside a price is written.
DATE_KINDS = {"month", "weekday", "holiday", "rel", "eo", "by", "in", "on", "this", "next", "unit", "the"}
# Kinds of a second sentence that adds a level.
ADDED_KINDS = {"or", "number", "the", "to", "until", *PRICE_MARKS} - {"percent"}
# Kinds of a span of time before the question: "Over the next ten days, will btc fall?"
SPAN = {"above", "the", "next", "number", "numword", "unit"}
# Kinds of words that ask nothing.
FILLERS = {"word", "noise", "filler", "mark"}
# Fragments of so many tokens are read as one sentence.
MOST_FRAGMENT_TOKENS = 16
# "And the price of silver" has so many tokens.
MOST_FOLLOWING = 4
# Kinds of a question that no price is added to.
WITHOUT_PRICE = {"number", "what", "how", "outperform", "versus", "which"}
# From this weight on, a second sentence with a question mark is a question of its own.
FULL_WEIGHT = 4


@dataclass(frozen=True)
class Sentence:
    """A sequence of tokens; `is_order` marks one that tells the reader what to answer, which is not a question."""

    tokens: tuple[Token, ...]
    has_question_mark: bool = False
    is_order: bool = False

    @property
    def weight(self) -> int:
        """How much the sentence looks like a market question."""
        kinds = {token.kind for token in self.tokens if token.value != "past"}
        if kinds <= FILLERS | {"ever", "chance"}:
            return int(self.has_question_mark)  # "Right?", "Possible?"
        weight = bool(kinds & MARKET_KINDS) + bool(kinds & PREDICATES) + self.has_question_mark
        return 2 * weight + bool(kinds & {"will", "when"}) + bool(kinds & PRICE_MARKS)

    @property
    def is_fragment(self) -> bool:
        """Whether it is hardly more than the name of a market: the first part of "Bitcoin. 100k. Christmas?"."""
        return {token.kind for token in self.tokens} <= MARKET_KINDS | FILLERS | {"the", "a", "forecast", "price"}

    @property
    def is_follow_up(self) -> bool:
        """Whether it only names a market, after a question about another one: "and silver?"."""
        return self.is_fragment or (self.tokens[0].kind == "and" and len(self.tokens) <= MOST_FOLLOWING)

    @property
    def is_question(self) -> bool:
        """Whether it is surely a question of its own."""
        return self.has_question_mark and (self.weight >= FULL_WEIGHT or self.is_price)

    @property
    def is_off_topic(self) -> bool:
        """Whether it asks something else: "also is it gonna rain tomorrow"."""
        kinds = [token.kind for token in self.tokens if token.kind != "filler"]
        is_asked = "will" in kinds or kinds[:1] == ["be"]
        return is_asked and "word" in kinds and not {*kinds} & (MARKET_KINDS | PRICE_MARKS)

    @property
    def is_bare_price(self) -> bool:
        """Whether it is a price, but no percentage, that adds to the sentence before it: "like 3k"."""
        return self.is_price and not self.has_question_mark and not _has_kind([self], {"percent"})

    @property
    def is_price(self) -> bool:
        """Whether it is a price alone or with its date: "96k?", "120k by January?"."""
        kinds = {token.kind for token in self.tokens}
        return bool(kinds & PRICE_MARKS) and kinds <= PRICE_MARKS | DATE_KINDS | {"number", "mark", "approx"}


@dataclass(frozen=True)
class SplitText:
    """The question itself, the asides that were separated from it, and the tokens of the other sentences."""

    main: list[Token]
    aside: list[Token]
    others: list[Token]
    has_condition: bool
    is_order: bool
    has_more: bool


def find_question(tokens: Sequence[Token], language: Language, matters: Set[str] = MARKET_KINDS) -> SplitText | None:
    """Split the text around the sentence that is most like a market question; None if none has a kind of `matters`."""
    sentences = _split(tokens)
    candidates = [sentence for sentence in sentences if not sentence.is_order]
    if not _has_kind(candidates, matters):
        candidates = sentences
    if not _has_kind(candidates, matters):
        return None
    main = max(
        candidates, key=lambda sentence: (sentence.weight, not sentence.is_follow_up, sentence.has_question_mark)
    )
    prices = [sentence for sentence in sentences[sentences.index(main) + 1 :] if sentence.is_bare_price]
    are_dated = _has_kind([main], DATE_KINDS) and _has_kind(prices, DATE_KINDS)
    # "Will eth moon this month? like 3k"
    if len(prices) == 1 and not are_dated and not _has_kind([main], WITHOUT_PRICE):
        candidates = [sentence for sentence in candidates if sentence not in (main, prices[0])]
        main = replace(main, tokens=(*main.tokens, *prices[0].tokens))
    others = [token for sentence in candidates if sentence is not main for token in sentence.tokens]
    has_number = any(token.kind == "number" for token in others)
    if main.is_fragment and has_number and len(main.tokens) + len(others) <= MOST_FRAGMENT_TOKENS:
        main, others = Sentence(tuple(token for sentence in candidates for token in sentence.tokens)), []
    rest, aside, has_condition = _without_asides(main.tokens, language)
    has_more = any(sentence.is_question or sentence.is_off_topic for sentence in candidates if sentence is not main)
    return SplitText(rest, aside, others, has_condition, main.is_order, has_more)


def _has_kind(sentences: Sequence[Sentence], kinds: Set[str]) -> bool:
    return any(token.kind in kinds for sentence in sentences for token in sentence.tokens)


def _split(tokens: Sequence[Token]) -> list[Sentence]:
    """The sentences in order. An instruction is a sentence of its own, up to the next stop or closing bracket."""
    result: list[Sentence] = []
    current: list[Token] = []
    order: list[Token] = []
    for place, token in enumerate(tokens):
        if _is_stop(tokens, place):
            result += [Sentence(tuple(current), token.text == "?"), Sentence(tuple(order), is_order=True)]
            current, order = [], []
        elif order or _is_order(tokens, place):
            order.append(token)
            if token.text in CLOSERS:
                result.append(Sentence(tuple(order), is_order=True))
                order = []
        else:
            current.append(token)
    result += [Sentence(tuple(current)), Sentence(tuple(order), is_order=True)]
    return [sentence for sentence in result if sentence.tokens]


def _is_order(tokens: Sequence[Token], place: int) -> bool:
    if tokens[place].text in SPEAKERS:
        return any(token.text == ":" for token in tokens[place + 1 : place + 2])
    return tokens[place].kind == "order"


def _is_stop(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.text in STOPS:
        return not _adds_level(tokens[:place], tokens[place + 1 :])
    if token.text != "." or place == 0:
        return False
    before = tokens[place - 1]
    if place + 1 == len(tokens):
        return True
    is_short = before.text in ABBREVIATIONS or (before.kind in ("month", "weekday") and len(before.text) <= 4)
    is_date = token.is_glued and re.fullmatch(r"\d\d?\.\d\d?", before.text)
    if tokens[place + 1].is_glued or is_short or is_date:
        return False
    is_day = place > 1 and tokens[place - 2].text.split()[-1] in DAY_WORDS  # "bis zum 5. auf 90k"
    return not (before.kind in ("number", "nth") and (is_day or tokens[place + 1].kind in AFTER_ORDINAL))


def _adds_level(before: Sequence[Token], behind: Sequence[Token]) -> bool:
    """Whether another level follows one that is to be reached first: "does it reach 60k first? or 45k?"."""
    last = next((place for place, token in enumerate(behind) if token.text in STOPS), len(behind))
    kinds = [token.kind for token in behind[:last]]
    is_level = kinds[:1] == ["or"] and "number" in kinds and {*kinds} <= ADDED_KINDS
    leads = [token for token in before if token.kind not in ("filler", "the")]
    is_order = any(  # "60k first?", "first reach 60k"
        (first.kind, first.value) == ("ordinal", 1.0) and second.kind in ("", "reach")
        for first, second in pairwise([*leads, Token("", "")])
    )
    return is_level and is_order and any(token.kind == "number" for token in leads)


def _without_asides(tokens: Sequence[Token], language: Language) -> tuple[list[Token], list[Token], bool]:
    """The tokens without "if …", "after …", "BTC is at 94k, …"; the removed tokens; whether one was a condition."""
    lead = _statement_before(tokens)
    rest, aside, condition = list(tokens[lead:]), list(tokens[:lead]), False
    while True:
        place = next((place for place in range(len(rest)) if _begins_aside(rest, place)), None)
        if place is None:
            return rest, aside, condition
        first, after = _aside(rest, place, language)
        condition = condition or rest[place].kind in ("if", "when")
        aside += rest[first:after]
        rest = rest[:first] + rest[after:]


def _begins_aside(tokens: Sequence[Token], place: int) -> bool:
    """Whether circumstances begin here; "2 weeks after Easter" and "the week after next" are dates."""
    if tokens[place].kind == "when":
        return _is_condition(tokens[:place], tokens[place + 1 :])
    if tokens[place].kind != "after":
        return tokens[place].kind in ("if", "because") and (tokens[place].value != "first" or place == 0)
    before = [token.kind for token in tokens[max(0, place - 3) : place] if token.kind != "the"]
    behind = next((token for token in tokens[place + 1 :] if token.kind != "the"), None)
    if not before or before[-1] not in ("unit", "weekday", "weekend"):
        return True
    is_counted = before[-1] == "unit" and before[-2:-1] in (["number"], ["a"])
    return not is_counted and (behind is None or behind.kind not in ANCHORS)


def _is_condition(before: Sequence[Token], behind: Sequence[Token]) -> bool:
    """Whether "when" names circumstances, "above 150 when markets open", rather than asks for a time."""
    is_asked = any(token.kind in PREDICATES | {"number"} for token in before)
    words = [token.kind for token in behind if token.kind != "mark"]
    return is_asked and len(words) > 1 and words[0] != "will" and "number" not in words


def _statement_before(tokens: Sequence[Token]) -> int:
    """The number of tokens in a statement before the question: "BTC is at 94k, will it reach 100k"."""
    for place, token in enumerate(tokens):
        if token.kind in ("will", "because", "after") or (token.kind == "if" and (token.value != "first" or not place)):
            return 0
        follows = next((later for later in tokens[place + 1 : place + 3] if later.kind == "will"), None)
        if token.text in COMMAS and follows:
            kinds = {token.kind for token in tokens[:place]}
            return place + 1 if kinds & (PRICE_MARKS | PREDICATES) and not kinds <= SPAN else 0
    return 0


def _aside(tokens: Sequence[Token], place: int, language: Language) -> tuple[int, int]:
    """Where an aside begins and ends: from its first word to the next comma, the verb of the question, or the end."""
    comma = next((later for later in range(place, len(tokens)) if _is_comma(tokens, later)), None)
    if language.condition_first:
        return 0, (comma or place) + 1
    if comma is not None:
        return place, comma + 1
    leads = not any(token.kind in MARKET_KINDS | {"will"} for token in tokens[:place])
    verb = next((later for later in range(place, len(tokens)) if tokens[later].kind == "will"), None)
    return (place, verb) if leads and verb is not None else (place, len(tokens))


def _is_comma(tokens: Sequence[Token], place: int) -> bool:
    """A comma, but not the one of "December 31, 2026"."""
    in_date = place > 0 and tokens[place - 1].kind in ("number", "nth", "month")
    precedes_year = in_date and place + 1 < len(tokens) and tokens[place + 1].kind == "number"
    return tokens[place].text in COMMAS and not precedes_year
