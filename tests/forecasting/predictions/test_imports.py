"""Questions of outside markets: which of them are taken over, and as what."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions import PredictionMarket
from service.forecasting.predictions.imports import OutsideMarket, Refusal, accept, choose
from service.forecasting.predictions.wording import TAG, plain, wording
from service.market.instants import DAY, HOUR, utc
from service.sources.odds import kalshi, polymarket

SPOTS = {"btc": 70_000.0, "eth": 2_100.0, "sol": 88.0, "gold": 5_100.0}
VOLATILITY = {"btc": 0.5, "eth": 0.7, "sol": 0.9, "gold": 0.2}
NOW = int(datetime(2026, 3, 8, 12, tzinfo=UTC).timestamp())
MARCH_11 = int(datetime(2026, 3, 11, 16, tzinfo=UTC).timestamp())
ABOVE = OutsideMarket(
    source="polymarket",
    market_id="1",
    url=None,
    question="Will the price of Bitcoin be above $72,000 on March 11?",
    group="72,000",
    outcomes=("Yes", "No"),
    yes_index=0,
    p_yes=0.4,
    bid=0.39,
    ask=0.41,
    volume_usd=50_000.0,
    deadline=MARCH_11,
    rules='Resolves to "Yes" if the candle at noon has a final "Close" price above 72,000.',
    fetched_at=NOW,
)


def take(outside: OutsideMarket, now: int = NOW, existing=()) -> PredictionMarket | Refusal:
    return accept(outside, now, SPOTS, VOLATILITY, existing)


def reason(outside: OutsideMarket, now: int = NOW, existing=()) -> str:
    refusal = take(outside, now, existing)
    assert isinstance(refusal, Refusal)
    assert refusal.id == outside.id
    return refusal.reason


def ladder(count: int, asset: str = "Bitcoin", day: int = 11, step: int = 2_000) -> list[OutsideMarket]:
    """Markets on one day at levels far from each other, each with more volume than the one before it."""
    first = {"Bitcoin": 60_000, "Ethereum": 1_600}[asset]
    return [
        replace(
            ABOVE,
            market_id=f"{asset}-{day}-{place}",
            question=f"Will the price of {asset} be above ${first + place * step:,} on March {day}?",
            deadline=MARCH_11 + (day - 11) * DAY,
            volume_usd=2_000.0 + place,
        )
        for place in range(count)
    ]


def test_an_outside_question_becomes_a_market_that_its_own_market_settles():
    market = take(ABOVE)
    assert (market.id, market.category, market.resolver) == ("polymarket-1", "imported", "polymarket")
    assert (market.created_at, market.closes_at, market.deadline) == (NOW, MARCH_11, MARCH_11)
    assert (market.backfilled, market.author) == (False, None)
    assert (market.question.asset, market.question.comparator, market.question.level) == ("btc", "close_above", 72_000)
    assert market.question.text == ABOVE.question
    assert market.rule == (
        'As Polymarket settles it: Resolves to "Yes" if the candle at noon has a final "Close" price above 72,000.'
    )


def test_the_end_of_the_outside_market_rules_over_the_day_that_is_named():
    """The question means noon in New York; its text alone would mean midnight."""
    question = take(ABOVE).question
    assert question.deadline == utc(MARCH_11)
    assert question.horizon_hours == 76
    assert question.canonical == "Will Bitcoin (btc) be above 72,000 USD at 2026-03-11 16:00 UTC?"


@pytest.mark.parametrize("days", [-2, 2])
def test_an_end_far_from_the_day_that_is_named_is_refused(days):
    assert "more than a day" in reason(replace(ABOVE, deadline=MARCH_11 + days * DAY))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deadline": NOW}, "end is past"),
        ({"deadline": NOW - DAY}, "end is past"),
        ({"deadline": NOW + 2 * HOUR - 1}, "2 hours"),
        ({"deadline": NOW + 120 * DAY + 1}, "120 days"),
        ({"volume_usd": 999.99}, "volume"),
        ({"p_yes": 0.0199}, "2 %"),
        ({"p_yes": 0.9801}, "98 %"),
        ({"question": "Will the price of Dogecoin be above $1 on March 11?"}, "not followed"),
        ({"question": "Will the price of XRP be above $2 on March 11?"}, "no price of XRP"),
        ({"question": "Will Berhanu Nega be the next Prime Minister of Ethiopia?"}, "not understood"),
        ({"question": ""}, "not understood"),
        ({"question": "Will Bitcoin be above $72,000?" + " " * 500}, "not understood"),
        ({"question": "What price will Bitcoin hit on March 11?"}, "no criterion"),
        ({"question": "Will Bitcoin be above $72,000?", "deadline": NOW + 7 * DAY}, "no deadline"),
        ({"question": "If rates are cut, will Bitcoin be above $72,000 on March 11?"}, "reservation"),
        ({"question": "Will crypto be above $72,000 on March 11?"}, "reservation"),
    ],
)
def test_what_is_not_taken_over_says_why(change, why):
    assert why in reason(replace(ABOVE, **change))


@pytest.mark.parametrize("change", [{"p_yes": 0.02}, {"p_yes": 0.98}, {"volume_usd": 1_000.0}])
def test_the_bounds_themselves_are_taken(change):
    assert isinstance(take(replace(ABOVE, **change)), PredictionMarket)


def test_an_end_two_hours_ahead_is_taken():
    assert isinstance(take(ABOVE, MARCH_11 - 2 * HOUR), PredictionMarket)


@pytest.mark.parametrize(
    ("question", "group", "said"),
    [
        ("Bitcoin Up or Down - March 11, 2PM ET", "", "Will Bitcoin be up - March 11, 2PM ET"),
        ("Bitcoin Up or Down on March 11?", "", "Will Bitcoin be up on March 11?"),
        ("Bitcoin above ___ on March 11?", "64,000", "Bitcoin above $64,000 on March 11?"),
        ("Bitcoin above $___ on March 11?", "$64,000", "Bitcoin above $64,000 on March 11?"),
        ("What price will Ethereum hit March 9-15?", "↑ 2,400", "Will Ethereum reach $2,400 March 9-15?"),
        ("What price will Ethereum hit March 9-15?", "↓ 1,800", "Will Ethereum dip to $1,800 March 9-15?"),
        ("What price will Ethereum hit March 9-15?", "2,400", "What price will Ethereum hit March 9-15?"),
        ("Bitcoin price on Mar 15, 2026?", "$75,000 or above", "Will Bitcoin be $75,000 or above on Mar 15, 2026?"),
        (
            "Bitcoin price range on Mar 15, 2026?",
            "$75,900 to 75,999.99",
            "Will Bitcoin be $75,900 to 75,999.99 on Mar 15, 2026?",
        ),
        ("Will Bitcoin reach $100,000 in March?", "↑ 100,000", "Will Bitcoin reach $100,000 in March?"),
        ("Bitcoin above ___ on March 11?", r"\1", r"Bitcoin above $\1 on March 11?"),
    ],
)
def test_a_question_that_leans_on_its_group_is_said_in_full(question, group, said):
    assert wording(question, group) == said


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
def test_the_ways_in_which_outside_markets_ask_are_understood(question, group, comparator, level, upper):
    read = take(replace(ABOVE, question=question, group=group, rules="")).question
    assert (read.asset, read.comparator, read.level, read.upper_level) == ("btc", comparator, level, upper)
    assert (read.negated, read.notes) == (False, ())


@pytest.mark.parametrize(
    ("asked", "rules", "comparator"),
    [
        ("exceed", "Resolves Yes if the spot price exceeds $72,000 at market close.", "close_above"),
        ("exceed", "", "touch_above"),
        ("exceed", 'Yes if any candle has a final "High" price above it.', "touch_above"),
        ("fall below", "Yes if the candle has a final “Close” price below it.", "close_below"),
        ("be above", "Yes if it trades above it at any point.", "touch_above"),
        ("exceed", "Yes if at any time before the market close, or at the close, it is above.", "touch_above"),
    ],
)
def test_the_rules_say_whether_one_price_decides_or_any_on_the_way(asked, rules, comparator):
    question = take(replace(ABOVE, question=f"Will Bitcoin {asked} $72,000 by March 11?", rules=rules)).question
    assert question.comparator == comparator
    assert ("at any time" in question.canonical) == comparator.startswith("touch")


def test_a_move_is_taken_where_it_is_measured_from_now_on():
    """From another instant, what is asked is no move from the price now; an hour of a day is borne."""
    daily = replace(ABOVE, question="Bitcoin Up or Down on March 11?", group="", outcomes=("Up", "Down"))
    noon = MARCH_11 - DAY
    daily = replace(daily, measured_from=noon)
    assert take(daily, noon).question.comparator == "up"
    assert take(daily, noon).question.text == "Will Bitcoin be up on March 11?"
    assert isinstance(take(daily, noon - HOUR), PredictionMarket)
    assert "not measured from now" in reason(daily, noon - 2 * HOUR)
    assert "not measured from now" in reason(daily, noon + 2 * HOUR)
    assert "not measured from now" in reason(replace(daily, measured_from=None), noon)


def test_a_comparison_of_two_assets_is_a_move_too():
    asked = replace(ABOVE, question="Will Ethereum outperform Bitcoin by March 11?", group="", rules="")
    assert "not measured from now" in reason(asked)
    assert take(replace(asked, measured_from=NOW)).question.other_asset == "btc"


def test_what_is_here_already_is_not_taken_twice():
    assert "already" in reason(ABOVE, existing=[take(ABOVE)])


def test_a_near_copy_of_an_open_question_is_refused():
    """A sixth of the move to be expected apart is the same question; three of them are another one."""
    kept = take(ABOVE)
    copy = replace(ABOVE, market_id="2", question="Will the price of Bitcoin be above $72,300 on March 11?")
    other = replace(ABOVE, market_id="2", question="Will the price of Bitcoin be above $78,000 on March 11?")
    assert reason(copy, existing=[kept]) == "it nearly is polymarket-1"
    assert reason(copy, existing=[replace(kept, id="weekly-btc", category="weekly")]) == "it nearly is weekly-btc"
    assert isinstance(take(other, existing=[kept]), PredictionMarket)


def test_an_asset_whose_moves_are_not_known_is_not_taken():
    refusal = accept(ABOVE, NOW, SPOTS, {}, [])
    assert refusal.reason == "the volatility of btc is not known"


def test_four_questions_of_an_asset_and_day_are_taken_largest_volume_first():
    offered = [*ladder(6), *ladder(2, day=12)]
    taken, refused = choose(random.Random(1).sample(offered, len(offered)), NOW, SPOTS, VOLATILITY, [])
    of_march_11 = [market.id for market in taken if market.deadline == MARCH_11]
    assert of_march_11 == [f"polymarket-Bitcoin-11-{place}" for place in (5, 4, 3, 2)]
    assert len(taken) == 6
    assert {refusal.reason for refusal in refused} == {"4 imported questions of that asset and day are open already"}


def test_our_own_questions_take_no_room_from_imported_ones():
    ours = [replace(take(one), category="daily", id=one.market_id) for one in ladder(6)]
    far = replace(ABOVE, question="Will the price of Bitcoin be above $80,000 on March 11?")
    assert isinstance(take(far, existing=ours), PredictionMarket)


def test_forty_imported_questions_are_open_at_once():
    """Those whose deadline has come make room."""
    days = range(9, 16)
    offered = [one for day in days for one in [*ladder(4, day=day), *ladder(4, "Ethereum", day, step=150)]]
    taken, refused = choose(offered, NOW, SPOTS, VOLATILITY, [])
    assert (len(taken), len(refused)) == (40, 16)
    assert {refusal.reason for refusal in refused} == {"40 imported questions are open already"}
    later = replace(
        ABOVE, question="Will the price of Bitcoin be above $90,000 on March 20?", deadline=MARCH_11 + 9 * DAY
    )
    assert "40 imported" in reason(later, existing=taken)
    assert isinstance(take(later, now=MARCH_11, existing=taken), PredictionMarket)


@given(st.permutations(ladder(6)))
def test_the_order_in_which_markets_are_offered_changes_nothing(offered):
    assert choose(offered, NOW, SPOTS, VOLATILITY, []) == choose(ladder(6), NOW, SPOTS, VOLATILITY, [])


@pytest.mark.parametrize(
    ("rules", "said"),
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
def test_rules_are_told_without_markup(rules, said):
    assert plain(rules) == said


@given(st.text(max_size=600))
def test_rules_are_told_on_one_short_line(rules):
    told = plain(rules)
    assert len(told) <= 200
    assert told.isprintable()
    assert not TAG.search(told)


def test_a_market_without_rules_says_who_settles_it():
    assert take(replace(ABOVE, rules="")).rule == "As Polymarket settles it."


@pytest.fixture(scope="module")
def recorded(shared_data) -> dict[str, OutsideMarket]:
    """Every recorded market that tells its odds, by its id here."""
    folder = shared_data / "recorded"
    search = json.loads((folder / "polymarket" / "search_response.json").read_text())
    event = json.loads((folder / "polymarket" / "gamma_event.json").read_text())
    rows = [row for one in [*search["events"], *event] for row in one["markets"]]
    rows += [json.loads(file.read_text()) for file in sorted((folder / "polymarket").glob("gamma_market*.json"))]
    listed, _ = polymarket.parse(rows, NOW)
    listed += kalshi.parse(json.loads((folder / "kalshi" / "markets.json").read_text())["markets"], NOW)[0]
    return {market.id: market for market in listed}


def test_five_of_them_tell_their_odds(recorded):
    assert sorted(recorded) == [
        "kalshi-KXBTC-25MAR15-B100000",
        "polymarket-1500056",
        "polymarket-1557558",
        "polymarket-559657",
        "polymarket-559659",
    ]


def test_bitcoin_above_64000_is_as_good_as_certain(recorded):
    """Its question is understood: with odds that leave something open it is taken over."""
    market = recorded["polymarket-1500056"]
    before = market.deadline - DAY
    assert reason(market, before) == "its price is not between 2 % and 98 %"
    question = take(replace(market, p_yes=0.9), before).question
    assert (question.comparator, question.level, question.notes) == ("close_above", 64_000, ())
    assert question.canonical == "Will Bitcoin (btc) be above 64,000 USD at 2026-03-11 16:00 UTC?"


def test_up_or_down_within_five_minutes_is_too_small_and_too_soon(recorded):
    market = recorded["polymarket-1557558"]
    assert reason(market, market.deadline - DAY) == "its volume is under 1,000 USD"
    traded = replace(market, volume_usd=5_000.0)
    assert "2 hours" in reason(traded, market.deadline - HOUR)
    assert reason(traded, market.deadline - 3 * HOUR) == "its move is not measured from now on"


def test_kalshis_level_counts_at_the_close_as_its_rules_say(recorded):
    market = take(recorded["kalshi-KXBTC-25MAR15-B100000"], int(datetime(2025, 3, 13, tzinfo=UTC).timestamp()))
    assert (market.resolver, market.question.comparator, market.question.level) == ("kalshi", "close_above", 1e5)
    assert market.question.horizon_hours == pytest.approx(72, abs=0.01)
    assert market.rule == ("As Kalshi settles it: Resolves Yes if BTC/USD spot price exceeds $100,000 at market close.")


@pytest.mark.parametrize("key", ["polymarket-559657", "polymarket-559659"])
def test_nominations_are_no_market_matter(recorded, key):
    market = replace(recorded[key], p_yes=0.5)
    assert "names no market" in reason(market, market.deadline - DAY)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("gamma_market_closed_binary_accepting_false", "No asset that is followed"),
        ("gamma_market_closed_binary_accepting_true", "names no market"),
        ("gamma_market_closed_nonbinary_legacy", "not followed"),
        ("gamma_market_closed_zero_zero_legacy", "names no market"),
        ("gamma_market_past_end_date_open", "names no market"),
    ],
)
def test_those_that_are_closed_would_not_be_understood_either(shared_data, file, why):
    row = json.loads((shared_data / "recorded" / "polymarket" / f"{file}.json").read_text())
    assert why in reason(replace(ABOVE, question=row["question"], group=row.get("groupItemTitle", "")))
