"""The other coins that a text names: by a name, or by a ticker in capitals or after a dollar sign."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from service.market.assets import ASSETS
from service.questions.dates.matching import refuse_far_years
from service.questions.lexicon import fold, forms, lexicon
from service.questions.numerals import spelled
from service.questions.tokens import Token, clean, first_kind, read
from service.questions.vocabulary import COINS, MARKET_KINDS, Language

# "$DOGE", "DOGE", "DOGE/USDT"; which of them is a ticker depends on the list of coins.
MENTION = re.compile(r"(?<![\w$])(\$?)([A-Za-z0-9]{1,12}?)(?:[/-]?USD[TC]?)?(?!\w)", re.ASCII)
# In the place of a mention stands a letter for private use, so that the rest is read as always.
FIRST, LAST = 0xE000, 0xF8FF
PRIVATE = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")
# Abbreviations of texts about markets; a coin with such a ticker needs the dollar sign.
ABBREVIATIONS = {
    "ai", "am", "ath", "atl", "btw", "cpi", "dca", "dex", "eod", "eom", "eow", "eoy", "est", "et", "etf", "eu", "fed",
    "fomc", "fud", "gdp", "gmt", "gpt", "hodl", "imo", "ma", "nft", "no", "not", "ok", "or", "otc", "pm", "pnl",
    "pst", "q", "roi", "rsi", "sec", "ta", "tbh", "tldr", "tvl", "uk", "us", "usa", "utc", "vs", "wtf", "yes", "ytd",
}  # fmt: skip
# Words for the market of a text that names no other, and the kinds of those words.
OUNCES, FIRST_TICKERS, FIRST_ANDS = forms("ounce"), forms("first_ticker"), forms("first_and")
BELOW_NUMBERS, LATER_WORDS = forms("below_number"), forms("late")
UNKNOWN = {"word", "filler"}
# Kinds of the last token of a price, and the sides that a sign between a price and a market exchanges.
PRICES = {"number", "times", "money"}
OPPOSITE = {"above": "below", "below": "above"}
NAMES = {
    " ".join(fold(name).replace("-", " ").split()): ticker
    for ticker, names in COINS.items()
    for name in names.split(",")
}


@dataclass(frozen=True)
class Coins:
    """The keys of the other coins that are `listed`; `reason` says why another one is not answered."""

    keys: Collection[str] = frozenset()
    reason: str = ""


NO_COINS = Coins()


class TokenizedText(NamedTuple):
    """A clean text as it was read: its language, its tokens with numbers for numbers in words, and their count before.

    A listed coin is a token of the kind "asset".
    """

    text: str
    language: Language
    tokens: list[Token]
    size: int


def read_markets(text: str, coins: Coins, likely: Language | None = None) -> TokenizedText:
    """The text as it was read, in the `likely` language where it may be several.

    Raises InvalidRequest for a text that is too long, not clean or names a year outside of the calendar. A ticker in
    capitals that is also a word ("HIGH") counts only where no other market is named.
    """
    text = clean(text)
    language, tokens = read(text, likely)
    refuse_far_years(tokens)
    tokens = _without_idle_later(tokens)
    if tokens and tokens[0].kind == "zone" and tokens[0].text in FIRST_ANDS:
        tokens = [replace(tokens[0], kind="and", value=None), *tokens[1:]]  # French "et l'or ?", no Eastern Time
    if coins.keys:
        result = _placed(text, tokens, coins, language, allows_words=False)
        names_market = any(token.kind in MARKET_KINDS for token in result)
        tokens = result if names_market else _placed(text, tokens, coins, language, allows_words=True)
    if not any(token.kind in MARKET_KINDS for token in tokens):
        tokens = [_implied(tokens, place, coins) for place in range(len(tokens))]
    return TokenizedText(text, language, _with_signs(spelled(tokens)), len(tokens))


def _without_idle_later(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a filler for "later" where no length of time is beside it: German "später diese woche"."""
    kinds = ["", *(token.kind for token in tokens), ""]
    return [
        replace(token, kind="filler") if token.text in LATER_WORDS and "unit" not in (before, behind) else token
        for token, before, behind in zip(tokens, kinds, kinds[2:], strict=False)
    ]


def _implied(tokens: Sequence[Token], place: int, coins: Coins) -> Token:
    """The token itself, or the market of a text without another: "link over 20", "will the ounce be above 4,300"."""
    token, before = tokens[place], {other.kind for other in tokens[:place]}
    if token.kind not in UNKNOWN:
        return token
    if re.split("[ ']", token.text)[-1] in OUNCES and not before & {"number", "numword", "how", "money"}:
        return replace(token, kind="asset", value="gold")
    has_number = any(other.kind == "number" for other in tokens)
    if token.text in FIRST_TICKERS and not before and has_number:
        return _asset(replace(token, kind="other", text=f"{token.text} coin", value="coin"), token.text, coins)
    return token


def _with_signs(tokens: list[Token]) -> list[Token]:
    """The tokens with what a sign means between two others.

    "100k < btc" is "above 100k btc". The Japanese か between two markets or prices is "or"; elsewhere it asks.
    """
    result = list(tokens)
    for place, token in enumerate(tokens):
        is_below = token.kind == "numword" and token.text in BELOW_NUMBERS  # Turkish "600 altı"
        if is_below and first_kind(tokens[:place][::-1], {"filler"}) in PRICES:
            result[place] = replace(token, kind="below", value=None)
    for place, (first, sign, last) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False), 1):
        before, after = first.kind, last.kind
        is_side = sign.kind in OPPOSITE and not sign.text.isalpha() and " " not in sign.text
        if is_side and before in PRICES and after in MARKET_KINDS:
            result[place] = replace(sign, kind=OPPOSITE[sign.kind])
        is_choice = {before, after} <= MARKET_KINDS or (before in PRICES and after in ("number", "money"))
        if sign.text == "か" and is_choice:
            result[place] = replace(sign, kind="or")
    return result


def named_coins(reading: TokenizedText) -> tuple[str, ...]:
    """The keys of the listed coins that a text names, each once."""
    keys = dict.fromkeys(str(token.value) for token in reading.tokens if token.kind == "asset")
    return tuple(key for key in keys if key not in ASSETS)


def is_single_coin(token: Token) -> bool:
    """Whether a token that is not an asset names one of the other coins."""
    return token.kind == "other" and token.text in NAMES


def _placed(text: str, plain: Sequence[Token], coins: Coins, language: Language, *, allows_words: bool) -> list[Token]:
    """The tokens with an asset for each ticker and for each name of a listed coin.

    A ticker has a dollar sign, or it alone is in capitals and, unless `allows_words`, no other word.
    """
    keys: dict[str, str] = {}  # by the private letter in the place of a mention
    words, shouts = lexicon(language), text == text.upper()

    def mark(mention: re.Match[str]) -> str:
        dollar, ticker, key = mention[1], mention[2], mention[2].lower()
        is_in_capitals = ticker == ticker.upper() and not shouts and key not in ABBREVIATIONS
        is_ticker = is_in_capitals and (allows_words or key in COINS or words.find(key) is None)
        if key not in coins.keys or not (dollar or is_ticker):
            return mention[0]
        letter = chr(FIRST + len(keys))
        keys[letter] = key
        return letter

    masked_text = MENTION.sub(mark, PRIVATE.sub(" ", text))
    tokens = read(masked_text, language)[1] if keys else plain
    names = {token.text: NAMES.get(token.text, "") for token in tokens if token.kind == "other"} | keys
    return [_asset(token, names.get(token.text, ""), coins) for token in tokens]


def _asset(token: Token, key: str, coins: Coins) -> Token:
    return replace(token, kind="asset", text=key, value=key) if key in coins.keys else token
