"""Short markets, "Up or Down" within minutes: which of them are imported, and as what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.forecasting.predictions import Odds, Prediction
from service.forecasting.predictions.imports import OutsideMarket, Refusal, accept, choose
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.odds.polymarket import POLYMARKET
from tests.forecasting.predictions.test_imports import ABOVE, SPOTS, VOLATILITY, price_at
from tests.forecasting.predictions.test_imports import take as take_long

TEN = 1_773_309_600  # 2026-03-12 10:00 UTC, 6AM in New York


def short(
    minutes: int = 5, begins: int = TEN, asset: str = "Bitcoin", *, number: str = "", **changes: Any
) -> OutsideMarket:
    """A market on the move of some minutes, quoted 50 to 51 cents ten seconds after its start."""
    market_id = number or f"{asset}-{minutes}-{begins}"
    quote = Odds("polymarket", market_id, None, 0.505, 0.5, 0.51, 12.0, begins + 10)
    changes |= {"odds": replace(quote, **{name: changes.pop(name) for name in vars(quote) if name in changes})}
    title = f"{asset} Up or Down - March 12, 6AM ET"
    market = OutsideMarket("polymarket", quote, title, "", begins + minutes * MINUTE, "", measured_from=begins)
    return replace(market, **changes)


def take(outside: OutsideMarket, now: int = TEN, existing: Sequence[Prediction] = ()) -> Prediction:
    """The import of a short market that is accepted."""
    decision = accept(outside, now, SPOTS, VOLATILITY, existing, price_at, short=True)
    assert isinstance(decision, Prediction), decision
    return decision


def reason(outside: OutsideMarket, now: int = TEN, existing: Sequence[Prediction] = ()) -> str:
    """Why a short market is refused."""
    decision = accept(outside, now, SPOTS, VOLATILITY, existing, price_at, short=True)
    assert isinstance(decision, Refusal)
    return decision.reason


@pytest.mark.parametrize(
    ("title", "minutes", "asset", "text"),
    [
        ("Bitcoin Up or Down - March 12, 6:00AM-6:05AM ET", 5, "btc", "Will Bitcoin be up at 2026-03-12 10:05 UTC?"),
        ("Ethereum Up or Down - March 12, 6:00AM-6:15AM ET", 15, "eth", "Will Ethereum be up at 2026-03-12 10:15 UTC?"),
        ("Solana Up or Down - March 12, 6AM ET", 60, "sol", "Will Solana be up at 2026-03-12 11:00 UTC?"),
        ("Bitcoin Up or Down - March 12, 6-7AM ET", 60, "btc", "Will Bitcoin be up at 2026-03-12 11:00 UTC?"),
        (
            "Bitcoin Up or Down - December 31, 11:55PM-12:00AM ET",
            5,
            "btc",
            "Will Bitcoin be up at 2026-03-12 10:05 UTC?",
        ),
        ("BTC price up in next 15 mins?", 15, "btc", "Will BTC be up at 2026-03-12 10:15 UTC?"),
    ],
)
def test_a_short_title_names_only_the_asset(title, minutes, asset, text):
    """Its dates are not read: "6AM ET" is the start of the hour, and "12:00AM" at New Year's Eve a year ahead."""
    market = take(short(minutes, question=title))
    assert (market.question.asset, market.question.comparator, market.question.text) == (asset, "up", text)
    assert (market.question.notes, market.question.level, market.question.negated) == ((), None, False)
    assert (market.created_at, market.deadline) == (TEN, TEN + minutes * MINUTE)
    assert market.question.horizon_hours == pytest.approx(minutes / 60)


def test_a_short_move_that_began_earlier_is_about_its_level():
    """An hour that began two minutes ago asks whether the price ends above that of two minutes ago."""
    question = take(short(60), TEN + 2 * MINUTE).question
    assert (question.comparator, question.level, question.spot) == ("close_above", 69_300, 70_000)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deadline": TEN}, "ends within 2 hours"),
        ({"deadline": TEN + 2 * HOUR}, "ends within 2 hours"),
        ({"question": "Will Bitcoin reach $80,000 by 6:05AM ET?"}, "not a move"),
        ({"question": "Bitcoin and Ethereum Up or Down - March 12, 6AM ET"}, "not a move of one asset"),
        ({"question": "Dogecoin Up or Down - March 12, 6AM ET"}, "not covered"),
        ({"question": "Crypto Up or Down - March 12, 6AM ET"}, "ambiguous"),
        ({"measured_from": None}, "not measured from now"),
        ({"measured_from": TEN - 13}, "not measured from now"),
        ({"measured_from": TEN + 5 * MINUTE}, "not measured from now"),
        ({"fetched_at": TEN + 31}, "later than the votes"),
        ({"bid": None}, "bid and ask"),
        ({"ask": None}, "bid and ask"),
        ({"bid": 0.40, "ask": 0.51}, "bid and ask"),
        ({"p_yes": 0.015}, "2%"),
        ({"p_yes": 0.985}, "98%"),
    ],
)
def test_a_refusal_of_a_short_market_says_why(change, why):
    assert why in reason(short(**change))


@pytest.mark.parametrize(
    "change",
    [
        {"measured_from": TEN - 12},
        {"fetched_at": TEN + 30},
        {"bid": 0.45, "ask": 0.55},
        {"bid": 1 - 0.55, "ask": 1 - 0.45},
        {"volume_usd": 0.0},
        {"volume_usd": None},
    ],
)
def test_a_short_market_needs_a_quote_but_no_volume(change):
    assert take(short(**change))


def test_short_markets_are_imported_only_when_asked_for():
    """Without `short` nothing that ends within two hours is imported, and with it nothing else is."""
    offered = [short(minutes, volume_usd=5_000.0) for minutes in (5, 15, 60)] + [replace(ABOVE, deadline=TEN + DAY)]
    imported, refused = choose(offered, TEN, SPOTS, VOLATILITY, [], price_at)
    assert not imported
    assert [refusal.reason for refusal in refused][1:] == ["its deadline is not between 2 hours and 120 days ahead"] * 3
    imported, refused = choose(offered, TEN, SPOTS, VOLATILITY, [], price_at, short=True)
    assert len(imported) == 3
    assert [refusal.id for refusal in refused] == ["polymarket-1"]


def test_four_short_markets_of_an_asset_end_within_an_hour():
    """An hour, a quarter and two times five minutes of each asset; those that ended count until they are settled."""
    stored: list[Prediction] = []
    for now in range(TEN, TEN + 2 * HOUR, 5 * MINUTE):
        lengths = [minutes for minutes in (5, 15, 60) if now % (minutes * MINUTE) == 0]
        offered = [short(minutes, now, asset) for minutes in lengths for asset in ("Bitcoin", "Ethereum")]
        imported, refused = choose(offered, now, SPOTS, VOLATILITY, stored, price_at, short=True)
        assert all("4 short questions for this asset and hour" in refusal.reason for refusal in refused)
        stored += imported
    of_bitcoin = [market for market in stored if market.question.asset == "btc"]
    spans = [((market.created_at - TEN) // MINUTE, (market.deadline - TEN) // MINUTE) for market in of_bitcoin]
    assert sorted(spans[:4]) == [(0, 5), (0, 15), (0, 60), (5, 10)]
    assert sorted(spans[4:]) == [(60, 65), (60, 75), (60, 120), (65, 70)]
    assert len(stored) == 16


def test_one_short_market_is_open_for_an_asset_and_an_end():
    """Two sources list the same quarter of an hour."""
    kept = take(short(15))
    assert reason(short(15, number="2"), existing=[kept]) == f"it is nearly the same as {kept.id}"
    assert take(short(15, asset="Ethereum"), existing=[kept])
    assert take(short(5), existing=[kept])


def test_short_markets_take_no_room_from_the_others():
    """Nor are they copies of them: a level of Bitcoin at noon is none of the price of now in five minutes."""
    noon = replace(ABOVE, deadline=TEN + 6 * HOUR, question="Will the price of Bitcoin be above $70,000 on March 12?")
    kept = [take(short(5, asset=asset, number=f"{asset}-{n}")) for asset in ("Bitcoin", "Ethereum") for n in range(25)]
    level = take_long(noon, TEN, kept)
    assert (level.question.comparator, level.question.level) == ("close_above", 70_000)
    ending = replace(level, deadline=TEN + 5 * MINUTE, created_at=TEN - DAY)
    challenge = replace(take(short(5)), category="challenge")
    others = [replace(other, id=f"{other.category}-{n}") for other in (level, ending, challenge) for n in range(40)]
    assert take(short(5), existing=others)


def test_the_recorded_market_of_five_minutes_is_imported(shared_data):
    """When it begins; by then it is traded, and a day before it is not measured from now."""
    row = json.loads((shared_data / "recorded" / "polymarket" / "gamma_market.json").read_text())
    (market,), _ = POLYMARKET.markets([row], 0)
    begins = market.measured_from
    question = take(market, begins).question
    assert (question.asset, question.comparator, iso(begins)) == ("btc", "up", "2026-03-12T09:20:00Z")
    assert "not measured from now" in reason(market, begins - 5 * MINUTE)
