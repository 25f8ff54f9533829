"""What is refused although it names a market: the past, facts, other figures than prices, what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from service.errors import InvalidRequest
from service.forecasting.questions.clause import Clause
from service.forecasting.questions.criterion import Criterion
from service.forecasting.questions.dates.deadline import Deadline
from service.forecasting.questions.refusals import EXAMPLE, NAMES, invalid, not_about_markets
from service.forecasting.questions.sentences import Asked
from service.forecasting.questions.subject import Subject
from service.forecasting.questions.tokens import Token
from service.forecasting.questions.vocabulary.kinds import PREDICATES

LANGUAGES = "English, German, French, Spanish, Portuguese, Italian, Russian, Turkish, Chinese or Japanese"
# A question of nothing but these kinds of words asks for the present price.
PRICE_NOW = {
    "what", "how", "be", "price", "now", "asset", "widely", "the", "a", "filler", "mark", "money", "in", "meet",
}  # fmt: skip
# What may follow a "by" that names no deadline: "rise by 10%", "replaced by ether".
AFTER_BY = {
    "number", "money", "percent", "figures", "multiple", "asset", "other", "how", "what", "above", "below", "mark",
}  # fmt: skip
# Kinds of words that say nothing about what should happen.
EMPTY = {"asset", "widely", "word", "the", "a", "filler", "in", "on", "and", "or", "mark", "price"}
# Words for "not" and "whether" of languages that are not read here: a denial must not be overlooked.
STRANGERS = {
    "niet", "geen", "nooit", "inte", "aldrig", "ikke", "aldri", "ei", "koskaan", "nie", "czy", "nigdy", "nem", "soha",
    "nu", "niciodata", "nece", "nikada", "tidak", "bukan", "jangan", "khong", "hindi",
}  # fmt: skip
# A question with its mark; some marks stand together: "really?!?"
ASKED = re.compile(r"\w[^?]*\?")
FOREIGN_LETTER = re.compile("[\u0370-\u03ff\u0530-\u109f\u1100-\u11ff\u0900-\u0eff\uac00-\ud7af]")


def nameless(tokens: Sequence[Token]) -> InvalidRequest:
    """The refusal of a text that names no asset: a market matter all the same, or none."""
    kinds = {token.kind for token in tokens}
    matters = kinds & {"topic", "advice"} and "decoy" not in kinds
    if matters or ("money" in kinds and kinds & {"number", *PREDICATES}):
        return invalid(f"No asset that is followed here is named. Ask about one of {NAMES}.")
    return not_about_markets()


def refuse_looking_back(tokens: Sequence[Token]) -> None:
    """Only what is still to come can be forecast, and a bare condition asks nothing."""
    if not tokens:
        raise invalid(f"Only a condition is named, no question. For example: {EXAMPLE}")
    kinds = {token.kind for token in tokens}
    if "will" not in kinds and ("did" in kinds or tokens[0].kind == "have"):
        raise invalid(f"This asks about the past; only what is still to come is forecast. For example: {EXAMPLE}")
    if "why" in kinds:
        raise invalid(f"This asks for reasons; only prices are forecast. For example: {EXAMPLE}")


def refuse_loose_ends(text: str, asked: Asked, subject: Subject) -> None:
    """What must come out as yes or no in public has no condition, no second question and no "when"."""
    if asked.has_condition:
        raise invalid("It hangs on a condition. Ask what comes out yes or no whatever else happens.")
    kinds = [token.kind for token in asked.main]
    joined = any(pair in (("and", "will"), ("or", "will")) for pair in pairwise(kinds))
    if asked.has_more or joined or len(ASKED.findall(text)) > 1:
        raise invalid(f"Several questions are asked. Ask one of them; for example: {EXAMPLE}")
    if "when" in kinds:
        raise invalid(
            f"This asks for a time. Ask whether it will have happened by the deadline; for example: {EXAMPLE}"
        )
    if subject.left_out:
        raise invalid(f"Several assets are named. Ask about one of them; for example: {EXAMPLE}")


def refuse_other_matters(clause: Clause, deadline: Deadline) -> None:
    """Figures of an asset other than its price, amounts of coins, and deadlines that are events."""
    tokens, kinds = clause.tokens, clause.kinds
    if any(token.kind == "word" and _is_strange(token.text) for token in tokens):
        raise invalid(f"The question could not be read with certainty. Ask in {LANGUAGES}.")
    if "weight" in kinds:
        raise invalid("Gold and silver are quoted in USD per troy ounce here. Give the level per ounce.")
    if any(_is_figure_of_asset(tokens, place) for place in range(len(tokens))):
        raise invalid(f"Only prices are forecast, no volumes, fees, flows or market values. For example: {EXAMPLE}")
    if kinds & {"stay", "act", "advice"} and any(_counts_coins(clause, amount.after) for amount in clause.amounts):
        raise invalid(f"That is a number of coins, not a price. For example: {EXAMPLE}")
    _refuse_event_deadline(tokens, deadline)


def _is_strange(word: str) -> bool:
    return word in STRANGERS or bool(FOREIGN_LETTER.search(word))


def _is_figure_of_asset(tokens: Sequence[Token], place: int) -> bool:
    if tokens[place].kind != "metric":
        return False
    before = [token.kind for token in tokens[max(0, place - 3) : place] if token.kind not in ("the", "filler")]
    after = [token.kind for token in tokens[place + 1 : place + 4] if token.kind not in ("the", "filler", "on", "in")]
    pair = tokens[place].text == "ratio" and before.count("asset") == 2
    return not pair and (before[-1:] == ["asset"] or after[:1] == ["asset"])


def _counts_coins(clause: Clause, after: int) -> bool:
    return after < len(clause.tokens) and clause.tokens[after].kind == "asset"


def _refuse_event_deadline(tokens: Sequence[Token], deadline: Deadline) -> None:
    """ "Before the halving", "by the time …": an event is no date."""
    for place, token in enumerate(tokens):
        following = next((later.kind for later in tokens[place + 1 :] if later.kind not in ("the", "a", "approx")), "")
        names_event = token.kind in ("by", "lasting") and not deadline.is_named and following not in AFTER_BY
        if token.kind == "before" or names_event:
            raise invalid("The deadline must be a date, not an event. Write it like 2026-12-31 or 'by Friday'.")


def refuse_unreadable(clause: Clause, criterion: Criterion, deadline: Deadline) -> None:
    """What names an asset but otherwise consists of unknown words, or asks for no forecast at all."""
    words = [token for token in clause.tokens if token.kind == "word"]
    if clause.has_stray:
        raise invalid(f"The number in it could not be made out. Say what should happen to it; for example: {EXAMPLE}")
    if criterion.comparator != "open":
        _refuse_guess(clause, words)
        return
    kinds = clause.kinds
    if "who" in kinds or (not deadline.is_named and kinds - {"the", "a", "filler", "mark"} == {"what", "be", "asset"}):
        raise invalid(f"This asks for a fact; only prices still to come are forecast. For example: {EXAMPLE}")
    if kinds & {"metric", "act", "topic", "other"} and not kinds & {"advice", "price"}:
        raise invalid(f"Only prices are forecast, not events. For example: {EXAMPLE}")
    if not deadline.is_named and _asks_price_now(kinds):
        raise invalid(f"This asks for the present price; ask where it will be. For example: {EXAMPLE}")
    if are_most_unknown(words, clause):
        raise invalid(f"What is asked could not be made out. Ask in {LANGUAGES}; for example: {EXAMPLE}")


def _refuse_guess(clause: Clause, words: Sequence[Token]) -> None:
    """A level without any word of relation among unknown words is no question that was understood."""
    if not clause.kinds - EMPTY and are_most_unknown(words, clause):
        raise invalid(
            f"What is asked about the level could not be made out. Ask in {LANGUAGES}; for example: {EXAMPLE}"
        )


def are_most_unknown(words: Sequence[Token], clause: Clause) -> bool:
    """Whether the unknown words are at least half of all words beside assets, numbers and marks."""
    said = sum(token.kind not in ("asset", "widely", "number", "mark", "money", "times") for token in clause.tokens)
    return len(words) > 1 and 2 * len(words) >= said


def _asks_price_now(kinds: frozenset[str]) -> bool:
    return bool(kinds & {"what", "how", "now"}) and bool(kinds & {"price", "be", "how"}) and kinds <= PRICE_NOW
