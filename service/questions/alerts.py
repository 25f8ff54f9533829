"""The alert that a text asks for: "tell me when gold falls below 2900", "and 2100 too", "move it from 40 to 41"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.errors import InvalidRequest
from service.questions.amounts import find_amounts
from service.questions.carried_amounts import with_scale
from service.questions.circumstances import Circumstances
from service.questions.clause import in_likely_thousands
from service.questions.coins import read_markets
from service.questions.conversation import ContextQuestion
from service.questions.criterion import LARGEST_RATIO, is_near, rounded
from service.questions.tokens import Token
from service.questions.understanding import find_parts
from service.questions.vocabulary import MARKET_KINDS, Language
from service.questions.wishes import TextReading, side_of, without_phrases

# Kinds that ask yes or no, and kinds before the condition of an alert.
YES_NO_KINDS, CONDITIONS = {"will", "li"}, {"if", "when", "because"}


def read_alert(
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
    if amount.is_percent:
        side = amount.sign or clause.direction_at(amount) or bound
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
