"""The words that questions are read by, loaded from the TOML files beside this module.

A speaker of a language can correct its file; `keys.toml` says what each key means and how the words are written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from service.market.assets import ASSETS
from service.market.prices import ASSUMED_RATES

FOLDER = Path(__file__).parent
# Where several languages fit a text equally well, the first of them is assumed.
FILES = ("english", "german", "french", "spanish", "portuguese", "italian", "russian", "turkish", "chinese", "japanese")

# Groups of kinds of words that several modules treat alike.
# Verbs of movement, words for a side, words before a price that is aimed at, verbs of state.
MOTIONS = {"reach", "break", "exceed", "rise", "fall", "go"}
SIDES = {"up", "down", "above", "below", "ormore", "orless", "between"}
AIMS = {"to", "until", "lasting", "target", "meet"}
STATES = {"stay", "close", "be", "on"}
RELATIONS = MOTIONS | SIDES | AIMS | STATES

# English words for a move without a direction; other words of the kind "go" also mean a rise: "return 10%".
MOVES = {"move", "moves", "moving"}

BULL = {"rise", "up"}
BEAR = {"fall", "down"}

# Names of markets: the assets, the whole crypto market, markets that are not followed.
MARKET_KINDS = {"asset", "widely", "other"}
# Words that make a sentence one about the movement of a price.
PREDICATES = (RELATIONS - AIMS - {"be", "on"}) | {"mood", "outperform", "underperform", "versus", "multiple", "record"}
# Kinds that name an event of their own.
OWN_EVENT = MOTIONS | {
    "stay", "close", "multiple", "record", "average", "moving_average", "flat", "outperform", "underperform", "better",
    "versus", "which", "mood", "worthless", "leave", "width", "swing", "fail", "indicator", "everyday", "forecast",
    "how", "not", "who", "other", "act", "topic", "metric", "advice", "order", "decoy", "weight", "chance", "both",
    "ever",
}  # fmt: skip
# Words that mark a number as a price.
PRICE_MARKS = {"money", "times", "percent"}

# The value of the first element of a list.
FIRST = {"month": 1, "weekday": 0}

# Phrases, separated by commas, under each key: "rise", "month:12", "this + unit:week".
Words = dict[str, str]


@dataclass(frozen=True, eq=False)
class Language:
    """The words of a language and what the grammar must know about it; the other fields are those of `[language]`.

    `intents` are phrases that say what a text wants besides a forecast, `texts` whole texts about no market by what
    they want, `forms` words that mean more beside a number.
    """

    name: str
    script: str
    month_first: bool
    postpositions: bool
    condition_first: bool
    negations_cancel: bool
    words: Words
    intents: Words
    texts: Words
    forms: Words
    lacks: str = ""
    spellings: str = ""


def load(file: str) -> dict[str, Any]:
    """The sections of a vocabulary file."""
    return tomllib.loads((FOLDER / f"{file}.toml").read_text(encoding="utf-8"))


def entries(sections: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Each key of the sections with its phrases; a table or a list gives one key for each of its values."""
    for section in sections.values():
        for key, phrases in section.items():
            if isinstance(phrases, str):
                yield key, phrases
                continue
            values = phrases.items() if isinstance(phrases, dict) else enumerate(phrases, FIRST[key])
            yield from ((f"{key}:{value}", of_value) for value, of_value in values)


def _language(file: str) -> Language:
    sections = load(file)
    traits = sections.pop("language")
    verbs = sections.pop("verbs", None)
    words: Words = {}
    for key, phrases in chain(_conjugated(verbs) if verbs else (), entries(sections)):
        words[key] = f"{words[key]}, {phrases}" if key in words else phrases
    intents, texts, forms = (
        {key: words.pop(key) for key in list(words) if key.startswith(name)} for name in ("intent:", "text:", "form:")
    )
    return Language(**traits, words=words, intents=intents, texts=texts, forms=forms)


def _conjugated(verbs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The forms of verbs that are given as stems: affirmative, negative and, for some keys, past."""
    stems, endings = verbs["stems"], verbs["endings"]
    for negation, ending in ("", "will"), ("not + ", "will_not"), ("not:before + ", "without"):
        yield from ((f"{negation}{key}", _joined(stems[key], endings[ending])) for key in stems)
    yield from ((f"{key}:past", _joined(stems[key], endings["past"])) for key in verbs["past"].split(", "))


def _joined(stems: str, endings: str) -> str:
    return ", ".join(stem + suffix.strip() for stem in stems.split(", ") for suffix in endings.split(","))


LANGUAGES = tuple(_language(file) for file in FILES)
# Words of every language: what traders write everywhere, the names of markets that are followed, and other names.
COMMON, MARKETS, OTHERS = (dict(entries(load(file))) for file in ("common", "markets", "others"))
_NAMES_OF_COINS = load("coins")
MARKETS |= {
    f"asset:{key}": ", ".join(filter(None, (asset.words, _NAMES_OF_COINS.get(key)))) for key, asset in ASSETS.items()
}
MARKETS |= {
    f"asset:{key} + currency:{currency}": ",".join(f"{base}{currency}" for base in asset.tickers or (key,))
    for key, asset in ASSETS.items()
    for currency in ASSUMED_RATES
}
# The names of other coins by ticker.
COINS: Words = {
    ticker: f"{names}, {ticker} coin, {ticker} token"
    for ticker, names in _NAMES_OF_COINS.items()
    if ticker not in ASSETS
}
for _key, _field in ("decoy", "decoys"), ("other:lookalike", "lookalikes"), ("other:fund", "funds"):
    OTHERS[_key] = ",".join([OTHERS.get(_key, ""), *(getattr(asset, _field) for asset in ASSETS.values())])
OTHERS["other:coin"] += "," + ",".join(COINS.values())
