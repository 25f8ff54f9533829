"""Votes and answers as they are published; the dataclasses are the JSON. Every number is rounded here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from service.forecasting.voters.ballots import Ballot, PanelResult, Reason, is_model_engine, published_p, reasons_of
from service.forecasting.voters.price_forecasts import HorizonForecast
from service.forecasting.voters.track_record import BandRecord, Standing
from service.market.assets import asset_of, next_opening, trades
from service.market.instants import World, utc
from service.questions.alternatives import Alternative, Certainty, alternatives, assumptions
from service.questions.canonical import rule
from service.questions.criterion import AssumptionCode, price
from service.questions.kinds import Comparator, Polarity
from service.questions.parse import Carryover, Parse
from service.questions.question import Leg, Question
from service.questions.topics import TopicQuestion

Direction = Literal["BULLISH", "BEARISH", "NEUTRAL"]
Strength = Literal["STRONG", "MODERATE", "WEAK", "DIVIDED"]

NEUTRAL_WITHIN = 3.0  # percentage points of bull probability from 50
# The least P(YES) of each word, as the reports of the IPCC use them; they have one word for the middle three.
LIKELIHOODS = (
    (0.99, "Almost certain"),
    (0.9, "Very likely"),
    (0.66, "Likely"),
    (0.55, "More likely than not"),
    (0.45, "About as likely as not"),
    (0.33, "Less likely than not"),
    (0.1, "Unlikely"),
    (0.01, "Very unlikely"),
    (0.0, "Almost impossible"),
)


@dataclass(frozen=True)
class WeightEvidence:
    """The record behind a weight: `n` votes on questions with horizons of this length have resolved, in `weeks` weeks.

    `gain` is by how much the model's Brier score was lower than the pool's, with its 95% interval clustered by week.
    """

    n: int
    weeks: int
    gain: float | None
    gain_low: float | None
    gain_high: float | None


@dataclass(frozen=True)
class Vote:
    """One voter's published vote.

    `direction` is a view of the price: BULLISH where the voter thinks a higher price at the deadline likelier. `p_yes`,
    the answer to the question, is null where it names no criterion; `conviction` is how sure the voter is of its
    answer, 0 at even odds and 100 at certainty. `evidence` is what moved the weight of a language model, null for an
    embedded engine, whose weight is 1, and before a vote of the model has resolved. `fallback`: the embedded engine
    answered in place of the seat's language model. `outlier`: the vote is far from the others and weighs a third.
    `prompt`, `tokens` and `usd` are null where no language model was asked. `reasons` are the facts of `reasoning` as
    data; a language model writes freely and has none.
    """

    direction: Direction
    conviction: float
    reasoning: str
    reasons: tuple[Reason, ...]
    p_yes: float | None
    engine: str
    weight: float
    evidence: WeightEvidence | None
    latency_ms: float
    fallback: bool
    outlier: bool
    prompt: str | None
    tokens: int | None
    usd: float | None


@dataclass(frozen=True)
class Consensus:
    """The published consensus, a view of the price; the answer to the question is `p_yes`, beside it.

    `bull_probability` is the probability, in percent, that the asset is higher at the deadline than now; for a question
    about two assets, that the first returns more; where no price decides, that of YES. Bull and bear add up to 100.
    `direction` is NEUTRAL within 3 points of 50, and `strength` says how far from 50 it is. `agreement_pct` is the
    share of the weight that voted for the direction. `pivotal` are the voters without whom the answer would be on the
    other side of even.
    """

    direction: Direction
    bull_probability: float
    bear_probability: float
    strength: Strength
    oracles_count: int
    agreement_pct: float
    pivotal: tuple[str, ...]


@dataclass(frozen=True)
class Understood:
    """The parsed meaning of the question.

    `comparator` is the kind of event: `close_…` and `between` look at the price at the deadline, `touch_…` at any
    price before, `leave` at whether any is outside of `level` to `upper_level`, `upper_first` and `lower_first` at
    which of `level` and `upper_level` is reached first, `move` at a close more than `level_pct` percent away,
    `range` at highest less lowest price in percent, `days_…` at whether at least `days` daily closes are above or
    below `level` or the close before (in a row with `in_a_row`), `average_…` at the mean of the hourly closes,
    `…_moving_average` at the mean of the last `days` daily closes by then (`level` is that of those now known),
    `volatility` at that of hourly returns until the deadline, in percent of a year, `…_earlier` at the price at the
    instant `earlier`, `both` and `either` at the events of the two `legs`; `topic` is an event that no price
    decides, `open` names no event. `polarity` is `none` where YES is neither bullish nor bearish.
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
    each asks exactly that reading, `canonical` says it in full, `reason` names the choice. `carryover` names what was
    taken over from the question in `context`; `follows` is that question, so that the next text may be about both.
    `certainty` is `assumed` where the reading rests on a choice, which `assumed` names: always where there are
    alternatives, never for a canonical sentence.
    """

    language: str
    rule: str | None
    certainty: Certainty | None
    assumed: tuple[AssumptionCode, ...]
    carryover: tuple[Carryover, ...]
    follows: str | None
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Answer:
    """The oracle's answer. `as_of` is the end of the last bar behind the votes, never the instant of serving.

    `p_yes` is the probability of YES as computed, limited to [0.001, 0.999]; `answer` says in words how likely YES is,
    for a question without a criterion the range of the price. Both are null where there is neither.
    `closed_until` is when the market of the asset opens, null while it trades: until then the price stays as it is.
    `cached`: the same question was asked shortly before, at `asked_at`, and this is the answer it got.
    `price_forecast`: where the price will be at the deadline, for a question without a criterion (`open`) once the
    views of volatility are fitted, else null. It is not settled; the hourly forecasts of an asset are.
    """

    answer: str | None
    p_yes: float | None
    closed_until: datetime | None = field(default=None, kw_only=True)
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
    record: BandRecord,
    *,
    id: str,
    world: World,
    price_forecast: HorizonForecast | None = None,
) -> Answer:
    """The published answer; `record` is the one that weighed the votes."""
    question = result.question
    p_yes = _p_yes(question, result.pool.p)
    return Answer(
        answer=in_words(p_yes, price_forecast),
        p_yes=p_yes,
        closed_until=next((utc(opening) for opening, _ in closures(question, result.asked_at, result.as_of)), None),
        id=id,
        question=question.text,
        understood=meaning,
        asked_at=utc(result.asked_at),
        as_of=utc(result.as_of),
        world=world,
        consensus=_consensus(result),
        votes={
            ballot.voter: vote(
                question,
                ballot,
                weight,
                outlier=ballot.voter in result.pool.outliers,
                standing=record.find(ballot.voter, ballot.engine),
            )
            for ballot, weight in zip(result.ballots, result.pool.weights, strict=True)
        },
        abstained=dict(result.abstained),
        price_forecast=price_forecast,
    )


def closures(question: Question, asked_at: int, as_of: int) -> list[tuple[int, str]]:
    """When the markets of a question that are closed at the unix second `asked_at` open, each with a note for people.

    A source that trades while the market is closed, as a token of gold does, has a bar that ends then (`as_of`).
    """
    notes = []
    for asset in question.assets:
        opening = next_opening(asset, asked_at)
        if opening is not None and not trades(asset, asked_at, as_of):
            note = f"{asset_of(asset).name} does not trade now. Its market opens at {utc(opening):%Y-%m-%d %H:%M} UTC"
            if opening >= question.deadline.timestamp():
                note += ", after the deadline, so until then its price stays as it is"
            notes.append((opening, f"{note}."))
    return notes


def understood(question: Question) -> Understood:
    """The parsed meaning of a question, in the order in which it is published."""
    fields: dict[str, Any] = {name: getattr(question, name) for name in Understood.__dataclass_fields__}
    fields["horizon_hours"] = round(question.horizon_hours, 2)
    return Understood(**fields)


def understood_text(parse: Parse | TopicQuestion, asked_at: int) -> UnderstoodText:
    """The parsed meaning of a text that asks a question at the unix second `asked_at`."""
    question = parse.question
    choices = () if isinstance(parse, TopicQuestion) else alternatives(parse)
    codes = assumptions(parse, choices)
    return UnderstoodText(
        **vars(understood(question)),
        language=parse.language.name,
        rule=None if question.comparator == "open" else rule(question, asked_at),
        carryover=() if isinstance(parse, TopicQuestion) else parse.carryover,
        follows=None if isinstance(parse, TopicQuestion) else parse.follows,
        certainty="assumed" if codes else "sure",
        assumed=codes,
        alternatives=choices,
    )


def in_words(p_yes: float | None, forecast: HorizonForecast | None) -> str | None:
    """How likely YES is in words, "Very unlikely: 4%"; the range that holds the price with 90% probability, or None."""
    if p_yes is not None:
        words = next(words for least, words in LIKELIHOODS if p_yes >= least)
        digits = 1 if min(p_yes, 1 - p_yes) < 0.01 else 0
        return f"{words}: {100 * p_yes:.{digits}f}%"
    if forecast is None:
        return None
    low, high = (price(forecast.quantiles[level]) for level in ("5", "95"))
    return f"{low} to {high} USD: 90%"


def vote(
    question: Question, ballot: Ballot, weight: float = 1.0, *, outlier: bool = False, standing: Standing | None = None
) -> Vote:
    """The published form of a ballot; a stream shows it with weight 1 before the weights are known."""
    forecast = ballot.forecast
    up = bull_probability(question, forecast.p, forecast.p_up)
    p, is_of_model, evidence = _p_yes(question, forecast.p), is_model_engine(ballot.engine), None
    if standing and is_of_model:
        evidence = WeightEvidence(standing.n, standing.weeks, standing.gain, standing.gain_low, standing.gain_high)
    return Vote(
        direction=direction_of(up),
        conviction=margin_of(up if p is None else 100 * p),
        reasoning=forecast.reasoning,
        reasons=() if is_of_model else reasons_of(forecast.reasoning),
        p_yes=p,
        engine=ballot.engine,
        weight=round(weight, 3),
        evidence=evidence,
        latency_ms=round(ballot.latency_ms, 1),
        fallback=forecast.fallback,
        outlier=outlier,
        prompt=forecast.prompt,
        tokens=forecast.tokens,
        usd=None if forecast.usd is None else round(forecast.usd, 6),
    )


def bull_probability(question: Question, p: float, p_up: float | None) -> float:
    """The probability of a higher price in percent, to one decimal, of a vote or pool with these P(YES) and P(higher).

    Where no price decides it is that of YES. A vote from before P(higher) was asked for has no view: 50.
    """
    if question.comparator == "topic":
        p_up = p
    return 50.0 if p_up is None else round(100 * published_p(p_up), 1)


def direction_of(bull: float) -> Direction:
    """The side of a published bull probability; NEUTRAL less than 3 percentage points from even."""
    if round(abs(bull - 50), 1) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if bull > 50 else "BEARISH"


def margin_of(percent: float) -> float:
    """The distance of a published probability from even: 0 at 50, 100 at 0 and at 100."""
    return round(2 * abs(percent - 50), 1)


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
    question, pool, voters = result.question, result.pool, len(result.ballots)
    bull = bull_probability(question, pool.p, pool.p_up)
    direction = direction_of(bull)
    forecasts = [ballot.forecast for ballot in result.ballots]
    sides = [direction_of(bull_probability(question, forecast.p, forecast.p_up)) for forecast in forecasts]
    agreeing_weight = sum(weight for side, weight in zip(sides, pool.weights, strict=True) if side == direction)
    agreement = round(100 * agreeing_weight / sum(pool.weights), 1)
    remaining = zip(result.ballots, pool.without, strict=True)
    return Consensus(
        direction=direction,
        bull_probability=bull,
        bear_probability=round(100 - bull, 1),
        strength=strength_of(bull, agreement, voters),
        oracles_count=voters,
        agreement_pct=agreement,
        pivotal=tuple(ballot.voter for ballot, p in remaining if (p - 0.5) * (pool.p - 0.5) < 0),
    )


def _p_yes(question: Question, p: float) -> float | None:
    return None if question.comparator == "open" else published_p(p)
