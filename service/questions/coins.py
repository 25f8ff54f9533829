"""The other coins that a text names: by a name, or by a ticker in capitals or after a dollar sign."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from service.market.assets import ASSETS
from service.questions.lexicon import Lexicon, fold, forms, lexicon
from service.questions.numerals import spelled
from service.questions.tokens import Token, clean, read
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


@dataclass(frozen=True)
class Mentions:
    """Which mentions in a text are tickers of `listed` coins; `shouts` if all of the text is in capitals."""

    keys: Collection[str]
    words: Lexicon
    shouts: bool

    def is_certain(self, dollar: str, ticker: str) -> bool:
        """Whether it has a dollar sign, or is in capitals and no other word."""
        key = ticker.lower()
        is_name = key in COINS or self.words.find(key) is None
        return bool(dollar and key in self.keys) or (is_name and self.is_possible(dollar, ticker))

    def is_possible(self, dollar: str, ticker: str) -> bool:
        """Whether it has a dollar sign or is in capitals."""
        key = ticker.lower()
        is_in_capitals = ticker == ticker.upper() and not self.shouts and key not in ABBREVIATIONS
        return key in self.keys and (bool(dollar) or is_in_capitals)


def read_markets(text: str, coins: Coins, likely: Language | None = None) -> TokenizedText:
    """The text as it was read, in the `likely` language where it may be several.

    Raises InvalidRequest for a text that is too long or not clean.

    A ticker in capitals that is also a word ("HIGH") counts only where no other market is named.
    """
    text = clean(text)
    language, tokens = read(text, likely)
    if tokens and tokens[0].kind == "zone" and tokens[0].text in FIRST_ANDS:
        tokens = [replace(tokens[0], kind="and", value=None), *tokens[1:]]  # French "et l'or ?", no Eastern Time
    if coins.keys:
        mentions = Mentions(coins.keys, lexicon(language), shouts=text == text.upper())
        result = _placed(text, mentions.is_certain, tokens, coins, language)
        if not any(token.kind in MARKET_KINDS for token in result):
            result = _placed(text, mentions.is_possible, tokens, coins, language)
        tokens = result
    if not any(token.kind in MARKET_KINDS for token in tokens):
        tokens = [_implied(tokens, place, coins) for place in range(len(tokens))]
    return TokenizedText(text, language, _with_choice(_with_sides(spelled(tokens))), len(tokens))


def _implied(tokens: Sequence[Token], place: int, coins: Coins) -> Token:
    """The token itself, or the market of a text without another: "link over 20", "will the ounce be above 4,300"."""
    token, before = tokens[place], {other.kind for other in tokens[:place]}
    if (
        re.split("[ ']", token.text)[-1] in OUNCES
        and token.kind in UNKNOWN
        and not before & {"number", "numword", "how", "money"}
    ):
        return replace(token, kind="asset", value="gold")
    has_number = any(other.kind == "number" for other in tokens)
    if token.text in FIRST_TICKERS and token.kind in UNKNOWN and not before and has_number:
        return _asset(replace(token, kind="other", text=f"{token.text} coin", value="coin"), token.text, coins)
    return token


def _with_sides(tokens: list[Token]) -> list[Token]:
    """The tokens with "100k < btc" as "above 100k btc": a sign between a price and the market says the price's side."""
    for place in range(1, len(tokens) - 1):
        token = tokens[place]
        is_sign = token.kind in OPPOSITE and not token.text.isalpha() and " " not in token.text
        if is_sign and tokens[place - 1].kind in PRICES and tokens[place + 1].kind in MARKET_KINDS:
            tokens = [*tokens[:place], replace(token, kind=OPPOSITE[token.kind]), *tokens[place + 1 :]]
    return tokens


def _with_choice(tokens: list[Token]) -> list[Token]:
    """The tokens with the Japanese か between two markets or prices as "or"; elsewhere it makes a question."""
    for place in range(1, len(tokens) - 1):
        before, after = tokens[place - 1].kind, tokens[place + 1].kind
        is_between = {before, after} <= MARKET_KINDS or (before in PRICES and after in ("number", "money"))
        if tokens[place].text == "か" and is_between:
            return [*tokens[:place], replace(tokens[place], kind="or"), *tokens[place + 1 :]]
    return tokens


def named_coins(reading: TokenizedText) -> tuple[str, ...]:
    """The keys of the listed coins that a text names, each once."""
    keys = dict.fromkeys(str(token.value) for token in reading.tokens if token.kind == "asset")
    return tuple(key for key in keys if key not in ASSETS)


def is_single_coin(token: Token) -> bool:
    """Whether a token that is not an asset names one of the other coins."""
    return token.kind == "other" and token.text in NAMES


def _marked(text: str, accept: Callable[[str, str], bool]) -> tuple[str, list[str]]:
    """The text with a private letter for each accepted mention, and the keys of these mentions."""
    keys: list[str] = []

    def mark(mention: re.Match[str]) -> str:
        if not accept(mention[1], mention[2]):
            return mention[0]
        keys.append(mention[2].lower())
        return chr(FIRST + len(keys) - 1)

    return MENTION.sub(mark, PRIVATE.sub(" ", text)), keys


def _placed(
    text: str, accept: Callable[[str, str], bool], plain: Sequence[Token], coins: Coins, language: Language
) -> list[Token]:
    """The tokens with an asset for each accepted mention and for each name of a listed coin."""
    masked_text, keys = _marked(text, accept)
    tokens = read(masked_text, language)[1] if keys else plain
    return [_asset(token, _key(token, keys), coins) for token in tokens]


def _asset(token: Token, key: str, coins: Coins) -> Token:
    return replace(token, kind="asset", text=key, value=key) if key in coins.keys else token


def _key(token: Token, keys: Sequence[str]) -> str:
    if token.kind == "mark" and PRIVATE.match(token.text) and ord(token.text) - FIRST < len(keys):
        return keys[ord(token.text) - FIRST]
    return NAMES.get(token.text, "") if token.kind == "other" else ""
