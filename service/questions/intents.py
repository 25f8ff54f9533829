"""What a text wants: a forecast, a price, an alert or the end of alerts, advice, thanks, help.

A price, an alert, advice or what concerns the service itself is asked for by phrases of all languages. Any other text
is classified, by naive Bayes, only if it asks no question that can be forecast, so that no question is chatter.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Literal, get_args

from service.errors import InvalidRequest
from service.market.assets import ASSETS, asset_of
from service.market.prices import Rate
from service.questions.adaptation import LARGEST_RATIO
from service.questions.amounts import find_amounts
from service.questions.carried_amounts import with_scale
from service.questions.circumstances import Circumstances
from service.questions.clause import in_thousands
from service.questions.coins import read_markets
from service.questions.completion import CARRY
from service.questions.conversation import ContextQuestion, asks_size
from service.questions.criterion import NEAR_FACTOR, Assumption, invalid, is_near, not_about_markets, price, rounded
from service.questions.lexicon import fold, forms, intent_lexicon
from service.questions.numerals import first_value
from service.questions.parse import NOT_NAMED, Parse
from service.questions.scope import asks_price_now
from service.questions.tokens import MARKUP, Token, clean, tokenize
from service.questions.topics import TopicQuestion, read_any
from service.questions.understanding import find_parts, refusing, suggested
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, Language
from service.questions.wishes import LEAD_IN_CONVERSATION, LEAST_LEAD, POLITE, WISHES, Wish, example_of, likeliest

Intent = Literal["question", "price", "price_forecast", "alert", "my_alerts", "cancel_alerts", Wish]
Side = Literal["above", "below"]
# A currency other than USD that a price is asked in; those of UNITS by their codes.
PriceCurrency = Literal["EUR", "GBP", "JPY", "other"]
# What a text about prices may want, and kinds of the names of markets; it is no chatter: "100k tomorrow".
ABOUT_PRICES, NAMES = {"advice", "why"}, {"asset", "widely"}
# What is asked about the last answer.
ABOUT_ANSWERS = {"show_votes", "accuracy"}
# Kinds of a text that is hardly more than the name of an asset.
BARE_KINDS = {"asset", "widely", "mark", "filler", "the", "a", "money"}
# Kinds that may stand beside that in a question for the present price, and "today".
PRESENT = {"now", "be", "what", "which", "how", "on"}
# Kinds of the currency that a price is asked for in: "in euro".
CURRENCIES = {"currency", "foreign"}
CONVERSION = CURRENCIES | {"in", "to"}
# What approves without a word.
APPROVALS = {*"👍👌🙏❤💯🙂😊😀😁😍🥰🤗🎉👏🙌✅💪"}
# Kinds of the number of an amount, and of what stands between it and its asset; the value of words that count pieces.
NUMBERS, BESIDE_AMOUNT, PIECE = {"number", "numeral", "numword"}, {"filler", "the", "topic", "weight"}, "piece"
PIECES = {"topic", "weight"}  # "half a coin", "40 grams"
BEFORE_AMOUNT, AFTER_AMOUNT = {"", "and", "mark", "filler", "how", "what", "be"}, {"", "in", "mark", "be", "how"}
OUNCES = {"gram": 1 / 31.1034768, "kilo": 1000 / 31.1034768}  # troy ounces in a weight
TODAY = ("rel", 0.0)
# Kinds that ask what is to come, those of dates, and those that ask yes or no.
FUTURE_KINDS, DATE_KINDS = {"forecast", "will"}, {"rel", "until", "weekday", "month", "year"}
YES_NO_KINDS = {"will", "li"}
MONEY = {"money", "currency", "foreign"}
CURRENCY = MONEY | {"in", "filler", "mark"}
# Kinds of a text that asks about a market and sets no alert: "what is going on with btc".
ASKING = {"what", "how", "who", "price", "now", "forecast", "will", "chance"}
# Kinds before the condition of an alert.
CONDITIONS = {"if", "when", "because"}
SAME_WORDS = forms("same")
# Kinds of "why is everything down today".
WHY_KINDS = BULL | BEAR | {"why", "price", "rel", "now", "both_of", "to", "be", "filler", "mark", "the", "ask", "will"}
MOST_WORDS = 6  # of "actually cancel that", after an alert


@dataclass(frozen=True)
class TextReading:
    """What a text wants, and what it names; `meaning` is the question that it asks, if any.

    The level is in USD, `level_pct` is a move from the present price in percent, `side` is that of the level. A price
    may be asked of an `amount` and in a `currency`; its `asset` is None where several are named. `value` is that of the
    amount, or of one, in that currency or in USD; None without a rate.
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


@refusing()
def read_text(text: str, circumstances: Circumstances, context: ContextQuestion | None = None) -> TextReading:
    """What a text wants; raises what `read_any` raises where that is nothing else than a question."""
    words = tokenize(MARKUP.sub(" ", fold(clean(text))).replace(", ", " "), intent_lexicon())
    intents = {str(word.value) for word in words}
    market = read_markets(text, circumstances.coins)
    kinds = {token.kind for token in market.tokens}
    first_wish = _stated_wish(text, market.tokens, intents, context)
    if first_wish == "none":
        raise suggested(not_about_markets(), market, circumstances)
    if first_wish:  # "how sure are you about that", which would carry a question on
        return TextReading(first_wish)
    is_of_money = bool(kinds & MONEY) and kinds <= CURRENCY  # "dollars i mean" after a level in euros
    is_correction = is_of_money and context is not None and bool(context.question.levels)
    amount, _ = _without_amount(market.tokens, context)
    if not is_correction and _asks_worth(market.tokens, intents, amount, circumstances, context):
        language = (context and context.language) or market.language
        if priced_asset := _only_named(words, circumstances, context, language):
            return _price(priced_asset, market.tokens, circumstances, amount)
    asset = _first_asset(market.tokens)
    is_after_alert = context is not None and context.is_alert and len(market.tokens) < MOST_WORDS
    rest = read_markets(_without("cancel", words), circumstances.coins).tokens if asset and "cancel" in intents else ()
    is_of_one = bool(rest) and {token.kind for token in rest} <= {"asset", "the", "filler", "mark", "numword"}
    is_of_alerts = is_after_alert or is_of_one or bool(intents & {"alert", "my_alerts", "one_alert"})
    if "cancel_alerts" in intents or ("cancel" in intents and is_of_alerts):
        return TextReading("cancel_alerts", asset=asset)
    if "my_alerts" in intents and "number" not in kinds:
        return TextReading("my_alerts", asset=asset)
    is_length = any(token.kind == "number" and unit.kind == "unit" for token, unit in pairwise(market.tokens))
    is_asked = "?" in market.text or bool(kinds & {"ask", "holiday", "eo", *ASKING, *DATE_KINDS})
    is_order = "number" in kinds and not is_length and not is_asked
    if "alert" in intents or (context and context.is_alert and is_order):  # "and 2100 too"
        alert = _alert(words, market.language, circumstances, context)
        if alert and ("alert" in intents or alert.side):
            return alert
    has_same = any(token.text in SAME_WORDS for token in market.tokens)
    if has_same and kinds <= BARE_KINDS and context is None:  # "eth, same"
        raise suggested(invalid("The earlier question is not known. Ask in full."), market, circumstances)
    try:
        meaning = read_any(text, circumstances, context)
    except InvalidRequest:
        if not is_of_money and (reading := _wish(text, market.tokens, intents, context)):
            return reading
        raise
    question = meaning.question
    carryover = meaning.carryover if isinstance(meaning, Parse) else ()
    is_dated = NOT_NAMED not in question.notes and "deadline" not in carryover
    if "advice" in intents and not (question.comparator == "relative" and is_dated):
        return TextReading("advice", asset=asset)
    is_carried = "deadline" in carryover and not kinds & ASKING
    if context and context.is_alert and is_carried and question.level is not None:  # "make it 95"
        pct, side = question.level_pct, _side(question.kind.side)
        if pct is None and "level" in carryover:  # "and eth?": its level is asked for
            return TextReading("alert", asset=question.asset)
        return TextReading("alert", None, question.asset, None if pct else question.level, pct, side)
    if isinstance(meaning, TopicQuestion) or question.comparator != "open":
        return TextReading("question", meaning, question.asset)
    other_kinds = kinds - BARE_KINDS - PRESENT - {"and", "or"}  # than "and bitcoin?"
    if other_kinds and likeliest(text, LEAD_IN_CONVERSATION if kinds & NAMES else LEAST_LEAD) == "advice":
        return TextReading("advice", asset=asset)
    has_unread = any(isinstance(note, Assumption) and note.code == "words" for note in question.notes)
    if has_unread and likeliest(text, LEAD_IN_CONVERSATION) == "accuracy":  # "how reliable are your silver forecasts"
        return TextReading("accuracy", asset=asset)
    is_same = {"comparator", "deadline"} <= {*meaning.carryover}  # "and eth?"
    if context and context.is_alert and is_same and not kinds & ASKING:
        level_pct = context.question.level_pct
        return TextReading("alert", None, question.asset, None, level_pct, _side(level_pct) if level_pct else None)
    if _asks_price(meaning, intents) or (context and context.is_price and is_same):
        return _price(question.asset, market.tokens, circumstances, amount)
    return TextReading("price_forecast", meaning, question.asset)


def _stated_wish(
    text: str, tokens: Sequence[Token], intents: Set[str], context: ContextQuestion | None
) -> Wish | Literal["none"] | None:
    """What a text without an asset wants by a phrase or as a whole example, also after a question; "none" is no market.

    "By tomorrow" in German is a good-bye too, but not after a question.
    """
    kinds = {token.kind for token in tokens}
    if kinds & NAMES:
        return None
    has_digits = any(token.text[:1].isdigit() for token in tokens)
    example = None if has_digits else example_of(text)
    meanings = {*intents, example} - {*ABOUT_PRICES, *POLITE}
    if "?" not in text and not (context and kinds & DATE_KINDS and example != "thanks"):
        meanings |= {example} & POLITE | ({"thanks"} if {*text} & APPROVALS and kinds <= {"mark"} else set())
    wish: Wish | None = next((wish for wish in WISHES if wish in meanings), None)
    is_corrected = wish in ABOUT_ANSWERS and context is not None and _corrects(tokens, wish, context.question.spot)
    if wish and not is_corrected:
        return wish
    return "none" if "none" in intents and not has_digits else None


def _corrects(tokens: Sequence[Token], wish: Wish | None, spot: float) -> bool:
    """Whether a text about an answer names another level or date: "how sure are you about 2000", "i meant 2100"."""
    levels = (in_thousands(amount, spot).value(spot) for amount in find_amounts(tokens) if not amount.is_percent)
    has_date = any(token.kind in DATE_KINDS and (token.kind, token.value) != TODAY for token in tokens)
    is_other = has_date or any(is_near(level, spot) for level in levels)
    return is_other and (wish == "show_votes" or any(token.value == CARRY for token in tokens))


def _wish(text: str, tokens: Sequence[Token], intents: Set[str], context: ContextQuestion | None) -> TextReading | None:
    """What a text wants that asks no question which can be read; None where it may be meant as one."""
    kinds = {token.kind for token in tokens}
    is_of_all = bool(kinds & (BULL | BEAR) and kinds <= WHY_KINDS)
    asks_why = "why" in kinds and (context or kinds & NAMES or is_of_all)
    nearest = likeliest(text, LEAD_IN_CONVERSATION if context or kinds & NAMES else LEAST_LEAD)
    is_advice = "advice" in intents and ("other" not in kinds or bool(kinds & NAMES))  # no other coin: "buy doge?"
    wish = "advice" if is_advice else "why" if asks_why else nearest
    is_move = bool(kinds & (BULL | BEAR) and kinds & (FUTURE_KINDS | DATE_KINDS))  # of a market that is not followed
    has_digits = any(token.text[:1].isdigit() for token in tokens) and example_of(text) is None
    names = MARKET_KINDS if wish == "help" else NAMES  # "apple stock?"
    if wish in POLITE and kinds & DATE_KINDS and example_of(text) is None:
        return None  # "by friday?" is no "happy friday"
    if wish is None or ((is_move or kinds & names or has_digits) and wish not in ABOUT_PRICES):
        return None
    asset = next(iter(ASSETS)) if asks_why and is_of_all and not context else _first_asset(tokens)
    is_of_other = "other" in kinds or [token.kind for token in tokens].count("word") > 1
    if asset is None and context and not is_of_other and wish in ABOUT_PRICES and kinds & (BULL | BEAR | {"advice"}):
        asset = context.question.asset  # "why is it falling?"; a mere "why?" may mean the last answer
    return TextReading(wish, asset=asset)


def _price(asset: str, tokens: Sequence[Token], circumstances: Circumstances, amount: float | None) -> TextReading:
    """The present price that is asked for: "how much are 0.35 eth in euros", "price of sol and bnb"."""
    is_one = len({token.value for token in tokens if token.kind == "asset"}) < 2
    amount = amount if is_one else None
    codes = (token.value if token.kind == "currency" else "other" for token in tokens if token.kind in CURRENCIES)
    currency = next((name for code in codes for name in get_args(PriceCurrency) if name == code), None)
    spot, rate = circumstances.spots.get(asset), circumstances.rates.get(currency) if currency else Rate(1.0)
    value = (amount or 1) * float(spot) / rate.usd if spot and rate and rate.is_fresh(circumstances.now) else None
    return TextReading(
        "price", asset=asset if is_one else None, amount=amount, currency=currency, value=value if is_one else None
    )


def _first_asset(tokens: Sequence[Token]) -> str | None:
    """The first asset that is named; the one that leads the others where only all of them are."""
    keys = [str(token.value) for token in tokens if token.kind == "asset"]
    return next(iter(keys), next(iter(ASSETS)) if any(token.kind == "widely" for token in tokens) else None)


def no_question(text: str, reading: TextReading, circumstances: Circumstances) -> InvalidRequest:
    """The refusal to forecast for a text that wants something else."""
    name = asset_of(reading.asset).name if reading.asset else ""
    spot = circumstances.spots.get(reading.asset or "")
    refusals = {
        "price": (f"{name} is at {price(spot)} USD now. " if spot else "")
        + "A present price is free of charge. To ask where it will be, name one market and a date.",
        "alert": "No alert is set here. Ask whether the price reaches the level, and by when.",
        "advice": "No advice is given. Ask what the price will do, and by when.",
    }
    if reading.intent not in refusals:
        return not_about_markets()
    return suggested(invalid(refusals[reading.intent]), read_markets(text, circumstances.coins), circumstances)


def _asks_price(parse: Parse, intents: set[str]) -> bool:
    """Whether a text without an event asks for the present price: "btc", after a question "and what is it worth"."""
    kinds = {token.kind for token in parse.clause.tokens}
    is_named = parse.deadline.is_named and "deadline" not in parse.carryover
    is_of_size = bool(parse.carryover) and asks_size([token for token in parse.clause.tokens if token.kind != "asset"])
    if is_named or is_of_size or parse.split.aside or "price_forecast" in intents or kinds & FUTURE_KINDS:
        return False
    is_asked = "price" in intents or asks_price_now(parse.clause.kinds)
    return is_asked or (not parse.carryover and kinds <= BARE_KINDS | {"now"})


def _only_named(
    words: Sequence[Token], circumstances: Circumstances, context: ContextQuestion | None, language: Language
) -> str | None:
    """The first asset whose price a text asks for with nothing else: "how much are 2 eth", "btc price today".

    It is that of the earlier question where none is named: "what's it at now".
    """
    text = _without("price", words)
    amount, tokens = _without_amount(read_markets(text, circumstances.coins, language).tokens, context)
    assets = [token for token in tokens if token.kind == "asset"]
    kinds = {token.kind for token in tokens}
    bare_kinds = BARE_KINDS | PRESENT | CONVERSION | ({"and", "have", "stay"} if len(assets) > 1 or amount else set())
    if amount and kinds & MONEY:  # "my boy has 0.3 eth, what is that in pounds"
        bare_kinds |= {"word"}
    is_bare = all(token.kind in bare_kinds or (token.kind, token.value) == TODAY for token in tokens)
    if not assets and context:  # "and what's it at now"
        is_carried = kinds <= bare_kinds | {"and", "price"} and not kinds & MARKET_KINDS
        return context.question.asset if is_carried else None
    return str(assets[0].value) if assets and is_bare else None


def _asks_worth(
    tokens: Sequence[Token],
    intents: Set[str],
    amount: float | None,
    circumstances: Circumstances,
    context: ContextQuestion | None,
) -> bool:
    """Whether a present price is asked for: "btc now", "in yen", "half a coin?", "2 eth" but not "3300 gold"."""
    kinds, spot = {token.kind for token in tokens}, circumstances.spots.get(_first_asset(tokens) or "", 0.0)
    is_mere = amount is not None and context is None and kinds <= BARE_KINDS | NUMBERS and not is_near(amount, spot)
    if "price" in intents or is_mere or {"asset", "now"} <= kinds <= BARE_KINDS | PRESENT:
        return True
    is_of_price = context is not None and (context.is_price or context.question.comparator == "open")
    is_asked = is_of_price or bool(kinds & {"what", "how"})
    return bool(kinds & CURRENCIES and (is_asked or amount or "asset" in kinds)) or bool(amount and is_asked)


def _without_amount(tokens: Sequence[Token], context: ContextQuestion | None) -> tuple[float | None, Sequence[Token]]:
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
        is_bare = before in BEFORE_AMOUNT and after in AFTER_AMOUNT and not (words or is_near(quantity, spot))
        is_counted = any(token.value == PIECE or token.kind in PIECES for token in words)
        if after == "asset" or is_counted or (spot and is_bare and is_size):
            ounces = next((OUNCES.get(str(token.value), 1.0) for token in words if token.kind == "weight"), 1.0)
            return quantity * ounces, [*tokens[:place], *rest]
    return None, tokens


def _alert(
    words: Sequence[Token], language: Language, circumstances: Circumstances, context: ContextQuestion | None
) -> TextReading | None:
    """The alert that a text asks for; None where it asks a question: "tell me if bitcoin will rise".

    With a level and without a date it is an alert: "tell me when bitcoin will be at 60k".
    """
    reading = read_markets(_without("alert", words), circumstances.coins, language)
    tokens = _without_origin([token for token in reading.tokens if token.kind not in CONDITIONS])
    is_carried = context is not None and not any(token.kind in MARKET_KINDS for token in tokens)
    if context and is_carried:
        if not any(token.kind == "number" for token in tokens):
            tokens = [token for token in tokens if token.kind != "not"]  # "tell me if not"
        asset, kinds = context.question.asset, [*(token.kind for token in tokens), "number"]
        place = kinds.index("number")
        tokens = with_scale(
            [*tokens[:place], Token("asset", asset, asset), *tokens[place:]], context.question, circumstances.spots
        )
    try:
        parse = find_parts(reading._replace(tokens=tokens), replace(circumstances, until=None))
    except InvalidRequest:
        return None
    asset, clause, amounts = parse.subject.asset, parse.clause, parse.clause.amounts
    bound = int(clause.is_above or "exceed" in clause.kinds) - int(clause.is_below)
    side = clause.direction_at(None) or bound
    if context and is_carried and not amounts and side in (0, context.question.kind.side):  # "tell me when it does"
        level, level_pct, kind = context.question.level, context.question.level_pct, context.question.kind
        if level is not None and context.question.upper_level is None:
            return TextReading("alert", None, asset, level, None, _side(kind.side or 1))
        if level is None and level_pct is not None:  # "moves 5%"
            return TextReading("alert", None, asset, None, level_pct, None)
    numbers = [amount for amount in find_amounts(tokens) if not amount.is_percent]
    levels = {level for amount in numbers for level in (amount.value(parse.spot), *(amount.upper or ()))}
    if sum(is_near(level, parse.spot, LARGEST_RATIO) for level in levels) > 1:
        return TextReading("alert", asset=asset)  # "at 3050 and one for 2900": the one that is meant is asked for
    if (len(amounts) != 1 or parse.deadline.is_named) and any(token.kind in YES_NO_KINDS for token in tokens):
        return None
    if len(amounts) != 1 or amounts[0].is_multiple:
        is_price = not amounts and any(word.value == "price" for word in words)  # "tell me the price of btc"
        return None if is_price else TextReading("alert", asset=asset)
    amount = amounts[0]
    if amount.is_percent:
        side = amount.sign or clause.direction_at(amount) or bound
        level_pct = (side or 1) * amount.values[-1]
        return TextReading("alert", None, asset, None, level_pct, _side(side) if side else None)
    level = rounded(amount.value(parse.spot))
    thousands = rounded(in_thousands(amount, parse.spot).value(parse.spot))
    level = thousands if is_near(thousands, parse.spot, LARGEST_RATIO) else level  # "below 49"
    side = bound or clause.direction_at(amount) or (1 if level >= parse.spot else -1)
    if not bound and side * (level - parse.spot) < 0:
        return TextReading("alert", asset=asset)  # "falls 100", "goes up 50": neither a level nor a percentage
    return TextReading("alert", None, asset, level, None, _side(side))


def _without_origin(tokens: list[Token]) -> list[Token]:
    """The tokens without the level that an alert is moved from: "from 40 to 41", "move my 53k alert to 53.5"."""
    amounts, kinds = find_amounts(tokens), {token.kind for token in tokens}
    is_order = len(amounts) == 2 and tokens[amounts[1].first - 1].kind == "to"
    is_moved = is_order and not kinds & {"or", "and", "between", "leave", "stay"}
    return [*tokens[: amounts[0].first], *tokens[amounts[0].after :]] if is_moved else tokens


def _without(intent: str, words: Sequence[Token]) -> str:
    """The text without the phrases of an intent; l'eth is one word of two tokens."""
    text = ""
    for word in words:
        if word.value != intent:
            is_elided = word.is_glued and word.text.isascii() and f"{text[-1:]}{word.text}".isalpha()
            text += ("'" if is_elided else "" if word.is_glued else " ") + word.text
    return text.strip()


def _side(side: float) -> Side:
    return "above" if side > 0 else "below"
