"""What points back to the earlier question: what is denied of it, "not 60k but 55k", or its two levels, "both?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, TypeVar

from service.questions.amounts import find_amounts
from service.questions.carryover import CARRY, EXCHANGE, JOINTS
from service.questions.clause import SOONER
from service.questions.criterion import Assumption, invalid
from service.questions.kinds import Comparator
from service.questions.kinds.levels import Close, Direction, First, Touch
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.question import Leg, Question
from service.questions.single_days import DATES, LEAST
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, OWN_EVENT, Language

# A "no" directly before what is meant instead: "no 5%".
NOES = forms("no")
CORRECTIONS = {"not", "number", "percent", "asset", "weekday", "money", "rel", "holiday", "from", *JOINTS}
SIGNS_OF_SIDES = {"up": 1, "rise": 1, "above": 1, "down": -1, "fall": -1, "below": -1}
OPPOSITES = ((BULL | {"above"}, BEAR | {"below"}), ({"reach"}, {"close"}))
DENIAL_KINDS = {"not", "and", "mark", "filler"}  # beside the level that another one replaces
# Kinds of an asset or a date that is denied, and those that may stand before it: "not on the 4th of december".
NAME_KINDS = {"asset", "number", "end", "eo", *DATES, "holiday", "weekend"}
# Kinds beside a day that is denied by "this": "not this one".
BESIDE_THIS = {"mark", "filler", "numword", "number", "the", "a"}
BESIDE_NAME = {"the", "on", "in", "by", "be", "until", "this", "filler"}
Event = TypeVar("Event", Leg, Question)
# What is asked of two questions.
Joint = Literal["both", "not_both", "either", "neither", "first", "between", "better", "worse", "likelier"]
# Kinds that ask for one of two, and those that say that one asset returns more than another.
CHOICES, WINS, LOSES = {"which", "who", "what"}, {"outperform", "exceed"}, BEAR | {"underperform"}
HALF, DATE_PARTS = 1 / 2, {"number", "unit", "weekday", "month", "halfyear", "holiday", "iso", "percent"}
LESS = forms("less")
NUMBERS, COUNTS = {"number", "numword"}, {1, 2}  # "at least one of the two"
# What is asked of two levels that one price touches, or of two that it does not touch: whether it leaves the range.
JOINTS_OF_TOUCHES = {False: {"either", "neither"}, True: {"both", "not_both"}}
# Kinds of a text that asks for no event, and those that may stand beside "at least one".
NO_EVENT = {"why", "price", "advice", "everyday", "stay"}
BESIDE_ONE = {*NUMBERS, "above", "a", "from", "both_of", "the", "filler", "mark", "be", "and", "chance", "in"}
EVENTS_OF_TWO = {"both", "not_both", "either", "neither"}
# Kinds that name a date beside these, and all of its words: "neither by the end of next week".
DATE_NAMES = {*DATE_PARTS, "rel", "date", "eo", "nth", "ordinal", "weekend"} - {"number", "percent"}
DATE_WORDS = {*DATE_NAMES, "next", "this", "end", "by", "on", "until", "in"}
LIKELIER = Assumption("Which is likelier is understood as which returns more, or is reached first.", "event")
LAST_ONLY = "Only the last question is carried on. Name both levels, assets or days in one question."


def noes_before(tokens: Sequence[Token], earlier: Question) -> int:
    """How many words say that the earlier question was meant otherwise: "no 5%", "no no saturday", "no up"."""
    noes = next((place for place, token in enumerate(tokens) if token.text not in NOES), 0)
    while noes and tokens[noes:] and tokens[noes].kind == "filler" and tokens[noes].value is None:
        noes += 1  # Turkish "yok ya 24 saat sonra"
    following = tokens[noes].kind if tokens[noes:] and noes else ""
    side = SIGNS_OF_SIDES.get(following)
    is_turned = side == -earlier.kind.side and not earlier.negated
    is_corrected = side is not None and any(token.value == CARRY for token in tokens[noes:])  # "non sous 570 pardon"
    return noes if noes > 1 or following in CORRECTIONS or is_turned or is_corrected else 0


def without_denied_side(tokens: list[Token], language: Language) -> list[Token]:
    """The tokens without what is denied beside its opposite: "rise, not fall", "close instead of touch"."""
    denials = [place for place, token in enumerate(tokens) if token.kind == "not" or token.value == EXCHANGE]
    if len(denials) > 1 and tokens[denials[0]].text in NOES:
        denials = denials[1:]  # "no, I mean touch it, not close"
    for some, others in OPPOSITES:
        places = [place for place, token in enumerate(tokens) if token.kind in some | others]
        is_pair = len(places) == 2 and len({tokens[place].kind in some for place in places}) == 2
        if is_pair and len(denials) == 1:
            negation = places[0] if language.postpositions or denials[0] < places[0] else places[1]
            return [token for place, token in enumerate(tokens) if place not in (negation, denials[0])]
    return tokens


def without_denied_name(tokens: list[Token], language: Language) -> list[Token]:
    """The tokens without a denied asset or date beside another one: "not friday but monday", "eth, not btc".

    They name no event: "won't eth beat btc?" denies that.
    """
    kinds = [token.kind for token in tokens]
    if "not" not in kinds or {*kinds} & (OWN_EVENT - {"not", "ever"} | {"or", "will", "ask"}):
        return tokens
    first = end = kinds.index("not")
    if language.postpositions:  # Turkish "cuma değil pazartesi"
        while first and kinds[first - 1] in NAME_KINDS | BESIDE_NAME:
            first -= 1
    end += 1
    if first == end - 1:
        while end < len(kinds) and (
            kinds[end] in (NAME_KINDS if {*kinds[first:end]} & NAME_KINDS else NAME_KINDS | BESIDE_NAME)
            or (kinds[end] == "the" and {*kinds[end + 1 : end + 2]} & NAME_KINDS)
        ):
            end += 1
    rest = [*tokens[:first], *tokens[end:]]
    is_last = all(token.kind in BESIDE_THIS for token in rest[first:])
    if "this" in kinds[first:end] and DATES & {*kinds[:first]} and is_last:
        return rest[:first]  # "next friday, not this one"
    for names in ({"asset"}, NAME_KINDS - {"asset", "number"}):
        if names & {*kinds[first:end]} and names & {token.kind for token in rest}:
            return rest
    return tokens


def without_denied_level(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens without an earlier level that is replaced: "not 60k but 55k"; the other end of a range stays."""
    amounts, kinds = find_amounts(tokens), {token.kind for token in tokens}
    denials = [amount for amount in amounts if amount.value(earlier.spot) in earlier.levels]
    gap = [token.kind for token in tokens[amounts[0].after : amounts[1].first]] if len(amounts) == 2 else []
    is_range = len(earlier.levels) == 2 and gap in (["to"], ["by"], ["until"])  # "no, 1900 to 2300"
    if is_range or len(amounts) != 2 or len(denials) != 1 or kinds & {"or", "between", "unit"}:
        return tokens
    level, end = denials[0].value(earlier.spot), denials[0].after
    others = [*tokens[: denials[0].first], *tokens[end:]]
    rest = [token for token in others if token.kind not in DENIAL_KINDS and token.value != EXCHANGE]
    ends = [other for other in earlier.levels if other != level]
    return [*rest, *(token for other in ends for token in (Token("and", ""), Token("number", f"{other:.10g}")))]


def without_denied_size(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens without the earlier size beside another one, which is in percent too: "3 percent, not 5"."""
    amounts = find_amounts(tokens)
    if earlier.level_pct is None or len(amounts) != 2 or not any(amount.is_percent for amount in amounts):
        return tokens
    for denied, other in (amounts, amounts[::-1]):
        start = denied.first - 1
        is_denied = start >= 0 and (tokens[start].kind == "not" or tokens[start].value == EXCHANGE)
        if is_denied and denied.values[0] == abs(earlier.level_pct):
            end = other.after if other.after <= start else other.after - (denied.after - start)
            rest = [*tokens[:start], *tokens[denied.after :]]
            return rest if other.is_percent else [*rest[:end], Token("percent", "%"), *rest[end:]]
    return tokens


def pointed_back(
    tokens: list[Token], earlier: Question, before: Question | None, spots: Mapping[str, float], notes: list[Assumption]
) -> tuple[list[Token], Question | None]:
    """The tokens, and the earlier question with another event of its two, or one question of the last two.

    Of the tokens only a date is left where there is such a question; `notes` gets what was assumed. Raises
    InvalidQuestion where words mean two levels or questions, and there are not two, or they make none.
    """
    kinds, has_levels = {token.kind for token in tokens}, earlier.upper_level is not None
    joint = _joint(tokens, earlier, has_two=before is not None and not has_levels)
    pairs = pairwise(token.kind for token in tokens if token.kind != "the")
    if ("both_of", "unit") in pairs and not kinds & MARKET_KINDS and not earlier.other_asset:
        raise invalid(LAST_ONLY)  # "in both months"
    if not (joint or (has_levels and "stay" in kinds)):
        return tokens, None
    has_events = bool(earlier.legs) and joint in EVENTS_OF_TWO
    limits = {"number", "percent"} if joint in EVENTS_OF_TWO else DATE_PARTS
    side = bool(kinds & BULL) - bool(kinds & BEAR)
    events = earlier.legs
    if earlier.comparator == "relative" and side and joint in EVENTS_OF_TWO:  # "both rise" after which does better
        events = tuple(Leg(asset, "up", float(spots[asset])) for asset in earlier.assets)
        has_events = True
    is_own = kinds & MARKET_KINDS or (kinds & limits and not (joint == "either" and _is_at_least_one(tokens)))
    if (earlier.other_asset and not has_events) or is_own:
        return tokens, None
    dates = [token for token in tokens if token.kind in DATE_WORDS] if kinds & DATE_NAMES else []
    if joint and has_events:
        legs = tuple(_aimed(leg, side) for leg in events) if side else events
        return dates, replace(earlier, legs=legs, **_of_two(joint))
    if joint and before is not None and not has_levels:
        before = replace(before, deadline=earlier.deadline) if dates else before
        notes += [LIKELIER] if joint == "likelier" else []
        return dates, _joined(before, earlier, joint, side)
    if not has_levels or joint in ("better", "worse", "likelier", "not_both"):
        raise invalid(LAST_ONLY)
    if joint == "first":
        return [Token("up", "up"), Token("or", "or"), Token("down", "down")], None
    comparator: Comparator = "between" if joint == "between" else "leave"
    return dates, replace(earlier, comparator=comparator, negated=joint not in ("between", "either"))


def _aimed(event: Event, side: int) -> Event:
    """The rise or the fall of the asset of an event."""
    return replace(event, comparator="up" if side > 0 else "down", level=None, level_pct=None, negated=False)


def _of_two(joint: Joint) -> dict[str, Any]:
    """The kind of a question about two events, and whether it is denied."""
    return {
        "comparator": "both" if joint in ("both", "not_both") else "either",
        "negated": joint in ("neither", "not_both"),
    }


def _joint(tokens: Sequence[Token], earlier: Question, *, has_two: bool) -> Joint | None:
    """What the words ask of two levels or questions; None where they mean one."""
    pairs = pairwise([*tokens, Token("", "")])  # without the first word of Russian "какая вероятность", what chance
    tokens = [word for word, after in pairs if (word.kind, after.kind) != ("which", "chance") or after.text in SOONER]
    kinds = [token.kind for token in tokens]
    asks = bool((CHOICES if has_two else {"which"}) & {*kinds})
    is_part = any(token.value == HALF for token in tokens)  # "the first half"
    is_first = any((token.kind, token.value) == ("ordinal", 1) for token in tokens) and not is_part
    is_sooner = any(token.text in SOONER and token.kind != "chance" for token in tokens)
    if is_first or (asks and (is_sooner or "before" in kinds)):
        return "first"
    if {*kinds} - {"the", "filler", "be", "both_of", "mark"} == {"between"}:
        return "between"
    if "which" in kinds or (asks and {*kinds} & {"better", "chance"}):
        is_of_one = bool({*kinds} & BULL and {*kinds} & BEAR)  # "which is likelier, up or down"
        return None if is_of_one else _comparison(tokens)
    if {*kinds} & NO_EVENT or ("how" in kinds and "chance" not in kinds):
        return None
    if _is_at_least_one(tokens) and earlier.days is None:
        return "either"
    if "either_of" in kinds:
        return None if "not" in kinds else "either"  # "it won't fall either"
    if "neither_of" in kinds:
        return "neither"
    if "both_of" not in kinds:
        return None
    return "both" if "not" not in kinds else "not_both" if kinds.index("not") < kinds.index("both_of") else "neither"


def _comparison(tokens: Sequence[Token]) -> Joint | None:
    """Which of two is likelier, or returns more; raises InvalidQuestion for "which falls less"."""
    kinds, is_likelier = {token.kind for token in tokens}, any(token.text in SOONER for token in tokens)
    if "chance" in kinds and ("which" in kinds or is_likelier):
        return "likelier"
    if not kinds & (BULL | WINS | LOSES | {"better"}):
        return None
    if kinds & {"not", "minus"} or any(token.text in LESS for token in tokens):
        raise invalid("Of two assets, ask which one returns more. Ask in full, with both.")
    return "worse" if kinds & LOSES else "better"


def _is_at_least_one(tokens: Sequence[Token]) -> bool:
    """Whether it is "at least one", "one of the two" or "one of both": not "at least 1%"."""
    kinds = {token.kind for token in tokens}
    numbers = {first_value(token) for token in tokens if token.kind in NUMBERS}
    is_least = any(token.text in LEAST for token in tokens)
    has_one = 1 in numbers or "a" in kinds
    return has_one and numbers <= COUNTS and kinds <= BESIDE_ONE and (is_least or "both_of" in kinds)


def _joined(first: Question, second: Question, joint: Joint, side: int) -> Question:
    """One question about two; `side` is the direction that the words name for both: "both green?"."""
    if first.deadline != second.deadline:
        raise invalid("The last two questions have different deadlines. Ask in full, with one deadline.", "deadline")
    is_of_one = first.asset == second.asset
    are_touches = isinstance(first.kind, Touch) and isinstance(second.kind, Touch)
    if joint in ("first", "between") or (is_of_one and are_touches and joint == "likelier"):
        return _of_two_levels(first, second, joint)
    base = replace(
        first, other_asset=second.asset, level=None, upper_level=None, level_pct=None, days=None, in_a_row=False
    )
    if joint in ("better", "worse", "likelier"):
        is_rise = isinstance(first.kind, Direction) and first.comparator == second.comparator and not first.negated
        if is_of_one or second.negated or (joint == "likelier" and not is_rise):
            raise invalid("How likely each of the two is, its own answer says: compare the two percentages.")
        negated = joint == "worse" or (joint == "likelier" and first.kind.side < 0)
        return replace(base, comparator="relative", negated=negated, earlier=None)
    parts = [_aimed(question, side) if side and not question.earlier else question for question in (first, second)]
    are_two_sides = are_touches and first.kind.side != second.kind.side and first.negated == second.negated
    if is_of_one and are_two_sides and not side and joint in JOINTS_OF_TOUCHES[first.negated]:
        lower, upper = sorted((first.threshold, second.threshold))
        event = replace(second, comparator="leave", level=lower, upper_level=upper, level_pct=None)
        return replace(event, negated=joint in ("both", "neither"))
    phrases = [part.kind.leg[part.negated :] for part in parts]  # of the event, or of its opposite
    if is_of_one or not all(phrases):
        raise invalid(
            "Two events make one question where each is a level, a rise or a fall of another asset. Ask in full."
        )
    legs = tuple(Leg(**{name: getattr(part, name) for name in Leg.__dataclass_fields__}) for part in parts)
    return replace(base, **_of_two(joint), legs=legs)


def _of_two_levels(first: Question, second: Question, joint: Joint) -> Question:
    """Which of two levels is reached first, or whether the price ends between them."""
    has_levels = all(isinstance(question.kind, Close | Touch) and question.level for question in (first, second))
    if first.asset != second.asset or not has_levels:
        raise invalid("Which of two comes first is covered for two levels of one asset. Ask in full.")
    lower, upper = sorted((first.threshold, second.threshold))
    base = replace(second, level=lower, upper_level=upper, level_pct=None, negated=False)
    if joint == "between" and lower < upper:
        return replace(base, comparator="between")
    if not lower < second.spot < upper:
        raise invalid("Both levels are on one side of the price: the nearer one is reached first.", "level")
    return replace(base, comparator=First.of(1))
