"""The backfilled past, fifteen days of May: no vote uses later data, and the clock decides what is available."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
import pytest

from service.forecasting import backfill
from service.forecasting.apex.document import record_of, resolved_calls
from service.forecasting.apex.layers import ENGINE, NetView, odds_of_up
from service.forecasting.backfill import BackfilledPast
from service.forecasting.densities.density import VERSION, Fits
from service.forecasting.news.headline import stories
from service.forecasting.news.pulse import LOOK_BACK_S, score_at
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.open_markets import resolved
from service.forecasting.predictions.resolution import resolve
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.ballots import EMBEDDED
from service.forecasting.voters.inputs import survey
from service.forecasting.voters.panel import VOL, VOTERS, Voter
from service.forecasting.voters.track_record import build
from service.market.assets import ASSETS
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, MINUTE, iso
from tests.forecasting.made import DAYS, NOW, Scripted, made_bars, panel_of

pytestmark = pytest.mark.slow

PERIOD = 15 * DAY
END = NOW + PERIOD
SEED = 42
OUTSIDE = SimulatedMarket(SEED)
HORIZON = NOW + 2 * DAY  # long enough to open markets of every kind
SWARM = MappingProxyType({NOW + 4 * HOUR * step: NetView(step % 21, 20 - step % 21, 0) for step in range(-100, 130)})
CUTS = (NOW + 4 * DAY + 12 * HOUR, NOW + 9 * DAY, NOW + 13 * DAY + 12 * HOUR)
FIVE = 5 * MINUTE
MODEL = Scripted("model", 0.9, "brain")


@pytest.fixture(scope="session")
def bars() -> dict[str, Bars]:
    """135 days of hourly bars; the first 120 are those that `fits` were learnt from."""
    return {asset: made_bars(asset, DAYS + PERIOD // DAY, seed) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="session")
def past_of(fits) -> Callable[..., BackfilledPast]:
    """Backfills the days from NOW on, or from `since`."""

    def live(hourly: Mapping[str, Bars], until: int = END, *, since: int = NOW, seed: int = SEED) -> BackfilledPast:
        return backfill.backfill(hourly, since, until, fits, SimulatedMarket(seed), 5, SWARM)

    return live


@pytest.fixture(scope="session")
def past(bars, past_of) -> BackfilledPast:
    """All fifteen days."""
    return past_of(bars)


def changed_after(hourly: Mapping[str, Bars], cut: int, seed: int = 1) -> dict[str, Bars]:
    """The same bars up to the unix second `cut`, and each later one times a factor of its own."""
    dice = np.random.default_rng(seed)

    def change(bars: Bars) -> Bars:
        factor = np.where(bars.time + HOUR > cut, dice.uniform(0.8, 1.25, len(bars)), 1.0)
        return replace(bars, **{name: getattr(bars, name) * factor for name in ("open", "high", "low", "close")})

    return {asset: change(bars) for asset, bars in hourly.items()}


def committed(backfilled: BackfilledPast, cut: int) -> tuple:
    """Everything committed by the unix second `cut`: markets with votes, weights and odds, calls, headlines, prices."""
    return (
        [replace(row, settlement=None) for row in backfilled.markets if row.created_at <= cut],
        [call for call in backfilled.calls if call.at <= cut],
        [story for story in backfilled.headlines if story.headline.published_at <= cut],
        [row for row in backfilled.prices.forecasts if row.at < cut],
    )


def settled(backfilled: BackfilledPast) -> list[Prediction]:
    return [row for row in backfilled.markets if row.settlement]


@pytest.mark.parametrize("cut", CUTS, ids=iso)
def test_later_bars_change_nothing_before(cut, bars, past, past_of):
    """With every later price changed: the votes at the instant itself are the same, their settlements may differ."""
    other = past_of(changed_after(bars, cut), cut + DAY)
    assert committed(other, cut) == committed(past, cut)
    became = {row.id: row.settlement for row in past.markets}
    assert any(row.settlement and row.settlement != became.get(row.id) for row in other.markets)


def test_the_same_bars_and_seed_give_the_same_bytes(bars, past, past_of):
    """To stop earlier is to have the beginning of the same past, whether or not the bars that follow are there."""
    cut = CUTS[0]
    short = past_of({asset: hours.until(cut) for asset, hours in bars.items()}, cut)
    assert pickle.dumps(short) == pickle.dumps(past_of(bars, cut))
    assert committed(short, cut) == committed(past, cut)


def test_a_market_is_voted_on_and_priced_when_it_is_opened(past):
    """At every instant of the series, with what was known by then: bars, fits and all; settled later, or not yet."""
    for row in past.markets:
        opening = row.created_at
        assert row.backfilled
        assert row.commitment.voted_at == row.odds.fetched_at == opening
        assert row.commitment.as_of <= opening
        assert row.commitment.fitted_at <= opening
        if row.settlement:
            assert opening < row.settlement.resolved_at <= END
            assert row.settlement.resolved_at > row.deadline or row.question.kind.may_end_early
    assert len({row.id for row in past.markets}) == len(past.markets)
    assert {row.created_at for row in past.markets} == set(range(NOW, END + 1, series.EVERY_S))
    assert {row.question.asset for row in past.markets} == set(ASSETS)
    assert {row.category for row in past.markets} == {"daily", "weekly", "monthly"}


def finer(hour: Bars, seed: int) -> Bars:
    """Five-minute bars of which those hours are made: high and low each come in some bar of the hour."""
    dice = np.random.default_rng(seed)
    count = len(hour)
    ways = np.linspace(hour.open, hour.close, 13, axis=1)
    opens, closes = ways[:, :-1].copy(), ways[:, 1:].copy()
    high, low = np.maximum(opens, closes), np.minimum(opens, closes)
    rows = np.arange(count)
    high[rows, dice.integers(0, 12, count)] = hour.high
    low[rows, dice.integers(0, 12, count)] = hour.low
    times = hour.time[:, None] + FIVE * np.arange(12)
    return Bars(times.ravel(), *(column.ravel() for column in (opens, high, low, closes)), np.ones(12 * count), FIVE)


def test_outcomes_are_those_of_five_minute_bars(past, bars):
    """Hourly bars settle markets like the five-minute bars that the service stores."""
    five_minutes = {asset: finer(hours.since(NOW - 4 * DAY), seed) for seed, (asset, hours) in enumerate(bars.items())}
    for asset, minutes in five_minutes.items():
        assert np.array_equal(resample(minutes, HOUR).high, bars[asset].since(NOW - 4 * DAY).high)
    for market in settled(past)[::3]:
        resolved_at = market.settlement.resolved_at
        assert resolve(market.question, market.created_at, five_minutes, resolved_at).outcome == market.outcome
        if not market.question.kind.may_end_early:
            assert resolve(market.question, market.created_at, five_minutes, resolved_at - HOUR) is None


def test_the_final_record_counts_every_settled_market(past):
    """In the order of opening; void markets do not count."""
    questions = [question for row in settled(past) for question in resolved([row])]
    assert past.record == build(questions, END)
    assert len(questions) == sum(record.find("vol", EMBEDDED).n for record in past.record.bands.values())


def test_weights_are_those_of_the_last_count(bars, past_of, monkeypatch):
    """The settled markets are counted every two days; those of embedded engines stay equal."""
    seat(monkeypatch, *VOTERS, MODEL)
    until = CUTS[1]
    past, cutoff = past_of(bars, until), last_count(until)
    counted_rows = [row for row in settled(past) if row.settlement.resolved_at <= cutoff]
    record = build([question for row in counted_rows for question in resolved([row])], cutoff)
    markets = [row for row in past.markets if row.created_at == until]
    for row in markets:
        *nine, model = [vote.weight for vote in row.commitment.votes]
        assert (nine, model) == ([1.0] * 9, record.of(row.question).weight_of(MODEL.name, MODEL.engine))
    assert {row.commitment.votes[-1].weight for row in markets} != {1.0}


def last_count(instant: int) -> int:
    return instant // backfill.COUNT_EVERY_S * backfill.COUNT_EVERY_S


def test_a_call_with_a_late_bar_is_counted_the_next_time(bars, past_of):
    """The day of a call ends with a hole, four hours before the calls are counted."""
    first = last_count(NOW + 6 * DAY)
    second = first + backfill.COUNT_EVERY_S
    gap_bars = {**bars, "btc": bars["btc"][bars["btc"].time != first - 5 * HOUR]}
    calls = past_of(gap_bars, second).calls
    outcomes = resolved_calls(calls, gap_bars, second)
    assert first - 4 * HOUR - DAY in {row.call.at for row in outcomes}
    layers = [layer for layer in calls[-1].layers if layer.silent is None]
    record = record_of(outcomes, second).of_band("day")
    weights = {layer.name: layer.weight for layer in layers if layer.name != "market"}
    assert weights == {name: record.weight_of(name, ENGINE) for name in weights}
    assert len(set(weights.values())) > 1


def test_calls_use_the_swarm_and_headlines_of_their_instant(past):
    """Every four hours, and what the outside market gave a rise within the last day."""
    assert [call.at for call in past.calls] == list(range(NOW, END + 1, 4 * HOUR))
    for call in past.calls:
        layers = {layer.name: layer for layer in call.layers}
        assert (call.asset, call.backfilled) == ("btc", True)
        assert f": {SWARM[call.at].net:+.2f} (" in layers["swarm"].reading
        score, n = score_at(stories(past.headlines), call.at)
        assert layers["news"].reading == (f"News score {score:+.2f} over {n} stories." if n else "")
        assert layers["market"].p == odds_of_up("btc", call.at, past.markets)


def test_headlines_begin_before_the_first_day_and_end_with_the_last(past):
    times = [story.headline.published_at for story in past.headlines]
    assert times == sorted(times)
    assert NOW - LOOK_BACK_S < times[0] < NOW
    assert END - 2 * DAY < times[-1] <= END
    assert all(story.headline.simulated for story in past.headlines)


def seat(monkeypatch: pytest.MonkeyPatch, *members: Voter) -> None:
    """Make these the voters of the past."""
    monkeypatch.setattr(backfill, "embedded_panel", lambda quorum, timer: panel_of(members, quorum, timer))


def test_the_votes_do_not_depend_on_the_outside_market(past, bars, past_of):
    """Another seed, other odds on every market, and the same votes to the last digit."""
    other = past_of(bars, HORIZON, seed=SEED + 1).markets
    for row, twin in zip([row for row in past.markets if row.created_at <= HORIZON], other, strict=True):
        assert replace(row, odds=twin.odds, settlement=twin.settlement) == twin
        assert row.odds != twin.odds


def test_below_the_quorum_no_market_is_opened(bars, fits, monkeypatch):
    """Four voters, and a quorum of five; the market is tried again at the next instant."""
    seat(monkeypatch, *(Scripted(name, 0.5) for name in "abcd"))
    assert backfill.backfill(bars, NOW, NOW + DAY, fits, OUTSIDE, 5, {}).markets == ()
    assert len(backfill.backfill(bars, NOW, NOW, fits, OUTSIDE, 4, {}).markets) > 0


def test_each_month_has_the_fits_of_its_beginning(bars, past_of):
    """Around the first of May: days before it have the fits of April, whatever follows."""
    since, until = NOW - DAY, NOW + 12 * HOUR
    earlier = past_of(bars, until, since=since)
    april = int(datetime(2025, 4, 1, tzinfo=UTC).timestamp())
    assert {row.commitment.fitted_at for row in earlier.markets if row.created_at < NOW} == {april}
    assert {row.commitment.fitted_at for row in earlier.markets if row.created_at >= NOW} == {NOW}
    other = past_of(changed_after(bars, NOW - 12 * HOUR), until, since=since)
    assert committed(other, NOW - 12 * HOUR) == committed(earlier, NOW - 12 * HOUR)


def test_months_that_are_voted_on_at_once_are_the_same_past(bars, fits):
    """No month waits for another: the last may be voted on first."""

    def backwards(function: Callable, arguments: Iterable[tuple]) -> list:
        return [function(*job) for job in list(arguments)[::-1]][::-1]

    options = (bars, NOW - DAY, NOW + 12 * HOUR, fits, OUTSIDE, 5, SWARM)
    assert backfill.backfill(*options, backwards) == backfill.backfill(*options)


def test_no_market_is_opened_again_in_the_next_month(bars, fits, past_of):
    """Its first instant finds the markets of the month before, which are still open."""
    _, openings = backfill.vote_month(bars, survey(bars), NOW, NOW, fits, OUTSIDE, 5)
    markets = past_of(bars, NOW, since=NOW - DAY).markets
    assert {market.id for market in openings[NOW]} & {row.id for row in markets if row.created_at < NOW}


def test_an_asset_that_begins_later_changes_nothing_before(bars, past_of):
    """Neither the past nor the fits of April; prices are forecast from the first hour with bars of every asset on."""
    begins = NOW - 12 * HOUR
    without = {asset: hours for asset, hours in bars.items() if asset != "eth"}
    earlier = past_of({**bars, "eth": bars["eth"].since(begins)}, NOW, since=NOW - DAY)
    other = past_of(without, NOW, since=NOW - DAY)
    assert committed(earlier, begins)[:-1] == committed(other, begins)[:-1]
    assert min(row.at for row in earlier.prices.forecasts) == begins + HOUR
    assert len(other.markets) > 0


def test_two_months_give_hundreds_of_settled_markets_of_every_kind(monkeypatch):
    """Counted with plain volatility alone, which needs no fit."""
    seat(monkeypatch, VOL)
    fits = Fits(VERSION, NOW, {})
    monkeypatch.setattr(backfill, "fit", lambda hourly, slot: replace(fits, slot=slot))
    hourly = {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(ASSETS)}
    rows = settled(backfill.backfill(hourly, NOW - 62 * DAY, NOW, fits, OUTSIDE, 1, {}))
    outcomes = Counter(row.settlement.outcome for row in rows)
    assert outcomes["yes"] + outcomes["no"] >= 300
    assert outcomes["void"] == 0
    assert min(outcomes["yes"], outcomes["no"]) > len(rows) / 5
    kinds = "up close_above close_below touch_above touch_below upper_first move between relative"
    assert {row.question.comparator for row in rows} == set(kinds.split())
