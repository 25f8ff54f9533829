"""The question without its dates: directions, relations, negations and amounts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from service.market.prices import NO_RATES, Rates
from service.questions.amounts import Amount, convert, find_amounts
from service.questions.criterion import LARGEST_RATIO, invalid, is_near
from service.questions.lexicon import forms
from service.questions.tokens import Token, first_kind
from service.questions.vocabulary import BEAR, BULL, MOTIONS, PREDICATES, RELATIONS, SIDES, Language

# Words for a range that may be a size; other phrases with "range" are about two levels.
RANGES = forms("range")
# Kinds that may separate two levels of which one is to be reached before the other.
LEVEL_LEADS = {"the", "a", "approx", "mark", "asset", "to", "reach", "meet", "be", "go", "will"}
BETWEEN_LEVELS = {
    *MOTIONS, *BEAR, *BULL, "before", "or", "on", "in", "by", "to", "until", "below", "above", "the", "a", "approx",
    "filler", "meet", "will", "and",
}  # fmt: skip
# Words for first, sooner or likelier beside two levels.
SOONER = forms("sooner")
# Denials that ask as the last word: "it goes up, no?", Chinese "能破10万不".
QUESTION_NEGATIONS = forms("negation_asks")
# Words before a deadline up to which a state lasts.
OVER_TIME = ("until", "lasting", "within", "during")
# How many words after "from" may say where the price comes from, and the largest probability in percent.
ORIGIN, CERTAIN = 3, 100
# Kinds that may separate an asset from its price: "ETH at 5000", "5000 ETH".
LINKS = {"the", "on", "approx", "be", "price", "a", "mark"}
MODIFIERS = {"the", "approx", "be"}
BOUNDS = {"the", "approx", "above", "below", "mark"}


@dataclass(frozen=True)
class Clause:
    """The tokens without dates, their kinds, the amounts among them and whether the clause is negated.

    `kinds` omits words inside amounts, verbs in the past, and directions that say where the price comes from ("recover
    from the crash"). `has_stray` means that the clause contains a number to which no meaning was found. `has_order`
    means that one level is to be reached before the other: "70k before 50k".
    """

    tokens: tuple[Token, ...]
    kinds: frozenset[str]
    amounts: tuple[Amount, ...]
    negated: bool
    has_stray: bool
    has_order: bool

    @property
    def is_above(self) -> bool:
        return bool(self.kinds & {"above", "ormore"})

    @property
    def is_below(self) -> bool:
        return bool(self.kinds & {"below", "orless"})

    @property
    def has_both_directions(self) -> bool:
        return bool(self.kinds & BULL) and bool(self.kinds & BEAR)

    @property
    def denies_each(self) -> bool:
        """Example: "Neither rises nor falls", Portuguese "nem sobe nem desce"."""
        return "neither_of" in self.kinds or sum(token.kind == "not" for token in self.tokens) > 1

    @property
    def asks_width(self) -> bool:
        """Example: "The range exceeds 5%": how far the highest price is from the lowest; not "in a range of 5%"."""
        has_width = any(
            token.kind == "width" or (token.kind == "between" and token.text in RANGES) for token in self.tokens
        )
        return has_width and bool(self.kinds & {"exceed", "above", "below", "ormore", "orless"})

    def covers(self, place: int) -> bool:
        """Whether the token at that place belongs to an amount."""
        return any(amount.first <= place < amount.after for amount in self.amounts)

    def joins(self, lower: Amount, upper: Amount) -> bool:
        """Example: "Between 5% and 10%", "5 to 10%"."""
        return "between" in self.kinds or _joined(self.tokens[lower.after : upper.first])

    @property
    def is_left(self) -> bool:
        """Example: "Leave the range", "outside 80k to 90k", "break the range"."""
        return "leave" in self.kinds or {"break", "between"} <= self.kinds

    @property
    def is_outside(self) -> bool:
        """Example: "Outside 80k to 90k on Friday", which is a place; "leave 80k to 90k" is a move."""
        places = [token.value == "outside" for token in self.tokens if token.kind == "leave"]
        return bool(places) and all(places) and not self.kinds & MOTIONS

    def nearness(self, amount: Amount) -> str:
        """Example: "around" for "around 90k" and "90k or so", "exact" for "exactly 90k", else empty."""
        before = takewhile(lambda token: token.kind in ("the", "approx", "mark"), self.tokens[: amount.first][::-1])
        neighbours = (*self.tokens[amount.after : amount.after + 1], *before)
        return next((str(token.value) for token in neighbours if token.kind == "approx" and token.value), "")

    @property
    def asks_volatility(self) -> bool:
        """Example: "Volatility above 60%": how much the price fluctuates, as a percentage."""
        fluctuates = any(token.kind == "width" and token.value is not None for token in self.tokens)
        return fluctuates and any(amount.is_percent for amount in self.amounts)

    def before(self, amount: Amount) -> Token | None:
        """The token before an amount, without articles and "about"."""
        before = reversed(self.tokens[: amount.first])
        return next((token for token in before if token.kind not in ("the", "approx")), None)

    def direction_at(self, amount: Amount | None) -> int:
        """1 for up, -1 for down, 0 for neither; if the clause has both, the last one before the amount counts."""
        places = [place for place, token in enumerate(self.tokens) if _sign(token)]
        signs = {_sign(self.tokens[place]) for place in places}
        if len(signs) < 2 or amount is None:
            return signs.pop() if len(signs) == 1 else 0
        before = [place for place in places if place < amount.first]
        return _sign(self.tokens[before[-1] if before else places[0]])


def read_clause(tokens: Sequence[Token], language: Language, spot: float, rates: Rates = NO_RATES) -> Clause:
    """The clause, with those amounts that can be a price, a percentage or a multiple; prices are in USD."""
    present = _without_idle_stay(_without_origin(_without_past(tokens)))
    numbers = _of_range(present, convert(present, _with_units(present, find_amounts(present), spot), rates), spot)
    levels = _of_order(present, numbers, language, spot)
    amounts = levels or tuple(amount for amount in numbers if is_price(present, amount, numbers, spot))
    rest = [] if levels else [number for number in numbers if number not in amounts and not is_apart(present, number)]
    if any(token.kind in PREDICATES for token in present):  # "I bought 2 btc, will btc rise?"
        rest = [number for number in rest if first_kind(present[number.after :]) != "asset"]
    if language.postpositions and _is_before_behind(present, amounts):
        statement = [token for token in present if token.value != "before"]  # "92 bini görmeden 85 bine iner mi"
        negated, has_order, amounts = _is_negated(statement, language), True, amounts[::-1]
    else:
        negated, has_order = _is_negated(present, language), _has_order(present, amounts, language)
    inside = {place for amount in numbers for place in range(amount.first, amount.after)}
    kinds = {_kind(token) for place, token in enumerate(present) if place not in inside}
    outside = (token for place, token in enumerate(present) if place not in inside)
    is_lost = any(token.kind == "numword" and token.quantity not in (0, 1) for token in outside)  # "below two"
    has_stray = bool(rest) or is_lost
    if "above" not in kinds and any(amount.is_or_more for amount in numbers):
        kinds.add("exceed")
    return Clause(tuple(present), frozenset(kinds), amounts, negated, has_stray, has_order)


def _with_units(tokens: Sequence[Token], amounts: Sequence[Amount], spot: float) -> list[Amount]:
    """The amounts with both ends of "5 to 10%" in percent, of "35 and 40 cents" or "50 cents or 30" in cents."""
    result = list(amounts)
    for place, (lower, upper) in enumerate(pairwise(amounts)):
        is_other = any(token.kind == "or" for token in tokens[lower.after : upper.first])
        is_far = not (upper.is_marked or upper.is_percent or is_near(upper.value(spot), spot))
        if is_other and is_far and tokens[lower.after - 1].kind == "cent":
            result[place + 1] = replace(upper, is_money=True, values=tuple(value / 100 for value in upper.values))
        if lower.is_marked or not _joined(tokens[lower.after : upper.first]):
            continue
        if upper.is_percent:
            result[place] = replace(lower, is_percent=True)
        elif tokens[upper.after - 1].kind == "cent":
            result[place] = replace(lower, is_money=True, values=tuple(value / 100 for value in lower.values))
    return result


def _joined(gap: Sequence[Token]) -> bool:
    return len(gap) == 1 and gap[0].kind in ("and", "to", "until")


def _has_order(tokens: Sequence[Token], amounts: Sequence[Amount], language: Language) -> bool:
    """Example: "70k before 50k", Spanish "qué pasa antes, 80k o 150k", Japanese "150kと80kどっちが先"."""
    if len(amounts) != 2:
        return False
    gap = tokens[amounts[0].after : amounts[1].first]
    kinds = ["or" if token.text == "/" or token.kind == "versus" else token.kind for token in gap]
    if language.postpositions and "before" in kinds:
        return False
    kinds = ["or" if language.postpositions and kind == "ask" else kind for kind in kinds]  # "100k mı 90k mı"
    is_first = _asks_first(tokens, amounts)
    if is_first:
        kinds = [kind for kind in kinds if kind not in ("ordinal", "mark")]  # "100k first or 85k first"
    if len({token.value for token in tokens if token.kind == "asset"}) == 1:
        kinds = [kind for kind in kinds if kind != "asset"]  # "sol 130 or sol 170"
    is_joined = is_first and ("or" in kinds or "and" in kinds)
    return set(kinds) <= BETWEEN_LEVELS and ("before" in kinds or is_joined)


def _asks_first(tokens: Sequence[Token], amounts: Sequence[Amount]) -> bool:
    """Example: "100k or 85k first", Italian "prima 2000 o 2500", Turkish "50 bine mi iner 57 bine mi çıkar önce"."""
    leads = [token.kind for token in tokens[: amounts[0].first] if token.kind not in LEVEL_LEADS]
    behind = [token.kind for token in tokens[amounts[1].after :] if token.kind not in ("mark", "ask")]
    is_named = any(token.text in SOONER or (token.kind == "ordinal" and token.value == 1) for token in tokens)
    return is_named or "before" in (*leads[-1:], *behind[-1:])


def _of_order(
    tokens: Sequence[Token], numbers: Sequence[Amount], language: Language, spot: float
) -> tuple[Amount, ...] | None:
    """The two levels of which one comes first, also without a word that relates them to the price: "50 or 57 first"."""
    if any(amount.is_percent or amount.is_multiple or amount.sign for amount in numbers):
        return None
    is_one_asset = len({token.value for token in tokens if token.kind == "asset"}) < 2
    levels = tuple(in_thousands(amount, spot) for amount in numbers)
    is_order = is_one_asset and _has_order(tokens, numbers, language)
    return levels if is_order and all(is_near(amount.value(spot), spot) for amount in levels) else None


def _of_range(tokens: Sequence[Token], numbers: list[Amount], spot: float) -> list[Amount]:
    """The amounts with both ends of a range in thousands: "between 48 and 53", "stays at 48-53"."""
    ends = [in_thousands(amount, spot) for amount in numbers]
    is_plain = not any(amount.is_percent or amount.is_money or amount.is_multiple or amount.sign for amount in numbers)
    bare = [amount for amount in numbers if not amount.is_marked or amount.upper]
    is_pair = len(bare) == len(numbers) == (1 if numbers and numbers[0].upper else 2)
    is_range = is_pair and any(token.kind in ("between", "stay", "leave") for token in tokens)
    return ends if is_range and is_plain and all(is_near(amount.value(spot), spot) for amount in ends) else numbers


def in_thousands(amount: Amount, spot: float) -> Amount:
    """The amount itself or, where only that is near the price, its thousands: 57 for 57,000."""
    upper = amount.upper and tuple(1000 * value for value in amount.upper)
    thousands = replace(amount, values=tuple(1000 * value for value in amount.values), upper=upper)
    is_marked = amount.is_marked and not (amount.upper and max(amount.upper) < LARGEST_THOUSANDS)
    if is_marked or is_near(amount.value(spot), spot) or not is_near(thousands.value(spot), spot):
        return amount
    return thousands


def in_likely_thousands(amount: Amount, spot: float) -> Amount:
    """The amount itself or its thousands where those are within a factor of two of the price: "below 49"."""
    thousands = in_thousands(amount, spot)
    return thousands if is_near(thousands.value(spot), spot, LARGEST_RATIO) else amount


def _is_before_behind(tokens: Sequence[Token], amounts: Sequence[Amount]) -> bool:
    """Whether "before" follows the level that is reached later: Turkish "92 bini görmeden 85 bine", Japanese "前に"."""
    gap = tokens[amounts[0].after : amounts[1].first] if len(amounts) == 2 else ()
    is_before = any("before" in (token.kind, token.value) for token in gap)
    return is_before and {token.kind for token in gap} <= BETWEEN_LEVELS | {"not"}


def _kind(token: Token) -> str:
    if token.kind == "mood":
        return "up" if token.value == "up" else "down"
    return token.kind


def _sign(token: Token) -> int:
    """1 for a word that means up, -1 for one that means down, else 0."""
    return 1 if _kind(token) in BULL else -1 if _kind(token) in BEAR else 0


def _without_past(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without verbs in the past, unless "will" or "have" precedes them."""
    future = next((place for place, token in enumerate(tokens) if token.kind in ("will", "have")), len(tokens))
    return [token for place, token in enumerate(tokens) if token.value != "past" or place >= future]


def _without_idle_stay(tokens: list[Token]) -> list[Token]:
    """The tokens without the "hold" of "hold without breaking 560", which only says that it does not break it."""
    kinds = [token.kind for token in tokens]
    stay = kinds.index("stay") if "stay" in kinds else len(kinds)
    denial = next((place for place in range(stay, len(kinds)) if kinds[place] == "not"), len(kinds))
    is_idle = bool({*kinds[denial:]} & {"break", "reach"}) and "number" not in kinds[stay:denial]
    return [*tokens[:stay], *tokens[stay + 1 :]] if is_idle else tokens


def _without_origin(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the directions shortly after "from": "recover from the crash" goes up."""
    result, since = [], ORIGIN + 1
    for token in tokens:
        since = 0 if token.kind == "from" else ORIGIN + 1 if token.kind in ("asset", "will") else since + 1
        if since > ORIGIN or not _sign(token):
            result.append(token)
    return result


def _is_negated(tokens: Sequence[Token], language: Language) -> bool:
    """Whether the negations leave a negation; where they do not cancel in the language, two count as one."""
    last = next((token for token in reversed(tokens) if token.kind != "mark"), None)
    li = next((place for place, token in enumerate(tokens) if token.kind == "li"), 0)  # "не упадёт ли" denies nothing
    is_tag = last is not None and last.kind == "not" and last.text in QUESTION_NEGATIONS  # "it goes up, no?"
    kinds = [token.kind for token in tokens]
    asks_only = is_tag and any(kind in PREDICATES | {"will"} for kind in kinds)  # Chinese "能到3400不"
    denials = kinds[li:].count("not") - asks_only
    if denials and li:
        raise invalid("The question is ambiguous because of its negation. Ask without the negation.")
    cancel = language.negations_cancel and "neither_of" not in kinds
    denials = denials if cancel else min(denials, 1)
    return (denials + kinds.count("fail")) % 2 == 1


# The distance, in tokens, to a word of relation: before a far number, and after a near one.
CLOSE_BEFORE, CLOSE_BEHIND = 3, 4
# A smaller end of a range may be one in thousands.
LARGEST_THOUSANDS = 1000


def is_price(tokens: Sequence[Token], amount: Amount, amounts: Sequence[Amount], spot: float) -> bool:
    """Whether the amount, one of `amounts`, is a price, a percentage or a multiple that the question is about."""
    if is_apart(tokens, amount):
        return False
    if amount.is_marked or amount.is_percent or amount.is_multiple or amount.currency:
        return True
    place = bisect_left(amounts, amount.first, key=lambda other: other.first)
    start = amounts[place - 1].after if place else 0
    end = amounts[place + 1].first if place + 1 < len(amounts) else len(tokens)
    if _is_related(tokens, amount, start, end, spot) or _is_beside_asset(tokens, amount, spot):
        return True
    is_upper = place > 0 and _is_upper_end(tokens, amounts[place - 1], amount)
    return is_upper or (place + 1 < len(amounts) and _is_lower_end(tokens, amount, amounts[place + 1]))


def _is_upper_end(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """Example: "Between 1700 and 1900", "touch 1700 or 1900": the word of relation precedes the other end."""
    gap = [token.kind for token in tokens[lower.after : upper.first]]
    before = first_kind(tokens[: lower.first][::-1], MODIFIERS)
    return (gap == ["or"] and before in RELATIONS) or (gap == ["and"] and before == "between")


def _is_lower_end(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """Example: "From 90 to 95k": the thousands of the other end are those of both; Turkish "90 ile 95 arasında"."""
    gap = [token.kind for token in tokens[lower.after : upper.first]]
    if gap == ["and"]:
        return first_kind(tokens[upper.after :]) == "between"
    is_from = first_kind(tokens[: lower.first][::-1], MODIFIERS) == "from"
    return is_from and gap in (["to"], ["until"]) and upper.is_marked


def is_apart(tokens: Sequence[Token], amount: Amount) -> bool:
    """Whether the number is a probability, one coin ("1 BTC", not "100k BTC") or where the price comes from."""
    is_counted = not (amount.is_money or amount.is_percent) and amount.values == (1.0,)
    is_piece = any(token.value == "piece" for token in tokens[amount.after : amount.after + 1])  # "1 oz of gold"
    is_one_coin = is_counted and (is_piece or first_kind(tokens[amount.after :]) == "asset")
    return is_one_coin or _is_chance(tokens, amount) or _is_origin(tokens, amount)


def _is_chance(tokens: Sequence[Token], amount: Amount) -> bool:
    """Example: "A 50% chance", "100% bullish", "probability 0.99"."""
    if amount.is_money or (not amount.is_percent and (amount.is_marked or min(amount.values) > CERTAIN)):
        return False
    before = first_kind(tokens[: amount.first][::-1], MODIFIERS)
    if amount.is_percent and before in BULL | BEAR:
        return False  # "is a drop of 3% likely"
    if amount.is_percent and first_kind(tokens[: amount.first][::-1], BOUNDS) in ("be", "exceed"):
        return any(token.kind == "chance" for token in tokens[: amount.first])  # "is the chance of a rise above 60%"
    return before == "chance" or first_kind(tokens[amount.after :]) in ("chance", "mood")


def _is_origin(tokens: Sequence[Token], amount: Amount) -> bool:
    """Example: "Bounce from 90k", "now at 94k" say where the price is; "from 90k to 100k" without a verb is a range."""
    before = first_kind(tokens[: amount.first][::-1], ("the", "approx", "on"))
    if amount.is_percent and first_kind(tokens[amount.after :]) == "to":
        return False  # "gain from 5 to 10 percent"
    if before != "from":
        return before == "now" and first_kind(tokens[amount.after :], {"the"}) not in SIDES
    moves = any(token.kind in MOTIONS for token in tokens)
    return moves and all(token.kind != "between" for token in tokens[: amount.first])


def _is_related(tokens: Sequence[Token], amount: Amount, start: int, end: int, spot: float) -> bool:
    """Whether a word of relation precedes the amount or closely follows it, from the place `start` up to `end`.

    These are the ends of the amounts beside it. A number far from the spot price must closely follow such a word: "hit
    150" is an implausible level, but other far numbers are not levels at all.
    """
    if not is_near(amount.value(spot), spot):
        start, end = max(start, amount.first - CLOSE_BEFORE), amount.after
    around = [*tokens[start : amount.first], *tokens[amount.after : min(end, amount.after + CLOSE_BEHIND)]]
    return any(token.kind in RELATIONS or token.kind == "before" for token in around)


def _is_beside_asset(tokens: Sequence[Token], amount: Amount, spot: float) -> bool:
    """Example: "ETH 5000", or "5000 ETH" if it is not a number of coins."""
    is_level = is_near(amount.value(spot), spot)
    links = LINKS | {"in", "will", "and", "filler"} if is_level else LINKS  # "e eth em 3500", "bnb будет 900"
    if first_kind(tokens[: amount.first][::-1], links) == "asset":
        return True
    return first_kind(tokens[amount.after :], LINKS) == "asset" and is_level
