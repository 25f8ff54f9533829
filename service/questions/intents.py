"""What a text wants: a forecast, a price, an alert or the end of alerts, advice, thanks, help.

A price, an alert, advice or what concerns the service itself is asked for by phrases of all languages. Any other text
is classified, by naive Bayes, only if it asks no question that can be forecast, so that no question is chatter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from service.errors import InvalidRequest
from service.market.assets import ASSETS, asset_of
from service.questions.amounts import find_amounts
from service.questions.carryover import CARRY, with_scale
from service.questions.circumstances import Circumstances
from service.questions.clause import in_likely_thousands, in_thousands
from service.questions.coins import TokenizedText, read_markets
from service.questions.conversation import ContextQuestion
from service.questions.criterion import LARGEST_RATIO, Assumption, invalid, is_near, not_about_markets, price, rounded
from service.questions.lexicon import fold, forms, intent_lexicon
from service.questions.parse import NOT_NAMED, Parse
from service.questions.present_prices import (
    BARE_KINDS,
    FUTURE_KINDS,
    MONEY,
    PRESENT,
    TODAY,
    asks_all_prices,
    asks_price,
    asks_worth,
    first_asset,
    only_named,
    price_of,
    purchase_of,
    without_amount,
)
from service.questions.tokens import MARKUP, Token, clean, first_kind, tokenize
from service.questions.topics import TopicQuestion, read_any
from service.questions.understanding import find_parts, refusing, suggested
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, SIDES, Language
from service.questions.wishes import (
    LEAD_IN_CONVERSATION,
    LEAST_LEAD,
    POLITE,
    WISHES,
    TextReading,
    Wish,
    example_of,
    likeliest,
    side_of,
    without_phrases,
)

# What a text about prices may want, and kinds of the names of markets; it is no chatter: "100k tomorrow".
ABOUT_PRICES, NAMES = {"advice", "why"}, {"asset", "widely"}
# What is asked about the last answer.
ABOUT_ANSWERS = {"show_votes", "accuracy"}
# What approves without a word.
APPROVALS = {*"👍👌🙏❤💯🙂😊😀😁😍🥰🤗🎉👏🙌✅💪"}
# Kinds of dates, and those beside a currency that corrects another one.
DATE_KINDS, CURRENCY = {"rel", "until", "weekday", "month", "year"}, MONEY | {"in", "filler", "mark"}
# Kinds that ask yes or no, and kinds before the condition of an alert.
YES_NO_KINDS, CONDITIONS = {"will", "li"}, {"if", "when", "because"}
# Kinds of a text that asks about a market and sets no alert: "what is going on with btc".
ASKING = {"what", "how", "who", "price", "now", "forecast", "will", "chance"}
SAME_WORDS = forms("same")
# Kinds of "why is everything down today".
WHY_KINDS = BULL | BEAR | {"why", "price", "rel", "now", "both_of", "to", "be", "filler", "mark", "the", "ask", "will"}
ASKS_ON = {"will", "ask", "next"}  # kinds of a question that stands before or behind a wish
SENTENCES = re.compile(r"[.!;]\s+|[\n。]")
MOST_WORDS, MOST_MERE_WORDS = 6, 9  # of "cancel the 65k one" after an alert, "hmm no, actually just cancel that"


@refusing()
def read_text(text: str, circumstances: Circumstances, context: ContextQuestion | None = None) -> TextReading:
    """What a text wants; raises what `read_any` raises where that is nothing else than a question."""
    words = tokenize(MARKUP.sub(" ", fold(clean(text))).replace(", ", " "), intent_lexicon())
    intents = {str(word.value) for word in words}
    market = read_markets(text, circumstances.coins)
    kinds = {token.kind for token in market.tokens}
    first_wish = _stated_wish(text, market.tokens, intents, context)
    if first_wish in ("none", "loss"):
        refusal = not_about_markets(*(["The text asks nothing about a price."] if first_wish == "loss" else []))
        raise suggested(refusal, market, circumstances)
    if first_wish:  # "how sure are you about that", which would carry a question on
        return TextReading(first_wish)
    is_of_money = bool(kinds & MONEY) and kinds <= CURRENCY  # "dollars i mean" after a level in euros
    is_correction = is_of_money and context is not None and bool(context.question.levels)
    amount, _ = without_amount(market.tokens, context)
    is_of_price = not (is_correction or intents & {"advice", "alert"})
    if is_of_price and (purchase := purchase_of(market.tokens, circumstances, context)):
        return purchase
    has_same = any(token.text in SAME_WORDS for token in market.tokens)  # "now eth, same thing" is no present price
    if is_of_price and not has_same and asks_worth(market.tokens, intents, amount, circumstances, context):
        language = (context and context.language) or market.language
        if priced_asset := only_named(words, circumstances, context, language):
            return price_of(priced_asset, market.tokens, circumstances, amount, context)
    asset = first_asset(market.tokens)
    if context is None and asset is None and asks_all_prices(market.tokens):
        return TextReading("price")
    if alert := _about_alerts(words, market, intents, circumstances, context):
        return alert
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
        pct, side = question.level_pct, side_of(question.kind.side)
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
        return TextReading("alert", None, question.asset, None, level_pct, side_of(level_pct) if level_pct else None)
    if asks_price(meaning, intents) or (context and context.is_price and is_same):
        return price_of(question.asset, market.tokens, circumstances, amount, context)
    return TextReading("price_forecast", meaning, question.asset)


def _about_alerts(
    words: Sequence[Token],
    market: TokenizedText,
    intents: Set[str],
    circumstances: Circumstances,
    context: ContextQuestion | None,
) -> TextReading | None:
    """The alert that a text asks for, or the end or the list of alerts; None where it wants something else."""
    asset, kinds = first_asset(market.tokens), {token.kind for token in market.tokens}
    is_mere = not kinds & {"number", "asset", "what", "how", "who"}
    most = MOST_MERE_WORDS if is_mere else MOST_WORDS
    is_after_alert = context is not None and context.is_alert and len(market.tokens) < most
    is_of_one = False
    if asset and "cancel" in intents:
        rest = read_markets(without_phrases("cancel", words), circumstances.coins).tokens
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
        return alert if alert and ("alert" in intents or alert.side) else None
    return None


def _alert(
    words: Sequence[Token], language: Language, circumstances: Circumstances, context: ContextQuestion | None
) -> TextReading | None:
    """The alert that a text asks for; None where it asks a question: "tell me if bitcoin will rise".

    With a level and without a date it is an alert: "tell me when bitcoin will be at 60k".
    """
    reading = read_markets(without_phrases("alert", words), circumstances.coins, language)
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
            return TextReading("alert", None, asset, level, None, side_of(kind.side or 1))
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
    if amount.is_percent:  # whose bound is one of its size: "moves more than 5%"
        kind = first_kind(tokens[amount.after :], {"the", "filler"})  # "5% below the price", but Japanese 5%以上
        is_side = kind == "below" or (kind == "above" and not language.postpositions)
        side = amount.sign or clause.direction_at(amount) or (bound if is_side else 0)
        level_pct = (side or 1) * amount.values[-1]
        return TextReading("alert", None, asset, None, level_pct, side_of(side) if side else None)
    level = rounded(in_likely_thousands(amount, parse.spot).value(parse.spot))
    side = bound or clause.direction_at(amount) or (1 if level >= parse.spot else -1)
    if not bound and side * (level - parse.spot) < 0:
        return TextReading("alert", asset=asset)  # "falls 100", "goes up 50": neither a level nor a percentage
    return TextReading("alert", None, asset, level, None, side_of(side))


def _without_origin(tokens: list[Token]) -> list[Token]:
    """The tokens without the level that an alert is moved from: "from 40 to 41", "move my 53k alert to 53.5"."""
    amounts, kinds = find_amounts(tokens), {token.kind for token in tokens}
    is_order = len(amounts) == 2 and tokens[amounts[1].first - 1].kind == "to"
    is_moved = is_order and not kinds & {"or", "and", "between", "leave", "stay"}
    return [*tokens[: amounts[0].first], *tokens[amounts[0].after :]] if is_moved else tokens


def _stated_wish(
    text: str, tokens: Sequence[Token], intents: Set[str], context: ContextQuestion | None
) -> Wish | Literal["none", "loss"] | None:
    """What a text wants by a phrase or as a whole example, also after a question.

    With an asset it may only tell of a loss or a purchase, "loss", or want something in its last sentence. "none" is no
    market. "By tomorrow" in German is a good-bye too, but not after a question.
    """
    kinds = {token.kind for token in tokens}
    is_of_loss = "loss" in intents and ("accuracy" not in intents or kinds & NAMES)
    if is_of_loss and "?" not in clean(text) and not kinds & (DATE_KINDS | SIDES | ASKS_ON):
        return "loss"
    has_digits = any(token.text[:1].isdigit() for token in tokens)
    if context and not (has_digits or kinds & (DATE_KINDS | ASKS_ON)) and (last := _last_wish(text)):
        return last
    if kinds & NAMES:
        return None
    example = None if has_digits else example_of(text)
    meanings = {*intents, example} - {*ABOUT_PRICES, *POLITE}
    is_of_price = kinds & MONEY or (kinds & DATE_KINDS and example != "thanks")  # "in euro grazie"
    if "?" not in text and not (context and is_of_price):
        meanings |= {example} & POLITE | ({"thanks"} if {*text} & APPROVALS and kinds <= {"mark"} else set())
    wish: Wish | None = next((wish for wish in WISHES if wish in meanings), None)
    is_corrected = wish in ABOUT_ANSWERS and context is not None and _corrects(tokens, wish, context.question.spot)
    if wish and not is_corrected:
        return wish
    return "none" if "none" in intents and not has_digits else None


def _last_wish(text: str) -> Wish | None:
    """What the last of several sentences wants by a phrase, where none before asks: "it loses. how sure are you?"."""
    sentences = [sentence for sentence in SENTENCES.split(clean(text)) if sentence.strip()]
    if len(sentences) < 2 or any("?" in sentence for sentence in sentences[:-1]):
        return None
    wishes = {str(word.value) for word in tokenize(fold(sentences[-1]), intent_lexicon())}
    return next((wish for wish in WISHES if wish in wishes and wish not in ABOUT_PRICES), None)


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
    names = NAMES if wish in ABOUT_PRICES else MARKET_KINDS  # "apple stock?"
    if wish in POLITE and kinds & DATE_KINDS and example_of(text) is None:
        return None  # "by friday?" is no "happy friday"
    if wish is None or (wish == "why" and not asks_why and (is_move or has_digits)):  # "is it gonna go up?"
        return None
    if (is_move or kinds & names or has_digits) and wish not in ABOUT_PRICES:
        return None
    asset = next(iter(ASSETS)) if asks_why and is_of_all and not context else first_asset(tokens)
    is_of_other = "other" in kinds or [token.kind for token in tokens].count("word") > 1
    if asset is None and context and not is_of_other and wish in ABOUT_PRICES and kinds & (BULL | BEAR | {"advice"}):
        asset = context.question.asset  # "why is it falling?"; a mere "why?" may mean the last answer
    return TextReading(wish, asset=asset)


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
