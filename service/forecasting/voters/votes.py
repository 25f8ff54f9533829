"""Votes and answers as they are published; the dataclasses are the JSON. Every number is rounded here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from service.forecasting.voters.ballots import Ballot, PanelResult
from service.forecasting.voters.price_forecasts import HorizonForecast
from service.market.clock import World
from service.market.instants import utc
from service.questions.alternatives import Alternative, alternatives
from service.questions.canonical import price
from service.questions.events import TopicQuestion
from service.questions.parse import Parse
from service.questions.question import Comparator, Leg, Polarity, Question
from service.questions.rule import rule

Direction = Literal["BULLISH", "BEARISH", "NEUTRAL"]
Strength = Literal["STRONG", "MODERATE", "WEAK", "DIVIDED"]

NEUTRAL_WITHIN = 3.0  # percentage points of bull probability from 50


@dataclass(frozen=True)
class Vote:
    """One voter's published vote.

    `conviction` is 0 at even odds and 100 at certainty. `p_yes` is null where the question names no criterion.
    `fallback`: the embedded engine answered in place of the seat's language model. `outlier`: the vote is far from the
    others and weighs a third. `prompt`, `tokens` and `usd` are null where no language model was asked.
    """

    direction: Direction
    conviction: float
    reasoning: str
    p_yes: float | None
    engine: str
    weight: float
    latency_ms: float
    fallback: bool
    outlier: bool
    prompt: str | None
    tokens: int | None
    usd: float | None


class PriceView(NamedTuple):
    """A published P(YES) as a view of the price: of its upward side, in percent, and how far that is from even."""

    p_yes: float
    bull_probability: float
    direction: Direction
    conviction: float


@dataclass(frozen=True)
class Consensus:
    """The published consensus; bull and bear are percent and add up to 100.

    Bull is the upward side of the question: the price above the level that it names, or above the present price where
    it names none; 50 where YES has no side. So a question about a level far above the price is BEARISH although no fall
    is expected: ask whether the price will be higher to learn what the voters think of the price alone.
    `agreement_pct` is the share of the weight that voted for the direction. `effective_voters` is the number of
    independent voters that the nine are worth on their resolved votes, null until 30 independent questions of the kind
    have resolved. `pivotal` are the voters without whom the direction would be different.
    """

    direction: Direction
    bull_probability: float
    bear_probability: float
    strength: Strength
    oracles_count: int
    agreement_pct: float
    effective_voters: float | None
    pivotal: tuple[str, ...]


@dataclass(frozen=True)
class Understood:
    """The parsed meaning of the question.

    `comparator` is the kind of event: `close_…` and `between` look at the price at the deadline, `touch_…` at any price
    before, `upper_first` and `lower_first` at which of `level` and `upper_level` is reached first, `move` at a close
    more than `level_pct` percent away, `range` at highest less lowest price in percent, `days_…` at whether at least
    `days` daily closes are above or below `level` or the close before (in a row with `in_a_row`), `average_…` at the
    mean of the hourly closes, `…_moving_average` at the mean of the last `days` daily closes by then (`level` is that
    of those now known), `volatility` at that of hourly returns until the deadline, in percent of a year,
    `…_earlier` at the price at the instant `earlier`, `both` and `either` at the events of the two `legs`; `topic` is
    an event that no price decides, `open` names no event. `polarity` is `none` where YES is neither bullish nor
    bearish.
    """

    asset: str
    other_asset: str | None
    comparator: Comparator
    level: float | None
    upper_level: float | None
    level_pct: float | None
    days: int | None
    in_a_row: bool
    legs: tuple[Leg, ...]
    earlier: datetime | None
    deadline: datetime
    horizon_hours: float
    spot: float
    polarity: Polarity
    negated: bool
    canonical: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class UnderstoodText(Understood):
    """The parsed meaning of a text.

    `language` is the one it was read in, `rule` the condition for YES (null where no event is named). `alternatives`
    are the other readings where the text leaves a choice, at most three, for most questions none: the `question` of
    each asks exactly that reading, `canonical` says it in full, `reason` names the choice.
    """

    language: str
    rule: str | None
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Answer:
    """The oracle's answer. `as_of` is the end of the last bar behind the votes, never the instant of serving.

    `p_yes` is the probability of YES as computed, limited to [0.001, 0.999]; `answer` says the likelier side in words,
    for a question without a criterion the range of the price. Both are null where there is neither.
    `cached`: the same question was asked shortly before, at `asked_at`, and this is the answer it got.
    `price_forecast`: where the price will be at the deadline, for a question without a criterion (`open`) once the
    views of volatility are fitted, else null. It is not settled; the hourly forecasts of an asset are.
    """

    answer: str | None
    p_yes: float | None
    id: str
    question: str
    understood: UnderstoodText
    asked_at: datetime
    as_of: datetime
    world: World
    consensus: Consensus
    votes: dict[str, Vote]
    abstained: dict[str, str]
    price_forecast: HorizonForecast | None = None
    cached: bool = False


def publish(
    result: PanelResult,
    meaning: UnderstoodText,
    *,
    id: str,
    world: World,
    price_forecast: HorizonForecast | None = None,
) -> Answer:
    """The published answer."""
    question = result.question
    p_yes = _p_yes(question, result.pooled.p)
    return Answer(
        answer=in_words(p_yes, price_forecast),
        p_yes=p_yes,
        id=id,
        question=question.text,
        understood=meaning,
        asked_at=utc(result.asked_at),
        as_of=utc(result.as_of),
        world=world,
        consensus=_consensus(result),
        votes={
            ballot.voter: vote(question, ballot, weight, outlier=ballot.voter in result.pooled.outliers)
            for ballot, weight in zip(result.ballots, result.pooled.weights, strict=True)
        },
        abstained=dict(result.abstained),
        price_forecast=price_forecast,
    )


def understood(question: Question) -> Understood:
    """The parsed meaning of a question, in the order in which it is published."""
    fields: dict[str, Any] = {name: getattr(question, name) for name in Understood.__dataclass_fields__}
    fields["horizon_hours"] = round(question.horizon_hours, 2)
    return Understood(**fields)


def understood_text(parse: Parse | TopicQuestion, asked_at: int) -> UnderstoodText:
    """The parsed meaning of a text that asks a question at the unix second `asked_at`."""
    question = parse.question
    return UnderstoodText(
        **vars(understood(question)),
        language=parse.language.name,
        rule=None if question.comparator == "open" else rule(question, asked_at),
        alternatives=() if isinstance(parse, TopicQuestion) else alternatives(parse),
    )


def in_words(p_yes: float | None, forecast: HorizonForecast | None) -> str | None:
    """ "Yes: 61%", "No: 84%"; the range that holds the price with 90% probability; None without either."""
    if p_yes is not None:
        side, p = ("Yes", p_yes) if p_yes >= 0.5 else ("No", 1 - p_yes)
        is_close = p > 0.99 or 0.5 < p < 0.51
        return f"{side}: {100 * p:.{1 if is_close else 0}f}%"
    if forecast is None:
        return None
    low, high = (price(forecast.quantiles[level]) for level in ("5", "95"))
    return f"{low} to {high} USD: 90%"


def vote(question: Question, ballot: Ballot, weight: float = 1.0, *, outlier: bool = False) -> Vote:
    """The published form of a ballot; a stream shows it with weight 1 before the weights are known."""
    view, forecast = price_view(question, ballot.p), ballot.forecast
    return Vote(
        direction=view.direction,
        conviction=view.conviction,
        reasoning=forecast.reasoning,
        p_yes=_p_yes(question, forecast.p),
        engine=ballot.engine,
        weight=round(weight, 3),
        latency_ms=round(ballot.latency_ms, 1),
        fallback=forecast.fallback,
        outlier=outlier,
        prompt=forecast.prompt,
        tokens=forecast.tokens,
        usd=None if forecast.usd is None else round(forecast.usd, 6),
    )


def price_view(question: Question, p: float) -> PriceView:
    """P(YES) as a view of the price."""
    return _price_view(question.polarity, round(p, 3))


@lru_cache(maxsize=4096)  # 1,001 published probabilities of each polarity; a page has 1,800 votes
def _price_view(polarity: Polarity, p_yes: float) -> PriceView:
    bull = 50.0 if polarity == "none" else round(100 * (p_yes if polarity == "bull" else 1 - p_yes), 1)
    return PriceView(p_yes, bull, direction_of(bull), margin_of(bull))


def bull_probability(question: Question, p: float) -> float:
    """The upward side of P(YES) in percent, to one decimal: the published `p_yes`, or 1 less it, times 100.

    50 where YES has no side.
    """
    return price_view(question, p).bull_probability


def direction_of(bull: float) -> Direction:
    """The side of a published bull probability; NEUTRAL less than 3 percentage points from even."""
    if round(abs(bull - 50), 1) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if bull > 50 else "BEARISH"


def margin_of(bull: float) -> float:
    """The distance of a published bull probability from even: 0 at 50, 100 at 0 and at 100."""
    return round(2 * abs(bull - 50), 1)


def strength_of(bull: float, agreement_pct: float, voters: int) -> Strength:
    """The strength of a consensus, by thresholds that are ours.

    By margin WEAK under 15, MODERATE under 40, else STRONG; one step less if the agreement is under 60% or fewer than
    five voted; DIVIDED if the agreement is under 50%.
    """
    if agreement_pct < 50:
        return "DIVIDED"
    margin = margin_of(bull)
    steps: tuple[Strength, ...] = ("WEAK", "MODERATE", "STRONG")
    step = (margin >= 15) + (margin >= 40)
    if agreement_pct < 60 or voters < 5:
        step = max(0, step - 1)
    return steps[step]


def _consensus(result: PanelResult) -> Consensus:
    pooled, voters = result.pooled, len(result.ballots)
    bull = bull_probability(result.question, pooled.p)
    direction = direction_of(bull)
    sides = [direction_of(bull_probability(result.question, ballot.p)) for ballot in result.ballots]
    agreeing = sum(weight for side, weight in zip(sides, pooled.weights, strict=True) if side == direction)
    agreement = round(100 * agreeing / sum(pooled.weights), 1)
    return Consensus(
        direction=direction,
        bull_probability=bull,
        bear_probability=round(100 - bull, 1),
        strength=strength_of(bull, agreement, voters),
        oracles_count=voters,
        agreement_pct=agreement,
        effective_voters=pooled.effective_voters and round(pooled.effective_voters, 1),
        pivotal=_pivotal(result, direction),
    )


def _pivotal(result: PanelResult, direction: Direction) -> tuple[str, ...]:
    """The voters without whom the published direction would be different."""
    remaining = zip(result.ballots, result.pooled.without, strict=True)
    sides = {ballot.voter: direction_of(bull_probability(result.question, p)) for ballot, p in remaining}
    return tuple(voter for voter, side in sides.items() if side != direction)


def _p_yes(question: Question, p: float) -> float | None:
    return None if question.comparator == "open" else round(p, 3)
