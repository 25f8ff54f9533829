"""The present price that a text asks for, also of an amount: "btc now", "how much are 0.35 eth in euros"."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise, takewhile
from math import prod
from typing import get_args

from service.market.assets import ASSETS
from service.market.prices import Rate
from service.questions.amounts import find_amounts
from service.questions.circumstances import Circumstances
from service.questions.coins import read_markets
from service.questions.conversation import ContextQuestion, asks_size
from service.questions.criterion import NEAR_FACTOR, is_near
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.parse import Parse
from service.questions.scope import asks_price_now
from service.questions.tokens import Token
from service.questions.vocabulary import MARKET_KINDS, SIDES, Language
from service.questions.wishes import PriceCurrency, TextReading, without_phrases

# Kinds of a text that is hardly more than the name of an asset.
BARE_KINDS = {"asset", "widely", "mark", "filler", "the", "a", "money"}
# Kinds that may stand beside that in a question for the present price, and "today".
PRESENT = {"now", "be", "what", "which", "how", "on"}
TODAY = ("rel", 0.0)
# Kinds of the currency that a price is asked for in: "in euro".
CURRENCIES = {"currency", "foreign"}
MONEY = {"money", *CURRENCIES}
# Kinds of the number of an amount, and of what stands between it and its asset; the value of words that count pieces.
NUMBERS, PIECE, THAT_DAY = {"number", "numeral", "numword"}, "piece", "that day"
BESIDE_AMOUNT = {"filler", "the", "topic", "weight", "times"}
PIECES = {"topic", "weight"}  # "half a coin", "40 grams"
BEFORE_AMOUNT = {"", "and", "mark", "filler", "how", "what", "be", "have", "the"}
AFTER_AMOUNT = {"", "in", "mark", "be", "how"}
OUNCES = {"gram": 1 / 31.1034768, "kilo": 1000 / 31.1034768}  # troy ounces in a weight
# Words that are "for" before what is paid and a limit of time elsewhere; kinds of "and for 500 pounds" after a price.
FOR = forms("paid")
CARRIED_PURCHASE = {"and", "number", "times", "mark", "filler", "how", "what", "during", "by", *MONEY}
# Kinds of a text that is nothing else than an amount of money in an asset.
CONVERSION = {"number", "times", "mark", "in", "asset", *MONEY}
# Kinds that may not stand in "how much btc do i get for 1000 dollars".
NO_PURCHASE = {
    *SIDES, "rise", "fall", "forecast", "chance", "if", "by", "until", "on", "weekday", "month", "exceed", "ever",
    "next", "this", "year", "halfyear", "holiday", "eo", "will", "reach", "unit", "iso", "date", "slash", "nth",
    "weekend", "season", "clock", "after", "later", "daypart",
}  # fmt: skip
# Kinds that ask what is to come.
FUTURE_KINDS = {"forecast", "will"}


def price_of(
    asset: str,
    tokens: Sequence[Token],
    circumstances: Circumstances,
    amount: float | None,
    context: ContextQuestion | None,
) -> TextReading:
    """The present price that is asked for: "how much are 0.35 eth in euros", "price of sol and bnb".

    After a price its currency stays ("and gold?"), and its amount where money but no asset is named ("in pounds?").
    """
    is_one = len({token.value for token in tokens if token.kind == "asset"}) < 2
    amount = amount if is_one else None
    codes = [token.value if token.kind == "currency" else "other" for token in tokens if token.kind in CURRENCIES]
    if context and context.is_price:
        kinds = {token.kind for token in tokens}
        amount = amount or (context.amount if kinds & MONEY and "asset" not in kinds else None)
        codes = codes or ([] if "money" in kinds else [context.currency])
    currency = next((name for code in codes for name in get_args(PriceCurrency) if name == code), None)
    spot, rate = circumstances.spots.get(asset), circumstances.rates.get(currency) if currency else Rate(1.0)
    value = (amount or 1) * float(spot) / rate.usd if spot and rate and rate.is_fresh(circumstances.now) else None
    return TextReading(
        "price", asset=asset if is_one else None, amount=amount, currency=currency, value=value if is_one else None
    )


def purchase_of(
    tokens: Sequence[Token], circumstances: Circumstances, context: ContextQuestion | None
) -> TextReading | None:
    """What an amount of money buys now: "how much btc do i get for 1000 dollars", "100 pounds in gold", else None.

    An amount near the price is a level unless it stands after "for" or before "in" or "buy". After a price "and for 500
    pounds" asks for what they buy.
    """
    kinds, amounts, asset = {token.kind for token in tokens}, find_amounts(tokens), first_asset(tokens)
    is_carried = context is not None and context.is_price and kinds <= CARRIED_PURCHASE
    asset = context.question.asset if context and is_carried and asset is None else asset
    spot, pairs = circumstances.spots.get(asset or ""), {*pairwise(token.kind for token in tokens)}
    asks_amount = "how" in kinds or ("who", "asset") in pairs  # "how many sol"
    is_conversion = kinds <= CONVERSION and ("in", "asset") in pairs  # "1000 dollars in btc"
    is_asked = asks_amount or "what" in kinds or is_conversion
    if len(amounts) != 1 or not (spot and (is_asked or is_carried)):
        return None
    (money,) = amounts
    before, behind = tokens[max(money.first - 1, 0)], [token.kind for token in tokens[money.after :]]
    is_french_for = before.text in FOR and (("how", "asset") in pairs or is_carried)
    is_behind_for = before.kind == "during" or is_french_for
    # "How much can i buy with 100 dollars", "what do 1500 dollars buy".
    buys = asks_amount and "advice" in kinds and not is_near(money.value(spot), spot)
    buys = buys or behind[:1] == ["advice"] or behind[:2] == ["will", "advice"]
    is_paid = is_behind_for or (buys and before.kind != "from")
    # "Was kann ich für 1500 Dollar kaufen" asks for no future price; Russian "на 1000 долларов" is for them.
    allowed = {"will", *({"on"} & {before.kind})} if is_paid and "advice" in kinds else set[str]()
    allowed |= {"by"} if is_french_for else set[str]()
    is_of_now = kinds.isdisjoint(NO_PURCHASE - allowed) and not any(
        token.kind == "rel" and token.value for token in tokens
    )
    if not is_of_now or (is_carried and not is_behind_for):
        return None
    currency = next((code for code in get_args(PriceCurrency) if code == money.currency), None)
    is_foreign = any(token.kind == "foreign" for token in tokens[max(money.first - 1, 0) : money.after + 1])
    if is_foreign and not is_near(money.value(spot), spot):  # "how many sol for 5000 lira", of which no rate is known
        return TextReading("price", asset=asset, currency="other")
    rate = circumstances.rates.get(currency) if currency else None if money.currency else Rate(1.0)
    if not (money.is_money or money.currency) or rate is None or not rate.is_fresh(circumstances.now):
        return None
    usd = money.value(spot) * rate.usd
    if is_near(usd, spot) and not ({*behind[:1]} & {"in", "to"} or is_paid):
        return None
    return TextReading("price", asset=asset, amount=float(f"{usd / spot:.8g}"), currency=currency, value=usd / rate.usd)


def first_asset(tokens: Sequence[Token]) -> str | None:
    """The first asset that is named; the one that leads the others where only all of them are."""
    keys = [str(token.value) for token in tokens if token.kind == "asset"]
    return next(iter(keys), next(iter(ASSETS)) if any(token.kind == "widely" for token in tokens) else None)


def asks_price(parse: Parse, intents: set[str]) -> bool:
    """Whether a text without an event asks for the present price: "btc", after a question "and what is it worth"."""
    kinds = {token.kind for token in parse.clause.tokens}
    is_named = parse.deadline.is_named and "deadline" not in parse.carryover
    is_of_size = bool(parse.carryover) and asks_size([token for token in parse.clause.tokens if token.kind != "asset"])
    if is_named or is_of_size or parse.split.aside or "price_forecast" in intents or kinds & FUTURE_KINDS:
        return False
    is_asked = "price" in intents or asks_price_now(parse.clause.kinds)
    return is_asked or (not parse.carryover and kinds <= BARE_KINDS | {"now"})


def asks_all_prices(tokens: Sequence[Token]) -> bool:
    """Whether a text asks for prices and names no asset: "all prices please", "what are the prices now"."""
    kinds = {token.kind for token in tokens}
    is_sentence = "be" in kinds  # "what are the prices", but not "is the price about right"
    others = {"price", "noise"} | (set() if is_sentence else {"approx"})
    return "price" in kinds and kinds <= BARE_KINDS | PRESENT | others and not (is_sentence and "what" not in kinds)


def only_named(
    words: Sequence[Token], circumstances: Circumstances, context: ContextQuestion | None, language: Language
) -> str | None:
    """The first asset whose price a text asks for with nothing else: "how much are 2 eth", "btc price today".

    It is that of the earlier question where none is named: "what's it at now".
    """
    text = without_phrases("price", words)
    amount, tokens = without_amount(read_markets(text, circumstances.coins, language).tokens, context)
    if any(token.value == THAT_DAY for token in tokens):
        return None
    assets = [token for token in tokens if token.kind == "asset"]
    kinds = {token.kind for token in tokens if (token.kind, token.value) != TODAY}
    bare_kinds = BARE_KINDS | PRESENT | CURRENCIES | {"in", "to"}
    if len(assets) > 1 or amount:
        bare_kinds |= {"and", "have", "stay", "from"} | (
            {"who"} if "be" in kinds else set()
        )  # "was ist ein halber btc wert"
    names_price = any(word.value == "price" for word in words)
    names_money = bool(kinds & MONEY) or names_price
    if context and names_price:
        bare_kinds |= {"and"}
    if amount and (names_money or "have" in kinds):  # "my boy has 0.3 eth, what is that in pounds"
        bare_kinds |= {"word", "during", "will"}
    asks_on = bool(kinds & CURRENCIES) or bool(amount and "how" in kinds)  # "en euros porfa", "how much would 3 be"
    if context and context.is_price and asks_on:
        bare_kinds |= {"word", "will"} | ({"advice"} if "how" in kinds else set())
    if not assets and context:  # "and what's it at now"
        is_carried = kinds <= bare_kinds | {"and", "price"} and not kinds & MARKET_KINDS
        return context.question.asset if is_carried else None
    return str(assets[0].value) if assets and kinds <= bare_kinds else None


def asks_worth(
    tokens: Sequence[Token],
    intents: Set[str],
    amount: float | None,
    circumstances: Circumstances,
    context: ContextQuestion | None,
) -> bool:
    """Whether a present price is asked for: "btc now", "in yen", "half a coin?", "2 eth" but not "3300 gold"."""
    kinds, spot = {token.kind for token in tokens}, circumstances.spots.get(first_asset(tokens) or "", 0.0)
    is_mere = amount is not None and context is None and kinds <= BARE_KINDS | NUMBERS and not is_near(amount, spot)
    if "price" in intents or is_mere or {"asset", "now"} <= kinds <= BARE_KINDS | PRESENT:
        return True
    is_of_price = context is not None and (context.is_price or context.question.comparator == "open")
    is_asked = is_of_price or bool(kinds & {"what", "how"} or kinds >= {"who", "be"})
    return bool(kinds & CURRENCIES and (is_asked or amount or "asset" in kinds)) or bool(amount and is_asked)


def without_amount(tokens: Sequence[Token], context: ContextQuestion | None) -> tuple[float | None, Sequence[Token]]:
    """The amount of an asset, in ounces for a weight, and the other tokens: "2 eth", "3 oz of gold", "0.35 of it".

    After a price a mere number far below it is one too, or one with a currency that is not near the price.
    """
    spot = context.question.spot if context and context.is_price else 0.0
    for place, token in enumerate(tokens):
        if token.kind not in NUMBERS | {"weight"}:
            continue
        quantity, start = (first_value(token), place + 1) if token.kind in NUMBERS else (1.0, place)  # "a gram of gold"
        words = [*takewhile(lambda token: token.kind in BESIDE_AMOUNT, tokens[start:])]
        rest = tokens[start + len(words) :]
        before, after = (next((token.kind for token in side), "") for side in (tokens[:place][::-1], rest))
        is_size = quantity * NEAR_FACTOR < spot or any(token.kind in CURRENCIES for token in tokens)
        is_apart = is_near(quantity, spot) or any(token.kind != "filler" for token in words)
        is_bare = before in BEFORE_AMOUNT and after in AFTER_AMOUNT and not is_apart
        is_counted = any(token.value == PIECE or token.kind in PIECES for token in words)
        is_owned = before == "have" and context is not None and not is_near(quantity, context.question.spot)
        if after == "asset" or is_counted or is_owned or (spot and is_bare and is_size):
            ounces = next((OUNCES.get(str(token.value), 1.0) for token in words if token.kind == "weight"), 1.0)
            factor = prod(token.quantity for token in words if token.kind == "times")  # "50k xrp"
            return quantity * factor * ounces, [*tokens[:place], *rest]
    return None, tokens
