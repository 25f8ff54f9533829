"""Questions of outside markets, short ones too: which of them are imported, and as what."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions import Odds, Prediction
from service.forecasting.predictions.commitments import withdrawn
from service.forecasting.predictions.imports import OutsideMarket, Terms, change_since_import, choose, plain, wording
from service.market.instants import DAY, HOUR, MINUTE, iso, utc
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET

SPOTS = {"btc": 70_000.0, "eth": 2_100.0, "sol": 88.0, "gold": 5_100.0}
VOLATILITY = {"btc": 0.5, "eth": 0.7, "sol": 0.9, "gold": 0.2}
NOW = int(datetime(2026, 3, 8, 12, tzinfo=UTC).timestamp())
MARCH_11 = int(datetime(2026, 3, 11, 16, tzinfo=UTC).timestamp())
RULES = 'Resolves to "Yes" if the candle at noon has a final "Close" price above 72,000.'
ABOVE = OutsideMarket(
    source="polymarket",
    odds=Odds("polymarket", "1", None, 0.4, 0.39, 0.41, 50_000.0, NOW),
    terms=Terms("Will the price of Bitcoin be above $72,000 on March 11?", "72,000", MARCH_11, RULES),
)
OTHER_LEVEL = "Will the price of Bitcoin be above $74,000 on March 11?"
TEN = 1_773_309_600  # 2026-03-12 10:00 UTC, 6AM in New York


def price_at(asset: str, _instant: int) -> float:
    """The price at the start of a move: one percent below the present one."""
    return 0.99 * SPOTS[asset]


def changed(market: OutsideMarket = ABOVE, **changes: Any) -> OutsideMarket:
    """A market with other fields, its own or those of its odds and its terms."""
    odds, terms = (
        {name: changes.pop(name) for name in list(changes) if name in kind.__dataclass_fields__}
        for kind in (Odds, Terms)
    )
    return replace(market, odds=replace(market.odds, **odds), terms=replace(market.terms, **terms), **changes)


def take(outside: OutsideMarket, now=NOW, markets: Sequence[Prediction] = (), *, short=False) -> Prediction:
    """The import of a market that is accepted."""
    imports, refusals = choose([outside], now, SPOTS, VOLATILITY, markets, price_at, short=short)
    assert not refusals
    return imports[0]


def reason(outside: OutsideMarket, now=NOW, markets: Sequence[Prediction] = (), *, short=False) -> str:
    """Why a market is refused."""
    imports, refusals = choose([outside], now, SPOTS, VOLATILITY, markets, price_at, short=short)
    assert (imports, [refusal.id for refusal in refusals]) == ([], [outside.id])
    return refusals[0].reason


def ladder(count: int, asset: str = "Bitcoin", day: int = 11, step: int = 2_000) -> list[OutsideMarket]:
    """Markets on one day at levels far from each other, each with more volume than the one before it."""
    first, deadline = {"Bitcoin": 60_000, "Ethereum": 1_600}[asset], MARCH_11 + (day - 11) * DAY
    texts = [f"Will the price of {asset} be above ${first + place * step:,} on March {day}?" for place in range(count)]
    return [
        changed(market_id=f"{asset}-{day}-{place}", question=text, deadline=deadline, volume_usd=2_000.0 + place)
        for place, text in enumerate(texts)
    ]


def test_an_import_is_settled_by_its_own_market():
    """Whose end rules over the day that is named: noon in New York, where the text alone would mean midnight.

    "Before March 11" is within a day of the deadline of the market, which counts.
    """
    market = take(ABOVE)
    assert (market.id, market.category, market.resolver) == ("polymarket-1", "imported", "polymarket")
    assert (market.created_at, market.closes_at, market.deadline) == (NOW, MARCH_11, MARCH_11)
    assert (market.backfilled, market.author, market.rule) == (False, None, f"As Polymarket settles it: {RULES}")
    question = market.question
    assert (question.text, question.asset, question.comparator) == (ABOVE.terms.question, "btc", "close_above")
    assert (question.level, question.deadline, question.horizon_hours) == (72_000, utc(MARCH_11), 76)
    assert question.canonical == "Will Bitcoin (btc) be above 72,000 USD at 2026-03-11 16:00 UTC?"
    assert take(changed(question="Will Bitcoin exceed $72,000 before March 11?", rules="")).question.deadline


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deadline": NOW}, "deadline has passed"),
        ({"deadline": NOW - DAY}, "deadline has passed"),
        ({"deadline": NOW + 2 * HOUR - 1}, "2 hours"),
        ({"deadline": NOW + 120 * DAY + 1}, "120 days"),
        ({"deadline": MARCH_11 - 2 * DAY}, "more than a day"),  # from the day that is named
        ({"deadline": MARCH_11 + 2 * DAY}, "more than a day"),
        ({"volume_usd": 999.99}, "volume"),
        ({"p_yes": 0.0199}, "2%"),
        ({"p_yes": 0.9801}, "98%"),
        ({"question": "Will the price of Pepecoin be above $1 on March 11?"}, "not covered"),
        ({"question": "Will the price of XRP be above $2 on March 11?"}, "no price of XRP"),
        ({"question": "Will Berhanu Nega be the next Prime Minister of Ethiopia?"}, "not understood"),
        ({"question": ""}, "not understood"),
        ({"question": "Will Bitcoin be above $72,000?" + " " * 500}, "not understood"),
        ({"question": "What price will Bitcoin hit on March 11?"}, "no criterion"),
        ({"question": "Will Bitcoin be above $72,000?", "deadline": NOW + 7 * DAY}, "no deadline"),
        ({"question": "If rates are cut, will Bitcoin be above $72,000 on March 11?"}, "ambiguous"),
        ({"question": "Will crypto be above $72,000 on March 11?"}, "ambiguous"),
    ],
)
def test_a_refusal_says_why(change, why):
    assert why in reason(changed(**change))


@pytest.mark.parametrize(
    "change", [{"p_yes": 0.02}, {"p_yes": 0.98}, {"volume_usd": 1_000.0}, {"deadline": NOW + 2 * HOUR}, {"rules": ""}]
)
def test_the_bounds_themselves_are_accepted(change):
    """A market without rules names who settles it."""
    overrides = {"question": "Will the price of Bitcoin be above $72,000 on March 8?"} if "deadline" in change else {}
    market = take(changed(**change, **overrides))
    assert market.rule.startswith("As Polymarket settles it")
    assert market.rule.endswith("it.") == (change == {"rules": ""})


@pytest.mark.parametrize(
    ("question", "group", "comparator", "level", "upper"),
    [
        ("Bitcoin above ___ on March 11?", "64,000", "close_above", 64_000, None),
        ("What price will Bitcoin hit March 9-11?", "↑ 80,000", "touch_above", 80_000, None),
        ("What price will Bitcoin hit March 9-11?", "↓ 60,000", "touch_below", 60_000, None),
        ("Bitcoin price on Mar 11, 2026?", "$75,000 or above", "close_above", 75_000, None),
        ("Bitcoin price on Mar 11, 2026 at 12pm EDT?", "$60,000 or below", "close_below", 60_000, None),
        ("Bitcoin price range on Mar 11, 2026?", "$71,000 to 71,999.99", "between", 71_000, 71_999.99),
        ("Will the price of Bitcoin be between $70,000 and $72,000 on March 11?", "", "between", 70_000, 72_000),
        ("Will the price of Bitcoin be less than $60,000 on March 11?", "<60,000", "close_below", 60_000, None),
        ("Will Bitcoin dip to $60,000 by March 11?", "↓ 60,000", "touch_below", 60_000, None),
    ],
)
def test_questions_of_outside_markets_are_understood(question, group, comparator, level, upper):
    read = take(changed(question=question, group=group, rules="")).question
    assert (read.asset, read.comparator, read.level, read.upper_level) == ("btc", comparator, level, upper)
    assert (read.negated, read.notes) == (False, ())


@pytest.mark.parametrize(
    ("verb", "rules", "comparator"),
    [
        ("exceed", "Resolves Yes if the spot price exceeds $72,000 at market close.", "close_above"),
        ("exceed", "", "touch_above"),
        ("exceed", 'Yes if any candle has a final "High" price above it.', "touch_above"),
        ("fall below", "Yes if the candle has a final “Close” price below it.", "close_below"),
        ("be above", "Yes if it trades above it at any point.", "touch_above"),
        ("exceed", "Yes if at any time before the market close, or at the close, it is above.", "touch_above"),
    ],
)
def test_the_rules_say_which_prices_decide(verb, rules, comparator):
    question = take(changed(question=f"Will Bitcoin {verb} $72,000 by March 11?", rules=rules)).question
    assert question.comparator == comparator
    assert ("at any time" in question.canonical) == comparator.startswith("touch")


MARCH_10 = MARCH_11 - DAY
DAILY = changed(question="Bitcoin Up or Down on March 11?", group="", measured_from=MARCH_10)


def test_a_move_is_imported_where_it_is_measured_from_now():
    """Once it has begun; a twenty-fourth of the rest may have passed."""
    question = take(DAILY, MARCH_10).question
    assert (question.comparator, question.text) == ("up", "Will Bitcoin be up on March 11?")
    assert take(DAILY, MARCH_10 + 57 * MINUTE)
    assert "not measured from now" in reason(DAILY, MARCH_10 - 1)
    assert "not measured from now" in reason(DAILY, MARCH_10 + HOUR)
    assert "not measured from now" in reason(replace(DAILY, measured_from=None), MARCH_10)
    relative = changed(question="Will Ethereum outperform Bitcoin by March 11?", group="", rules="")
    assert "not measured from now" in reason(relative)
    assert take(replace(relative, measured_from=NOW)).question.other_asset == "btc"


def test_a_move_that_began_earlier_is_about_its_level():
    """The level is the price at the start of the move, which is not the price at the import."""
    question = take(DAILY, MARCH_10 + 30 * MINUTE).question
    assert (question.comparator, question.level, question.spot) == ("close_above", 69_300, 70_000)
    assert question.canonical == "Will Bitcoin (btc) be above 69,300 USD at 2026-03-11 16:00 UTC?"
    _, (unknown,) = choose([DAILY], MARCH_10 + 30 * MINUTE, SPOTS, VOLATILITY, [], lambda *_: None)
    assert unknown.reason == "the price from which its move is measured is unknown"


def test_a_market_is_imported_once():
    """A sixth of the move to be expected apart is the same question; three of them are another one."""
    assert "already" in reason(ABOVE, markets=[take(ABOVE)])
    _, (unknown,) = choose([ABOVE], NOW, SPOTS, {}, [], price_at)
    assert unknown.reason == "the volatility of btc is unknown"
    original = take(ABOVE)
    copy = changed(market_id="2", question="Will the price of Bitcoin be above $72,300 on March 11?")
    other = changed(market_id="2", question="Will the price of Bitcoin be above $78,000 on March 11?")
    assert reason(copy, markets=[original]) == "it is nearly the same as polymarket-1"
    weekly = replace(original, id="weekly-btc", category="weekly")
    assert reason(copy, markets=[weekly]) == "it is nearly the same as weekly-btc"
    assert take(other, markets=[original])


def test_four_imports_of_an_asset_and_day_have_the_most_volume():
    offer = [*ladder(6), *ladder(2, day=12)]
    imports, refusals = choose(random.Random(1).sample(offer, len(offer)), NOW, SPOTS, VOLATILITY, [], price_at)
    of_march_11 = [market.id for market in imports if market.deadline == MARCH_11]
    assert of_march_11 == [f"polymarket-Bitcoin-11-{place}" for place in (5, 4, 3, 2)]
    assert len(imports) == 6
    assert {refusal.reason for refusal in refusals} == {"4 imported questions for this asset and day are already open"}
    ours = [replace(take(market), category="daily", id=market.odds.market_id) for market in ladder(6)]
    rung = changed(question="Will the price of Bitcoin be above $80,000 on March 11?")
    assert take(rung, markets=ours), "our own take no room"


def test_forty_imported_questions_are_open_at_once():
    """Those whose deadline has come make room."""
    days = range(9, 16)
    offer = [market for day in days for market in [*ladder(4, day=day), *ladder(4, "Ethereum", day, step=150)]]
    imports, refusals = choose(offer, NOW, SPOTS, VOLATILITY, [], price_at)
    assert (len(imports), len(refusals)) == (40, 16)
    assert {refusal.reason for refusal in refusals} == {"40 imported questions are already open"}
    later = changed(question="Will the price of Bitcoin be above $90,000 on March 20?", deadline=MARCH_11 + 9 * DAY)
    assert "40 imported" in reason(later, markets=imports)
    assert take(later, now=MARCH_11, markets=imports)


@pytest.fixture(scope="module")
def recordings(shared_data) -> dict[str, OutsideMarket]:
    """Every recorded market with odds, by the id of its import."""
    folder = shared_data / "recorded"
    search = json.loads((folder / "polymarket" / "search_response.json").read_text())
    event = json.loads((folder / "polymarket" / "gamma_event.json").read_text())
    rows = [row for group in [*search["events"], *event] for row in group["markets"]]
    rows += [json.loads(file.read_text()) for file in sorted((folder / "polymarket").glob("gamma_market*.json"))]
    markets, _ = POLYMARKET.markets(rows, NOW)
    markets += KALSHI.markets(json.loads((folder / "kalshi" / "markets.json").read_text())["markets"], NOW)[0]
    return {market.id: market for market in markets}


def test_recorded_markets_are_imported_or_refused(recordings):
    """Its question is understood: with odds that leave room for doubt it is imported.

    A market of five minutes is too small and too soon, and a level of Kalshi counts at the close.
    """
    market = recordings["polymarket-1500056"]
    before = market.terms.deadline - DAY
    assert reason(market, before) == "its price is not between 2% and 98%"
    question = take(changed(market, p_yes=0.9), before).question
    assert (question.comparator, question.level, question.notes) == ("close_above", 64_000, ())
    assert question.canonical == "Will Bitcoin (btc) be above 64,000 USD at 2026-03-11 16:00 UTC?"
    market = recordings["polymarket-1557558"]
    assert reason(market, market.terms.deadline - DAY) == "its volume is under 1,000 USD"
    traded = changed(market, volume_usd=5_000.0)
    assert "2 hours" in reason(traded, market.terms.deadline - HOUR)
    assert reason(traded, market.terms.deadline - 3 * HOUR) == "its move is not measured from now"
    market = take(recordings["kalshi-KXBTC-25MAR15-B100000"], int(datetime(2025, 3, 13, tzinfo=UTC).timestamp()))
    assert (market.resolver, market.question.comparator, market.question.level) == ("kalshi", "close_above", 1e5)
    assert market.question.horizon_hours == pytest.approx(72, abs=0.01)
    assert market.rule == "As Kalshi settles it: Resolves Yes if BTC/USD spot price exceeds $100,000 at market close."


@pytest.mark.parametrize("key", ["polymarket-559657", "polymarket-559659"])
def test_nominations_are_not_about_markets(recordings, key):
    market = changed(recordings[key], p_yes=0.5)
    assert "names no market" in reason(market, market.terms.deadline - DAY)


@pytest.mark.parametrize(
    ("question", "group", "complete"),
    [
        ("Bitcoin above $___ on March 11?", "$64,000", "Bitcoin above $64,000 on March 11?"),
        ("What price will Ethereum hit March 9-15?", "2,400", "What price will Ethereum hit March 9-15?"),
        ("Will Bitcoin reach $100,000 in March?", "↑ 100,000", "Will Bitcoin reach $100,000 in March?"),
        ("Bitcoin above ___ on March 11?", r"\1", r"Bitcoin above $\1 on March 11?"),
    ],
)
def test_a_question_is_completed_from_its_group(question, group, complete):
    assert wording(question, group) == complete


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("One.\n\nTwo\tthree.", "One. Two three."),
        ("<b>Yes</b> if <script>x</script>", "Yes if x"),
        ("&lt;b&gt;Yes&lt;/b&gt; &amp; no", "Yes & no"),
        ("as [Chainlink](https://data.chain.link) says", "as Chainlink says"),
        ("**Yes** if `a_b`\x07\u202e\ud800", "Yes if a b"),
        ("Yes if 1 < 2 and 3 > 2", "Yes if 1 < 2 and 3 > 2"),
        ("<<b>script>", "< script>"),
    ],
)
def test_rules_are_published_without_markup(rules, text):
    assert plain(rules) == text


@given(st.text(max_size=600))
def test_rules_are_published_on_one_short_line(rules):
    text = plain(rules)
    assert len(text) <= 200
    assert text.isprintable()
    assert not re.search(r"</?[a-zA-Z!][^<>]*>", text)


def short(
    minutes: int = 5, begins: int = TEN, asset: str = "Bitcoin", *, number: str = "", **changes: Any
) -> OutsideMarket:
    """A market on the move of some minutes, quoted 50 to 51 cents ten seconds after its start."""
    market_id = number or f"{asset}-{minutes}-{begins}"
    quote = Odds("polymarket", market_id, None, 0.505, 0.5, 0.51, 12.0, begins + 10)
    terms = Terms(f"{asset} Up or Down - March 12, 6AM ET", "", begins + minutes * MINUTE, "")
    return changed(OutsideMarket("polymarket", quote, terms, measured_from=begins), **changes)


take_short, reason_short = partial(take, now=TEN, short=True), partial(reason, now=TEN, short=True)


@pytest.mark.parametrize(
    ("title", "minutes", "asset", "text"),
    [
        ("Bitcoin Up or Down - March 12, 6:00AM-6:05AM ET", 5, "btc", "Bitcoin be up at 2026-03-12 10:05 UTC?"),
        ("Ethereum Up or Down - March 12, 6:00AM-6:15AM ET", 15, "eth", "Ethereum be up at 2026-03-12 10:15 UTC?"),
        ("Solana Up or Down - March 12, 6AM ET", 60, "sol", "Solana be up at 2026-03-12 11:00 UTC?"),
        ("Bitcoin Up or Down - March 12, 6-7AM ET", 60, "btc", "Bitcoin be up at 2026-03-12 11:00 UTC?"),
        ("Bitcoin Up or Down - December 31, 11:55PM-12:00AM ET", 5, "btc", "Bitcoin be up at 2026-03-12 10:05 UTC?"),
        ("BTC price up in next 15 mins?", 15, "btc", "BTC be up at 2026-03-12 10:15 UTC?"),
    ],
)
def test_a_short_title_names_only_the_asset(title, minutes, asset, text):
    """Its dates are not read: "6AM ET" is the start of the hour, and "12:00AM" at New Year's Eve a year ahead."""
    market = take_short(short(minutes, question=title))
    assert (market.question.asset, market.question.comparator, market.question.text) == (asset, "up", f"Will {text}")
    assert (market.question.notes, market.question.level, market.question.negated) == ((), None, False)
    assert (market.created_at, market.deadline) == (TEN, TEN + minutes * MINUTE)
    assert market.question.horizon_hours == pytest.approx(minutes / 60)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deadline": TEN}, "ends within 2 hours"),
        ({"deadline": TEN + 2 * HOUR}, "ends within 2 hours"),
        ({"question": "Will Bitcoin reach $80,000 by 6:05AM ET?"}, "not a move"),
        ({"question": "Bitcoin and Ethereum Up or Down - March 12, 6AM ET"}, "not a move of one asset"),
        ({"question": "Pepecoin Up or Down - March 12, 6AM ET"}, "not covered"),
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
    assert why in reason_short(short(**change))


@pytest.mark.parametrize(
    "change",
    [
        *({"bid": 0.45, "ask": 0.55}, {"bid": 1 - 0.55, "ask": 1 - 0.45}, {"volume_usd": 0.0}, {"volume_usd": None}),
        *({"measured_from": TEN - 12}, {"fetched_at": TEN + 30}),
    ],
)
def test_a_short_market_needs_a_quote_but_no_volume(change):
    assert take_short(short(**change))


def test_short_markets_are_imported_only_when_asked_for():
    """Without `short` nothing that ends within two hours is imported, and with it nothing else is."""
    offer = [short(minutes, volume_usd=5_000.0) for minutes in (5, 15, 60)] + [changed(deadline=TEN + DAY)]
    imports, (_, *refusals) = choose(offer, TEN, SPOTS, VOLATILITY, [], price_at)
    assert not imports
    assert {refusal.reason for refusal in refusals} == {"its deadline is not between 2 hours and 120 days ahead"}
    assert len(refusals) == 3
    imports, refusals = choose(offer, TEN, SPOTS, VOLATILITY, [], price_at, short=True)
    assert len(imports) == 3
    assert [refusal.id for refusal in refusals] == ["polymarket-1"]


def test_four_short_markets_of_an_asset_end_within_an_hour():
    """An hour, a quarter and two times five minutes of each asset; those that ended count until they are settled."""
    history: list[Prediction] = []
    for now in range(TEN, TEN + 2 * HOUR, 5 * MINUTE):
        lengths = [minutes for minutes in (5, 15, 60) if now % (minutes * MINUTE) == 0]
        offer = [short(minutes, now, asset) for minutes in lengths for asset in ("Bitcoin", "Ethereum")]
        imports, refusals = choose(offer, now, SPOTS, VOLATILITY, history, price_at, short=True)
        assert all("4 short questions for this asset and hour" in refusal.reason for refusal in refusals)
        history += imports
    of_bitcoin = [market for market in history if market.question.asset == "btc"]
    spans = [((market.created_at - TEN) // MINUTE, (market.deadline - TEN) // MINUTE) for market in of_bitcoin]
    assert sorted(spans[:4]) == [(0, 5), (0, 15), (0, 60), (5, 10)]
    assert sorted(spans[4:]) == [(60, 65), (60, 75), (60, 120), (65, 70)]
    assert len(history) == 16


def test_one_short_market_is_open_for_an_asset_and_an_end():
    """Two sources list the same quarter of an hour. An hour that began before asks whether it ends above that price."""
    original = take_short(short(15))
    assert reason_short(short(15, number="2"), markets=[original]) == f"it is nearly the same as {original.id}"
    assert take_short(short(15, asset="Ethereum"), markets=[original])
    assert take_short(short(5), markets=[original])
    question = take_short(short(60), now=TEN + 2 * MINUTE).question
    assert (question.comparator, question.level, question.spot) == ("close_above", 69_300, 70_000)


def test_short_markets_take_no_room_from_the_others():
    """Nor are they copies of them: a level of Bitcoin at noon is none of the price of now in five minutes."""
    noon = changed(deadline=TEN + 6 * HOUR, question="Will the price of Bitcoin be above $70,000 on March 12?")
    shorts = [
        take_short(short(5, asset=asset, number=f"{asset}-{n}")) for asset in ("Bitcoin", "Ethereum") for n in range(25)
    ]
    level = take(noon, TEN, shorts)
    assert (level.question.comparator, level.question.level) == ("close_above", 70_000)
    ending = replace(level, deadline=TEN + 5 * MINUTE, created_at=TEN - DAY)
    challenge = replace(take_short(short(5)), category="challenge")
    others = [replace(other, id=f"{other.category}-{n}") for other in (level, ending, challenge) for n in range(40)]
    assert take_short(short(5), markets=others)


def test_the_recorded_market_of_five_minutes_is_imported(shared_data):
    """When it begins; by then it is traded, and a day before it is not measured from now."""
    row = json.loads((shared_data / "recorded" / "polymarket" / "gamma_market.json").read_text())
    (market,), _ = POLYMARKET.markets([row], 0)
    begins = market.measured_from
    question = take_short(market, now=begins).question
    assert (question.asset, question.comparator, iso(begins)) == ("btc", "up", "2026-03-12T09:20:00Z")
    assert "not measured from now" in reason_short(market, now=begins - 5 * MINUTE)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, ""),
        ({"rules": f"{RULES} **Update**: the candle is that of BTC/USDT."}, ""),
        ({"question": "Will Bitcoin be above $72k on March 11?"}, ""),
        ({"question": "Bitcoin above ___ on March 11?"}, ""),
        ({"deadline": MARCH_11 - 2 * DAY}, ""),
        ({"deadline": MARCH_11 - 2 * DAY, "question": "Will Bitcoin be above $72k on March 11?"}, ""),
        ({"deadline": MARCH_11 + HOUR}, ""),
        ({"deadline": MARCH_11 + DAY}, "its end was moved to 2026-03-12T16:00:00Z after it was imported"),
        ({"question": OTHER_LEVEL}, "it asks something else since it was imported"),
        ({"question": "Bitcoin above ___ on March 11?", "group": "74,000"}, "it asks something else"),
        ({"question": ABOVE.terms.question.replace("Bitcoin", "Ethereum")}, "it asks something else"),
        ({"question": ABOVE.terms.question.replace("above", "below")}, "it asks something else"),
        ({"question": "This market was withdrawn."}, "it asks something else"),
        ({"question": ""}, "it asks something else"),
        ({"rules": "Any price until the deadline decides, at any time."}, "it asks something else"),
    ],
)
def test_a_market_must_still_ask_what_was_imported(change: dict[str, Any], reason: str):
    """Other words may ask the same; an earlier end is that of a market whose outcome is certain."""
    difference = change_since_import(take(ABOVE), changed(**change).terms)
    assert difference == reason if not reason else difference.startswith(reason)


def test_a_withdrawn_text_is_no_change():
    """Its meaning is kept, and read again from the words of the source. A short market must still ask the same."""
    assert change_since_import(withdrawn(take(ABOVE)), ABOVE.terms) == ""
    assert change_since_import(withdrawn(take(ABOVE)), changed(question=OTHER_LEVEL).terms)
    market = take_short(short(5))
    assert change_since_import(market, short(5).terms) == ""
    assert change_since_import(market, short(5, asset="Ethereum").terms)
