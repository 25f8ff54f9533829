"""Bars made by a seeded generator, and panels and votes put together by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import NormalDist

import numpy as np

from service.forecasting.apex.call import Call, LayerVote
from service.forecasting.apex.layers import ENGINE, LAYERS, LayerInputs
from service.forecasting.backfill import zero_clock
from service.forecasting.news.headline import Headline, ScoredHeadline, headline
from service.forecasting.predictions import Category, CommittedVote, Prediction
from service.forecasting.price_record.committed import SHARES, PriceForecast
from service.forecasting.voters.ballots import EMBEDDED, Forecast
from service.forecasting.voters.context import Context
from service.forecasting.voters.panel import VOTERS, Panel, Timer, Voter, sequential
from service.forecasting.voters.track_record import BandRecord, Standing
from service.forecasting.voters.votes import UnderstoodText, understood
from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Leg, Question

FIRST = 1_735_689_600  # 2025-01-01T00:00:00Z
DAYS = 120
NOW = FIRST + DAYS * DAY
FITTED_TIME = FIRST  # January 2025, in the months on which constants of layers were fitted
NOON = 1_741_780_800  # 2025-03-12T12:00:00Z
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
BRAINS = ("vol", "garch", "sv")
HALF_WIDTHS = tuple(NormalDist().inv_cdf((1 + share / 100) / 2) for share in SHARES)

# Every kind of question with the fields that `asking` takes.
EVERY_KIND = (
    ("close_above", {"at": 1.02}),
    ("close_below", {"at": 0.98}),
    ("touch_above", {"at": 1.03}),
    ("touch_below", {"at": 0.97}),
    ("between", {"at": 0.98, "upper_at": 1.03}),
    ("leave", {"at": 0.97, "upper_at": 1.03, "polarity": "none"}),
    ("up", {}),
    ("down", {}),
    ("relative", {"other_asset": "gold"}),
    ("upper_first", {"at": 0.97, "upper_at": 1.02}),
    ("lower_first", {"at": 0.97, "upper_at": 1.02}),
    ("move", {"level_pct": 3.0, "polarity": "none"}),
    ("range", {"level_pct": 8.0, "polarity": "none"}),
    ("days_above", {"at": 1.01, "days": 2}),
    ("days_below", {"at": 0.99, "days": 2, "in_a_row": True}),
    ("days_up", {"days": 2}),
    ("days_down", {"days": 2, "in_a_row": True}),
    ("average_above", {"at": 1.01}),
    ("average_below", {"at": 0.99}),
    ("above_earlier", {"earlier": utc(NOW + DAY)}),
    ("below_earlier", {"earlier": utc(NOW + DAY)}),
    ("above_moving_average", {"at": 0.99, "days": 20}),
    ("below_moving_average", {"at": 1.01, "days": 20}),
    ("volatility", {"level_pct": 45.0, "polarity": "none"}),
    ("both", {"other_asset": "gold", "legs": (("btc", "close_above", 1.01), ("gold", "up", None))}),
    ("either", {"other_asset": "eth", "legs": (("btc", "touch_below", 0.97), ("eth", "touch_below", 0.97))}),
    ("open", {}),
)


def made_bars(asset: str, days: int, seed: int, first: int = FIRST) -> Bars:
    """A random walk of 0.5 % an hour from 100 USD, in the hours in which the asset trades."""
    time = first + HOUR * np.arange(days * 24)
    time = time[open_at(asset, time)]
    close = 100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 0.005, len(time))))
    opens = np.concatenate([[100.0], close[:-1]])
    high, low = np.maximum(opens, close) * 1.001, np.minimum(opens, close) * 0.999
    return Bars(time, opens, high, low, close, np.ones(len(time)), HOUR)


def flat_bars(first: int, closes: Sequence[float], step: int = HOUR) -> Bars:
    """Bars whose four prices are the close, one after the other from the unix second `first` on."""
    close = np.array(closes, dtype=float)
    time = first + step * np.arange(len(close))
    return Bars(time, close.copy(), close.copy(), close.copy(), close, np.ones(len(close)), step)


def moved(bars: Bars, returns: np.ndarray) -> Bars:
    """The bars with these log returns of their closes, from 100 USD on, and no prices beyond opening and close."""
    close = 100 * np.exp(np.cumsum(returns))
    opens = np.concatenate([[100.0], close[:-1]])
    return replace(bars, open=opens, high=np.maximum(opens, close), low=np.minimum(opens, close), close=close)


def returns_of(bars: Bars) -> np.ndarray:
    """The log returns of the closes; 0 for the first bar."""
    return np.diff(np.log(bars.close), prepend=np.log(bars.close[0]))


def asking_at(contexts: Mapping[str, Context]) -> Callable[..., Question]:
    """Makes a question asked at NOW; a level may be given as `at`, a multiple of the spot, a leg as its arguments."""

    def leg(asset: str, comparator: str, at: float | None) -> Leg:
        spot = contexts[asset].spot
        return Leg(asset, comparator, spot, level=at and at * spot)

    def make(comparator: str, asset: str = "btc", hours: float = 72, **fields) -> Question:
        spot = contexts[asset].spot
        for name, source in (("level", "at"), ("upper_level", "upper_at")):
            if source in fields:
                fields[name] = spot * fields.pop(source)
        fields["legs"] = tuple(leg(*event) for event in fields.get("legs", ()))
        fields.setdefault("polarity", "bear" if comparator in ("close_below", "touch_below", "down") else "bull")
        deadline = utc(NOW) + timedelta(hours=hours)
        return Question(f"{asset} {comparator}?", asset, comparator, deadline, hours, spot, **fields)

    return make


@dataclass(frozen=True)
class Scripted:
    """A voter that answers, abstains or fails as scripted; its engine is that of a language model."""

    name: str
    answer: float | Exception
    kind: str = "seat"
    engine: str = "test:1"

    def forecast(self, question, inputs) -> Forecast:
        if isinstance(self.answer, Exception):
            raise self.answer
        return Forecast(self.answer, "as scripted")


def panel_of(members: Sequence[Voter] | None = None, quorum: int = 5, timer: Timer = zero_clock) -> Panel:
    """A panel that is polled in turn; the nine where no members are named."""
    return Panel(VOTERS if members is None else members, quorum, timer, sequential)


def committed_vote(
    voter: str, p: float, *, weight: float = 1.0, reasoning: str = "", engine: str = EMBEDDED, p_up: float | None = None
) -> CommittedVote:
    """A vote as a market keeps it."""
    return CommittedVote(voter, engine, Forecast(p, reasoning, p_up=p_up), weight=weight)


def meaning_of(question: Question) -> UnderstoodText:
    """A question as the oracle publishes it, without another reading."""
    reading = {"language": "English", "rule": None, "certainty": "sure", "assumed": (), "carryover": ()}
    return UnderstoodText(**vars(understood(question)), **reading, follows=None, alternatives=())


def market_of(question: Question, id: str = "m", category: Category = "daily", opened: int = NOW) -> Prediction:
    """A market about the question, settled by bars, without votes."""
    deadline = int(question.deadline.timestamp())
    return Prediction(id, category, question, "", "bars", opened, deadline, deadline, backfilled=False)


def context(asset: str = "btc", **inputs: float | None) -> Context:
    """Volatility of 0.5% an hour; the named inputs are 0 unless given."""
    values = {"peers_24h": 0.0, "peers_rising": 0.0, "vol_ratio_180d": 0.0, "move_24h": 0.0} | inputs
    return Context(asset, NOW, 100.0, 120.0, 0.005**2, 0.005**2, values, {})


def inputs_of(**fields) -> LayerInputs:
    """Every voter at even odds and no other inputs, unless given."""
    seats, brains = (dict.fromkeys(names, 0.5) for names in (SEATS, BRAINS))
    base = LayerInputs("btc", NOW, seats, brains, context(), news_score=0.0, news_n=0, odds_p=None, swarm=None)
    return replace(base, **fields)


def proven(n: int = 30, engine: str = ENGINE, **weights: float) -> BandRecord:
    """A record of every layer with `n` resolved calls, as good as the others unless a weight is given."""
    return BandRecord(tuple(Standing(name, engine, n, n, weights.get(name, 1.0)) for name in LAYERS))


def call_of(at: int, p_up: float, spot: float = 100.0, *, backfilled: bool = False, **layers: float) -> Call:
    """A call with the named layers; the others are silent."""
    silence = {name: LayerVote(name, None, 0.0, "", "nothing") for name in LAYERS}
    votes = silence | {name: LayerVote(name, p, 1.0, "because", None) for name, p in layers.items()}
    return Call("btc", at, spot, p_up, 1.0, abs(2 * p_up - 1), False, {}, tuple(votes.values()), backfilled)


def titled(title: str, at: int = NOON, source: str = "desk") -> Headline:
    return headline(title, source, at)


def scored(title: str, score: float = 0.0, at: int = NOON, assets: tuple[str, ...] = ()) -> ScoredHeadline:
    """A headline with the tone and assets a test wants it to have."""
    return ScoredHeadline(titled(title, at), score, assets)


def apart(count: int, score: float = 0.0, at: int = NOON, assets: tuple[str, ...] = ()) -> list[ScoredHeadline]:
    """`count` headlines of one tone that share no word."""
    return [scored(f"w{n}a{at} w{n}b{at} w{n}c{at}", score, at, assets) for n in range(count)]


def price_forecast(
    asset: str = "btc", horizon: str = "1h", at: int = NOW, sigma: float = 1.0, vol: float = 1.0, usual: float = 1.0
) -> PriceForecast:
    """A normal law of `sigma` percent around 100 USD."""
    law = (sigma, vol, usual, *(sigma * width for width in HALF_WIDTHS))
    return PriceForecast(at, asset, horizon, 100.0, at, law)
