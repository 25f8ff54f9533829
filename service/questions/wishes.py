"""What a text wants, as it was read; without a question in it, what an example wants that it equals.

Where none equals it, the most similar ones decide, by naive Bayes over pieces of words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal, get_args

import numpy as np

from service.questions.lexicon import fold, intent_examples
from service.questions.parse import Parse
from service.questions.tokens import Token
from service.questions.topics import TopicQuestion

# Intents of a text that asks nothing about the price of a market.
Wish = Literal["advice", "accuracy", "show_votes", "about_you", "quota", "help", "why", "thanks", "greeting"]
WISHES: tuple[Wish, ...] = get_args(Wish)
Intent = Literal["question", "price", "price_forecast", "alert", "my_alerts", "cancel_alerts", Wish]
Side = Literal["above", "below"]
# A currency other than USD that a price is asked in; those of UNITS by their codes.
PriceCurrency = Literal["EUR", "GBP", "JPY", "other"]
# The classifier: letters of the longest slice, what is added to each count, and the least lead of the likeliest intent
# in mean log-likelihood, below which a text without a market is refused, also where it may carry a question on.
LONGEST_SLICE, SMOOTHING, LEAST_LEAD, LEAD_IN_CONVERSATION = 5, 0.02, 0.1, 0.4
NO_WORDS = re.compile(r"[^\w']+|[\d_]+")
PARTS = re.compile(r"[,.;!]")
POLITE = {"thanks", "greeting"}


@dataclass(frozen=True)
class TextReading:
    """What a text wants, and what it names; `meaning` is the question that it asks, if any.

    The level is in USD, `level_pct` is a move from the present price in percent, `side` is that of the level. A price
    may be asked of an `amount` and in a `currency`; its `asset` is None where several are named. `value` is that of the
    amount, or of one, in that currency or in USD; None without a rate. What money buys is an amount worth that money.
    """

    intent: Intent
    meaning: Parse | TopicQuestion | None = None
    asset: str | None = None
    level: float | None = None
    level_pct: float | None = None
    side: Side | None = None
    amount: float | None = None
    currency: PriceCurrency | None = None
    value: float | None = None


def side_of(side: float) -> Side:
    """The side of a level that is reached upwards (positive) or downwards."""
    return "above" if side > 0 else "below"


def without_phrases(intent: str, words: Sequence[Token]) -> str:
    """The text without the phrases of an intent; l'eth is one word of two tokens."""
    text = ""
    for word in words:
        if word.value != intent:
            is_elided = word.is_glued and word.text.isascii() and f"{text[-1:]}{word.text}".isalpha()
            text += ("'" if is_elided else "" if word.is_glued else " ") + word.text
    return text.strip()


def example_of(text: str) -> str | None:
    """The intent of the example that a text equals; of its first part where each thanks or greets: "danke, ciao"."""
    examples = _model()[0]
    parts = [examples.get(_plain(part)) for part in PARTS.split(text) if _plain(part)]
    return parts[0] if len(parts) > 1 and {*parts} <= POLITE else examples.get(_plain(text))


def likeliest(text: str, least_lead: float = LEAST_LEAD) -> Wish | None:
    """What a text wants: the same as an equal example, else as the most similar ones; None where two are near."""
    _, intents, columns, log_likelihoods = _model()
    intent = example_of(text)
    if intent is None:
        slices = _slices(_plain(text))
        means = log_likelihoods[:, [columns[piece] for piece in slices if piece in columns]].sum(axis=1) / len(slices)
        second, first = np.argsort(means)[-2:]
        intent = intents[first] if means[first] - means[second] >= least_lead else None
    return next((wish for wish in WISHES if wish == intent), None)


def _plain(text: str) -> str:
    """The words of a text without digits and punctuation, as the examples are written."""
    return " ".join(NO_WORDS.sub(" ", fold(text)).split())


@cache
def _model() -> tuple[dict[str, str], list[str], dict[str, int], np.ndarray]:
    """The intents of the examples, each once, the column of each slice, and its log-likelihood, a row an intent."""
    examples = intent_examples()
    counters = defaultdict[str, Counter[str]](Counter)
    for text, intent in examples.items():
        counters[intent].update(_slices(text))
    columns = {piece: place for place, piece in enumerate(dict.fromkeys(chain(*counters.values())))}
    counts = np.full((len(counters), len(columns)), SMOOTHING, np.float32)
    for row, counter in zip(counts, counters.values(), strict=True):
        row[[columns[piece] for piece in counter]] += list(counter.values())
    return examples, [*counters], columns, np.log(counts / counts.sum(axis=1, keepdims=True))


def _slices(plain: str) -> list[str]:
    """The different pieces of one to five letters of folded words, which may span the space between two words."""
    line = f" {plain} "
    pieces = (line[at : at + size] for size in range(1, LONGEST_SLICE + 1) for at in range(len(line) - size + 1))
    return list(dict.fromkeys(pieces))
