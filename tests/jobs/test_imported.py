"""Outside markets and news of the live world: as fresh as long as their source answers, settled by it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from service.forecasting.predictions import Prediction, Settlement
from service.jobs import imported, prices
from service.jobs.committing import withdraw_texts
from service.ledger.commitments import text_hash
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.odds import source
from service.store import audit, bars, predictions
from tests.jobs.live import HEADLINES, an_hour_later, answering, do, gamma_over, gamma_row, kalshi_row, level, printing
from tests.jobs.track_record import SLOT, document, read, rows, verified
from tests.running_service import START, RunningService, copied, running_service

pytestmark = pytest.mark.slow

FIVE = 5 * MINUTE
QUARTER = SLOT + 3 * FIVE  # 08:15
GAMMA_ID, TICKER = "polymarket-1500056", "kalshi-KXBTC-26NOV27-B1"


def imported_markets(service: RunningService) -> dict[str, dict]:
    markets = document(service, "predictions")["markets"]
    return {market["id"]: market for market in markets if market["category"] == "imported"}


def frozen(service: RunningService) -> dict[str, dict]:
    """The imported markets without what changes every hour."""
    now = dict.fromkeys(("context", "ai_now", "odds_now"))
    return {market_id: market | now for market_id, market in imported_markets(service).items()}


def stored(service: RunningService, market_id: str) -> Prediction:
    return read(service, predictions.find_prediction, market_id)


def test_imported_markets_show_the_prices_of_now(live):
    """From the listing that is read every hour anyway; the votes and odds of the opening stay."""
    before = frozen(live)
    live.move(2 * HOUR)
    live.move(60)
    market = imported_markets(live)[GAMMA_ID]
    assert (market["market_odds"]["p_yes"], market["odds_now"]["p_yes"]) == (0.41, 0.41)
    assert market["odds_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert market["ai_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert frozen(live)[GAMMA_ID]["ai_votes"] == before[GAMMA_ID]["ai_votes"]


def test_in_the_live_world_only_its_past_is_backfilled(live):
    """What others ask is taken over at the first start, voted on and priced by them; the past has no odds."""
    page, markets = document(live, "predictions"), imported_markets(live)
    assert set(markets) == {GAMMA_ID, TICKER}
    for market in markets.values():
        assert (len(market["ai_votes"]), market["created_at"], market["backfilled"]) == (9, iso(SLOT), False)
        assert market["commitment"]["seq"] > 0
    odds = markets[GAMMA_ID]["market_odds"]
    assert (odds["p_yes"], odds["simulated"]) == (0.41, False)
    for name in ("polymarket", "kalshi"):
        assert page["sources"][name] == f"odds ({name}), read {iso(SLOT)}"
    assert all(market["market_odds"] is None for market in page["markets"] if market["category"] != "imported")


def test_the_voters_never_see_the_odds(live, live_data, world, tmp_path):
    """The same market at other odds gets the same votes to the last bit."""
    commitments = []
    for p in ("0.10", "0.90"):
        folder = copied(live_data, tmp_path / p)
        world.offers["polymarket"] = [gamma_row("7", share=0.95, day=27, p=p)]
        with running_service(folder, **world.options) as service:
            an_hour_later(service)
            prediction = stored(service, "polymarket-7")
            assert prediction.odds.p_yes == float(p)
            commitments.append(prediction.commitment)
    assert commitments[0] == commitments[1]


def test_an_imported_market_is_settled_as_its_source_settles_it(live, world):
    world.over = {
        "polymarket": [gamma_over("2026-11-21 08:20:00+00")],
        "kalshi": [kalshi_row(status="finalized", result="no", settlement_ts="2026-11-21T08:30:00Z")],
    }
    an_hour_later(live)
    at = SLOT + HOUR
    assert stored(live, GAMMA_ID).settlement == Settlement("yes", at, "Yes pays 1, No pays 0", "polymarket")
    assert stored(live, TICKER).settlement == Settlement("no", at, "settled as no", "kalshi")
    an_hour_later(live, 2)
    assert not imported_markets(live)
    assert verified(live).fault is None
    for market_id in (GAMMA_ID, TICKER):
        assert [row.kind for row in rows(live, subject=market_id)] == ["votes", "odds", "resolution", "score"]


def test_the_words_of_an_outside_market_are_hashes_in_the_ledger(live):
    """They can be withdrawn; what the market asks stays in the words of this service."""
    market = stored(live, GAMMA_ID)
    votes, quote = (row.body for row in rows(live, subject=GAMMA_ID))
    hashes = [votes["question"]["text"], votes["rule"], quote["url"]]
    texts = [market.question.text, market.rule, market.odds.url]
    assert hashes == [text_hash(text, market.salt) for text in texts]
    assert votes["question"]["canonical"] == market.question.canonical
    with live.runtime.database.writing() as db:
        assert withdraw_texts(db, [GAMMA_ID], SLOT) == [GAMMA_ID]
        assert list(audit.differences(db)) == []
    market = stored(live, GAMMA_ID)
    assert (market.rule, market.odds.url) == ("As Polymarket settles it.", None)


@pytest.mark.parametrize(
    ("change", "outcome", "evidence"),
    [
        ({"question": f"Will Bitcoin be above ${level(1.02)} on November 25?"}, "yes", "Yes pays 1, No pays 0"),
        ({"outcomePrices": '["0.5", "0.5"]'}, "void", "Yes pays 0.5, No pays 0.5"),
        ({"closedTime": "2026-11-21 07:59:59+00"}, "void", "it was decided before it was imported"),
        (
            {"question": f"Will Bitcoin be above ${level(1.05)} on November 25?"},
            "void",
            "it asks something else since it was imported",
        ),
    ],
)
def test_a_market_is_settled_as_what_was_imported(live, world, change, outcome, evidence):
    """Void with the reason where its source settles something else or neither side, or had decided it before."""
    world.over["polymarket"] = [gamma_over("2026-11-21 08:20:00+00", **change)]
    an_hour_later(live)
    assert stored(live, GAMMA_ID).settlement == Settlement(outcome, SLOT + HOUR, evidence, "polymarket")


def test_a_market_that_is_not_settled_in_30_days_is_void(live, world):
    """Unless its source has not answered; a settlement that comes with the answer counts."""
    world.servers["kalshi"].fault = answering(b"", 500)
    live.move(33 * DAY)
    assert stored(live, GAMMA_ID).settlement is None
    live.move(2 * DAY)
    settlement = stored(live, GAMMA_ID).settlement
    assert (settlement.outcome, settlement.evidence) == ("void", "it was not settled within 30 days")
    live.move(5 * DAY)
    assert stored(live, TICKER).settlement is None
    world.servers["kalshi"].fault = None
    world.over["kalshi"] = [kalshi_row(status="finalized", result="yes", settlement_ts="2026-12-20T08:30:00Z")]
    live.move(HOUR)
    assert stored(live, TICKER).settlement.outcome == "yes"


@pytest.mark.parametrize(("name", "other"), [("polymarket", "kalshi"), ("kalshi", "polymarket")])
def test_a_market_that_fails_changes_nothing_but_its_freshness(live, world, name, other):
    """What was taken over stays as it is, the list says which source failed, and the other one is read."""
    before = frozen(live)
    world.servers[name].fault = answering(b"{}", 500)
    an_hour_later(live)
    page = document(live, "predictions")
    assert page["sources"][name] == f"odds ({name}), read {iso(SLOT)}; failed since: {name}: it answered 500"
    assert page["sources"][other] == f"odds ({other}), read {iso(SLOT + HOUR)}"
    assert frozen(live) == before
    world.servers[name].fault = None
    an_hour_later(live, 2)
    assert document(live, "predictions")["sources"][name] == f"odds ({name}), read {iso(SLOT + 2 * HOUR)}"


def test_a_source_that_never_answered_is_shown_as_never_read(live_world, world, tmp_path):
    with running_service(tmp_path, **world.options) as service:
        world.servers["kalshi"].fault = answering(b"", 500)
        do(service, prices.tick, SLOT)
        do(service, imported.import_markets, SLOT)
        source = read(service, imported.sources)["kalshi"]
    assert source == "odds (kalshi), never read; failed since: kalshi: it answered 500"


def up_row(market_id: str, begins: int, length: int, title: str = "Bitcoin Up or Down - November 21, 3AM ET") -> dict:
    """An open market of Polymarket on a move of some seconds."""
    texts = {"question": title, "groupItemTitle": "", "outcomes": '["Up", "Down"]', "description": ""}
    span = {"eventStartTime": iso(begins), "endDate": iso(begins + length)}
    return gamma_row(market_id, p="0.505") | texts | span | {"volumeNum": 9.9}


def quarter_row(begins: int) -> dict:
    """An open market of Kalshi on the move of a quarter of an hour."""
    return kalshi_row(
        ticker="KXETH15M-26NOV210330-30",
        event_ticker="KXETH15M-26NOV210330",
        title="ETH price up in next 15 mins?",
        yes_sub_title="Target Price: $3,019.40",
        open_time=iso(begins),
        close_time=iso(begins + 3 * FIVE),
        yes_bid_dollars="0.4900",
        yes_ask_dollars="0.5000",
    )


@pytest.fixture
def short(live_world, live_data, world, tmp_path, monkeypatch) -> Iterator[RunningService]:
    """The live service with short markets, whose wall clock the sources share."""
    with running_service(copied(live_data, tmp_path), wall=START + 60, **world.options, short_markets=True) as service:
        monkeypatch.setattr(source, "time", SimpleNamespace(time=lambda: service.wall, monotonic=time.monotonic))
        yield service


def close_at(service: RunningService, asset: str, instant: int) -> float:
    """The close of the five-minute bar that ends at a unix second."""
    return float(read(service, bars.load_bars, asset, instant - FIVE, instant, FIVE).close[-1])


def until(service: RunningService, instant: int) -> None:
    """Let the wall clock go on to ten seconds after an instant, when its bar is stored."""
    service.move(instant + 10 - service.wall)


def test_short_markets_are_voted_on_when_they_begin(short, world):
    """The votes are from the five-minute bar that ends then, not from the last complete hour."""
    world.offers["polymarket"] = [up_row("5", QUARTER, FIVE), up_row("60", QUARTER, HOUR)]
    world.offers["kalshi"] = [quarter_row(QUARTER)]
    until(short, QUARTER)
    ids = ("polymarket-5", "polymarket-60", "kalshi-KXETH15M-26NOV210330-30")
    for market_id, asset in zip(ids, ("btc", "btc", "eth"), strict=True):
        market = stored(short, market_id)
        assert (market.created_at, market.commitment.as_of, len(market.votes)) == (QUARTER, QUARTER, 9)
        assert (market.question.asset, market.question.comparator) == (asset, "up")
        assert market.question.spot == close_at(short, asset, QUARTER) != close_at(short, asset, SLOT)
        assert market.odds.fetched_at == QUARTER + 10


def test_short_markets_are_imported_every_five_minutes(short, world):
    """Each at the start of its move: none twice, none late, and none early."""
    begins = [QUARTER + number * FIVE for number in range(3)]
    world.offers["polymarket"] = [up_row(str(number), start, 2 * FIVE) for number, start in enumerate(begins)]
    for start in begins:
        until(short, start)
    created_at = [stored(short, f"polymarket-{number}").created_at for number in range(3)]
    assert created_at == begins


def test_short_markets_are_not_imported_unless_wanted(live, world, monkeypatch):
    """Neither every five minutes nor every hour."""
    monkeypatch.setattr(source, "time", SimpleNamespace(time=lambda: live.wall, monotonic=time.monotonic))
    rows = {begins: up_row(str(begins), begins, FIVE) | {"volumeNum": 5e4} for begins in (QUARTER, SLOT + HOUR)}
    world.offers["polymarket"] = list(rows.values())
    for begins in rows:
        until(live, begins)
    assert not any(stored(live, f"polymarket-{begins}") for begins in rows)


def test_a_short_market_needs_the_bar_of_its_start(short, world):
    """Where the exchange is late, there is no price to forecast from."""
    world.offers["polymarket"] = [up_row("5", QUARTER, FIVE)]
    short.wall = QUARTER + 10
    do(short, imported.import_short, QUARTER)
    assert stored(short, "polymarket-5") is None
    do(short, prices.tick, QUARTER + prices.LIVE_DELAY_S)
    do(short, imported.import_short, QUARTER)
    assert stored(short, "polymarket-5").votes


def test_a_move_that_began_between_slots_is_a_level(live, world):
    """A day that began at 08:30 is imported at 09:00, about the price of 08:30."""
    begins = SLOT + HOUR // 2
    world.offers["polymarket"] = [up_row("24", begins, DAY, "Bitcoin Up or Down on November 22?") | {"volumeNum": 5e4}]
    until(live, SLOT + HOUR)
    question = stored(live, "polymarket-24").question
    assert (question.comparator, question.level) == ("close_above", close_at(live, "btc", begins))
    assert question.spot == close_at(live, "btc", SLOT + HOUR)


def test_a_failed_news_source_changes_only_the_freshness(live, world):
    """The headlines stay, and the document says which source failed and since when it has seen nothing."""
    before = document(live, "news-pulse")
    assert (before["failed"], before["as_of"]) == ({}, iso(SLOT))
    assert [row["title"] for row in before["headlines"]] == [title for title, _ in HEADLINES]
    world.servers["paper"].fault = answering(b"", 500)
    an_hour_later(live)
    after = document(live, "news-pulse")
    assert after["failed"] == {"127.0.0.1": "it answered 500"}
    assert after["headlines"] == before["headlines"]
    assert (after["timestamp"], after["as_of"]) == (iso(SLOT + HOUR), iso(SLOT))
    assert after["stale_after"] == before["stale_after"]


def test_a_paper_with_retry_after_is_skipped_and_named(live, world):
    paper = world.servers["paper"]
    paper.fault = answering(b"", 429, Retry_After="7200")
    an_hour_later(live)
    reason = f"it answered 429; the next request is at {iso(SLOT + 3 * HOUR)}"
    assert document(live, "news-pulse")["failed"] == {"127.0.0.1": reason}
    paper.fault = printing(("Gold rises", SLOT + HOUR))
    paper.requests.clear()
    an_hour_later(live, 2)
    page = document(live, "news-pulse")
    assert page["failed"] == {"127.0.0.1": f"paused until {iso(SLOT + 3 * HOUR)} at its request"}
    assert (paper.requests, page["as_of"]) == ([], iso(SLOT))
    do(live, prices.tick, SLOT + 3 * HOUR + prices.LIVE_DELAY_S)
    an_hour_later(live, 3)
    page = document(live, "news-pulse")
    assert (page["failed"], page["as_of"], page["headlines"][0]["title"]) == ({}, iso(SLOT + 3 * HOUR), "Gold rises")


def test_one_of_two_news_sources_may_fail(live, live_data, world, tmp_path):
    """The other one is read, and the news are as fresh as that."""
    options = world.options
    options["news_feeds"] = ("http://localhost:1/rss", *options["news_feeds"])
    world.servers["paper"].fault = printing(*HEADLINES, ("Gold rises", SLOT + 60))
    with running_service(copied(live_data, tmp_path / "two"), **options) as service:
        do(service, prices.tick, SLOT + HOUR + prices.LIVE_DELAY_S)
        an_hour_later(service)
        page = document(service, "news-pulse")
    assert set(page["failed"]) == {"localhost"}
    assert (page["as_of"], page["headlines"][0]["title"]) == (iso(SLOT + HOUR), "Gold rises")
