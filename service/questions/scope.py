"""Refusals of questions that name a market: about the past, facts or other figures than prices, or unreadable."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from service.errors import InvalidQuestion, InvalidRequest
from service.questions.clause import Clause
from service.questions.criterion import EXAMPLE, NAMES, Criterion, invalid, not_about_markets
from service.questions.dates.deadline import Deadline
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.sentences import SplitText
from service.questions.subject import Subject
from service.questions.tokens import Token, first_kind
from service.questions.vocabulary import LANGUAGES, PREDICATES

LANGUAGE_NAMES = " and ".join(", ".join(language.name for language in LANGUAGES).rsplit(", ", 1))
LANGUAGES_READ = f"Languages that are read: {LANGUAGE_NAMES}."
# Words that only an English text has.
ENGLISH_ONLY = {
    *("the", "what", "about", "how", "and", "with", "when", "who", "this", "that", "does", "should", "would", "could"),
    *("will", "going", "write", "tell", "explain", "my", "your", "can", "you", "there", "their", "people", "get"),
    *("got", "these", "those", "at"),
}
ONE_DAY = (
    "Ask about one date, or how many days close up: for example, will bitcoin close up on at least 3 days this week?"
)
HINT = "Say whether the price will rise, fall, reach a level or be above it, and by when."
FACT = f"The question asks for a fact. Only future prices are forecast. For example: {EXAMPLE}"
# A question with no other kinds of words than these asks for the present price.
PRICE_NOW = {
    "what", "how", "be", "price", "now", "on", "asset", "widely", "the", "a", "filler", "mark", "money", "in", "meet",
}  # fmt: skip
# Kinds that may follow a "by" that names no deadline: "rise by 10%", "replaced by ether".
AFTER_BY = {
    "number", "money", "percent", "figures", "fraction", "fiscal", "multiple", "asset", "other", "how", "what", "above",
    "below", "mark",
}  # fmt: skip
# Kinds of figures other than a price.
FIGURES = {"metric", "width"}
# Forms of "to be", which ask for a fact where "to cost" asks for a price.
COPULAS = forms("copula")
# Kinds of words that say nothing about what should happen.
EMPTY_KINDS = {"asset", "widely", "word", "the", "a", "filler", "in", "on", "and", "or", "mark", "price"}
# Words for "not" and "whether" in other languages than those of the vocabulary: a denial must not be overlooked.
STRANGERS = {
    "niet", "geen", "nooit", "inte", "aldrig", "ikke", "aldri", "ei", "koskaan", "nie", "czy", "nigdy", "nem", "soha",
    "nu", "niciodata", "nece", "nikada", "tidak", "bukan", "jangan", "khong", "hindi",
}  # fmt: skip
# A question with its question mark; several marks in a row count once: "really?!?"
QUESTION = re.compile(r"\w[^?]*\?")
# Letters that no language of the vocabulary uses: Ukrainian, Greek, Armenian to Khmer and Mongolian, Korean.
FOREIGN_LETTER = re.compile("[іїєґ\u0370-\u03ff\u0530-\u1cff\uac00-\ud7af]")


def nameless(tokens: Sequence[Token]) -> InvalidRequest:
    """The refusal of a text that names no asset.

    InvalidQuestion if it is about markets or in a language or script that is not read, else NotAMarketQuestion.
    """
    words = [token for token in tokens if token.kind == "word"]
    if words and 2 * sum(_is_strange(token.text) for token in words) >= len(words):
        return _unread()
    kinds = {token.kind for token in tokens}
    matters = kinds & {"topic", "advice"} and "decoy" not in kinds
    if matters or ("money" in kinds and kinds & {"number", *PREDICATES}):
        return invalid(f"The question names no asset that is covered. Ask about one of {NAMES}.", "asset")
    return not_about_markets()


def refuse_looking_back(tokens: Sequence[Token]) -> None:
    """Refuse questions about the past or about reasons, and a condition without a question."""
    if not tokens:
        raise invalid(f"The text has a condition but no question. For example: {EXAMPLE}", "several")
    kinds = {token.kind for token in tokens}
    has_chance = "chance" in kinds  # "has btc any chance"
    if "will" not in kinds and ("did" in kinds or (tokens[0].kind == "have" and not has_chance)):
        raise invalid(
            f"The question is about the past. Only future prices are forecast. For example: {EXAMPLE}", "no_price"
        )
    if "why" in kinds:
        raise invalid(f"The question asks for reasons. Only prices are forecast. For example: {EXAMPLE}", "no_price")


def refuse_loose_ends(text: str, split: SplitText, subject: Subject) -> None:
    """Refuse a condition, a second question, a "when" and a second asset: others will rely on a clear yes or no."""
    if split.has_condition:
        raise invalid("The question depends on a condition. Ask without the condition.", "several")
    kinds = [token.kind for token in split.main]
    is_joined = any(pair in (("and", "will"), ("or", "will")) for pair in pairwise(kinds))
    if split.has_more or is_joined or len(QUESTION.findall(text)) > 1:
        raise invalid(f"The text contains several questions. Ask one of them. For example: {EXAMPLE}", "several")
    if "when" in kinds:
        raise invalid(f"The question asks for a time. Ask whether it happens by the deadline. For example: {EXAMPLE}")
    if subject.left_out:
        raise invalid(f"The question names several assets. Ask about one of them. For example: {EXAMPLE}", "several")


def refuse_other_matters(clause: Clause, deadline: Deadline) -> None:
    """Refuse figures of an asset other than its price, numbers of coins, and deadlines that are events."""
    tokens, kinds = clause.tokens, clause.kinds
    is_width = clause.asks_width and any(amount.is_percent for amount in clause.amounts)
    figures = {"metric"} if is_width or clause.asks_volatility else FIGURES
    if any(token.kind == "word" and _is_strange(token.text) for token in tokens):
        raise _unread()
    is_tier = any(token.kind == "approx" and token.text[:1] == "台" for token in tokens)  # "70ドル台に落ちる"
    pairs = pairwise(tokens)
    is_decade = any(number.kind == "number" and mark.text == "s" and mark.is_glued for number, mark in pairs)
    if is_decade or (is_tier and "fall" in kinds and "below" not in kinds):
        raise invalid(
            "A range like 'the 90s' is unclear. Give its ends: for example, between 90,000 and 100,000.", "level"
        )
    if "single_day" in kinds:
        raise invalid(f"Moves within one day of a longer time are not supported. {ONE_DAY}")
    if "ranking" in kinds:
        raise invalid("The best of all assets is not forecast. Ask whether one returns more than another.", "asset")
    if "session" in kinds:
        raise invalid(
            "Sessions of exchanges are not known. Name a time: for example, above 95,000 at 21:00 UTC on Friday."
        )
    if "weight" in kinds:
        raise invalid("Gold and silver are quoted in USD per troy ounce. Give the level per ounce.", "level")
    if any(_is_figure_of_asset(tokens, place, figures) for place in range(len(tokens))):
        raise invalid(
            f"Only prices are forecast, not volumes, fees, flows or market values. For example: {EXAMPLE}", "no_price"
        )
    is_deed = bool(kinds & {"stay", "act", "advice"})
    if (is_deed and any(_counts_coins(clause, amount.after) for amount in clause.amounts)) or _values_coins(clause):
        raise invalid(f"The question names a number of coins, not a price. For example: {EXAMPLE}", "no_price")
    if not clause.has_order:
        # An event is not a date: "before the halving", "by the time …", "at the end of his term".
        is_relative = any(token.kind in ("before", "after") for token in tokens)
        if is_relative or (names_event(tokens) and not deadline.is_named):
            raise invalid(
                "The deadline must be a date, not an event. Write it like 2026-12-31 or 'by Friday'.", "deadline"
            )


def _unread() -> InvalidQuestion:
    return invalid(
        "The question has words of a language that is not read, so it could not be understood with certainty. "
        f"{LANGUAGES_READ} For example: {EXAMPLE}"
    )


def _how_to_ask(tokens: Sequence[Token]) -> str:
    """What to write instead: in other words for an English text, else also in which languages."""
    is_english = any(token.text in ENGLISH_ONLY for token in tokens)
    return HINT if is_english else f"{LANGUAGES_READ} {HINT}"


def _is_strange(word: str) -> bool:
    return word in STRANGERS or bool(FOREIGN_LETTER.search(word))


def _is_figure_of_asset(tokens: Sequence[Token], place: int, figures: set[str]) -> bool:
    if tokens[place].kind not in figures:
        return False
    before = [token.kind for token in tokens[max(0, place - 3) : place] if token.kind not in ("the", "filler")]
    after = [token.kind for token in tokens[place + 1 : place + 4] if token.kind not in ("the", "filler", "on", "in")]
    pair = tokens[place].text == "ratio" and before.count("asset") == 2
    return not pair and bool({*before[-1:], *after[:1]} & {"asset", "widely"})


def _counts_coins(clause: Clause, after: int) -> bool:
    return after < len(clause.tokens) and clause.tokens[after].kind == "asset"


def _values_coins(clause: Clause) -> bool:
    """Example: "10 ETH be worth 20,000": a number that is no price before the asset, and a level."""
    inside = {place for amount in clause.amounts for place in range(amount.first, amount.after)}
    places = (place for place, token in enumerate(clause.tokens) if token.kind == "number" and place not in inside)
    return bool(clause.amounts) and any(
        _counts_coins(clause, place + 1) and first_value(clause.tokens[place]) > 1 for place in places
    )


def names_event(tokens: Sequence[Token]) -> bool:
    """Whether a word for a limit stands before anything but a date, a size or a price: "by the time of the halving"."""
    for place, token in enumerate(tokens):
        following = first_kind(tokens[place + 1 :], {"the", "a", "approx"})
        limits = token.kind in ("by", "lasting") or token.value == "start"
        if (limits and following not in AFTER_BY) or (token.kind == "end" and following == "word"):
            return True
    return False


def refuse_unreadable(clause: Clause, criterion: Criterion, deadline: Deadline, main: Sequence[Token]) -> None:
    """Refuse a question, `main`, whose words are mostly unknown, or that does not ask for a forecast."""
    words = [token for token in clause.tokens if token.kind == "word"]
    if clause.has_stray:
        raise invalid(
            f"The meaning of the number is unclear. Say what the price should do. For example: {EXAMPLE}", "level"
        )
    if criterion.comparator != "open":
        if not clause.kinds - EMPTY_KINDS and are_most_unknown(words, clause):
            hint = _how_to_ask(main)
            raise invalid(f"What to forecast about the level is unclear. {hint} For example: {EXAMPLE}", "level")
        return
    kinds = clause.kinds
    is_record = {"price", "ever"} <= kinds and not (deadline.is_named or "will" in kinds)  # "highest price ever"
    if "who" in kinds or is_record or (not deadline.is_named and _asks_what_it_is(clause)):
        raise invalid(FACT, "no_price")
    if kinds & {*FIGURES, "act", "topic", "other"} and not kinds & {"advice", "price"}:
        raise invalid(f"Only prices are forecast, not events. For example: {EXAMPLE}", "no_price")
    if are_most_unknown(words, clause):
        raise invalid(f"The question could not be understood. {_how_to_ask(main)} For example: {EXAMPLE}")


def _asks_what_it_is(clause: Clause) -> bool:
    """Example: "What is bitcoin", but not "what does bitcoin cost"."""
    is_short = clause.kinds - {"the", "a", "filler", "mark"} == {"what", "be", "asset"}
    return is_short and all(token.text in COPULAS for token in clause.tokens if token.kind == "be")


def are_most_unknown(words: Sequence[Token], clause: Clause) -> bool:
    """Whether the unknown words are at least half of all words except assets, numbers and marks."""
    total = sum(token.kind not in ("asset", "widely", "number", "mark", "money", "times") for token in clause.tokens)
    return len(words) > 1 and 2 * len(words) >= total


def asks_price_now(kinds: Set[str]) -> bool:
    """Example: "What is the price of bitcoin", "how much is gold right now", "what's silver at"."""
    asks = "price" in kinds or kinds >= {"what", "on"} or bool(kinds & {"what", "how", "now"} and kinds & {"be", "how"})
    return asks and kinds <= PRICE_NOW
