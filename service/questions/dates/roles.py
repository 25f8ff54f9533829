"""The roles that a token may have in a date: its kind and, for a number, day, year or count."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from service.questions.dates.reading import count
from service.questions.lexicon import forms
from service.questions.tokens import DASHES, Token, first_kind

AMOUNT_BEFORE = {"money", "currency", "foreign"}
AMOUNT_AFTER = {"times", "percent", "basis", "money", "cent", "currency", "foreign", "figures", "fold"}
# After these a number of four digits is a level, not a year.
LEVEL_BEFORE = {"above", "below", "reach", "break", "exceed", "to", "meet", "be"}
PREPOSITIONS = {"in", "by", "before", "until", "lasting", "on", "within", "during", "from"}
PARTS = {"end", "start", "mid", "early", "late"}
NEAR_KINDS = {"this", "next", "last"}
# Kinds of words that "next" may belong to; an unknown word may be such a one.
DATED = {"unit", "month", "weekday", "weekend", "season", "holiday", "eo", "number", "numword", "word"}
DATE_WORDS = PREPOSITIONS | PARTS | NEAR_KINDS | {"to", "between", "and", "or", "weekday", "month", "nth"}
YEAR_BEFORE = DATE_WORDS | {"eo", "unit", "q", "number", "halfyear", "holiday", "season"}
# Words that are a month or a weekday only beside a date word or a day; elsewhere they are everyday words.
HOMONYMS = {"may", "march", "mar", "mars", "sun", "sat", "set", "out", "ago"}
SHORT_DAYS = {"sun", "sat"}  # days at the end of a text too: "eth at 2k sat?"
# Plurals that mean a few where no number precedes them: "in the coming weeks".
PLURALS = forms("plural")
# Words at the end of a preposition that make a bare number a day: "d'ici le 5", "bis zum 5.", "hasta el día 5".
DAY_WORDS = forms("day_of_month")
FIRM = {"by", "before", "until", "lasting", "on"}
# Articles that make a day of a number before a time of the day: French "le 10 au soir".
DAY_ARTICLES = forms("day_article")
MARK_ROLES = {".": {"dot"}, "'": {"quote"}, "、": {"list"}}
UNIT_ROLES = {"quarter": {"quarter"}, "year": {"yearly"}, "month": {"monthly"}, "week": {"week"}, "day": {"daily"}}
MOST_UNITS = 400
# "Within the year", and after a number within so many years.
WITHIN_YEARS = {"年内", "年內", "年内に"}
# Two digits after "end of" that are a year.
SHORT_YEARS = range(26, 40)
# Kinds of parts of a month that an ordinal number counts.
COUNTABLES = {"unit", "weekday", "weekend", "halfyear"}
# Four digits that are a year wherever no word makes them a level.
LATE_YEARS = range(2020, 2040)
# Kinds between two numbers of which neither is a year if one is none: "between 2030 and 2300".
JOINTS = {"and", "or", "to", "until", "approx"}
# Kinds before an article that make the number after it another level: "34 or the 30".
BEFORE_LEVELS = {"or", "and", "to", "between", "until", "above", "below", "up", "down", "rise", "fall"}
# Kinds that may follow the number of "the next 5".
NUMBER_ENDS = {"mark", "asset", "will", "ask", "by", "above", "filler", "during", "the", "be"}
# Words for a side, which may also stand before a length of time: "over the next week".
OVER_TIME = forms("over_time")


def _with_repeated_unit(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the unit of "this week or the next", "this or next week", which is named only once."""
    result = list[Token]()
    for place, token in enumerate(tokens):
        result.append(token)
        if token.kind not in ("this", "next"):
            continue
        before = [earlier for earlier in tokens[max(0, place - 4) : place] if earlier.kind not in ("the", "in", "on")]
        after = tokens[place + 1 : place + 4]
        is_alone = token.kind == "next" and not {later.kind for later in after[:1]} & DATED
        if is_alone and [earlier.kind for earlier in before[-2:]] == ["unit", "or"]:
            result.append(before[-2])
        elif token.kind == "this" and [later.kind for later in after] == ["or", "next", "unit"]:
            result.append(after[-1])
    return result


def with_units(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the m of "in 15m" as minutes, "2年内" as two years, and "is over 2,950" as above that price."""
    tokens, result = _with_repeated_unit(tokens), list[Token]()
    for place, token in enumerate(tokens):
        is_counted = token.text in WITHIN_YEARS and place > 0 and tokens[place - 1].kind in ("number", "times")
        behind = [later.kind for later in tokens[place + 1 : place + 2]]
        if token.kind == "end" and token.text.split()[-1] in OVER_TIME and behind in (["number"], ["money"]):
            token = replace(token, kind="above")
        if is_counted:
            result += [Token("unit", "年", "year"), Token("within", "内")]
        else:
            result.append(replace(token, kind="nth") if _is_day_beside_part(tokens, place) else token)
    for place in range(2, len(result)):
        token, number, before = result[place], result[place - 1], result[place - 2]
        follows_span = before.kind in {"in", "within", "during", *NEAR_KINDS} or before.value == "hour"
        if token.kind == "m" and token.is_glued and number.kind == "number" and follows_span:
            result[place] = Token("unit", "m", "minute", True)
    return result


def with_days(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the days of "4 green days in the next 5", "sur les 5 prochains", which are named only once."""
    result, unit = list(tokens), next((token for token in tokens if (token.kind, token.value) == ("unit", "day")), None)
    for place in range(len(tokens) - 1, 0, -1):
        pair = tokens[place - 1 : place + 1]
        kinds = {token.kind for token in pair}
        is_next = "next" in kinds and bool(kinds & {"number", "numword"})
        if unit and is_next and all(token.kind in NUMBER_ENDS for token in tokens[place + 1 : place + 2]):
            numbers = [replace(token, kind="number") if token.kind == "numword" else token for token in pair]
            result[place - 1 : place + 1] = [*numbers, unit]
    return result


def _is_day_beside_part(tokens: Sequence[Token], place: int) -> bool:
    """Whether the number is a day before a time of that day, or the last one of two: "le 10 au soir", "300 le 10 ?"."""
    number = tokens[place]
    if place == 0 or number.kind != "number" or not re.fullmatch(r"[12]?\d|3[01]", number.text):
        return False
    is_article = tokens[place - 1].text.split()[-1:] in ([article] for article in DAY_ARTICLES)
    behind = next((token for token in tokens[place + 1 : place + 3] if token.text != "."), number)
    is_last = all(token.kind == "mark" for token in tokens[place + 1 :])
    lead = {token.kind for token in tokens[max(place - 2, 0) : place - 1]}
    is_free = tokens[place - 1].kind in ("the", "on") and not lead & BEFORE_LEVELS
    is_order = any(token.kind in ("ordinal", "before", "which") for token in tokens)
    is_second = is_last and is_free and not is_order and any(token.kind == "number" for token in tokens[: place - 1])
    return is_article and (behind.kind in ("daypart", "athour") or is_second)


def roles(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """The roles of each token."""
    return [frozenset(_roles_of(tokens, place)) for place in range(len(tokens))]


def _roles_of(tokens: Sequence[Token], place: int) -> set[str]:
    token = tokens[place]
    if token.kind == "number":
        return _number_roles(tokens, place)
    if token.kind == "shortyear":
        return {"year"}
    if token.text and token.text in DASHES:
        return {"dash"}
    if token.text in HOMONYMS and token.kind in ("month", "weekday") and not _stands_in_date(tokens, place):
        return set()
    if token.kind == "mark":
        return MARK_ROLES.get(token.text, set())
    if token.kind == "numword":
        half = {"half"} if token.value == 1 / 2 else set[str]()
        return {"numword"} | half | _day_in_words(tokens, place)
    if token.kind == "ordinal":
        counts = place + 1 < len(tokens) and tokens[place + 1].kind in COUNTABLES  # "the first week"
        return {"ordinal"} if counts else {"ordinal", "dayword"}
    if token.kind == "unit":
        return {"unit"} | _unit_roles(tokens, place)
    if token.kind in ("to", "until", "lasting"):
        return {token.kind, "dash", "before"} if token.value == "start" else {token.kind, "dash"}
    if token.kind in PARTS:
        return {token.kind, "part"}
    if token.kind in NEAR_KINDS:
        return {token.kind, "near"}
    return {token.kind, "english"} if token.text == "the" else {token.kind}


def _unit_roles(tokens: Sequence[Token], place: int) -> set[str]:
    token = tokens[place]
    before = [token.kind for token in tokens[max(0, place - 6) : place] if token.kind != "the"]
    is_closed = "close" in before and before[-1] not in {"number", "a", "end", *NEAR_KINDS}  # "close the month above …"
    result = set(UNIT_ROLES.get(str(token.value), ()))
    if token.text in PLURALS:
        result.add("units")
    if token.text == "h":
        result.add("h")
    if is_closed:
        result.add("closed")
    return result


def _number_roles(tokens: Sequence[Token], place: int) -> set[str]:
    if _is_amount(tokens, place):
        return set()
    day_roles = _calendar_roles(tokens, place) | {"count"}
    if "day" in day_roles and _is_bare_day(tokens, place):
        day_roles.add("bareday")
    return day_roles | ({"spanned"} if _is_spanned(tokens, place) else set())


def _is_bare_day(tokens: Sequence[Token], place: int) -> bool:
    """Whether the words before the number make it a day: "d'ici le 5", "vor dem 5."."""
    before = tokens[place - 1] if place else Token("", "")
    lead = tokens[place - 2] if before.kind == "the" and place > 1 else before  # "vor dem 5"
    if lead.kind in FIRM and before.text.split()[-1] in DAY_WORDS:
        return True
    is_dotted = place + 1 < len(tokens) and tokens[place + 1].text == "."
    return is_dotted and before.kind == "the" and lead.kind in FIRM - {"on"}


def _calendar_roles(tokens: Sequence[Token], place: int) -> set[str]:
    token = tokens[place]
    if _is_day_and_month(tokens, place):
        return {"daymonth"}
    if token.value is not None:
        size = {"small"} if token.value in (1, 2, 3, 4) else set()
        year = {"year"} if token.quantity in LATE_YEARS and _is_year(tokens, place, int(token.quantity)) else set()
        return size | year | _day_in_words(tokens, place)
    if re.fullmatch(r"\d{4}", token.text):
        return {"year"} if _is_year(tokens, place, int(token.text)) else set()
    if re.fullmatch(r"20\d\d(?:0\d|1[0-2])[0-3]\d", token.text):
        return {"compact"} if tokens[place - 1].kind in DATE_WORDS else set()
    if not re.fullmatch(r"\d{1,2}", token.text):
        return set()
    if _is_short_year(tokens, place):
        return {"year"}
    number = int(token.text)
    return {"odd"} if not 1 <= number <= 31 else {"day", "small"} if number <= 4 else {"day"}


def _is_short_year(tokens: Sequence[Token], place: int) -> bool:
    """Example: "End of 27", but not "end of 27 November" or "end of 27th"."""
    before = [token.kind for token in reversed(tokens[:place]) if token.kind != "the"][:2]
    after = tokens[place + 1].kind if place + 1 < len(tokens) else ""
    is_of_part = before[:1] in ([part] for part in (*PARTS, "halfyear")) or before == ["number", "q"]
    return is_of_part and int(tokens[place].text) in SHORT_YEARS and after not in ("month", "unit", "slash")


def _is_spanned(tokens: Sequence[Token], place: int) -> bool:
    """Whether the number may count units before "next"; in "eth 3000 next month" it is a level."""
    if not 1 <= count(tokens[place]) <= MOST_UNITS or place + 1 == len(tokens) or tokens[place + 1].kind != "next":
        return False
    return any(following.text in {*PLURALS, "haftaya"} for following in tokens[place + 1 : place + 3])


def _is_amount(tokens: Sequence[Token], place: int) -> bool:
    """Whether a currency, a magnitude or a percent sign is beside the number."""
    before = tokens[place - 1] if place else Token("", "")
    follows = place > 1 and tokens[place - 2].kind in ("number", "times")  # "2 dollars 30 days from now"
    if before.kind in AMOUNT_BEFORE and not (follows and before.text.isalpha()):
        return True
    if place + 1 == len(tokens):
        return False
    after = tokens[place + 1]
    is_word = after.kind == "figures" and after.value is not None  # German "2027 sechsstellig"
    return (after.kind in AMOUNT_AFTER and not is_word) or (after.is_glued and after.kind in ("m", "letter"))


def _day_in_words(tokens: Sequence[Token], place: int) -> set[str]:
    """The day of "el diez de diciembre", unless the number follows a word for a level."""
    before = first_kind(tokens[:place][::-1], {"the"})
    return {"dayword"} if tokens[place].quantity in range(1, 32) and before not in LEVEL_BEFORE else set()


def _is_year(tokens: Sequence[Token], place: int, number: int) -> bool:
    """Whether a number is a year here: between 2010 and 2100, and not in the place of a level."""
    if not 2010 <= number <= 2100:
        return False
    leads = (token for token in reversed(tokens[:place]) if token.kind not in ("the", "approx"))
    before = next(leads, Token("", ""))
    is_subject = before.kind == "be" and before is tokens[0]  # "ist 2027 ein gutes Jahr"
    if _is_joined(tokens, place) or (before.kind in LEVEL_BEFORE and not is_subject):
        return False
    return before.kind in YEAR_BEFORE or number in LATE_YEARS


def _is_joined(tokens: Sequence[Token], place: int) -> bool:
    """Whether four digits that are no year stand beside the number, as the other end of a range or another level."""
    pairs = (tokens[max(0, place - 2) : place][::-1], tokens[place + 1 : place + 3])
    others = [pair[1].text for pair in pairs if len(pair) > 1 and (pair[0].kind in JOINTS or pair[0].text in DASHES)]
    return any(re.fullmatch(r"\d{4}", other) and int(other) not in LATE_YEARS for other in others)


def _is_day_and_month(tokens: Sequence[Token], place: int) -> bool:
    """Whether "31.12" is a date here: after "by", "until" or "on"."""
    digits = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", tokens[place].text)
    if not digits or not (1 <= int(digits[1]) <= 31 and 1 <= int(digits[2]) <= 12):
        return False
    before = [token for token in tokens[max(0, place - 2) : place] if token.kind != "the"]
    if not before or before[-1].text == "at":
        return False
    is_reached = before[-1].text == "到" and before[0].kind == "will"  # "能到2.5"
    return before[-1].kind in ("by", "before", "until", "lasting", "on") and not is_reached


def _stands_in_date(tokens: Sequence[Token], place: int) -> bool:
    """Whether a date word or a day precedes the word, or a day or a year follows it."""
    before = [index for index in range(max(0, place - 2), place) if tokens[index].kind != "the"]
    if before and (tokens[before[-1]].kind in DATE_WORDS or "day" in _roles_of(tokens, before[-1])):
        return True
    rest = tokens[place + 1 :]
    if all(token.kind == "mark" for token in rest):
        return tokens[place].text in SHORT_DAYS
    return bool({"nth", "day", "year"} & _roles_of(tokens, place + 1))
