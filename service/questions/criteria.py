"""What must happen: chooses the criterion of the question by the amounts in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from service.questions.amounts import Amount
from service.questions.clause import OVER_TIME, RANGES, Clause
from service.questions.criterion import Criterion, checked, invalid, price, rounded
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, Touch, between, close, of_zero, touch
from service.questions.kinds.paths import Average
from service.questions.levels import of_levels
from service.questions.lexicon import forms
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MOTIONS, MOVES

MOST_PCT = 99
# Words for volatile, kinds that ask how much of it, and how many words may stand between the two.
VOLATILE, ASKS, MOST_BETWEEN = forms("volatile"), {"how", "what"}, 3
LEAST_PROBABILITY_PCT = 50  # of a range that is named by its probability
# The values of words that compare the end of a period with its begin: 1 where it is higher.
COLOURS = {"green": 1, "red": -1}
VOLATILITY = (
    "The volatility is the one realised from now to the deadline, from hourly log returns, for a year: the root of "
    "their mean square times the root of the trading hours of a year."
)
NOT_ANNUAL = "For the volatility of a year, ask about the annualised volatility."
QUANTILES = "A range was asked for: see the quantiles of the price."
LARGE_PCT = 10.0  # of a crash
SIZE_NOTE = f"No size was named: a large move is understood as one of at least {LARGE_PCT:.0f}%."
GAINS, LESS_WORDS = forms("gain"), forms("less")
# Kinds that ask for more than yes or no, and those that a level follows.
INTERROGATIVES = {"what", "how", "which", "forecast"}
WITH_LEVEL = {"above", "below", "reach", "break", "exceed", "between"}
MEASURES: dict[Literal["move", "range"], str] = {
    "move": "The move is measured from the present price to the price at the deadline, up or down.",
    "range": "The range is the highest price until the deadline less the lowest, in percent of the present price.",
}


def find_criterion(clause: Clause, spot: float, preposition: str) -> Criterion:
    """The event in the clause; `preposition` is the word at the deadline, such as "on" or "before".

    Raises InvalidQuestion where the clause names no such event, as for an average price unless one level is named.
    """
    criterion = _of_amounts(clause, spot, preposition)
    if "average" not in clause.kinds or criterion.comparator == "open":
        return criterion
    # A price that stays above a level, which is written as one that never touches it, is above it on average too.
    kind, negated = KINDS[criterion.comparator], criterion.negated
    is_level = isinstance(kind, Touch) or (isinstance(kind, Close) and not negated)
    if not is_level or criterion.level_pct is not None:
        raise invalid(
            "For an average price, name one level in USD: for example, an average above 120,000 this week.", "level"
        )
    average = replace(criterion, comparator=Average.of(-kind.side if negated else kind.side), negated=False)
    return average.noted("The average is that of the hourly closing prices from now to the deadline.")


def _of_amounts(clause: Clause, spot: float, preposition: str) -> Criterion:
    amounts = clause.amounts
    is_share = clause.kinds & {"multiple", "fraction", "mid"}  # "half of the all-time high"
    if "record" in clause.kinds and (is_share or not any(amount.is_marked for amount in amounts)):
        raise invalid(
            "Records other than a new high or low are not supported. Name the level in USD: reach 120,000.", "level"
        )
    percents = [amount for amount in amounts if amount.is_percent]
    has_only_zeros = not percents and all(max(amount.values) == 0 for amount in amounts)
    if has_only_zeros and (amounts or "worthless" in clause.kinds):
        return of_zero(spot)
    multiples = [amount for amount in amounts if amount.is_multiple and not amount.is_percent]
    others = [amount for amount in reversed(amounts) if not amount.is_percent and not amount.is_multiple]
    # "100k ($100,000)" is one amount.
    levels = list({(amount.value(spot), amount.upper_value(spot)): amount for amount in others}.values())[::-1]
    if len(levels) == len(percents) == 1 and clause.kinds & {"within", "both"}:
        level, share = levels[0].value(spot), percents[0].values[-1] / 100
        return between(level * (1 - share), level * (1 + share), spot, is_lasting="stay" in clause.kinds)
    if levels:
        criterion = of_levels(clause, levels, spot, preposition)
        return criterion.noted("The percentage was ignored: the level counts.", "words") if percents else criterion
    if percents:
        return of_percents(clause, percents, spot, preposition)
    if multiples:
        if len(multiples) > 1:
            raise invalid("The question names several multiples. Ask about one.", "several")
        return _times(multiples[0].value(1.0), clause.direction_at(multiples[0]), spot)
    return of_words(clause, spot)


def compare(clause: Clause) -> Criterion:
    """The first asset returns more than the second; "underperform", "fall more" and "gain less than" negate it."""
    if clause.amounts:
        raise invalid("A comparison of two assets takes no level. Ask which returns more by the deadline.", "level")
    kinds = clause.kinds
    falls = bool(kinds & BEAR) and not kinds & BULL and "outperform" not in kinds
    less = "below" in kinds or any(token.text in LESS_WORDS for token in clause.tokens)
    criterion = Criterion("relative", negated=falls != less or "underperform" in kinds)
    if not kinds & {"outperform", "underperform", "better", "overtake", *MOTIONS, *BULL, *BEAR} and "be" in kinds:
        criterion = criterion.noted("The returns until the deadline are compared, not the prices.", "event")
    if kinds & {"which", "or", "versus"}:
        returns = "does not return" if criterion.negated != clause.negated else "returns"
        return criterion.noted(f"YES means that the first asset named {returns} more.")
    return criterion


# A volatility of fewer percent is taken for a range of the price, unless it is said to be that of a year.
LEAST_ANNUAL_PCT, MOST_VOLATILITY_PCT = 15, 500


def of_percents(clause: Clause, percents: Sequence[Amount], spot: float, preposition: str = "") -> Criterion:
    """A move in percent: at any time before the deadline with a verb of movement, else at the deadline."""
    if len(percents) > 2 or (len(percents) == 2 and not clause.joins(*percents)):
        raise invalid("The question names several percentages. Ask about one.", "several")
    amount = percents[0]
    following = clause.tokens[amount.after : amount.after + 1]
    if amount.values[-1] >= LEAST_PROBABILITY_PCT and any(token.kind == "between" for token in following):
        return Criterion("open").noted(QUANTILES)  # "the 90% range", "an 80 percent interval"
    is_annual = any(token.kind == "width" and token.value == "annual" for token in clause.tokens)
    if clause.asks_volatility and (is_annual or amount.values[-1] >= LEAST_ANNUAL_PCT):
        return _volatility(clause, amount)
    if clause.asks_width:
        criterion = _beyond("range", clause, amount)
        return criterion.noted(NOT_ANNUAL) if clause.asks_volatility else criterion
    if _is_either_way(clause, amount):
        return _beyond("move", clause, amount)
    direction = amount.sign or clause.direction_at(amount)
    if not direction and _names_spot(clause):  # "10% above the present price", in some languages just "10% above"
        direction = int(clause.is_above) - int(clause.is_below)
    is_gain = not direction and any(token.text in GAINS for token in clause.tokens)  # "will xrp do 20% this week"
    sizes = [*(amount.values[-1] for amount in percents), *(percents[0].upper or ())[-1:]]
    if not direction and len(sizes) == 1 and clause.kinds & {"within", "between", "stay", "flat"}:
        is_lasting = "stay" in clause.kinds or preposition in OVER_TIME
        inside = between(_moved(spot, -sizes[0]), _moved(spot, sizes[0]), spot, is_lasting=is_lasting)
        return replace(inside, negated=inside.negated != clause.is_left)
    if not direction and not is_gain:
        raise invalid("Say whether the move is up or down: for example, fall 10% by Friday.", "level")
    if len(sizes) == 2:
        return between(_moved(spot, direction * sizes[0]), _moved(spot, direction * sizes[1]), spot)
    pct = float((direction or 1) * sizes[0])
    level = checked(_moved(spot, pct), spot)
    moves = (clause.kinds & MOTIONS or preposition == "before") and "close" not in clause.kinds
    criterion = touch(level, pct > 0) if moves else close(level, pct > 0)
    less = "below" in clause.kinds and bool(clause.kinds & (BULL | BEAR))  # "gain less than 5%" negates gaining 5%
    criterion = replace(criterion, level_pct=pct, negated=less)
    return criterion.noted("No direction was named: understood as a rise.", "direction") if is_gain else criterion


def _is_either_way(clause: Clause, amount: Amount) -> bool:
    """Example: "Move more than 3%", "rise or fall by 3%": whether the size of the move counts, not its direction."""
    if amount.sign or amount.upper or clause.kinds & {"within", "stay", "flat"}:
        return False
    is_joined = "or" in clause.kinds or clause.denies_each
    is_either = "both" in clause.kinds or (clause.has_both_directions and is_joined)
    moves = any(token.kind == "swing" or token.text in MOVES for token in clause.tokens)
    return is_either or (moves and not clause.kinds & (BULL | BEAR | {"between", "now"}))


def _beyond(comparator: Literal["move", "range"], clause: Clause, amount: Amount) -> Criterion:
    """The size is exceeded; "less than 3%" negates it."""
    pct = rounded(amount.values[-1])
    if not 0 < pct <= MOST_PCT or amount.upper:
        raise invalid(f"Name one percentage above 0 and at most {MOST_PCT}.", "level")
    return Criterion(comparator, level_pct=pct, negated=clause.is_below).noted(MEASURES[comparator])


def _volatility(clause: Clause, amount: Amount) -> Criterion:
    """The realised volatility exceeds a percentage; "less than 60%" negates it."""
    pct = float(f"{amount.values[-1]:.10g}")
    if not 0 < pct <= MOST_VOLATILITY_PCT or amount.upper:
        raise invalid(f"Name one volatility above 0% and at most {MOST_VOLATILITY_PCT}%.", "level")
    below = clause.is_below or clause.direction_at(None) < 0
    if not below and not clause.is_above and not clause.kinds & {"exceed", *MOTIONS, "up", "to"}:
        raise invalid(
            "Say whether the volatility is to be above or below: for example, a volatility above 60%.", "level"
        )
    return Criterion("volatility", level_pct=pct, negated=below).noted(VOLATILITY)


def _names_spot(clause: Clause) -> bool:
    """Whether the present price is what something is compared with."""
    return "now" in clause.kinds or any(token.value == "bare" for token in clause.tokens)


def of_percentage(pct: float, spot: float) -> Criterion:
    """A move of so many percent at any time."""
    return replace(touch(checked(_moved(spot, pct), spot), pct > 0), level_pct=pct)


def _moved(spot: float, pct: float) -> float:
    if pct == 0:
        raise invalid("A move of 0% is no move. Name a larger percentage.", "level")
    return spot * (1 + pct / 100)


def start_of_move(tokens: Sequence[Token], criterion: Criterion, spot: float, *, has_begun: bool) -> tuple[str, ...]:
    """The note about a percentage "this month" or "green by Friday", which may mean since the period began.

    `has_begun` if the deadline is the end of a period in which the present instant lies.
    """
    is_present = any(token.kind == "this" and unit.kind == "unit" for token, unit in pairwise(tokens))
    in_period = has_begun or is_present or any(token.kind == "rel" and token.value == 0 for token in tokens)
    is_percentage = in_period and criterion.level_pct is not None and criterion.level is not None
    is_coloured = criterion.comparator in ("up", "down", "both", "either") and any(
        token.value in COLOURS or (in_period and token.kind in ("up", "down")) for token in tokens
    )
    if in_period and criterion.comparator == "relative":
        return ("The returns are counted from now, not from the start of the period.",)
    if not is_percentage and not is_coloured:
        return ()
    if criterion.legs:
        return ("The moves are counted from the present prices, not from the start of the period.",)
    move = "percentage" if is_percentage else "move"
    return (f"The {move} is counted from the present price of {price(spot)} USD, not from the start of the period.",)


def _times(factor: float, direction: int, spot: float) -> Criterion:
    """A multiple of the spot price; "fall twofold" means to fall to one half."""
    if 0 < factor < 1 and direction > 0:
        raise invalid(
            "A rise to a part of the price is unclear. Say by how many percent: for example, rise by 50%.", "level"
        )
    if not factor > 0 or factor == 1:
        raise invalid("Name a multiple of the present price other than 1, such as 2x.", "level")
    if factor > 1 and direction < 0:
        factor = 1 / factor
    pct = rounded((factor - 1) * 100)
    return replace(touch(checked(spot * factor, spot), factor > 1), level_pct=pct)


def of_words(clause: Clause, spot: float) -> Criterion:
    """Questions without an amount: doubling, halving, up, down, or nothing definite."""
    kinds = clause.kinds
    if "multiple" in kinds:
        factor = next(token.quantity for token in clause.tokens if token.kind == "multiple")
        return _times(factor, clause.direction_at(None), spot)
    if "flat" in kinds:
        raise invalid(
            "Name the two levels that the price should stay between: for example, between 90,000 and 100,000.", "level"
        )
    is_either = "or" in kinds or sum(token.kind in ("ask", "will") for token in clause.tokens) > 1  # two questions
    if clause.has_both_directions and not (is_either or {"up", "down"} <= kinds):
        raise invalid("Both directions are named. Ask about one of them.", "several")
    has_sides = kinds & {"up", "above", "ormore"} and kinds & {"down", "below", "orless"}
    if clause.has_both_directions or (has_sides and kinds & {"or", "ormore", "orless"}):
        return Criterion("up").noted("Up or down: YES means up.")
    direction = clause.direction_at(None)
    if direction:
        if any(token.value == "large" for token in clause.tokens):
            return of_percentage(direction * LARGE_PCT, spot).noted(SIZE_NOTE, "size")
        return Criterion("up" if direction > 0 else "down")
    return _without_direction(clause)


def _asks_volatility(tokens: Sequence[Token]) -> bool:
    """Example: "How volatile will it get", "what will the volatility be": without a percentage, which is refused."""
    asks = [place for place, token in enumerate(tokens) if token.kind in ASKS | {"which"}]
    near = {token for place in asks for token in tokens[place : place + MOST_BETWEEN + 1]}
    return any(token.text in VOLATILE or (token.kind, token.value) == ("width", "volatility") for token in near)


def _without_direction(clause: Clause) -> Criterion:
    """Example: "Above the present price" (in some languages just "above") is up; "above" without a level is refused."""
    kinds = clause.kinds
    if "swing" in kinds or _asks_volatility(clause.tokens):
        raise invalid("Volatility is answered beside a percentage: for example, volatility above 60%.", "level")
    if "now" in kinds and any(token.kind == "approx" and token.value for token in clause.tokens):
        raise invalid(
            "Name the two levels that the price should be between, or say by how many percent it may move.", "level"
        )
    if {"where", "heading"} <= {token.text for token in clause.tokens}:
        return nothing_definite()
    if _names_spot(clause) and (clause.is_above or clause.is_below or "exceed" in kinds):
        return Criterion("down" if clause.is_below else "up")
    places = " ".join("what" if token.kind in {*ASKS, "which"} else token.kind for token in clause.tokens)
    wordings = ("between what and what", "between what price", "what between")
    asks_range = any(token.text in RANGES for token in clause.tokens) or any(wording in places for wording in wordings)
    # "Give me a range", Spanish "entre qué precios".
    if asks_range and clause.kinds & (WITH_LEVEL | {"leave"}) == {"between"}:
        return Criterion("open").noted(QUANTILES)
    interrogative = next((place for place, token in enumerate(clause.tokens) if token.kind in INTERROGATIVES), None)
    if any(token.kind in WITH_LEVEL for token in clause.tokens[:interrogative]):
        raise invalid(
            "The question names no level. Give a price in USD: for example, above 120,000 on Friday.", "level"
        )
    return nothing_definite()


def nothing_definite() -> Criterion:
    """A question without a criterion: where is the price heading?"""
    return Criterion("open").noted("No criterion was named: YES means a higher price at the deadline.")
