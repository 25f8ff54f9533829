"""What a follow-up leaves out of its dates and amounts: "at 21:00?", "same time on Friday?", "105" after 99,000."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from service.questions.amounts import MINUSES
from service.questions.circumstances import Circumstances
from service.questions.criterion import LARGEST_RATIO, WIDEST, Assumption, invalid, is_near
from service.questions.dates.clocks import DAY_END, without_clocks
from service.questions.dates.matching import is_year, spans
from service.questions.dates.periods import after
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_units
from service.questions.kinds.levels import First, LastPrice, Relative
from service.questions.kinds.references import Comparison
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.question import Question
from service.questions.tokens import DASHES, Token
from service.questions.vocabulary import BEAR, BULL, Language

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
STEPS = ("day", "week", "month")
EARLIER = forms("earlier")
# Kinds before the day of a month: "el 12", "am 12.".
ARTICLES = {"the", "on", "ampm"}
LIMITS = {"by", "before", "until", "lasting", "to"}
# Kinds that make another date of the day of "and by the 24th?", and how far away the month that is meant may be.
OTHER_DATES, LONGEST_WAY = {"month", "unit", "weekday", "rel", "holiday", "next", "this", "eo"}, timedelta(days=330)
LAST_DAY, MOST_HOURS = 31, 24
SUNDAY, HOURS_OF_WEEK = 6, 168
# Kinds beside a weekday that leave open which week is meant.
BESIDE_WEEKDAY = ARTICLES | {"weekday", "asset", "by", "until", "in", "filler"}
# The kinds of "the day after", "the Friday after", which are counted from the earlier deadline, and those beside them.
FOLLOWING = ({"after", "unit"}, {"later", "unit"}, {"before", "unit"}, {"next", "unit"})
FOLLOWING_DAY = ({"after", "weekday"}, {"later", "weekday"}, {"next", "weekday"})
BESIDE = ARTICLES | {"a", "by", "until", "asset", "in", "to"}
# Kinds beside the number of "in 5?" after "in 3 weeks?"; "tra" is Italian for "between" too.
LENGTH_LEADS = {"in", "within", "during", "later", "between", "next"}
UNITS, MOST_UNITS = ("month", "week", "day", "hour", "minute"), 60
NUMBERS = ("number", "numword")
# A larger unit is meant unless its number changes by so many times more than that of a smaller one: "5 days, 8?".
LARGER_CHANGE = 2.0
SILENT = {"mark", "filler"}
FURTHER = forms("further")  # "two more weeks", beside a length alone
FROM_NOW = {"from now", "from today", "hence"}  # "two weeks from now", which is no "two weeks later"
DAY_KINDS = ARTICLES | {"rel", "weekday", "nth", "month", "iso", "date", "number", "holiday", "word", "not", *SILENT}
SIGNS = {*MINUSES, "+"}
JOINTS = {"by", "to", "until", "lasting", "and"}
# The value of words that put one thing in the place of another: "instead of".
EXCHANGE = "instead"
# The value of words that carry a question on: "what about", "i meant", "sorry".
CARRY = "carry"
LARGEST_PCT, BESIDE_PERCENT = 100, BESIDE | BULL | BEAR | {"minus", "mark"}
# Words before a bare number that make no date of it: after "down 10%?" it is a percentage.
BY = forms("by_size")
# Kinds after a number that say what it is, so that it is no level in thousands. A smaller number may be a day.
AFTER_AMOUNT, LEAST_THOUSANDS = {"number", "percent", "times", "unit", "money", "fold", "month", "ampm", "cent"}, 32
MOST_IN_CENTS = 10  # USD; a price above it is not told in cents
THOUSAND, LEAST_CENTS = 1000, 10  # so many times the price, a whole number is one of cents: 43 after 0.48 USD
ENDS_OF_RANGE = 2
# Kinds before the new level of one end of a range: "make the low one 88", "lower end 88k".
BEFORE_END = {"and", "the", "filler", "meet", "be", "numword", "end", "up", "down", "mark"}
USD, LATER_YEARS = (Token("money", "usd"),), 3  # behind a number that is no year
AT = {"", "on", "to", "above", "below", "exceed", "asset", "filler", "mark"}  # before it


def with_dates(
    tokens: list[Token], earlier: Question, circumstances: Circumstances, notes: list[Assumption]
) -> list[Token]:
    """The tokens with the parts of a date that the earlier deadline says, and notes about them."""
    *before, last = _spoken(tokens) or [Token("mark", "")]
    kinds, today = {token.kind for token in before}, circumstances.now.date()
    if last.kind == "number" and last.text.isdecimal() and kinds and kinds <= ARTICLES | LIMITS:
        spot, day = circumstances.spots.get(earlier.asset, earlier.spot), int(last.text)
        if 1 <= day <= LAST_DAY and not is_near(day, spot, LARGEST_RATIO):
            return _in_later_month([*before, Token("nth", f"{day}th")], earlier, today, notes)
    if last.kind == "number" and "holiday" in kinds and kinds <= {"holiday"} | ARTICLES | LIMITS:
        return before  # "avant le réveillon du 31"
    hour = first_value(last) if last.kind == "number" else MOST_HOURS
    is_whole = hour < MOST_HOURS and hour == int(hour)
    clock, pair = Token("clock", f"{hour:.0f}:00"), [token.kind for token in before[-2:]]
    if is_whole and [token.value for token in before] == ["at"] and earlier.deadline.time() != DAY_END:
        return [Token("iso", f"{earlier.deadline:%Y-%m-%d}"), clock]
    if is_whole and pair in (["weekday", kind] for kind in ("on", "in", "ampm", "by")):  # "monday at 9"
        return [*before[:-1], clock]
    if last.kind == "number" and before and before[-1].kind == "weekday" and last.text.isdecimal():
        _require_that_weekday(_spoken(tokens), circumstances)
    tokens = _in_later_month(_in_month(tokens, earlier), earlier, today, notes)
    if day := _following(tokens, earlier) or _period(tokens, earlier, circumstances.now):
        tokens = [*day, *(token for token in tokens if token.kind in ("asset", "sametime"))]
    tokens = _in_later_year(tokens, earlier, circumstances.now, notes)
    if earlier.deadline.date() > today or any(token.kind == "sametime" for token in tokens):
        tokens = _with_time(tokens, earlier, circumstances, notes)
    place = next((place for place, token in enumerate(tokens) if token.kind == "weekday"), None)
    if place is None or not kinds | {last.kind} <= BESIDE_WEEKDAY or earlier.deadline.date() <= today:
        return tokens
    is_today = tokens[place].quantity == today.weekday()
    return [*tokens[:place], Token("next", ""), *tokens[place:]] if is_today else tokens


def _require_that_weekday(tokens: list[Token], circumstances: Circumstances) -> None:
    """Refuse "friday 13" where no 13th of the coming weeks is a Friday."""
    dates = spans(with_units(tokens), Today(circumstances.now, day_first=True))
    day = int(tokens[-1].text)
    if day <= LAST_DAY and not any(span.after == len(tokens) for span in dates):
        raise invalid(
            f"In the coming weeks day {day} of a month is another day of the week. Name the date.", "deadline"
        )


def _spoken(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.kind not in SILENT]


def _following(tokens: Sequence[Token], earlier: Question) -> list[Token]:
    """The day of "the day after", "the week after", "the Friday after", counted from the earlier deadline.

    "The next one" after a week is the next week, after a month the next month.
    """
    names = [token for token in _spoken(tokens) if token.kind not in BESIDE | {"sametime"}]
    kinds = {"before" if token.text in EARLIER else token.kind for token in names}  # "a week earlier"
    until, sign = earlier.deadline, -1 if "before" in kinds else 1
    units = [str(token.value) for token in names if token.value in STEPS]
    is_one = all(first_value(token) == 1 for token in names if token.kind == "numword")
    is_next = kinds in ({"next"}, {"next", "numword"}, {"not", "this", "next"}) and is_one
    month = until + DAY
    if any(token.text in FROM_NOW for token in names):
        return []
    if is_next and until.time() == DAY_END and until.weekday() == SUNDAY and earlier.horizon_hours < HOURS_OF_WEEK:
        return [Token("next", "next"), Token("unit", "week", "week")]
    if is_next and until.time() == DAY_END and month.day == 1 and earlier.horizon_hours > 2 * MOST_HOURS:
        return [Token("month", f"{month:%B}".lower(), float(month.month)), Token("number", str(month.year))]
    days = [int(token.quantity) for token in names if token.kind == "weekday"]
    if units and kinds in (FOLLOWING if units == ["day"] else FOLLOWING[:3]):
        return [Token("iso", f"{after(until, sign, units[0]).end:%Y-%m-%d}")]
    is_near = earlier.horizon_hours < 2 * HOURS_OF_WEEK and days == [until.weekday()]
    is_next = "next" in kinds and not is_near  # "next Monday" after a Friday is counted from today
    if len(days) != 1 or is_next or kinds not in FOLLOWING_DAY:
        return []
    return [Token("iso", f"{until + ((days[0] - until.weekday() - 1) % 7 + 1) * DAY:%Y-%m-%d}")]


def with_later(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with the instant of "24h later", "two more weeks", counted from the earlier deadline.

    In languages with postpositions such words count from now.
    """
    plain = [token for token in tokens if token.kind not in ("mark", "and", "asset")]
    counted = [token for token in plain if token.text not in FURTHER and token.kind not in ("the", "in")]
    is_further = any(token.text in FURTHER for token in plain) and earlier.days is None
    if is_further and [token.kind for token in counted] in (["number", "unit"], ["numword", "unit"]):
        names = [token for token in tokens if token.kind == "asset"]
        return with_later([*names, *counted, Token("later", "")], earlier)
    for place, (number, unit, later) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        is_last = all(token.kind == "mark" for token in tokens[place + 3 :])  # Italian "due settimane dopo"
        has_lead = place > 0 and tokens[place - 1].kind == "in"  # German "gibt es in 2 tagen nach?"
        is_later = later.kind == "later" or (later.kind == "after" and is_last and not has_lead)
        count = 1.0 if number.kind == "a" else first_value(number) if number.kind in NUMBERS else 0.0
        is_counted = count >= 1 and count == int(count) and unit.kind == "unit"
        if is_counted and is_later and later.text not in FROM_NOW:
            at = after(earlier.deadline, int(count), str(unit.value)).end
            instant = [Token("iso", f"{at:%Y-%m-%d}"), Token("clock", f"{at:%H:%M:%S}"), Token("zone", "utc", "UTC")]
            return [*tokens[:place], *instant, *tokens[place + 3 :]]
    return tokens


def _in_month(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with the month of the earlier deadline for "only in the first week"."""
    kinds = [token.kind for token in tokens]
    is_counted = any(pair in (("ordinal", "unit"), ("nth", "unit")) for pair in pairwise(kinds))
    if "month" in kinds or not is_counted:
        return tokens
    after = kinds.index("unit") + 1
    if any(kind == "unit" and lead not in NUMBERS for lead, kind in pairwise(kinds[after - 1 :])):
        return tokens  # "the first week of next month", unlike "the first week within 2 months"
    month = Token("month", f"{earlier.deadline:%B}".lower(), float(earlier.deadline.month))
    return [*tokens[:after], month, *tokens[after:]] if tokens[after - 1].value == "week" else tokens


def _in_later_month(tokens: list[Token], earlier: Question, today: date, notes: list[Assumption]) -> list[Token]:
    """The tokens with the month of the earlier deadline for "the 24th?", where that is later than this one."""
    until, kinds = earlier.deadline.date(), [token.kind for token in tokens]
    is_later = (until.year, until.month) > (today.year, today.month) and until - today < LONGEST_WAY
    is_date = earlier.deadline.time() == DAY_END  # not "in two weeks"
    if kinds.count("nth") != 1 or {*kinds} & OTHER_DATES or not (is_later and is_date):
        return tokens
    place = [token.kind for token in tokens].index("nth") + 1
    notes.append(Assumption(f"The day is understood as one of {until:%B %Y}.", "deadline"))
    return [*tokens[:place], Token("month", f"{until:%B}".lower(), float(until.month)), *tokens[place:]]


def _period(tokens: Sequence[Token], earlier: Question, now: datetime) -> list[Token]:
    """The week or month of the earlier deadline: "and the whole week?" after "green on Monday?"."""
    span_kinds = {"everyday", "this"} if any(token.kind == "everyday" for token in tokens) else set[str]()
    units = [token for token in _spoken(tokens) if token.kind not in {"the", "a", "asset", *span_kinds}]
    if len(units) != 1 or units[0].kind != "unit" or not isinstance(earlier.kind, LastPrice | Comparison | Relative):
        return []
    until, today = earlier.deadline.date(), now.date()
    years, is_whole = until.year - today.year, any(token.value == "all" for token in tokens)  # "and the whole year?"
    weeks, months = (until - today + today.weekday() * DAY).days // 7, 12 * years + until.month - today.month
    distances = {"week": weeks, "month": months, **({"year": years} if is_whole else {})}
    word = {0: "this", 1: "next"}.get(distances.get(str(units[0].value), -1))
    return [Token(word, word), *units] if word else []


def _in_later_year(tokens: list[Token], earlier: Question, now: datetime, notes: list[Assumption]) -> list[Token]:
    """The tokens with the year of "next December", where that comes after the earlier deadline."""
    kinds, until = [token.kind for token in tokens], earlier.deadline
    dates = spans(with_units(tokens), Today(now, day_first=True)) if {*kinds} >= {"next", "month"} else []
    if len(dates) != 1 or dates[0].dates.end >= until:
        return tokens
    place = kinds.index("month")
    year = until.year + (int(tokens[place].quantity) < until.month)
    notes.append(Assumption(f"The month is understood as that of {year}, after the earlier deadline.", "deadline"))
    dated = [*tokens[: place + 1], Token("number", str(year)), *tokens[place + 1 :]]
    return [token for token in dated if token.kind != "next"]


def _with_time(
    tokens: list[Token], earlier: Question, circumstances: Circumstances, notes: list[Assumption]
) -> list[Token]:
    """The tokens with the day or the time of day of the earlier deadline: "at 21:00?", "same time on Friday?"."""
    until, today = earlier.deadline, Today(circumstances.now, day_first=True)
    day = Token("iso", f"{until:%Y-%m-%d}")
    plain = [token for token in tokens if token.kind != "sametime"]
    is_same = len(plain) < len(tokens)
    others, clock = without_clocks(with_units(plain))
    dates = spans(others, today)
    if clock is None and not dates and any(token.kind == "zone" for token in plain):  # "Madrid time, I mean"
        return [day, Token("clock", f"{until:%H:%M}"), *plain] if until.time() != DAY_END else tokens
    if clock is not None and not dates:
        is_half = any(token.kind == "daypart" or token.value in ("am", "pm") for token in tokens)
        if is_half or clock.at >= time(12) or not time(12) < until.time() < DAY_END:
            return [day, *tokens]  # "at 21:00?"
        return [day, Token("clock", f"{clock.at.hour + 12}:{clock.at:%M}"), *others]  # "9 o'clock?" after "at 20:00?"
    is_day = len(dates) == 1 and not dates[0].dates.exact and dates[0].dates.end - dates[0].dates.start <= DAY
    if clock is not None or not is_day or until.time() == DAY_END:
        return plain if dates else tokens
    if dates[0].dates.end.date() == today.date and until.timetz() <= circumstances.now.timetz():
        return plain
    if not is_same:
        is_only_day = {token.kind for token in plain} <= DAY_KINDS and isinstance(earlier.kind, LastPrice)
        if not is_only_day or dict(_lengths(earlier)):
            return tokens
        notes.append(Assumption(f"The time of day is that of the earlier question, {until:%H:%M} UTC.", "deadline"))
    words = [token for token in plain if token.kind != "mark"]
    return [*words, Token("clock", f"{until:%H:%M:%S}"), Token("zone", "utc", "UTC")]


def _lengths(earlier: Question) -> Iterator[tuple[str, int]]:
    """How many of each unit an earlier deadline was away: 336 hours are 2 weeks or 14 days; nothing for a date."""
    start = earlier.deadline - timedelta(hours=earlier.horizon_hours)
    for unit in UNITS:
        for number in range(1, MOST_UNITS + 1):
            if abs(after(start, number, unit).end - earlier.deadline) < SECOND:
                yield unit, number


def with_unit(tokens: list[Token], earlier: Question, notes: list[Assumption]) -> list[Token]:
    """The tokens with the unit of the earlier deadline, or with its number: "in 5?" after "in 3 weeks?", "days i mean".

    A bare number that may be a level or a percentage is none of weeks.
    """
    plain = [token for token in _spoken(tokens) if token.kind != "a"]
    names = [token for token in plain if token.kind not in LENGTH_LEADS]
    lengths = dict(_lengths(earlier)) if len(names) == 1 else {}
    if not lengths or names[0].kind not in (*NUMBERS, "unit"):
        return tokens
    if names[0].kind == "unit":
        unit, is_one = str(names[0].value), any(token.kind == "a" for token in tokens)  # "better a year"
        if len(plain) > 1 or (not is_one and (unit in lengths or unit not in UNITS)):
            return tokens
        return _of_length(1 if is_one else next(iter(lengths.values())), unit, notes)
    number, prices = first_value(names[0]), (*earlier.levels, earlier.spot)
    values = [number, 1000 * number, number / 100]
    is_level = any(min(prices) / LARGEST_RATIO < value < max(prices) * LARGEST_RATIO for value in values)
    is_bare_amount = len(plain) == 1 and (is_level or earlier.level_pct is not None or earlier.days is not None)
    if not 1 <= number <= MOST_UNITS or number != int(number) or is_bare_amount:
        return tokens
    changes = {unit: max(number / count, count / number) for unit, count in lengths.items()}
    unit = next(unit for unit in changes if changes[unit] <= LARGER_CHANGE * min(changes.values()))
    return _of_length(int(number), unit, notes)


def _of_length(number: int, unit: str, notes: list[Assumption]) -> list[Token]:
    notes.append(Assumption(f"The deadline is understood as in {number} {unit}{'s' * (number > 1)}.", "deadline"))
    return [Token("in", "in"), Token("number", str(number)), Token("unit", unit, unit)]


def with_scale(tokens: list[Token], earlier: Question, spots: Mapping[str, float]) -> list[Token]:
    """The tokens with the unit of the earlier level, where a number alone would be no level.

    Examples: 105,000 for 105 after a question about 99,000, 0.43 for 43 after one about 0.48 USD.
    """
    asset = next((str(token.value) for token in tokens if token.kind == "asset"), earlier.asset)
    is_size = earlier.level_pct is not None and not earlier.levels
    if is_size or earlier.other_asset or earlier.days is not None:
        return tokens
    earlier = earlier if asset == earlier.asset else replace(earlier, spot=spots.get(asset, earlier.spot))
    kinds, result = ["", *(token.kind for token in tokens), ""], list[Token]()
    for place, token in enumerate(tokens):
        before, behind, number = kinds[place], kinds[place + 2], token
        factor = _factor(token, earlier) if token.kind == "number" and behind not in AFTER_AMOUNT else 1.0
        is_dated = before == "in" and is_year(token)  # "in 2027"
        if factor != 1 and not is_dated and before not in ("percent", "money"):
            number = Token("number", f"{factor * first_value(token):.10g}", is_glued=token.is_glued)
        result += [number, *USD * (before in AT and _is_price(number, earlier))]
    return result


def _is_price(token: Token, earlier: Question) -> bool:
    """Whether a number of four digits is near the price, and too late for a year: "eth at 2100"."""
    is_late = token.kind == "number" and is_year(token) and first_value(token) > earlier.deadline.year + LATER_YEARS
    return is_late and is_near(first_value(token), earlier.spot, LARGEST_RATIO)


def _factor(number: Token, earlier: Question) -> float:
    """A thousand or a hundredth, where only so many times the number is near the price."""
    value, spot = first_value(number), earlier.spot
    has_level = earlier.level_pct is None and (bool(earlier.levels) or earlier.comparator == "open")
    is_tiny = LEAST_THOUSANDS <= value <= spot / WIDEST
    is_huge = has_level and spot < MOST_IN_CENTS and value > LEAST_CENTS * spot
    factors = [1000.0] * is_tiny + [0.01] * (is_huge and value == int(value))
    return next((factor for factor in factors if is_near(factor * value, spot)), 1.0)


def with_percent(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with "up 20%" for "up 20?" after a question that names a percentage."""
    words = [token for token in tokens if token.kind not in ("mark", "filler") or token.text in SIGNS]
    words = words[:-1] if words and words[-1].kind == "word" else words  # German "mehr als 5 plus"
    number = next((place for place, token in enumerate(words) if token.kind == "number"), len(words))
    date = next((place for place in range(number, len(words)) if words[place].kind in LIMITS), len(words))
    *before, last = words[:date] or [Token("mark", "")]
    kinds, has_by = {token.kind for token in before}, any(token.text in BY for token in before)
    if earlier.level_pct is None or last.kind != "number" or first_value(last) >= LARGEST_PCT:
        return tokens
    is_size = not any(is_near(factor * first_value(last), earlier.spot) for factor in (1, THOUSAND, 1 / 100))
    companions = BESIDE_PERCENT | {"word", "approx"} | ({"above", "below", "exceed"} if is_size or has_by else set())
    # A number after an article or "to" is a day or a level: "il 20?", "sube a 2".
    is_size_alone = not any(token.kind in (*ARTICLES, "to", "in") for token in before[-1:])
    if kinds <= companions and (has_by or date < len(words) or is_size_alone):
        return [*before, last, Token("percent", "%"), *words[date:]]
    if kinds - {"word"} == {"the"} and last.text.isdecimal():
        raise invalid("Whether a day or a percentage is meant is unclear. Write 20% for a percentage.")  # "il 20?"
    return tokens


def with_range(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with "between 110 and 160" for "110 to 160", and for "until 160" after a range from 110."""
    places = [place for place, token in enumerate(tokens) if token.kind == "number"]
    if not places:
        return tokens
    first, *others = places
    leads = {token.kind for token in tokens[:first]} - {"the", "filler", "mark"}
    lower, upper = (Token("number", f"{level:.10g}") for level in earlier.bounds)
    behind = tokens[first + 1].kind if first + 1 < len(tokens) else ""
    value = first_value(tokens[first]) * (THOUSAND if behind == "times" else 1)
    is_level = is_near(value, earlier.spot) and behind not in ("unit", "month")
    side = _named_end(tokens[:first])
    is_end = bool(leads) or isinstance(earlier.kind, First)  # "what about 98?" after "100 or 90 first"
    if not others and is_level and (side or (is_end and leads <= JOINTS | {"from"})):
        is_upper = side > 0 if side else "from" not in leads if leads else value > earlier.spot
        ends = ([lower], tokens[first:]) if is_upper else (tokens[first:], [upper])
        return [Token("between", ""), *ends[0], Token("and", ""), *ends[1]]
    if len(others) + 1 != ENDS_OF_RANGE or any(token.kind == "between" for token in tokens):
        return tokens
    gap, second = tokens[first + 1 : others[0]], others[0]
    joint = [token for token in gap if token.kind not in {"or", "ask", "versus", *JOINTS} and token.text not in DASHES]
    return [*tokens[:first], Token("between", ""), tokens[first], *joint, Token("and", ""), *tokens[second:]]


def _named_end(tokens: Sequence[Token]) -> int:
    """The end of a range that words before its new level name: "make the low one 88" is -1, "upper end 102k" 1."""
    kinds = {token.kind for token in tokens}
    if not kinds <= BEFORE_END or not kinds & {"the", "end", "numword", "meet"}:  # French "plus haut 105k" is no end
        return 0
    names = {token.value for token in tokens} | ({*kinds} & {"up", "down"} if kinds & {"end", "numword"} else set())
    return bool(names & {"high", "up"}) - bool(names & {"low", "down"})


def with_level(tokens: list[Token], level: float, language: Language) -> list[Token]:
    """The tokens with a level where the language has it: behind its verb, or before it."""
    amount = [Token("number", f"{level:.10g}"), Token("money", "usd")]
    end = next((place for place, token in enumerate(tokens) if token.kind == "mark"), len(tokens))
    place = 1 if language.postpositions else end
    return [*tokens[:place], *amount, *tokens[place:]]
